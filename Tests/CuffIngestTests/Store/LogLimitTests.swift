import Testing

@testable import CuffIngest

@Suite struct LogLimitTests {
    struct Case: Sendable {
        var size: UInt64
        var free: UInt64
        var bytes: Int
        init(_ size: UInt64, _ free: UInt64, _ bytes: Int) { (self.size, self.free, self.bytes) = (size, free, bytes) }
    }
    private static let mebi: UInt64 = 1 << 20

    static let cases: [Case] = [
        // 4 MiB, a 64th of it; the last free space is for readings.
        Case(4 * mebi, 3 * mebi, 65_536), Case(4 * mebi, mebi - 1, 0), Case(4 * mebi, 0, 0),
        // A large volume that is nearly full.
        Case(1 << 40, 4096, 0), Case(1 << 38, 8 * mebi, 1_048_576),
        Case(64 * mebi, 60 * mebi, 1_048_576), Case(1 << 30, 1 << 29, 16_777_216), Case(1 << 40, 1 << 39, 16_777_216),
    ]

    @Test(arguments: cases) func limit_SuitsTheVolume(_ one: Case) {
        #expect(LogLimit.bytes(Volume(size: one.size, free: one.free)) == one.bytes)
    }

    @Test func heldLog_IsSaidOnce_AndAgainWhenItHasDoubled() {
        var watch = LogWatch()
        var said: [Int] = []
        for kibi in [100, 511, 512, 600, 1023, 1024, 1500, 2048] where watch.says(kibi << 10, limit: 65_536) { said.append(kibi) }
        #expect(said == [512, 1024, 2048])
        watch.isFree()
        let isSaidAgain = watch.says(524_288, limit: 65_536)
        #expect(isSaidAgain)
        // A log within its limit causes no warning.
        var patient = LogWatch()
        let (early, late) = (patient.says(33_554_432, limit: 16_777_216), patient.says(67_108_864, limit: 16_777_216))
        #expect(!early && late)
    }
}
