/// Omron USB cuffs of `0590:0090`: HEM-7131U (M3 IT, M400 IT), HEM-7322U (M6 Comfort IT, M500 IT). HID; the host reads the
/// memory of the cuff by addresses.
///
/// Report    number, frame, filling          64 bytes; 02 from the host, the cuff's number is skipped by readers observed [1]
/// Frame     `L t t a a n … X`               L counts all of it; X makes the xor of all of it zero     observed [1][2]
/// Open      `08 00 00 00 00 10 00 18`   ->  `18 80 00 00 00 10`, 16 bytes of identity, `00 X`         observed [1][2]
/// Read      `08 01 00 aa aa nn 00 X`    ->  L = 08 + n, `81 00 aa aa nn`, n bytes, `00 X`; n at most 38  observed [1][2]
/// End       `08 0F 00 00 00 00 00 07`   ->  `08 8F 00 …`                                              observed [1]
/// Given up  `08 0F 0F 0F 0F 00 00 08`       sent when a person breaks the reading off                 observed [1]
/// No answer to Open: START/STOP was not pressed                                                       observed [1]
/// `01 C0` writes to the same memory, which also holds settings and probably the calibration. It is never sent.
///
/// Memory    records of 14 bytes from `02AC` on, user 2 behind user 1: 60 for each (7131U) or 100 (7322U)  observed [1][2]
/// Record    DIA, SYS - 25, year - 2000, pulse, then bits from the highest: movement 1, irregular 1, month 4, day 5, hour 5,
///           unknown 4, minute 6, second 6 (60…63 occur: 59), six unknown bytes                        observed [1][2]
///           `FF FF FF` at its start: empty; records stand by their slot, not by time                  observed [1]
///           filled from the first slot on, without gaps: [1] counts the records and reads so many     observed [1]
/// Settings  38 bytes from `0260`; from `0274`: 2 unknown bytes, month, year - 2000, hour, day, second, minute, 1 byte,
///           sum of the first eight; of HEM-7322T, -7322T-E, -7280T and -7600T-E over Bluetooth     observed [2][3]
///
/// [1] LazyT/obpm usb.cpp, issues 1 and 10   [2] userx14/omblepy README, deviceSpecific/hem-7322t.py, hem-7280t.py
/// [3] eigger/hass-omron pull request 75 (dumps of a HEM-7600T-E), issue 38 (HEM-7322T-E)
extension CuffDriver {
    /// The driver `omron-eeprom`.
    public static let omronEEPROM = CuffDriver(
        id: "omron-eeprom",
        models: ["Omron HEM-7131U", "Omron M3 IT", "Omron M400 IT", "Omron HEM-7322U", "Omron M6 Comfort IT", "Omron M500 IT"],
        summary: "Omron USB: the memory of both users, read by address",
        medium: .hidraw, reports: HIDReports(input: 63, output: 63, inputNumber: 1, outputNumber: 2),
        grade: .a, testedOn: .derived,
        claims: [.usb(vendor: 0x0590, product: 0x0090)],
        framing: "numbered reports of 64 bytes; length, type, address … xor", check: "xor of the frame, address and count of the answer",
        capabilities: [.storedReadings, .users, .readClock, .information],
        unverified: [
            "the number of the cuff's reports (1 is assumed; whatever it is, it is passed over)",
            "what the 16 bytes of identity say",
            "the place of the clock on these two models: it is the same on four relatives over Bluetooth (HEM-7280T, -7322T, -7322T-E, "
                + "-7600T-E), and counts only where its sum agrees",
            "that deleted records leave no gaps: only with that can the number of slots be seen in the memory",
        ],
        notes: [
            "HEM-7131U and HEM-7322U have the same USB id, and 60 or 100 slots for each user. The number is seen in the memory as long "
                + "as user 1 has at most 60 records; otherwise only the first 60 are read until the model is named: "
                + "`--option model=hem-7131u` or `--option model=hem-7322u`.",
            "Nothing is ever written to the cuff's memory, so its clock cannot be set from here.",
        ],
        preparation: "press START/STOP on it",
        sources: [
            "LazyT/obpm: usb.cpp, issues 1 and 10", "userx14/omblepy: README, deviceSpecific/hem-7322t.py and hem-7280t.py",
            "eigger/hass-omron: pull request 75, issue 38", "openyou/libomron issue 24 (USB descriptors)",
        ],
        options: ["model": "hem-7131u: 60 records for each user; hem-7322u: 100"],
        simulatorOptions: ["asleep": "openings that it does not answer, because START/STOP was not pressed (0)"],
        makeSession: { OmronEEPROMSession($0) },
        makeSimulator: { OmronEEPROMSimulator($0) },
        findFrames: { OmronEEPROMFrame.find(in: $0) },
        redaction: .omronEEPROM)
}

/// How many slots each user has; the two models differ in nothing else that is known.
enum OmronEEPROMLayout: Int, Sendable, CaseIterable {
    case sixty = 60
    case hundred = 100

    /// `nil` for a model that is not known.
    init?(model: String) {
        switch model.lowercased() {
        case "hem-7131u": self = .sixty
        case "hem-7322u": self = .hundred
        default: return nil
        }
    }

    /// The slots of a user, 1 or 2, counted from the start of the record memory.
    func slots(of user: Int) -> Range<Int> { (user - 1) * rawValue..<user * rawValue }

    /// Whose slot it is; `nil` beyond the memory of this model.
    func user(of slot: Int) -> Int? { slot < rawValue ? 1 : slot < 2 * rawValue ? 2 : nil }
}
