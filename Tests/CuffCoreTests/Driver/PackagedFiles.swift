import CuffCore

/// The files of the package that no part of the program writes.
extension UdevRules {
    /// The text of `70-cuff.hwdb`: ids claimed at once, without shared ones.
    static func hardwareDatabase(for drivers: [CuffDriver]) -> String {
        var lines = [
            "# 70-cuff.hwdb: USB ids that are certainly cuffs. Generated from the list of drivers; do not edit.",
            "# After installing: systemd-hwdb update. Acted on by 70-cuff.rules.",
        ]
        for driver in drivers {
            for case .usb(let vendor, let product) in driver.claims {
                lines += ["", "# \(driver.id): \(driver.models.joined(separator: ", "))"]
                lines.append("usb:v\(upper(vendor))p\(upper(product))*")
                lines.append(" ID_CUFF=1")
                lines.append(" ID_CUFF_DRIVER=\(driver.id)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// AppStream metadata, by which software centres and `isenkram` find the program for a device: the unshared ids, as `modalias`.
    static func metadata(for drivers: [CuffDriver]) -> String {
        var aliases: [String] = []
        for claim in drivers.flatMap(\.claims) {
            let id = "usb:v\(upper(claim.id.vendor))p\(upper(claim.id.product))"
            switch claim {
            case .usb: aliases.append("\(id)d*")
            case .release(_, _, let release): aliases.append("\(id)d\(upper(release))*")
            case .shared: break
            }
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- Generated from the list of drivers; do not edit. -->
            <component type="console-application">
              <id>cuff</id>
              <name>cuff</name>
              <summary>Readings of blood-pressure cuffs into a database and pipes</summary>
              <metadata_license>Apache-2.0</metadata_license>
              <project_license>Apache-2.0</project_license>
              <description>
                <p>Reads blood-pressure cuffs with a serial line or USB: the protocols of many makers, and IEEE 11073.</p>
              </description>
              <provides>
                <binary>cuff</binary>

            """ + aliases.map { "    <modalias>\($0)</modalias>\n" }.joined() + """
                  </provides>
                </component>

                """
    }

    private static func upper(_ number: UInt16) -> String { USBID.text(number).uppercased() }
}
