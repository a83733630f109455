import Glibc
import PostgresStore
import RemoteSink

/// Records in the database what is done to machines and persons: one row when it begins, one with its result.
struct Audit {
    let session: Session
    let actor: String

    init(_ session: Session) {
        self.session = session
        actor = Self.person()
    }

    func note(_ action: String, _ subject: String, _ result: String) throws(ServerFault) {
        try session.rows(
            "INSERT INTO cuff.audit (actor, action, subject, result) VALUES ($1, $2, $3, $4)", [actor, action, subject, result])
    }

    /// `anna@broker`: who ran `sudo`, else the user of the process.
    private static func person() -> String {
        let own = getpwuid(getuid()).flatMap { $0.pointee.pw_name }.map { String(cString: $0) }
        let host = ownHostName()
        return Answer.oneLine((environment("SUDO_USER") ?? own ?? "\(getuid())") + (host.isEmpty ? "" : "@\(host)"))
    }
}
