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
            pthread.detached {
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

/// Threads for blocking waits, so that no thread of a queue is blocked.
enum pthread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    static func detached(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Body(body)).toOpaque()
        pthread_create(
            &thread, nil,
            { pointer in
                if let pointer { Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run() }
                return nil
            }, box)
        pthread_detach(thread)
    }
}
