import CuffCore
import Glibc

extension WebAddress {
    /// The addresses by which others reach this one: itself, or for `0.0.0.0` and `::` those of the network interfaces that are up,
    /// without loopback and link-local ones.
    package var reachable: [WebAddress] {
        guard host == "0.0.0.0" || host == "::" else { return [self] }
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [WebAddress] = []
        var entry = list
        while let interface = entry?.pointee {
            entry = interface.ifa_next
            guard interface.ifa_flags & UInt32(IFF_UP) != 0, let address = interface.ifa_addr else { continue }
            let family = Int32(address.pointee.sa_family)
            guard family == AF_INET || family == AF_INET6 && host == "::" else { continue }
            var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
            guard getnameinfo(address, length, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0 else { continue }
            let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard !text.hasPrefix("127."), text != "::1", !text.hasPrefix("fe80"), !text.hasPrefix("169.254.") else { continue }
            found.append(WebAddress(host: text, port: port))
        }
        return found
    }
}
