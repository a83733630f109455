import CCurl
import Glibc
import RemoteSink

/// Where RabbitMQ's management API is: `http://USER@localhost:15672/`, or `https://USER@HOST/?cafile=FILE`.
struct ManagementAddress: Equatable {
    let url: String
    let user: String
    let vhost: String
    let caFile: String?
    let isLoopback: Bool

    static let usual = "http://cuff-admin@localhost:15672/"
    static let credential = "management.password"

    init(_ text: String) throws(ConfigurationFault) {
        let address = try HelperAddress(text)
        guard address.scheme == "http" || address.scheme == "https" else {
            throw ConfigurationFault("`\(address.scheme)` is not the scheme of the management API; use https://USER@HOST/")
        }
        isLoopback = address.isLoopback
        guard address.scheme == "https" || isLoopback else {
            throw ConfigurationFault("http:// is not encrypted and only allowed to this machine; use https://")
        }
        guard !address.host.isEmpty, let user = address.user, !user.isEmpty else {
            throw ConfigurationFault("the management API's address has no user or no host: \(Self.usual)")
        }
        try address.check(known: ["cafile", "vhost"])
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        url = "\(address.scheme)://\(host):\(address.port ?? (address.scheme == "https" ? 15671 : 15672))/api"
        self.user = user
        vhost = address["vhost"] ?? "/"
        caFile = address["cafile"]
    }
}

/// One request at a time to the management API.
final class Management {
    struct Fault: Error, Equatable {
        let text: String
        /// The broker does not answer; otherwise the configuration must be changed.
        var isAway = false
    }

    enum Method: String { case get = "GET", put = "PUT", delete = "DELETE" }

    let address: ManagementAddress
    private let password: String
    private let handle: UnsafeMutableRawPointer
    private let answer = Bytes()

    private static let connectLimit = 10
    private static let limit = 40
    /// CURLAUTH_BASIC, a macro with a cast.
    private static let basic = 1
    /// All users or connections of a hundred thousand machines.
    private static let longest = 128 << 20

    private final class Bytes { var bytes: [UInt8] = [] }

    init(_ address: ManagementAddress, password: String) throws(Fault) {
        unsetenv("SSLKEYLOGFILE")
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let handle = curl_easy_init() else {
            throw Fault(text: "libcurl cannot be set up")
        }
        self.address = address
        self.password = password
        self.handle = UnsafeMutableRawPointer(handle)
    }

    deinit { curl_easy_cleanup(handle) }

    /// `path` has encoded words: `/users/pi-1`. Returns `nil` for 404.
    @discardableResult
    func call(_ method: Method, _ path: String, _ body: String? = nil) throws(Fault) -> JSONValue? {
        let code = perform(method, path, body)
        guard code == CURLE_OK else {
            let words = String(cString: curl_easy_strerror(code))
            let isTLS = [CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR].contains(code)
            throw Fault(
                text: "the management API at \(address.url): \(words)\(isTLS ? "; name the authority with cafile=FILE" : "")",
                isAway: !isTLS)
        }
        var status = 0
        ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        switch status {
        case 200..<300: return answer.bytes.isEmpty ? .null : JSONValue(parsing: answer.bytes) ?? .null
        case 404: return nil
        case 401, 403:
            throw Fault(
                text:
                    "the management API refuses `\(address.user)` (\(reason)); check \(ManagementAddress.credential), and that the user has "
                    + "the tag administrator: cuff-gateway --setup --operator")
        case 500...: throw Fault(text: "the management API answers \(status) (\(reason))", isAway: true)
        default: throw Fault(text: "the management API answers \(status) to \(method.rawValue) \(path) (\(reason))")
        }
    }

    private var reason: String {
        let value = JSONValue(parsing: answer.bytes)
        return Answer.oneLine(value?["reason"]?.string ?? value?["error"]?.string ?? "no reason")
    }

    private func perform(_ method: Method, _ path: String, _ body: String?) -> CURLcode {
        curl_easy_reset(handle)
        answer.bytes.removeAll()
        var list = curl_slist_append(nil, "Content-Type: application/json")
        list = curl_slist_append(list, "Expect:")
        defer { curl_slist_free_all(list) }
        ccurl_set_list(handle, CURLOPT_HTTPHEADER, list)
        ccurl_set_text(handle, CURLOPT_URL, address.url + path)
        ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, method.rawValue)
        if let body {
            ccurl_set_long(handle, CURLOPT_POSTFIELDSIZE, body.utf8.count)
            ccurl_set_text(handle, CURLOPT_COPYPOSTFIELDS, body)
        }
        ccurl_set_long(handle, CURLOPT_HTTPAUTH, Self.basic)
        ccurl_set_text(handle, CURLOPT_USERNAME, address.user)
        ccurl_set_text(handle, CURLOPT_PASSWORD, password)
        ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, address.isLoopback ? "http,https" : "https")
        ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
        ccurl_set_long(handle, CURLOPT_NETRC, 0)
        ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT, Self.connectLimit)
        ccurl_set_long(handle, CURLOPT_TIMEOUT, Self.limit)
        ccurl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 1)
        ccurl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 2)
        ccurl_set_long(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let file = address.caFile { ccurl_set_text(handle, CURLOPT_CAINFO, file) }
        if address.isLoopback { ccurl_set_text(handle, CURLOPT_NOPROXY, "*") }
        ccurl_set_pointer(handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(answer).toOpaque())
        ccurl_set_receive(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let answer = Unmanaged<Bytes>.fromOpaque(context).takeUnretainedValue()
            guard answer.bytes.count + size * count <= Management.longest else { return 0 }
            answer.bytes += UnsafeRawBufferPointer(start: bytes, count: size * count)
            return size * count
        }
        return curl_easy_perform(handle)
    }

    /// One word of a path: everything but letters, digits and `-._~` is encoded.
    static func word(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.reduce(into: "") { result, byte in
            let isPlain = 0x61...0x7A ~= byte | 0x20 || 0x30...0x39 ~= byte || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
            result += isPlain ? String(UnicodeScalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
    }
}
