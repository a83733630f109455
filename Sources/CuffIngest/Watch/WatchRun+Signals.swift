import CuffCore
import Dispatch
import Glibc

/// What signals and the service manager ask for.
extension WatchRun {
    /// SIGHUP: read the configuration again. SIGUSR1: how are things.
    func listenForSignals() {
        // Not on a global queue: the first use of one starts libdispatch's watch over its pool of threads, a timer that
        // wakes the process every second for good.
        let queue = DispatchQueue(label: "cuff.watch.signals")
        let (me, loop) = (LoopBound(self), loop)
        let (text, read, readAlerts) = (watch.statistics, watch.reload, watch.reloadAlerts)
        if let read {
            listen(SIGHUP, queue) {
                let result: Result<[Assignment], IngestError>
                var alerts: AlertSettings?
                do throws(IngestError) {
                    let assignments = try read()
                    alerts = try readAlerts?()
                    result = .success(assignments)
                } catch { result = .failure(error) }
                let found = alerts
                loop.async { me.value.reload(result, found) }
            }
        }
        listen(SIGUSR1, queue) { text(me.value.statistics.text) }
    }

    func listen(_ number: Int32, _ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        signals.append(SignalListener(number, queue, body))
    }

    func reload(_ assignments: Result<[Assignment], IngestError>, _ settings: AlertSettings?) {
        guard !isStopping else { return }
        // The same signal announces rotated sink files.
        pipeline.reopen()
        notifyService { $0.reloading() }
        switch assignments {
        case .success(let assignments):
            handle(.reload(assignments))
            notify(.watcher("read the configuration again"))
            guard let settings else { break }
            alerts?.reload(settings.rules, settings.household)
            pipeline.name(by: settings.household)
            household?.withLock { $0 = settings.household }
        case .failure(let error): notify(.watcher("the configuration stays as it was: \(options.explain(error))"))
        }
        notifyService { [summary] in $0.ready(summary) }
    }

    /// From the loop, so that a loop that hangs is found out.
    func feedWatchdog() {
        guard let interval = service.watchdogInterval, watcher != nil else { return }
        notifyService { $0.watchdog() }
        watchdog.set(after: interval)
    }
}
