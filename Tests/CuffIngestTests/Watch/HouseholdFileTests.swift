import CuffClinical
import CuffCore
import Foundation
import Testing

@testable import CuffIngest

/// `cuff person` changes lines about persons, and nothing else in the file.
@Suite struct HouseholdFileTests {
    private static let text = """
        # Our two cuffs.
        [device.kitchen]   # by the window
        match = "port:1-1.2"
        driver = "and-std"
        users = { 1 = "Anna", 2 = "Ben" } # as on the cuff

        [person.Carla] # lives upstairs
        # her own cuff
        cuffs = [
          "wrist", # the new one
          "usb:0403:6001:12",   # the old one
        ]

        [sink.clinic]
        exec = "/bin/to-clinic"
        persons = [ "Carla", 'Anna' ] # asked on Monday

        [alert.high]
        when = "systolic >= 180"
        clear = "systolic < 170"
        person = "carla"

        """

    private func file(_ text: String = text) throws -> HouseholdFile { try HouseholdFile(path: "c.toml", text: text) }

    /// The person at each place.
    private func bound(_ text: String) throws -> [String: String] {
        var configuration = CuffConfiguration()
        try configuration.read(text, file: "c.toml", drivers: CuffFamilies.all)
        try configuration.checkPersons()
        let household = configuration.household
        return Dictionary(uniqueKeysWithValues: household.names.flatMap { name in household.places(of: name).map { ($0, name) } })
    }

    private static let places = ["kitchen:1": "Anna", "kitchen:2": "Ben", "wrist": "Carla", "usb:0403:6001:12": "Carla"]

    @Test func bind_AddsAPlace_OrAPerson() throws {
        #expect(try bound(Self.text) == Self.places)
        var file = try file()
        try file.bind("carla", to: "kitchen:3")
        #expect(file.text == Self.text.replacing("cuffs = [\n", with: "cuffs = [\"kitchen:3\", \n"))
        #expect(try bound(file.text) == Self.places.merging(["kitchen:3": "Carla"]) { $1 })
        try file.bind("Carla", to: "kitchen:3")
        #expect(file.text.components(separatedBy: "kitchen:3").count == 2, "it is Carla's already")
        var new = try self.file()
        try new.bind("Grandpa \"O\"", to: "hall")
        #expect(new.text == Self.text + "\n[person.\"Grandpa \\\"O\\\"\"]\ncuffs = [\"hall\"]\n")
        try new.bind("Grandpa \"O\"", to: "hall:2")
        #expect(try bound(new.text)["hall:2"] == "Grandpa \"O\"")
    }

    @Test func aPlaceOfAnotherPerson_IsNotTakenSilently() throws {
        var file = try file()
        try file.bind("Ben", to: "kitchen:1")
        #expect(throws: IngestError.self) { try bound(file.text) }
        #expect(throws: IngestError.self) { try file.write(isAlone: true) }
    }

    @Test func unbind_KeepsTheComments() throws {
        var file = try file()
        #expect(try file.unbind("wrist") == "Carla")
        #expect(file.text == Self.text.replacing("\"wrist\", # the new one", with: "# the new one"))
        #expect(try file.unbind("usb:0403:6001:12") == "Carla")
        #expect(file.text.contains("# the old one") && file.text.contains("[person.Carla] # lives upstairs"))
        #expect(try file.unbind("kitchen:2") == "Ben")
        #expect(file.text.contains("users = { 1 = \"Anna\" } # as on the cuff"))
        #expect(try file.unbind("kitchen:1") == "Anna")
        #expect(!file.text.contains("users") && file.text.contains("[device.kitchen]   # by the window"))
        #expect(try file.unbind("kitchen:1") == nil)
        #expect(try file.unbind("attic") == nil)
    }

    @Test func unbind_TakesTheLastOfSeveralOnOneLine() throws {
        var file = try file("[person.A]\ncuffs = [\"a\", 'b', \"c\"] # three\n")
        #expect(try file.unbind("c") == "A")
        #expect(file.text == "[person.A]\ncuffs = [\"a\", 'b'] # three\n")
        #expect(try file.unbind("a") == "A")
        #expect(file.text == "[person.A]\ncuffs = ['b'] # three\n")
        #expect(try file.unbind("b") == "A")
        #expect(file.text == "[person.A]\ncuffs = [] # three\n")
    }

