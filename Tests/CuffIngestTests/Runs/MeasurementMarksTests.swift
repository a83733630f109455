import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// The notes of running measurements: who holds one, who left one, and what a crash while it was written leaves.
@Suite struct MeasurementMarksTests {
    private let folder = TestFolder()
    private var marks: MeasurementMarks { MeasurementMarks(DriverMemory(folder: folder.path)) }
    private let cuff = DeviceAddress.tcp(host: "ward", port: 4001)

    /// The path of the only mark.
    private func path() throws -> String {
        let names = try FileNames.in(folder.file("measuring"))
        try #require(names.count == 1)
        return folder.file("measuring/\(names[0])")
    }

    @Test func aMark_IsOneProcesss_WhileItMeasures() throws {
        let held = try marks.place("and-std", cuff)
        #expect(held.former == nil)
        #expect(throws: IngestError(CommandFault.isMeasuring(address: "\(cuff)"))) { _ = try marks.place("and-std", cuff) }
        #expect(marks.left("and-std", cuff) == nil && !marks.isLeft("and-std", cuff))
        #expect(marks.holder("and-std", cuff) == getpid())
        held.remove()
        #expect(try FileNames.in(folder.file("measuring")).isEmpty)
        #expect(marks.holder("and-std", cuff) == nil)
    }

    @Test func aMarkThatIsLeft_NamesTheMeasurementBefore() throws {
        try marks.place("and-std", cuff).leave()
        #expect(marks.isLeft("and-std", cuff))
        #expect(!marks.isLeft("taidoc", cuff), "another driver's cuff")
        let found = try #require(marks.left("and-std", cuff))
        #expect(found.former?.process == getpid())
        found.leave()
        let next = try marks.place("and-std", cuff)
        #expect(next.wasLeft)
        next.remove()
        #expect(!marks.isLeft("and-std", cuff))
    }

    /// Cut within its first line, a mark was not yet durable, so nothing had been started: no stop is owed, and the file goes.
    @Test func aTornMark_IsNoMeasurement() throws {
        try marks.place("and-std", cuff).leave()
        let path = try path()
        let whole = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
        let line = try #require(whole.firstIndex(of: 0x0A))
        for length in 0...line {
            try Data(whole[..<length]).write(to: URL(fileURLWithPath: path))
            let placed = try marks.place("and-std", cuff)
            #expect(!placed.wasLeft, "cut to \(length)")
            placed.leave()
            try Data(whole[..<length]).write(to: URL(fileURLWithPath: path))
            #expect(marks.left("and-std", cuff) == nil, "cut to \(length)")
            #expect(access(path, F_OK) != 0, "cut to \(length)")
        }
        // The number of its process is the less: without it the stop is owed all the same.
        try Data(whole[...line]).write(to: URL(fileURLWithPath: path))
        let found = try #require(marks.left("and-std", cuff))
        #expect(found.wasLeft && found.former?.process == nil)
        found.remove()
    }
}
