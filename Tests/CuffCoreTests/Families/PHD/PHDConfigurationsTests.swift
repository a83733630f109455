import Testing

@testable import CuffCore

@Suite struct PHDConfigurationsTests {
    private static let key = "config/00091ffffe000101/4000"
    private static let bytes = PHDStandardConfiguration.bytes(0x02BC) ?? []

    private static func offer(_ bytes: [UInt8] = bytes) -> PHDConfigurations.Offer {
        PHDConfigurations.Offer(invoke: 7, id: 0x4000, bytes: bytes, configuration: PHDConfiguration(bytes) ?? PHDConfiguration())
    }

    private static func actions(_ body: (inout SessionActions) -> Void) -> [SessionAction] {
        var actions = SessionActions()
        body(&actions)
        return Array(actions)
    }

    @Test func acceptedConfiguration_IsRememberedOnce() {
        var configurations = PHDConfigurations([:])
        #expect(configurations.known(0x4000, key: Self.key) == nil)
        let first = Self.actions { configurations.remember(Self.offer(), key: Self.key, into: &$0) }
        #expect(first.count == 1)
        #expect(configurations.known(0x4000, key: Self.key)?.objects.count == 2)
        #expect(Self.actions { configurations.remember(Self.offer(), key: Self.key, into: &$0) }.isEmpty)
    }

    /// A remembered configuration is doubtful until it is sent again unchanged.
    @Test func rememberedConfiguration_IsDoubtful_UntilAffirmed() {
        var configurations = PHDConfigurations([Self.key: Self.bytes])
        configurations.adopt(Self.offer().configuration, 0x4000, isFresh: false, key: Self.key)
        #expect(configurations.isDoubtful && !configurations.isFresh)
        #expect(configurations.doubt(Self.key) == true)
        #expect(configurations.known(0x4000, key: Self.key) == nil)
        _ = Self.actions { configurations.remember(Self.offer(), key: Self.key, into: &$0) }
        configurations.adopt(Self.offer().configuration, 0x4000, isFresh: false, key: Self.key)
        #expect(!configurations.isDoubtful)
    }

    @Test func freshConfiguration_IsDoubtedTwice() {
        var configurations = PHDConfigurations([:])
        for expected in [true, true, false] {
            configurations.adopt(Self.offer().configuration, 0x4000, isFresh: true, key: Self.key)
            #expect(configurations.doubt(Self.key) == expected)
            _ = Self.actions { configurations.remember(Self.offer(), key: Self.key, into: &$0) }
        }
    }

    @Test func offer_IsTakenByItsInvokeID() {
        var configurations = PHDConfigurations([:])
        configurations.propose(Self.offer())
        #expect(configurations.takeOffer(8) == nil)
        #expect(configurations.takeOffer(7)?.id == 0x4000)
        #expect(configurations.takeOffer(7) == nil)
    }

    /// Three associations in a row, PHDConfigurations.uselessLimit; one with objects restarts the count.
    @Test func agentWithoutUsableConfigurations_IsCounted() {
        var configurations = PHDConfigurations([:])
        for round in 1...3 {
            #expect(!configurations.isUseless("a"))
            #expect(configurations.refuse() == 1, "round \(round)")
            configurations.noteUsefulness("a")
        }
        #expect(configurations.isUseless("a") && !configurations.isUseless("b"))
        configurations.adopt(Self.offer().configuration, 0x4000, isFresh: true, key: Self.key)
        configurations.noteUsefulness("a")
        #expect(!configurations.isUseless("a"))
    }

    @Test func clockWish_IsRememberedWhenItChanges() {
        var configurations = PHDConfigurations([:])
        let counts = [false, true, true, false, false].map { wish in
            Self.actions { configurations.rememberClockWish(wish, of: "a", into: &$0) }.count
        }
        #expect(counts == [0, 1, 0, 1, 0])
    }

    @Test func doubt_EndsOnce() {
        var configurations = PHDConfigurations([:])
        var ended = [configurations.endDoubt()]
        configurations.endSoon()
        ended += [configurations.endDoubt(), configurations.endDoubt()]
        #expect(ended == [false, true, false])
    }
}
