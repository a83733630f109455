import Glibc

/// Runs a simulation in the foreground until a signal, a limit or its end.
package enum SimulationRun {
    package static func run(
        _ simulation: Simulation, link: String? = nil, limit: Duration? = nil, announce: (String) -> Void
    ) throws(IngestError) {
        if let link {
            guard symlink(simulation.address, link) == 0 else {
                let number = errno
                throw IngestError(SimulationFault.noLink(link, errno: number))
            }
        }
        defer { if let link { unlink(link) } }
        let stop = StopSignal()
        // Also when its terminal is closed, because the link must not stay.
        stop.watch(signals: [SIGINT, SIGTERM] + (HangupSignal.isIgnored ? [] : [SIGHUP]))
        stop.whenRaised { simulation.stop() }
        simulation.start()
        announce(simulation.address)
        _ = simulation.stopped.pass(within: limit, orElse: { simulation.stop() })
    }
}
