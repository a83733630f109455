import COpenSSL
import HTTPClient
import HTTPSink
import RemoteSink

/// The private key of SMART Backend Services, from `fhir.key` (PEM): RSA for RS384, P-384 for ES384.
final class JWTSigner {
    private let key: OpaquePointer
    let algorithm: SMARTGrant.Algorithm

    init(pem: String) throws(ConfigurationFault) {
        let bytes = Array(pem.utf8)
        // The callback supplies no passphrase; without it OpenSSL would prompt on the terminal.
        let read = bytes.withUnsafeBytes { raw -> OpaquePointer? in
            guard let file = BIO_new_mem_buf(raw.baseAddress, Int32(clamping: raw.count)) else { return nil }
            defer { BIO_free(file) }
            return PEM_read_bio_PrivateKey(file, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let read else { throw ConfigurationFault("fhir.key is not a private key in PEM without a passphrase") }
        let kind = EVP_PKEY_get_base_id(read)
        let bits = EVP_PKEY_get_bits(read)
        if kind == EVP_PKEY_RSA, bits >= 2048 {
            algorithm = .rs384
        } else if kind == EVP_PKEY_EC, bits == 384 {
            algorithm = .es384
        } else {
            EVP_PKEY_free(read)
            throw ConfigurationFault("fhir.key must be an RSA key of at least 2048 bits or a P-384 key")
        }
        key = read
    }

    deinit { EVP_PKEY_free(key) }

    func sign(_ text: String) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        let bytes = Array(text.utf8)
        var count = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha384(), nil, key) == 1,
            EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1
        else { return nil }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1, count <= signature.count else { return nil }
        let whole = Array(signature[..<count])
        return algorithm == .es384 ? SMARTGrant.joined(der: whole) : whole
    }

    /// An unpredictable nonce.
    static func random() -> String? {
        var bytes = [UInt8](repeating: 0, count: 24)
        return RAND_bytes(&bytes, Int32(bytes.count)) == 1 ? Base64.urlString(bytes) : nil
    }
}
