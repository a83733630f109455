import CuffCore
import Dispatch
import Glibc

extension WatchRun {
    /// SIGHUP: reload the configuration, or end if the terminal was closed. SIGUSR1: statistics.
    func listenForSignals() {
        // Not on a global queue: the first use of one starts libdispatch's monitoring of its thread pool, a timer that wakes the
        // process every second from then on.
        let queue = DispatchQueue(label: "cuff.watch.signals")
        let (me, loop) = (LoopBound(self), loop)
        let text = watch.statistics
        if let read = watch.reload {
            let stop = options.stop
            hangup = HangupSignal(
                reopen: {
                    let result = Result { () throws(IngestError) in try read() }
                    loop.async { me.value.reload(result) }
                }, gone: { stop.raise() })
        }
        signals.append(SignalListener(SIGUSR1, queue) { text(me.value.statistics.text) })
    }

    func reload(_ settings: Result<WatchReload, IngestError>) {
        guard !isStopping else { return }
        // After a log rotation.
        pipeline.reopen()
        notifyService { $0.reloading() }
        switch settings {
        case .success(let settings):
            handle(.reload(settings.assignments))
            notify(.watcher("configuration reloaded"))
            for sink in options.sinks where sink.consent != settings.consents[sink.place] ?? SinkConsent() {
                notify(.watcher("what \(sink.name) may have was changed: this applies from the next start"))
            }
            let household = settings.alerts.household
            alerts?.reload(settings.alerts.rules, household)
            pipeline.name(by: household)
            page?.withLock { $0 = PageSettings(household: household, report: settings.report) }
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
