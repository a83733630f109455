/// Writes `70-cuff.rules` from the driver list. They act on a property that `70-cuff.hwdb` gives to each USB id that is certainly a cuff.
/// Both sort before 73-seat-late.rules, which turns the tag `uaccess` into access for the seat's user.
package enum UdevRules {
    /// The file for the user's own rules: after 60-serial.rules, which imports what it matches; before 73.
    package static let localPath = "/etc/udev/rules.d/71-cuff-local.rules"

    /// The text of `70-cuff.rules`. `group` may open the nodes; shared ids are commented out.
    package static func text(for drivers: [CuffDriver], group: String = "dialout") -> String {
        var lines = head
        for driver in drivers {
            for case .release(let vendor, let product, let release) in driver.claims {
                let ids =
                    "ATTR{idVendor}==\"\(USBID.text(vendor))\", ATTR{idProduct}==\"\(USBID.text(product))\", "
                    + "ATTR{bcdDevice}==\"\(USBID.text(release))\""
                let mark = "ENV{ID_CUFF}=\"1\", ENV{ID_CUFF_DRIVER}=\"\(driver.id)\""
                lines += ["", "# \(driver.id): \(driver.models.joined(separator: ", ")); other releases of the id are other products."]
                lines.append("SUBSYSTEM==\"usb\", ENV{DEVTYPE}==\"usb_device\", \(ids), \(mark)")
                lines.append("SUBSYSTEM==\"\(driver.medium.rawValue)\", \(ids.replacing("ATTR{", with: "ATTRS{")), \(mark)")
            }
        }
        if let driver = drivers.first(where: \.isOfHealthcareClass) {
            lines += [
                "",
                "# \(driver.id): any device of the USB Personal Healthcare Device Class. No kernel driver takes it, so the USB node itself is",
                "# opened. What kind of device it is, the program reads before it claims it.",
                "SUBSYSTEM==\"usb\", ENV{DEVTYPE}==\"usb_device\", ENV{ID_USB_INTERFACES}==\"*:0f0000:*\", ENV{ID_CUFF}=\"1\", "
                    + "ENV{ID_CUFF_DRIVER}=\"\(driver.id)\", TAG+=\"uaccess\", TAG+=\"systemd\", GROUP=\"\(group)\", MODE=\"0660\"",
            ]
        }
        for driver in drivers where driver.medium == .usb {
            lines += [
                "", "# \(driver.id): no kernel driver takes it, so the USB node itself is opened.",
                "SUBSYSTEM==\"usb\", ENV{DEVTYPE}==\"usb_device\", ENV{ID_CUFF_DRIVER}==\"\(driver.id)\", "
                    + "TAG+=\"uaccess\", TAG+=\"systemd\", GROUP=\"\(group)\", MODE=\"0660\"",
            ]
        }
        lines += tail(group: group)
        lines += shared(drivers, group: group)
        lines += ["", "LABEL=\"cuff_end\""]
        return lines.joined(separator: "\n") + "\n"
    }

    private static let head = """
        # 70-cuff.rules: access to devices that are certainly cuffs. Generated from the list of drivers; do not edit.
        # Rules of your own go to \(localPath); `cuff doctor --print-rule DEVICE` writes them.

        ACTION=="remove", GOTO="cuff_end"
        SUBSYSTEM!="usb|tty|hidraw", GOTO="cuff_end"

        # What 70-cuff.hwdb knows. 50-udev-default.rules asks it for USB devices, 60-serial.rules for serial ports, and
        # nobody for HID nodes, whose own events carry no USB ids.
        SUBSYSTEM=="hidraw", SUBSYSTEMS=="usb", IMPORT{builtin}="usb_id", IMPORT{builtin}="hwdb --subsystem=usb"
        """.lines

    private static func tail(group: String) -> [String] {
        """

        # ModemManager reads this from the USB device. Only for certain cuffs: behind a bridge chip may be somebody's modem.
        SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ENV{ID_CUFF}=="1", ENV{ID_MM_DEVICE_IGNORE}="1"

        # The node: for the person at the seat (uaccess) and for a service in the group (GROUP). No world-writable nodes.
        SUBSYSTEM=="tty|hidraw", ENV{ID_CUFF}=="1", TAG+="uaccess", TAG+="systemd", GROUP="\(group)", MODE="0660"
        # A name that stays: /dev/cuff/DRIVER-SERIAL, or by the socket where the cuff has no serial number.
        SUBSYSTEM=="tty|hidraw", ENV{ID_CUFF}=="1", ENV{ID_SERIAL_SHORT}=="?*", \
        SYMLINK+="cuff/$env{ID_CUFF_DRIVER}-$env{ID_SERIAL_SHORT}"
        SUBSYSTEM=="tty|hidraw", ENV{ID_CUFF}=="1", ENV{ID_SERIAL_SHORT}=="", SUBSYSTEMS=="usb", ATTRS{idVendor}=="?*", \
        SYMLINK+="cuff/$env{ID_CUFF_DRIVER}-port-$id"
        # A service for each cuff instead of one for all (then do not run cuff.service as well):
        #SUBSYSTEM=="tty|hidraw", ENV{ID_CUFF}=="1", ENV{SYSTEMD_WANTS}+="cuff@%k.service"
        """.lines
    }

    private static func shared(_ drivers: [CuffDriver], group: String) -> [String] {
        var ids: [USBID] = []
        var users: [USBID: [CuffDriver]] = [:]
        for driver in drivers {
            for case .shared(let vendor, let product) in driver.claims {
                let id = USBID(vendor: vendor, product: product)
                if users[id] == nil { ids.append(id) }
                users[id, default: []].append(driver)
            }
        }
        guard !ids.isEmpty else { return [] }
        var lines = """

            # Generic ids: nothing by default. Each of these sits in far too many unlike devices, and a program that takes
            # them all takes somebody's modem, printer or Braille display. Open one for the port your cuff sits in: copy its
            # line to \(localPath), uncomment it and put in your port (`cuff list` shows it).
            """.lines
        for id in ids.sorted() {
            let families = users[id] ?? []
            lines += [
                "",
                "# \(id): \(USBBridge.named(id)?.name ?? "an id of many devices"); cuffs: "
                    + families.map { "\($0.id)" }.joined(separator: ", "),
            ]
            for medium in [CuffDriver.Medium.tty, .hidraw] {
                guard let driver = families.first(where: { $0.medium(at: id) == medium }) else { continue }
                lines.append("#" + rule(medium: medium, id: id, place: .port("1-1.2"), driver: driver.id, group: group))
            }
        }
        return lines
    }

    /// What distinguishes a device from others of its kind.
    package enum Place: Sendable, Hashable {
        case serial(String)
        case port(String)
    }

    /// A one-line rule for one device. Without a driver it only gives access; with one it also asserts that the device is such a cuff.
    package static func rule(
        medium: CuffDriver.Medium, id: USBID, place: Place, driver: DriverID?, group: String = "dialout"
    ) -> String {
        let ids = "ATTRS{idVendor}==\"\(USBID.text(id.vendor))\", ATTRS{idProduct}==\"\(USBID.text(id.product))\""
        let match =
            switch place {
            case .serial(let serial): "\(ids), ATTRS{serial}==\"\(pattern(serial))\""
            // All keys of a line must match the same parent: this is the USB device in that socket.
            case .port(let port): "\(ids), KERNELS==\"\(pattern(port))\""
            }
        let claim = driver.map { "ENV{ID_CUFF}=\"1\", ENV{ID_CUFF_DRIVER}=\"\($0)\", " } ?? ""
        return
            "SUBSYSTEM==\"\(medium.rawValue)\", \(match), \(claim)ENV{ID_MM_PORT_IGNORE}=\"1\", TAG+=\"uaccess\", TAG+=\"systemd\", GROUP=\"\(group)\", MODE=\"0660\", "
            + "SYMLINK+=\"cuff/\(driver.map { "\($0)" } ?? "port")-$id\""
    }

    /// Text as a udev pattern: special characters are replaced by `?`.
    static func pattern(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let isPlain = scalar.isASCII && scalar.value > 0x20 && scalar.value != 0x7F
                    return isPlain && !"*?[]|\"\\$%,".unicodeScalars.contains(scalar) ? scalar : "?"
                }))
    }
}

extension String {
    fileprivate var lines: [String] { split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
}
