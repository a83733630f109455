import CuffCore
import Testing

@testable import CuffClinical

@Suite struct HouseholdTests {
    private static let home = Household([
        "kitchen:1": "Anna", "kitchen:2": "Grandpa", "wrist": "Anna", "usb:0403:6001:12": "Ben", "manual": "Ben",
    ])

    @Test func aPerson_IsAName_OrASlotOfOneCuff() {
        let home = Self.home
        #expect(home.names == ["Anna", "Ben", "Grandpa"])
        #expect(home.person(cuff: "kitchen", slot: 1) == .named("Anna"))
        #expect(home.person(cuff: "kitchen", slot: 2) == .named("Grandpa"))
        #expect(home.person(cuff: "wrist", slot: nil) == .named("Anna"))
        #expect(home.person(cuff: "kitchen", slot: nil) == .unnamed(slot: nil, cuff: "kitchen"), "a slot's name is not the cuff's")
        #expect(home.person(cuff: "wrist", slot: 1) == .unnamed(slot: 1, cuff: "wrist"), "a cuff's owner is not that of its slots")
        #expect(home.person(cuff: "usb:0403:6001:12", slot: nil) == .named("Ben"), "colons in the name of a device do not begin a slot")
        #expect(home.person(cuff: "usb:0403:6001", slot: 13) == .unnamed(slot: 13, cuff: "usb:0403:6001"))
        #expect(home.person(cuff: "hall", slot: 1) != home.person(cuff: "attic", slot: 1))
        #expect(home.person(cuff: "Kitchen", slot: 1).name == nil, "cuffs are spelled as they are stored")
    }

    @Test func whatIsSaidOfAReading_GoesBeforeItsSlot() {
        #expect(Self.home.person(cuff: "kitchen", slot: 1, said: "ben") == .named("Ben"))
        #expect(Self.home.person(cuff: "kitchen", slot: 1, said: "Somebody") == .named("Somebody"), "a name that was taken away since")
        var measured = Self.home
        measured.everyone = "Grandpa"
        #expect(measured.person(cuff: "kitchen", slot: 1, said: "Ben") == .named("Grandpa"))
    }

    @Test func cuffsAreJoined_OnlyWhereThatIsAsked_AndNamesAreNot() {
        var home = Self.home
        home.joinsCuffs = true
        #expect(home.person(cuff: "hall", slot: 1) == home.person(cuff: "attic", slot: 1))
        #expect(home.person(cuff: "hall", slot: 1) != home.person(cuff: "hall", slot: 2))
        #expect(home.person(cuff: "hall", slot: nil) == home.person(cuff: "attic", slot: nil))
        #expect(home.person(cuff: "kitchen", slot: 1) == .named("Anna"))
    }

    @Test func oneName_IsOnePerson_HoweverItIsWritten() {
        var home = Household()
        #expect(home.bind("Anna", to: "kitchen:1") == "Anna")
        #expect(home.bind("ANNA", to: "hall:1") == "Anna")
        #expect(home.names == ["Anna"])
        #expect(home.bind("Ben", to: "kitchen:1") == "Anna", "who has the place keeps it")
        #expect(home.places(of: "Anna") == ["hall:1", "kitchen:1"])
        #expect(home.name("anna") == "Anna" && home.name(" Anna ") == "Anna" && home.name("Carla") == nil)
    }

    @Test func aReading_IsOfTheCuffThatItIsStoredUnder() {
        var reading = Reading(.bloodPressure(.mmHg(120, 80)), driver: "manual", origin: .entered, raw: RawBytes([]))
        #expect(Self.home.person(of: reading, device: "") == .named("Ben"), "without an identity the driver is the cuff")
        reading.user = 2
        #expect(Self.home.person(of: reading, device: "kitchen") == .named("Grandpa"))
        reading.person = "Anna"
        #expect(Self.home.person(of: reading, device: "kitchen") == .named("Anna"))
    }

    @Test func headings_NameTheCuff_OnlyAmongSeveral() {
        let (one, two, none) = (
            Person.unnamed(slot: 1, cuff: "hall"), Person.unnamed(slot: 2, cuff: "hall"), Person.unnamed(slot: nil, cuff: "hall")
        )
        let ofOne = Persons([none, two, one])
        #expect(ofOne.all.map(ofOne.heading) == ["User 1", "User 2", "Without a user"])
        #expect(ofOne.sentence == "user 1, user 2 and readings without a user")
        let other = Person.unnamed(slot: 1, cuff: "attic")
        let ofTwo = Persons([.named("Anna"), none, one, other, .unnamed(slot: 3, cuff: "manual"), .unnamed(slot: nil, cuff: "manual")])
        #expect(
            ofTwo.all.map(ofTwo.heading)
                == ["Anna", "User 1 of attic", "User 1 of hall", "hall", "User 3, typed in", "Typed in, without a user"])
        #expect(Persons([none, .unnamed(slot: nil, cuff: "manual")]).sentence == "readings of hall and readings typed in without a user")
        #expect(Persons([one]).neededHeading(one) == nil)
        #expect(Persons([.named("Anna")]).neededHeading(.named("Anna")) == "Anna")
        #expect(Persons([one, .named("Anna")]).heading(one) == "User 1", "a name needs no cuff beside it")
    }

    @Test func theSameValuesOfTwoPersons_AreTwoReadings() {
        func entry(_ person: String?) -> Reading {
            var reading = ManualEntry(.mmHg(120, 80), at: Timestamp(seconds: 1_777_959_000)).reading(
                received: Timestamp(seconds: 1_777_959_000), zone: .utc)
            if let person { reading.enter(for: person) }
            return reading
        }
        #expect(Set([entry(nil), entry("Anna"), entry("Ben")].map(\.id)).count == 3)
        #expect(entry("Anna").id == entry("Anna").id)
    }

    @Test func aSubject_IsAName_APlace_OrASlot() throws {
        let subject = try #require(try Patients(["Anna=Patient/a", "kitchen:1=Patient/k", "1=Patient/one", "0=Patient/none"]))
        #expect(subject.patient(of: .named("anna")) == "Patient/a")
        #expect(subject.patient(of: .named("Ben")) == nil, "a person with a name is found by it alone")
        #expect(subject.patient(of: .unnamed(slot: 1, cuff: "kitchen")) == "Patient/k")
        #expect(subject.patient(of: .unnamed(slot: 1, cuff: "hall")) == "Patient/one")
        #expect(subject.patient(of: .unnamed(slot: nil, cuff: "hall")) == "Patient/none")
        #expect(subject.patient(of: .unnamed(slot: 2, cuff: "hall")) == nil)
        // What one patient of the server would get of two persons is refused.
        let (hall, attic) = (Person.unnamed(slot: 1, cuff: "hall"), Person.unnamed(slot: 1, cuff: "attic"))
        #expect(
            subject.indistinct(among: Persons([hall, attic, .unnamed(slot: 1, cuff: "kitchen"), .named("Anna")])).all == [attic, hall])
        #expect(subject.indistinct(among: Persons([hall, .named("Anna")])).isOne)
        #expect(try Patients(["Patient?identifier=a|b"]) == .everybody("Patient?identifier=a|b"))
    }
}