    @Test func anotherName_HoldsWhereverTheOldOneDid() throws {
        var file = try file()
        #expect(try file.rename("Carla", to: "Carla Maria"))
        let expected = Self.text.replacing("[person.Carla]", with: "[person.\"Carla Maria\"]")
            .replacing("[ \"Carla\", 'Anna' ]", with: "[ \"Carla Maria\", 'Anna' ]")
            .replacing("person = \"carla\"", with: "person = \"Carla Maria\"")
        #expect(file.text == expected)
        #expect(try file.rename("ben", to: "Benjamin"))
        #expect(file.text == expected.replacing("2 = \"Ben\"", with: "2 = \"Benjamin\""))
        #expect(try !file.rename("Ben", to: "X"), "no one has the name now")
        #expect(throws: IngestError.self) { try file.rename("Anna", to: "7") }
    }

    @Test func usersInASectionOfTheirOwn_ChangeByTheLine() throws {
        let text = "[device.k]\nmatch = \"port:1-1\"\ndriver = \"and-std\"\n[device.k.users]\n1 = \"Anna\" # she\n2 = \"Ben\"\n"
        var file = try file(text)
        #expect(try file.unbind("k:2") == "Ben")
        #expect(file.text == text.replacing("2 = \"Ben\"\n", with: ""))
        #expect(try file.rename("Anna", to: "Eva"))
        #expect(file.text.contains("1 = \"Eva\" # she\n"))
    }

    @Test(arguments: ["", "7", "none", "None", "a:b", "line\nfeed", String(repeating: "x", count: 81)])
    func whatIsNoName_IsRefused(_ name: String) throws {
        var file = try file("")
        #expect(throws: IngestError.self) { try file.bind(name, to: "hall") }
        #expect(throws: IngestError.self) { try file.add(name) }
        #expect(file.text.isEmpty)
    }

    @Test func aPersonWithoutCuffs_IsAddedOnce() throws {
        var file = try file("")
        try file.add("Ben")
        try file.add("BEN")
        #expect(file.text == "[person.Ben]\ncuffs = []\n" && file.names == ["Ben"])
        try file.bind("ben", to: "hall")
        #expect(file.text == "[person.Ben]\ncuffs = [\"hall\"]\n")
    }

    @Test func blanksAroundAName_MakeNoSecondPerson() throws {
        var file = try file("")
        try file.add(" Anna")
        try file.bind("Anna\t", to: "hall")
        try file.bind("\u{A0}anna ", to: "kitchen:1")
        #expect(file.text == "[person.Anna]\ncuffs = [\"kitchen:1\", \"hall\"]\n")
        #expect(try file.rename(" anna", to: " Anna Maria "))
        #expect(file.names == ["Anna Maria"])
        // As a person wrote it.
        let device = "[device.k]\nmatch = \"port:1-1\"\ndriver = \"and-std\"\nusers = { 1 = \"Anna \" }\n"
        let written = "[person.Anna]\ncuffs = [\"hall\"]\n\(device)"
        #expect(try bound(written) == ["hall": "Anna", "k:1": "Anna"])
        for name in ["  ", " Anna"] {
            #expect(throws: IngestError.self) { try bound("[person.\"\(name)\"]\ncuffs = [\"hall\"]\n") }
        }
        var renamed = try self.file(written)
        #expect(try renamed.rename("Anna", to: "Eva"))
        #expect(try bound(renamed.text) == ["hall": "Eva", "k:1": "Eva"])
    }

