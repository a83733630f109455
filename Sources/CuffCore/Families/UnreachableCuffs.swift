/// The list of cuffs that cannot be read, with reasons.
package enum UnreachableCuffs {
    /// Every entry; `cuff drivers` searches it beside the list of drivers.
    package static let all: [UnreachableCuff] = [
        UnreachableCuff(
            [
                "Omron HEM-7322T (M700 Intelli IT)", "Omron HEM-7361T (M500 Intelli IT, M7 Intelli IT)", "Omron HEM-7600T (Evolv)",
                "Omron HEM-7155T (M400)", "Omron HEM-7530T (Complete)", "Omron HEM-7150T (BP7250)", "Omron HEM-7342T (BP7450)",
                "Omron HEM-6232T", "Omron HEM-6161T", "Omron HEM-6321T", "Omron HEM-7140T", "Omron HEM-7144T2", "Omron HEM-7280T",
                "Omron HEM-7377T1", "Omron HEM-7380T1", "Omron BP4350",
            ],
            .bluetooth, instead: omblepy, source: "github.com/userx14/omblepy, README.md (support matrix) and deviceSpecific/"),
        UnreachableCuff(
            ["Omron HEM-7142T2", "Omron HEM-7320T"], .bluetooth,
            instead: "github.com/eigger/hass-omron reads it into Home Assistant; `cuff add` takes single readings",
            source: "github.com/eigger/hass-omron, README.md (supported models)"),
        UnreachableCuff(
            ["Medisana BU 546 connect"], .bluetooth,
            instead: "github.com/bkbilly/medisanabp_ble reads Medisana cuffs into Home Assistant; `cuff add` takes single readings",
            source: "chipotons.blogspot.com, 2 November 2022; github.com/bkbilly/medisanabp_ble, README.md"),
        UnreachableCuff(
            ["Contec ABPM50", "Contec ABPM60", "Contec ABPM70"], .incomplete,
            known: "Of the serial download nothing is public outside of decompiled phone applications.",
            instead: "a recording of one download by its own program, with the list of readings that the program shows",
            source: "searched for in public repositories in November 2026; the .awp file is read by one public program"),
        UnreachableCuff(
            ["Lepu parameter board (460800)"], .incomplete,
            known: "The framing (AA 55, CRC-8/MAXIM) and the reply letters are public; no result with its bytes is.",
            instead: "a recording of one measurement from its start to its result, with the numbers on the display",
            source: "kimlinzd/VX_DATA (CmdNibpReply.java)"),
        UnreachableCuff(
            ["Libelium e-Health cuff (Andon KD nibble dump)"], .incomplete,
            known: "One reader shows where the numbers of a record are; four bytes before the records and four after each are "
                + "unknown, and so is any check.",
            instead: "a recording of a memory of two readings or more, with the numbers on the display",
            source: "fistar-angel/arduino-client (the Libelium library in it)"),
        UnreachableCuff(
            ["kiosk cuff behind an NXP port (1fc9)"], .incomplete,
            known: "Two copies of one reader cut a text at semicolons; its end, its date and what an error looks like are not known, and "
                + "the USB id is that of any NXP device.",
            instead: "a recording of two measurements, one of them broken off, with the model's name and the output of lsusb -v",
            source: "two public programs whose origin is not established"),
        UnreachableCuff(
            ["bedside monitor with the A5 protocol (19200)"], .incomplete,
            known: "Two versions of one program agree on the fields; the maker and the models are unknown.",
            instead: "the maker and model of a monitor that sends it (frames begin with A5 and a length), with a recording of one "
                + "measurement",
            source: "public C programs whose origin is not established"),
        UnreachableCuff(
            ["SurgiVet Advisor"], .incomplete,
            known: "115200 bit/s and 25 columns are public; their order and the separators are not.",
            instead: "a recording of a few lines while the cuff's numbers are on the display, or the page of the service manual",
            source: "a veterinary catalogue of devices that cites the service manual"),
        UnreachableCuff(
            [
                "Mindray Accutorr Plus", "Mindray Accutorr V", "Datascope Passport", "Datascope Spectrum", "Datascope Trio",
                "Mindray V Series",
            ], .incomplete,
            known: "The manual of their DIAP protocol (0070-10-0307) is public as scans; what could be read of it lacks the line "
                + "that answers "
                + "a question for the pressure.",
            instead: "that page of the manual, or a recording of the questions and answers of one program",
            source: "0070-10-0307 at manualzilla.com and other document sites: contents, alarm table and item table"),
        UnreachableCuff(
            ["GE Dinamap Compact (binary communication)"], .incomplete,
            known: "The table of contents of its manual (8555ER) is public; its first page calls it confidential, so it was not used.",
            instead: "a recording of one measurement; other Dinamaps are read by `dinamap-ascii` and `dinamap-native`",
            source: "scribd.com/document/446027413: contents only"),
        UnreachableCuff(
            ["GE Dash 4000 (CARESCAPE network)"], .incomplete,
            known: "A private project decoded waves and parameters of the network protocol; whether the cuff is among them is not "
                + "said, and "
                + "its code was not found.",
            instead: "the serial port of the monitor with `ge-unity`, or a recording of the network with one measurement",
            source: "janscholtyssek.dk, \"how to decode a network protocol\""),
        UnreachableCuff(
            ["seven-bit board with start 0B, stop 0C"], .incomplete,
            known: "It packs bytes as `ibio-board` and `leyutek-pct` do; its identifiers and their lengths are not public.",
            instead: "a recording of one measurement with the maker's name, or the table of identifiers",
            source: "public programs whose origin is not established"),
        UnreachableCuff(
            ["Yonker YK-BPW1", "Yonker YK-BPW5", "Yonker YK-IBPA1", "Metiko", "QardioArm", "Lepu PC-102", "Lepu PC-303"], .bluetooth,
            instead: "`cuff add` takes single readings", source: "searched for in public repositories in November 2026: Bluetooth alone"),
        UnreachableCuff(
            [
                "Omron HEM-907", "Omron HBP-1300", "Welch Allyn ProBP", "Welch Allyn Spot Vital Signs", "Spacelabs 90207",
                "Spacelabs 90217", "IEM Mobil-O-Graph", "Hartmann Tensoval", "A&D TM-2430", "A&D TM-2441", "SunTech Oscar 2",
                "Contec 08C", "Microlife WatchBP O3", "CAS MAXNIBP",
            ],
            .unpublished,
            instead: "a recording of it beside its own program would help; CONTRIBUTING.md says how",
            source: "searched for in public repositories and manuals in November 2026, and not found"),
    ]

    private static let omblepy = "github.com/userx14/omblepy reads it over Bluetooth; `cuff add` takes single readings"
}
