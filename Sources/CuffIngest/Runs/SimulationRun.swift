import CuffCore
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
        stop.watch()
        stop.whenRaised { simulation.stop() }
        simulation.start()
        announce(simulation.address)
        if let limit {
            let waiting = Gate(isOpen: false)
            let ended = Locked(false)
            DetachedThread.start {
                simulation.waitUntilStopped()
                ended.withLock { $0 = true }
                waiting.set(open: true)
            }
            if !waiting.pass(within: limit) { simulation.stop() }
            waiting.pass()
        } else {
            simulation.waitUntilStopped()
        }
    }
}
