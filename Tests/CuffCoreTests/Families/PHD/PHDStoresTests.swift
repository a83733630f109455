import Testing

@testable import CuffCore

/// The requests that a PM-store still needs, and the effects of a broken transfer.
@Suite struct PHDStoresTests {
    private static func stores() -> PHDStores {
        var stores = PHDStores()
        stores.begin([PHDConfiguration.Store(handle: 8)])
        stores.describe(8, [UInt8]().span)
        return stores
    }

    private static func segment(_ instance: UInt16, person: UInt16? = nil, usage: UInt32? = 2) -> PHDSegment {
        var segment = PHDSegment(instance: instance)
        segment.isDecodable = true
        segment.person = person
        segment.usage = usage
        return segment
    }

    @Test func attributes_ThenSegments_ThenTransfers() throws {
        var stores = PHDStores()
        #expect(stores.next(user: nil) == nil && stores.isEmpty)
        stores.begin([PHDConfiguration.Store(handle: 8)])
        #expect(stores.next(user: nil) == .attributes(handle: 8))
        stores.describe(8, [UInt8]().span)
        #expect(stores.next(user: nil) == .segments(store: 0))
        #expect(stores.list([Self.segment(1, person: 1), Self.segment(2, person: 2), Self.segment(3, usage: 0)], of: 0, user: nil).isEmpty)
        #expect(stores.next(user: nil) == .transfer(handle: 8, instance: 1))
        #expect(stores.next(user: 2) == .transfer(handle: 8, instance: 2))
        for instance in [1, 2] as [UInt16] {
            stores.update(try #require(stores.place(8, instance))) { $0.progress = .complete }
        }
        #expect(stores.next(user: nil) == nil && stores.outcome == .complete)
    }

    @Test func failedStore_IsPassedOver() {
        var stores = Self.stores()
        stores.fail(8)
        #expect(stores.next(user: nil) == nil)
        #expect(stores.outcome == .failed("a part of the agent's store could not be fetched"))
    }

    @Test func twoSegmentsOfOneNumber_StayInTheAgent() {
        var stores = Self.stores()
        let warnings = stores.list([Self.segment(1), Self.segment(1), Self.segment(2)], of: 0, user: nil)
        #expect(warnings.count == 2)
        #expect(stores.next(user: nil) == .transfer(handle: 8, instance: 2))
    }

    @Test func transfer_IsBegunAgainTwice() throws {
        var stores = Self.stores()
        _ = stores.list([Self.segment(1)], of: 0, user: nil)
        let place = try #require(stores.place(8, 1))
        for expected in [true, true, false] {
            stores.beginTransfer(place)
            #expect(stores.isTransferring)
            // The second time it is no longer in transfer.
            #expect([stores.stop(place), stores.stop(place)] == [true, false])
            #expect(stores.mayRestart(place) == expected)
        }
        #expect(stores[place].progress == .failed)
    }

    @Test func pause_EndsOnce_AndDoesNotEndATransfer() throws {
        var stores = Self.stores()
        var ended = [stores.endPause()]
        #expect(stores.isIdle)
        stores.pause()
        #expect(!stores.isIdle)
        ended += [stores.endPause(), stores.endPause()]
        #expect(ended == [false, true, false])
        _ = stores.list([Self.segment(1)], of: 0, user: nil)
        stores.beginTransfer(try #require(stores.place(8, 1)))
        stores.pause()
        #expect(stores.isTransferring)
        #expect(stores.endPause() == false)
    }

    /// Two associations; an agent that answered once is asked in every one.
    @Test func silenceAboutAStore_EndsTwoAssociations() {
        var stores = PHDStores()
        #expect([stores.noteTimeout(), stores.noteTimeout(), stores.noteTimeout()] == [true, true, false])
        stores.noteAnswer()
        #expect(stores.noteTimeout() == true)
    }
}
