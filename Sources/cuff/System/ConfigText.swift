enum ConfigText {
    /// Every key, commented out. A test uncomments all of it and parses it.
    static let example = """
        # Configuration of cuff(1); cuff.toml(5) describes it. `cuff config check` tells what is wrong with it.
        # Read in this order, later files override earlier ones: /etc/cuff/config.toml, /etc/cuff/conf.d/*.toml,
        # ~/.config/cuff/config.toml.

        # A cuff behind an adapter that does not identify it. `cuff list` prints what to write for `match`.
        # The name is the identity that readings are stored under: choose it once.
        #[device.hallway]
        #match = "port:1-1.2"
        #driver = "taidoc"
        #line = "19200 8N1"
        #users = { 1 = "Anna", 2 = "Ben" }

        # An option of a driver; `cuff drivers ID` lists them.
        #[device.clinic]
        #match = "usb:0403:6001:A10KX1"
        #driver = "and-std"
        #options = { variant = "inbody" }

        # Whose readings they are: user slots of cuffs, and cuffs without users. `cuff person` changes these sections.
        #[person.Anna]
        #cuffs = ["kitchen:1", "wrist"]

        # Never to be opened.
        #[device.modem]
        #match = "usb:0403:6001:FT1ABC"
        #ignore = true

        # Where readings go; without a section they are kept in readings.db. `cuff sinks kinds` lists the kinds.
        #[sink.database]
        #sqlite = "/var/lib/cuff/readings.db"

        # A cuff does not wait for this one.
        #[sink.lines]
        #jsonl = "/var/lib/cuff/readings.jsonl"
        #required = false

        # Lines are kept until the program has answered for each.
        #[sink.server]
        #exec = "/usr/local/bin/to-server"
        #ack = true

        # Servers. Readings are kept until the server has answered for each; it may be away for days. Passwords are never written here:
        # they are the first lines of files of mode 0600 in ~/.config/cuff/credentials/, or for the service systemd's
        # LoadCredential=NAME:FILE. `cuff config check --connect` connects to each of them.

        # An MQTT broker, and through it Home Assistant. Password: mqtt.password. A broker that keeps nothing on disk
        # (mosquitto as installed) is a notification and not a store: no cuff waits for it.
        #[sink.home]
        #address = "mqtts://cuff@broker.example/?gateway=hallway&discovery=homeassistant"
        #required = false

        # A broker with a certification authority of your own.
        #[sink.fleet]
        #address = "mqtts://pi-7@rabbit.example/?gateway=pi-7&cafile=/etc/cuff/ca.pem"

        # PostgreSQL. Password: ~/.pgpass, or as a service LoadCredential=pgpass:FILE. The tables and the role:
        # cuff-sink-postgres --schema | psql -d ward
        #[sink.ward]
        #address = "postgres://cuff@db.example/ward?sslmode=verify-full"

        # InfluxDB 1.x. Password: influx.password.
        #[sink.influx1]
        #address = "influx+https://cuff@influx.example:8086/?db=bp"

        # InfluxDB 2.x. Token: influx.token.
        #[sink.influx2]
        #address = "influx+https://influx.example:8086/?org=clinic&bucket=bp"

        # A FHIR server. Token: fhir.token; with a user in the address fhir.password, with client=ID the key fhir.key. Whose the
        # readings are is never guessed: one subject for everybody, or one for each person or user slot (0: readings without one).
        #[sink.fhir]
        #address = "fhir+https://fhir.example/r4?subject=Patient/p1"
        #[sink.fhir-slots]
        #address = "fhir+https://fhir.example/r4?subject.1=Patient/p1&subject.2=Patient/p2&subject.0=Patient/p1&profile=phd"

        # What a sink may have: readings of these persons, and of these types. Everything else is never queued for it.
        #[sink.clinic]
        #address = "fhir+https://clinic.example/r4?subject.Anna=Patient/p1"
        #persons = ["Anna"]
        #types = ["blood_pressure", "pulse_rate"]

        # An HL7 receiver (IHE PCD-01 over MLLP, TLS), with the patient id of each user slot.
        #[sink.hl7]
        #address = "hl7+tls://cis.example:2575/?sender=pi-7&patient.1=4711&authority=WARD"

        # Any web service that takes one reading as JSON in each POST and answers 2xx. Token: http.token; password: http.password.
        #[sink.web]
        #address = "https://example.org/readings"

        # A helper program of your own, cuff-sink-pigeon (cuff-sink(7)).
        #[sink.pigeon]
        #address = "pigeon://loft/7"

        # Another program that delivers readings; docs/SOURCES.md has the protocol, and `cuff sources check` tests one.
        #[source.bluetooth]
        #exec = "/usr/share/doc/cuff/examples/omblepy-folder.sh /home/anna/omblepy"

        # Alerts of `cuff watch`. The numbers are yours: cuff knows none, and an alert says nothing but that your rule holds.
        # It is raised by the second of two readings, 1 to 15 minutes apart, and cleared by two as well.
        #[alert.high]
        #when = "systolic >= 180 or diastolic >= 110"
        #clear = "systolic < 170 and diastolic < 100"
        #repeated = true
        #after = "1min"
        #within = "15min"
        #person = "Anna"
        #again = "12h"

        # The cuff noticed an irregular pulse in two of the last three readings, all of them within half an hour.
        #[alert.pulse]
        #irregular = "2 of 3"
        #within = "30min"
        #device = "hallway"
        # Flags with which a reading counts all the same: this driver's line has no check, so all its readings have this one.
        #accept = ["no_measurement_check"]

        # While `cuff schedule` measures: no reading came for so long after one was due.
        #[alert.silence]
        #silence = "30min"
        #driver = "par-nibp"

        #[watch]
        # Read a cuff that stays plugged in again after this.
        #again = "1h"
        # Cuffs that connect by themselves (IEEE 11073 agents).
        #listen = "127.0.0.1:6024"
        # A page with live pressures and the latest readings. At 127.0.0.1 every user of this computer can open it, until `cuff web link`
        # has created a token; at any other address it always needs that link.
        #web = "127.0.0.1:6025"

        #[report]
        # The rule and the guideline of averages, of `cuff report` and of the page (`cuff average --rules`), and their language: en or de.
        #rule = "esc-2024"
        #guideline = "esc-2024"
        #lang = "de"

        """
}
