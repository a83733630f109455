import Testing

@testable import CuffCore

@Suite struct MeasurementLifeTests {
    private func reading(_ content: Reading.Content) -> Reading {
        Reading(content, driver: "life", clock: .absent, origin: .measurement, raw: RawBytes([1]))
    }

    private func begun() -> MeasurementLife {
        var life = MeasurementLife()
        #expect(life.begin([.measure, .stop], at: .seconds(1)) == [.command(.measure)])
        return life
    }

    @Test func aResult_StartsBeforeItsReading_AndEndsBehindIt() {
        var life = begun()
        let result = reading(.bloodPressure(.mmHg(120, 80)))
        let verdict = life.handle(result)
        #expect(verdict.before == [.started] && verdict.after == [.ended(.result(result))] && !verdict.isAborted)
        #expect(life.isUnderWay && !life.canBeStopped)
        #expect(life.ended(with: .result(result)) == .ended)
        life.end()
        #expect(!life.isUnderWay)
    }

    @Test func theCuffsRecordOfItsFailure_IsTheOnlyReport() {
        var life = begun()
        let failure = MeasurementFailure(.movement)
        #expect(life.ended(with: .failed(.cuff(failure))) == .failed(failure))
        let verdict = life.handle(reading(.failure(failure)))
        #expect(verdict.after == [.ended(.failed(.cuff(failure)))])
        #expect(life.ended(with: .failed(.cuff(failure))) == nil && life.ended(with: .aborted) == nil)
        // The next measurement has an end of its own.
        _ = life.begin([.measure], at: .seconds(9))
        #expect(life.ended(with: .aborted) == .aborted)
    }

    @Test func theCuffsRecordOfAStop_IsNoReading() {
        var life = begun()
        _ = life.step { $0.stop(into: &$1) }
        #expect(life.handle(reading(.failure(.init(.stopped)))).isAborted)
        #expect(life.ended(with: .aborted) == .aborted)
    }

    @Test func liveEventsAfterTheResult_AreExtra() {
        var life = begun()
        let pressure = LiveEvent.beat(.mmHg(120, 80), interval: 800)
        #expect(!life.handle(pressure).isExtra)
        _ = life.handle(reading(.bloodPressure(.mmHg(120, 80))))
        #expect(life.handle(pressure).isExtra && life.handle(pressure).decided.isEmpty)
        #expect(!life.handle(.ended).isExtra)
    }

    @Test func timesCount_FromTheStart_UntilTheEnd() {
        var life = MeasurementLife()
        #expect(life.elapsed(at: .seconds(5)) == .zero)
        #expect(life.note(.started, at: .seconds(5), isRecorded: false).elapsed == .zero)
        #expect(life.note(.sample, at: .seconds(7), isRecorded: false).elapsed == .seconds(2))
        #expect(life.elapsed(at: .seconds(8)) == .seconds(3))
        #expect(life.note(.ended, at: .seconds(9), isRecorded: false).elapsed == .seconds(4))
        #expect(life.elapsed(at: .seconds(10)) == .zero)
    }

    /// Four samples, a quarter of a second apart by the cuff's counter, arrive together.
    @Test func samplesOfOneArrival_AreAsFarApartAsTheCuffCountedThem() {
        var life = MeasurementLife()
        for _ in 0..<4 { _ = life.note(.sample, at: .seconds(20), isRecorded: false) }
        let times = life.times(of: [100, 350, 600, 850].map { .milliseconds($0) }, at: .seconds(20))
        #expect(times == [0, 250, 500, 750].map { .milliseconds($0) })
        #expect(life.times(of: [], at: .seconds(21)).isEmpty)
    }
}

extension LiveEvent {
    /// A live sample of any kind.
    fileprivate static let sample = LiveEvent.beat(.mmHg(120, 80), interval: 800)
}
