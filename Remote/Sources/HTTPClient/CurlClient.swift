import CCurl
import Glibc
import RemoteSink

/// Performs one request at a time over one kept connection. Certificates are always verified; redirects are never followed.
public final class CurlClient {
    private let handle: OpaquePointer
    private let program: String
    private let caFile: String?
    private let isLoopback: Bool
    private let error = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private let body: Body

    private static let connectLimit = 10
    /// `cuff` gives up after 60 s without an answer.
    private static let limit = 45

    private final class Body {
        var bytes: [UInt8] = []
        var head = AnswerHead()
        let longest: Int

        init(longest: Int) { self.longest = longest }
    }

    /// `longest`: the most bytes of a response.
    public init(program: String, caFile: String?, isLoopback: Bool, longest: Int) throws(ConfigurationFault) {
        // SSLKEYLOGFILE would write every session's keys to a file.
        unsetenv("SSLKEYLOGFILE")
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let handle = curl_easy_init() else {
            throw ConfigurationFault("libcurl cannot be set up")
        }
        self.handle = OpaquePointer(handle)
        self.program = program
        body = Body(longest: longest)
        self.caFile = caFile
        self.isLoopback = isLoopback
    }

    deinit {
        curl_easy_cleanup(UnsafeMutableRawPointer(handle))
        error.deallocate()
    }

    public func perform(_ request: HTTPRequest, authorization: String?) -> HTTPOutcome {
        let curl = UnsafeMutableRawPointer(handle)
        curl_easy_reset(curl)
        body.bytes.removeAll(keepingCapacity: true)
        body.head = AnswerHead()
        error[0] = 0
        configure(curl)
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for header in request.headers { list = curl_slist_append(list, "\(header.name): \(header.value)") }
        if let authorization { list = curl_slist_append(list, "Authorization: \(authorization)") }
        // Otherwise a large body waits for a `100 Continue` that many servers never send.
        list = curl_slist_append(list, "Expect:")
        ccurl_set_list(curl, CURLOPT_HTTPHEADER, list)
        ccurl_set_text(curl, CURLOPT_URL, request.url)
        ccurl_set_text(curl, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        if request.method == .post || request.method == .put {
            ccurl_set_long(curl, CURLOPT_POSTFIELDSIZE, request.body.utf8.count)
            ccurl_set_text(curl, CURLOPT_COPYPOSTFIELDS, request.body)
        }
        return outcome(curl, curl_easy_perform(curl))
    }

    private func configure(_ curl: UnsafeMutableRawPointer) {
        ccurl_set_pointer(curl, CURLOPT_ERRORBUFFER, error)
        ccurl_set_text(curl, CURLOPT_PROTOCOLS_STR, isLoopback ? "http,https" : "https")
        ccurl_set_long(curl, CURLOPT_FOLLOWLOCATION, 0)
        ccurl_set_long(curl, CURLOPT_NETRC, 0)
        ccurl_set_long(curl, CURLOPT_NOSIGNAL, 1)
        ccurl_set_long(curl, CURLOPT_TCP_KEEPALIVE, 1)
        ccurl_set_long(curl, CURLOPT_CONNECTTIMEOUT, Self.connectLimit)
        ccurl_set_long(curl, CURLOPT_TIMEOUT, Self.limit)
        ccurl_set_long(curl, CURLOPT_SSL_VERIFYPEER, 1)
        ccurl_set_long(curl, CURLOPT_SSL_VERIFYHOST, 2)
        ccurl_set_long(curl, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        ccurl_set_text(curl, CURLOPT_USERAGENT, "\(program)/\(helperVersion)")
        if let caFile { ccurl_set_text(curl, CURLOPT_CAINFO, caFile) }
        if isLoopback { ccurl_set_text(curl, CURLOPT_NOPROXY, "*") }
        ccurl_set_pointer(curl, CURLOPT_WRITEDATA, Unmanaged.passUnretained(body).toOpaque())
        ccurl_set_receive(curl, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let body = Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
            guard body.bytes.count + size * count <= body.longest else { return 0 }
            body.bytes += UnsafeRawBufferPointer(start: bytes, count: size * count)
            return size * count
        }
        watchHead(curl)
    }

    private func watchHead(_ curl: UnsafeMutableRawPointer) {
        ccurl_set_pointer(curl, CURLOPT_HEADERDATA, Unmanaged.passUnretained(body).toOpaque())
        ccurl_set_receive(curl, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            Unmanaged<Body>.fromOpaque(context).takeUnretainedValue().head.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
    }

    // MARK: Outcomes

    private func outcome(_ curl: UnsafeMutableRawPointer, _ code: CURLcode) -> HTTPOutcome {
        guard code == CURLE_OK else { return failure(code) }
        guard body.head.isWhole else { return .unreachable("the server's answer was cut off or has no body length") }
        var status = 0
        ccurl_get_long(curl, CURLINFO_RESPONSE_CODE, &status)
        var wait: curl_off_t = 0
        ccurl_get_time(curl, CURLINFO_RETRY_AFTER, &wait)
        return .answered(
            HTTPAnswer(
                status, contentType: text(curl, CURLINFO_CONTENT_TYPE), location: text(curl, CURLINFO_REDIRECT_URL),
                retryAfter: wait > 0 ? Int(wait) : nil, body: body.bytes))
    }

    private func text(_ curl: UnsafeMutableRawPointer, _ info: CURLINFO) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        ccurl_get_text(curl, info, &text)
        return text.map { String(cString: $0) }
    }

    private func failure(_ code: CURLcode) -> HTTPOutcome {
        let message = error[0] == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: error)
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return .misconfigured("the server's certificate is not accepted (\(message)); \(Self.hint(message))")
        case CURLE_SSL_CACERT_BADFILE: return .misconfigured("cannot use the certificates in \(caFile ?? "the system's file") (\(message))")
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: return .misconfigured("the address is not usable (\(message))")
        case CURLE_OPERATION_TIMEDOUT: return .unreachable("the server does not answer (\(message))")
        case CURLE_WRITE_ERROR: return .unreachable("the server's answer is longer than \(body.longest >> 20) MB")
        default: return .unreachable(message)
        }
    }

    private static func hint(_ message: String) -> String {
        if message.contains("expired") || message.contains("not yet valid") {
            return "renew it, or check this computer's clock"
        }
        if message.contains("does not match") || message.contains("subject name") { return "use the host name in the certificate" }
        return "for a private certification authority, give its file with cafile=FILE"
    }
}