    /// A section of the user's file replaces that of the machine's file: bound there, the person would lose the cuffs of the other.
    @Test func aSectionThatWouldReplaceThatOfAnEarlierFile_IsRefused() throws {
        let folder = TestFolder()
        let (machine, own) = (folder.file("machine.toml"), folder.file("own.toml"))
        try ConfigurationFile.write("[person.Anna]\ncuffs = [\"kitchen:1\"]\n[person.Carla]\ncuffs = []\n", to: machine)
        func write(_ name: String, isAlone: Bool = false) throws {
            var file = try HouseholdFile(path: own)
            try file.bind(name, to: "wrist")
            try file.write(isAlone: isAlone, among: [machine, own])
        }
        do {
            try write("Anna")
            Issue.record("Anna's cuffs are taken away")
        } catch {
            guard case .replaces(let origin, "Anna", let file)? = (error as? IngestError)?.fault as? ConfigurationFault else { throw error }
            #expect(origin == "\(machine):2" && file == own)
        }
        #expect(access(own, F_OK) != 0)
        for name in ["Ben", "Carla"] {
            try write(name)
            #expect(try HouseholdFile(path: own).names == [name])
            try FileManager.default.removeItem(atPath: own)
        }
        // A file that is read alone replaces nothing, and a section that is there already is the user's decision.
        try write("Anna", isAlone: true)
        var file = try HouseholdFile(path: own)
        try file.bind("Anna", to: "hall")
        try file.write(isAlone: false, among: [machine, own])
        #expect(try HouseholdFile(path: own).names == ["Anna"])
        // Of an earlier file only: what the machine's file itself has is changed in place.
        var earlier = try HouseholdFile(path: machine)
        try earlier.bind("Anna", to: "attic")
        try earlier.write(isAlone: false, among: [machine, own])
    }

    /// Two persons are never joined.
    @Test func aNameOfAnother_IsRefused() throws {
        var file = try file(
            """
            [person.Anna]
            cuffs = ["hall:1"]
            [device.kitchen]
            match = "port:1-1"
            driver = "beurer-serial"
            users = { 2 = "Ben" }
            """)
        let before = file.text
        for new in ["Ben", "ben"] { #expect(throws: IngestError.self) { try file.rename("Anna", to: new) } }
        #expect(file.text == before)
        #expect(try file.rename("Anna", to: "ANNA"))
        #expect(file.names == ["ANNA", "Ben"])
    }

    /// `cuff watch` leaves out what is wrong: it is unknown whose readings those are.
    @Test func aPlaceOfTwoPersons_IsNobodys_InAWatch() throws {
        let folder = TestFolder()
        let text = """
            [person.Anna]
            cuffs = ["kitchen:1", "wrist"]
            [person.Ben]
            cuffs = ["kitchen:2", "kitchen:1"]
            """
        try ConfigurationFile.write(text, to: folder.file("c.toml"))
        #expect(throws: IngestError.self) { try CuffConfiguration.load(folder.file("c.toml")) }
        let configuration = try CuffConfiguration.load(folder.file("c.toml"), skipping: .sections)
        #expect(configuration.skipped.count == 1)
        #expect(configuration.household.person(cuff: "kitchen", slot: 1, said: nil) == .unnamed(slot: 1, cuff: "kitchen"))
        #expect(configuration.household.places(of: "Anna") == ["wrist"] && configuration.household.places(of: "Ben") == ["kitchen:2"])
    }

    @Test func setup_BindsWhoseACuffIs_AlsoOfOneThatIsThere() throws {
        let folder = TestFolder()
        let path = folder.file("c.toml")
        let present = "[device.kitchen] # old\nmatch = \"port:1-1\"\ndriver = \"taidoc\"\n\n[person.Carla]\ncuffs = [] # none yet\n"
        try ConfigurationFile.write(present, to: path)
        let plan = try SetupPlan(path: path)
        #expect(!plan.hasPerson("kitchen"))
        let text = try plan.text(adding: [
            SetupPlan.Entry(name: "hall", match: "port:1-2", driver: "and-std", users: [0: "carla"]),
            SetupPlan.Entry(name: "den", match: "port:1-3", driver: "taidoc", users: [1: "Ben"]),
            SetupPlan.Entry(name: "kitchen", match: "port:1-1", driver: "taidoc", users: [1: "Anna", 2: "Ben"], isPresent: true),
        ])
        #expect(text.hasPrefix(present.replacing("[] # none yet", with: "[\"hall\"] # none yet")))
        #expect(text.contains("users = { 1 = \"Ben\" }") && text.components(separatedBy: "[device.kitchen]").count == 2)
        #expect(try bound(text) == ["hall": "Carla", "den:1": "Ben", "kitchen:1": "Anna", "kitchen:2": "Ben"])
        try plan.write(text)
        #expect(try SetupPlan(path: path).hasPerson("kitchen"))
    }
}
