import CuffCore

extension WatchRun {
    var marks: MeasurementMarks? { options.memory.map { MeasurementMarks($0) } }

    func remove(_ mark: MeasurementMarks.Held?) { if let mark { StateFile.queue.async { mark.remove() } } }
    func leave(_ mark: MeasurementMarks.Held?) { if let mark { StateFile.queue.async { mark.leave() } } }

    func startSchedules() {
        guard !watch.settings.isOnce, let memory = options.memory else { return }
        let (me, loop) = (LoopBound(self), loop)
        let schedules = WatchSchedules(
            ScheduleFolder(memory, drivers: options.drivers), now: watch.now,
            notify: { text in loop.async { me.value.notify(.watcher(text)) } },
            changed: { schedules in
                loop.async {
                    me.value.kept = schedules
                    me.value.updateAlertPlans()
                    me.value.handle(.scheduled(schedules))
                }
            },
            cyclesChanged: { cycles in
                loop.async {
                    me.value.ownCycles = cycles
                    me.value.updateAlertPlans()
                }
            },
            measure: { schedule, answer in loop.async { me.value.measure(schedule, answer) } })
        self.schedules = schedules
        schedules.start()
        stopRequest = MeasurementSignal.listen {
            loop.async { for entry in me.value.links.values { entry.link?.handle(.stopMeasurement) } }
        }
    }

    /// Reports the automatically measured cuffs, and the identities of the open ones, to the alerts.
    private func updateAlertPlans() {
        alerts?.update(kept, ownCycles)
        for id in links.keys.sorted() { if let plan = links[id]?.plan { nameForAlerts(plan) } }
    }

    func nameForAlerts(_ plan: LinkPlan) {
        for schedule in kept where schedule.fits(plan) { alerts?.name(schedule.key, plan.identity) }
        for cycle in ownCycles where cycle.fits(plan) { alerts?.name(cycle.key, plan.identity) }
    }

    func measure(_ schedule: HostSchedule, _ answer: @escaping @Sendable (WatchSchedules.Answer) -> Void) {
        guard !isStopping, let id = links.keys.sorted().first(where: { links[$0].map { schedule.fits($0.plan) } ?? false }),
            let entry = links[id]
        else { return answer(.absent) }
        guard entry.link?.state.isListening == true else { return answer(.busy) }
        let (me, loop, marks, driver, address) = (LoopBound(self), loop, marks, entry.driver.id, entry.plan.address)
        StateFile.queue.async { @Sendable in
            // The mark is durable before the cuff is started.
            var mark: MeasurementMarks.Held?
            do throws(IngestError) {
                mark = try marks.map { (marks) throws(IngestError) in try marks.place(driver, address) }
            } catch { return answer(.busy) }
            let held = mark
            loop.async { me.value.measure(id, schedule, held, answer) }
        }
    }

    func measure(
        _ id: LinkID, _ schedule: HostSchedule, _ mark: MeasurementMarks.Held?, _ answer: (WatchSchedules.Answer) -> Void
    ) {
        guard !isStopping, let link = links[id]?.link, link.state.isListening else {
            remove(mark)
            return answer(.busy)
        }
        links[id]?.mark = mark
        links[id]?.schedule = schedule.key
        answer(.begun)
        link.handle(.measureNow(.automatic, mayStillRun: mark?.wasLeft == true))
    }
}
