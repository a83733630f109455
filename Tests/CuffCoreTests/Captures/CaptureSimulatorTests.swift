import CuffCore
import Testing

/// A recorded cuff replayed to a live manager gives the recorded readings.
@Suite struct CaptureSimulatorTests {
    /// Conversations that need the recorded manager: its requests to the PM-store have other invoke-ids and another order than ours, or it
    /// requests data, which ours does only by option.
    static let oneSided: Set<String> = ["antidote-manager-pmstore", "bp-pmstore-retry-abort", "bp-datarequest"]

    @Test(arguments: CaptureFile.playable.filter { $0.header["driver"] == "phd" })
    func recordedAgent_TellsALiveManagerWhatItTold(_ file: CaptureFile) {
        let name = file.url.deletingPathExtension().lastPathComponent
        var talk = PHDConversation(SimulatorScript())
        talk.agent = CaptureSimulator(file.items)
        talk.start(.follow)
        talk.run(until: .seconds(600))
        talk.tell(.closed)
        #expect(talk.outcome == .complete, "\(name): \(talk.notes)")
        guard !Self.oneSided.contains(name) else { return }
        var text = TextBuffer()
        var printed: [String] = []
        for reading in talk.readings {
            text.removeAll()
            ReadingLine(includesRaw: false).append(.reading(reading), device: talk.identities.last?.id ?? "", to: &text)
            printed.append(String(text.string.dropLast()))
        }
        let wanted = (file.expected ?? []).filter { $0.contains("blood_pressure") && !$0.contains("\"pending\"") }.map { line in
            // Without a time of its own, a reading's id depends on its arrival, which a capture does not have. No rule of time applies here.
            line.split(separator: ",").filter { part in
                !["\"id\":", "\"measured\":", "\"clock\":\"device_time\""].contains { part.hasPrefix($0) }
            }.joined(separator: ",")
        }
        let differences = Expectation.differences(wanted, printed, isStrict: false)
        #expect(differences.isEmpty, "\(name): \(differences) \(talk.notes)")
    }

    @Test func silence_UnplugAndBeginningAnew() {
        var player = CaptureSimulator([
            CaptureItem(.fromCuff([1])), CaptureItem(.toCuff([2])), CaptureItem(.toCuff([3])), CaptureItem(.fromCuff([4])),
            CaptureItem(.event(.silence)), CaptureItem(.fromCuff([5])), CaptureItem(.event(.unplugged)),
        ])
        #expect(player.handle(.opened) == [.write([1]), .arm(.poll, .seconds(4))])
        #expect(player.handle(.received([9])) == [.arm(.poll, .milliseconds(30))])
        #expect(player.handle(.timerFired(.poll)) == [.write([4]), .arm(.poll, .seconds(5))])
        // Unsolicited bytes of the host are ignored.
        #expect(player.handle(.received([9])).isEmpty)
        #expect(player.handle(.timerFired(.poll)) == [.write([5]), .finish])
        #expect(player.handle(.opened) == [.write([1]), .arm(.poll, .seconds(4))])
        // Without a host it continues too.
        #expect(player.handle(.timerFired(.poll)) == [.write([4]), .arm(.poll, .seconds(5))])
    }
}
