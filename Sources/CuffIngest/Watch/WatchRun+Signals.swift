import CuffCore
import Dispatch
import Glibc

/// Requests by signals and the service manager.
extension WatchRun {
    /// SIGHUP: reload the configuration. SIGUSR1: statistics.
    func listenForSignals() {
        // Not on a global queue: the first use of one starts libdispatch's monitoring of its thread pool, a timer that wakes the
        // process every second from then on.
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
        // After a log rotation.
        pipeline.reopen()
        notifyService { $0.reloading() }
        switch assignments {
        case .success(let assignments):
            handle(.reload(assignments))
            notify(.watcher("configuration reloaded"))
            guard let settings else { break }
            alerts?.reload(settings.rules, settings.household)
            pipeline.name(by: settings.household)
            household?.withLock { $0 = settings.household }
        case .failure(let error): notify(.watcher("the configuration was not reloaded: \(options.explain(error))"))
        }
        notifyService { [summary] in $0.ready(summary) }
    }

    /// Sent from the loop, so that a hanging loop is detected.
    func feedWatchdog() {
        guard let interval = service.watchdogInterval, watcher != nil else { return }
        notifyService { $0.watchdog() }
        watchdog.set(after: interval)
    }
}
