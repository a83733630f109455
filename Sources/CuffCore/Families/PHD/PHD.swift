/// IEEE 11073 personal health devices as a manager: 11073-20601 (optimized exchange protocol) with 11073-10407 (blood pressure), over any
/// byte stream: tty, rfcomm, USB CDC or PHDC, TCP.
/// APDU          `E2..E7 00 LLLL body`, no checksum, no start byte; PRST wraps data APDUs                  documented [1]
/// Association   AARQ -> AARE 0 (configuration known) or 3 (the agent sends it)                            documented [1]
/// Reading       a confirmed event report; numbers are SFLOAT or FLOAT, order and unit follow from the configuration [1]
/// Confirmation  RORS: from then on the agent may forget the reading                                       documented [1]
/// PM-store      stored readings, fetched on request; only SEG_CLR erases them                             documented [1]
/// BP 700        handle 1 systolic, diastolic, mean (18 bytes with time), handle 2 pulse (10 bytes)        documented [3]
/// Periodic      entries of a segment without stamps are one Sample-Period apart from its start            documented [1]
/// Others        one row for each specialization: PHDDeviceType; other metrics become quantities
/// Grades: layouts are those of draft 20's ASN.1 [1]; states and timers those of two managers' code [2][3]; the marks [S] [C] [D] [R] [P]
/// in these files mean: ASN.1, code read, bytes of a real device, reproduced, policy of this program. Protocol version 1 is chosen if
/// offered. Of versions 2 to 4 only base-offset time is in a public source, so agents that offer nothing lower are treated as version 1: a
/// guess for 3 and 4.
/// [1] github:Jeepend/OpenhealthManager src/ASN1/IEEE_20601_d20_defs.asn1   [2] the same, src/ieee_11073
/// [3] github:signove/antidote src/communication, src/specializations   [4] github:andengineering/A-D-HDP-Android-Demo
/// [5] github:silverbullet-dk/opentele-client-android   [6] github:folterj/IEEE11073Analyser (base-offset time)
/// [7] github:tinti/FSL_USB_Stack_v411 (PHDC, thermometer)   [8] github:HL7/phd (FLOAT, status bits)   [9] github:jcsawyer/Jc.OpenNov
extension CuffDriver {
    /// Driver `phd`. IEEE 11073-20601 manager with 11073-10407: blood pressure pushed or stored, other agents' values as quantities.
    public static let phd = CuffDriver(
        id: "phd",
        models: ["A&D UA-767PBT-C", "Omron HEM-7081-IT, 708-BT (HDP)", "any IEEE 11073-20601 agent"],
        summary: "IEEE 11073-20601 manager with 11073-10407: blood pressure pushed or stored, other agents' values as quantities",
        grade: .a,
        testedOn: .recordedElsewhere("andengineering/A-D-HDP-Android-Demo, decode.txt: an A&D cuff"),
        isOfHealthcareClass: true,
        line: LineSettings(rate: 115200),
        otherLines: [LineSettings(rate: 9600)],
        framing: "APDU: choice, length, body", check: nil,
        capabilities: [.storedReadings, .push, .readClock, .setClock, .users, .erase, .information, .forgets],
        changes: "a confirmed report may be forgotten by the agent; it is confirmed only when it is on disk",
        unverified: [
            "base-offset time and SET_BO_TIME on a real cuff",
            "standard configuration 701 (02BD): the agent is asked to spell it out",
            "protocol versions 2 to 4: chosen only where the agent offers nothing lower, and taken to be as version 1 is",
            "periodic segments, and times worked out from counting clocks, on a real cuff",
            "systolic, diastolic and mean as single numbers: joined by their time stamp and flagged `joined`",
            "segments selected and cleared by a range of time (options from and to)",
            "standard configurations of thermometers (800) and glucose meters (1700): documented, recorded from no device; of "
                + "ECG, INR, insulin pumps, body composition, peak flow, fitness, activity and medication monitors: not public, so the agent "
                + "spells them out",
            "SEG_GET_ID_LIST (0C1E): its number is public, its argument and its answer are in no public source, so it is not sent",
            "waveforms (RT-SA objects): recorded from no device; each array is kept as a series, with the time of its arrival",
            "grouped scanner reports on a cuff (seen on oximeters only)",
            "clearing segments by list where PM-Store-Capab does not say so: all or nothing is used instead",
        ],
        notes: [
            "The agent begins: press its button or start its transfer. Reading waits a minute for it (option patience).",
            "Over a line that loses bytes an association breaks off and the agent comes back. A read ends at the latest that "
                + "minute after the last thing that was new, or after ten associations in a row with nothing new.",
            "A cuff usually sends each reading once; it is kept until this program has it on disk. Sinks that are slower than "
                + "the agent's three seconds are not waited for by it: it aborts and sends again, and the reading is stored once.",
            "Over USB a cuff of the Personal Healthcare class (0F) is claimed by that class, whatever its ids, and read through usbfs; a "
                + "scale or another device of the class is left alone until it is named.",
            "Bluetooth's health device profile (HDP) is not spoken here. The A&D UA-767PBT-C, the A&D UC-321PBT-C scale and the Nonin "
                + "9560 speak nothing else, and the Omron HEM-7081-IT and 708-BT speak IEEE 11073 over it alone: another program has to "
                + "hold the HDP channel and hand its bytes on, over TCP or as a serial port.",
            "Over Bluetooth's serial port profile: `rfcomm bind 0 ADDRESS CHANNEL`, then read /dev/rfcomm0. Over TCP either side "
                + "calls: tcp://HOST:PORT, or tcp-listen:// for agents that call (port 6024, as in other stacks).",
            "The protocol has no check of its own and leaves it to the transport. USB, TCP and Bluetooth have one; over a serial line each "
                + "reading carries the flag no_measurement_check.",
            "Values of other agents (scales, thermometers, oximeters, glucose meters …) become quantities with their metric and unit.",
            "Scanners and data requests that were started are stopped before the agent is let go.",
            "An Omron HEM-7081-IT that greets with READY is in its own mode, which is not this protocol.",
        ],
        sources: [
            "IEEE 11073-20601 draft 20 ASN.1 (Jeepend/OpenhealthManager)", "signove/antidote", "universAAL/lddi",
            "andengineering/A-D-HDP-Android-Demo decode.txt", "silverbullet-dk/opentele-client-android",
            "folterj/IEEE11073Analyser", "tinti/FSL_USB_Stack_v411", "HL7/phd", "jcsawyer/Jc.OpenNov",
        ],
        options: [
            "agents": "system ids of the only agents that may associate, joined by +; others are refused (result 7)",
            "attributes": "early: ask for the agent's description before its configuration came, as some managers do",
            "manager-id": "the manager's system id, 16 hexadecimal digits (1122334455667788, the example of other stacks)",
            "configuration": "ask: always let the agent spell out its configuration",
            "scanners": "yes: switch on the agent's scanner objects (streams of an oximeter)",
            "data-request": "ask an agent that allows it for data: all, class:6, or handle:1+10",
            "data-period": "seconds for which it is to send (0: until the end); otherwise it answers once",
            "from": "only stored segments from this time on the agent's clock, e.g. 2026-05-05T07:31, where it can select by time",
            "to": "the same, up to this time",
            "unwanted": "system ids of agents that may not associate, joined by +; they are refused for good (result 1)",
            "patience": "seconds a read waits for the agent, and for anything new from it (60)",
        ],
        simulatorOptions: [
            "aborts": "every how many of its associations end by ABRT in place of a release (0: none)",
            "associations": "how many associations it makes on one line, with its records spread over them (1)",
            "batch": "records in one report (1)", "configuration": "standard or extended",
            "confirm": "no: unconfirmed reports", "entries": "entries in one segment event (2)",
            "persons": "yes: several persons, one segment each", "release": "no: it stays associated",
            "report": "fixed, variable, or apart: all pressures, then all pulses", "status": "yes: the status enumeration",
            "store": "yes: records lie in a PM-store", "system-id": "16 hexadecimal digits",
            "time": "absolute, base-offset, relative, unset or impossible", "unit": "kPa",
        ],
        associationLimit: PHDSession.associationTimeout,
        callLimit: { PHDProgress.patience($0) },
        makeSession: { PHDSession($0) },
        makeSimulator: { PHDSimulator($0) },
        findFrames: { FrameReader.find(PHDFrame(), in: $0) },
        redaction: .phd)
}

extension PHDSession {
    var capabilities: Capabilities { CuffDriver.phd.capabilities }
}
