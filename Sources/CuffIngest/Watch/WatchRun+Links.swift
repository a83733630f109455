import CuffCore

extension WatchRun {
    func open(_ id: LinkID, _ plan: LinkPlan) {
        guard let driver = options.driver("\(plan.driver)") else { return refuse(id, .unknownDriver("\(plan.driver)")) }
        // The cuff would delete readings that no sink has stored.
        if driver.forgets(plan.options), !pipeline.isDurable { return refuse(id, .nothingKeeps(driver)) }
        let commands = LinkPlan.commands(for: driver, isScheduled: plan.isScheduled)
        links[id] = Link(plan: plan, driver: driver, commands: commands)
        let (me, memory, marks, address) = (LoopBound(self), options.memory, marks, plan.address)
        let zone = options.zone
        StateFile.queue.async { @Sendable [loop] in
            var setup = LinkState.Setup.remembering(
                driver, device: plan.identity, options: plan.options, memory: memory, commands: commands)
            setup.zone = zone ?? HostZone.local()
            let (made, mark) = (setup, marks?.left(driver.id, address))
            loop.async { me.value.connect(id, made, mark) }
        }
    }

    func connect(_ id: LinkID, _ setup: LinkState.Setup, _ mark: MeasurementMarks.Held?) {
        guard let entry = links[id] else { return }
        let (plan, driver) = (entry.plan, entry.driver)
        let transport: any Transport
        do throws(AddressFault) {
            transport = try plan.address.transport(for: driver, line: plan.line, among: options.transports)
        } catch {
            links[id] = nil
            return refuse(id, IngestError(error))
        }
        var setup = setup
        setup.keepsReadings = pipeline.isDurable
        if let mark, driver.capabilities.contains(.stop) {
            setup.commands.insert(.stop, at: 0)
            setup.recovering = mark.former
            notify(.warning("\(plan.place): an earlier measurement was not ended; sending a stop first"))
        }
        var hasReadings = false
        let link = CuffLink(
            setup, transport: transport, pipeline: pipeline, memory: options.memory, on: loop,
            notify: { [weak self] in self?.handle($0, from: id) },
            submitted: { [weak self] readings in
                guard readings > 0 else { return }
                self?.received(id, isFirst: !hasReadings)
                hasReadings = true
            })
        nameForAlerts(plan)
        links[id]?.link = link
        links[id]?.commands = setup.commands
        links[id]?.mark = mark
        link.start()
        if setup.commands == [.follow] { handle(.listening(id)) }
    }

    /// Reports to the state, which waits for the link to open or end.
    func refuse(_ id: LinkID, _ error: IngestError) {
        let sentence = options.explain(error).split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "; ")
        loop.atTurnEnd { [self] in handle(.ended(id, .refused(sentence, status: error.status))) }
    }

    func close(_ id: LinkID) {
        guard let entry = links[id] else { return }
        if let link = entry.link { return link.handle(.stop(within: MeasurementState.deflationWait + .seconds(1))) }
        links[id] = nil
        loop.atTurnEnd { [self] in handle(.ended(id, .closed)) }
    }

    func received(_ id: LinkID, isFirst: Bool) {
        if isFirst || watch.settings.isOnce { handle(.received(id)) }
        if service.isListening { notifyService { [summary] in $0.status(summary) } }
    }

    func handle(_ notice: LinkNotice, from id: LinkID) {
        guard let entry = links[id] else { return }
        switch notice {
        case .diagnostic(let diagnostic):
            guard case .ignored(let why, let bytes) = diagnostic else { return notify(diagnostic.at(entry.plan.place)) }
            // Without the bytes at the default level: a record may be a person's reading.
            if let sentence = ignored.sentence("\(entry.plan.place): \(why)", bytes.count) { notify(.warning(sentence)) }
            notify(.note("\(entry.plan.place): \(diagnostic.sentence)"))
        case .identified, .clock, .cycle: break
        case .measurement(.ended(let end), _):
            endMeasurement(id, entry, end)
            links[id]?.schedule = nil
            if let key = entry.schedule { schedules?.ended(key, end) }
        case .measurement: break
        case .finished(.stop, let outcome):
            // The earlier measurement was stopped, unless the cuff did not answer: then the next link tries again.
            if outcome == .complete { remove(entry.mark) } else { leave(entry.mark) }
            links[id]?.mark = nil
        case .finished(let command, let outcome):
            if command != .follow, entry.commands.last == .follow {
                if let sentence = outcome.sentence { notify(.note("\(entry.plan.place): \(sentence); listening")) }
                handle(.listening(id))
            }
        case .ended(let outcome): ended(id, entry, outcome)
        }
    }

    private func endMeasurement(_ id: LinkID, _ entry: Link, _ end: MeasurementState.End) {
        if end.mayStillRun, case .failed(let fault) = end { notify(.warning("\(entry.plan.place): \(fault.sentence)")) }
        let isDoubtful = end.mayStillRun || entry.mark?.wasLeft == true && end.hasStartedNothing
        // The link sends another stop first, whose outcome decides.
        if isDoubtful, entry.driver.capabilities.contains(.stop) { return }
        if isDoubtful { leave(entry.mark) } else { remove(entry.mark) }
        links[id]?.mark = nil
    }

    func ended(_ id: LinkID, _ entry: Link, _ outcome: Outcome) {
        links[id] = nil
        closed[entry.plan.driver, default: LinkCounters()] += entry.counters
        let nothing = UnderstoodNothing(entry.counters, of: entry.driver, at: entry.plan.line)
        let end = LinkEnd(outcome, entry.link?.transportFault, opening: entry.link?.openingFault)
        handle(.ended(id, end.adding(nothing)))
    }
}

extension LinkEnd {
    init(_ outcome: Outcome, _ fault: TransportFault?, opening: IngestError?) {
        if let opening {
            self = .failed(opening.description, status: opening.status)
        } else if let fault {
            self = fault == .unplugged ? .unplugged : .failed(fault.description, status: .inputOutput)
        } else {
            switch outcome {
            case .complete: self = .complete
            case .aborted: self = .closed
            case .noAnswer(let why): self = .failed(why, status: .unavailable)
            case .failed(let why): self = .failed(why, status: .protocolFault)
            case .unsupported(let why): self = .failed(why, status: .usage)
            }
        }
    }

    /// A cuff that sent bytes but no answer.
    fileprivate func adding(_ nothing: UnderstoodNothing?) -> LinkEnd {
        guard case .failed(_, .unavailable) = self, let nothing else { return self }
        return .failed("\(nothing)", status: .protocolFault)
    }
}
