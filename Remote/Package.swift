// swift-tools-version: 6.1
import PackageDescription

// Helper programs that deliver readings to servers. Each links one C library, so that none of them can crash `cuff`.
let package = Package(
    name: "cuff-remote",
    products: [
        .library(name: "RemoteSink", targets: ["RemoteSink"]),
        .executable(name: "cuff-sink-hl7", targets: ["cuff-sink-hl7"]),
        .executable(name: "cuff-sink-http", targets: ["cuff-sink-http"]),
        .executable(name: "cuff-sink-mqtt", targets: ["cuff-sink-mqtt"]),
        .executable(name: "cuff-sink-postgres", targets: ["cuff-sink-postgres"]),
        .executable(name: "cuff-gateway", targets: ["cuff-gateway"]),
    ],
    // The formats that `cuff export` writes too. Only the pure modules of it are built.
    dependencies: [.package(name: "cuff", path: "..")],
    targets: [
        .target(name: "RemoteSink"),
        .testTarget(name: "RemoteSinkTests", dependencies: ["RemoteSink"]),

        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "HTTPClient", dependencies: ["RemoteSink", "CCurl"]),
        .target(
            name: "HTTPSink",
            dependencies: [
                "HTTPClient", "RemoteSink", .product(name: "CuffClinical", package: "cuff"), .product(name: "CuffCore", package: "cuff"),
            ]),
        .executableTarget(name: "cuff-sink-http", dependencies: ["HTTPClient", "HTTPSink", "RemoteSink", "COpenSSL"]),
        .testTarget(
            name: "HTTPSinkTests", dependencies: ["HTTPClient", "HTTPSink", "RemoteSink", .product(name: "CuffClinical", package: "cuff")]),

        .systemLibrary(name: "CTLS", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "HL7Sink", dependencies: ["RemoteSink", .product(name: "CuffClinical", package: "cuff")]),
        .executableTarget(name: "cuff-sink-hl7", dependencies: ["HL7Sink", "RemoteSink", "CTLS"]),
        .testTarget(name: "HL7Tests", dependencies: ["HL7Sink", "RemoteSink", .product(name: "CuffCore", package: "cuff")]),

        .target(name: "PersonNames", dependencies: ["RemoteSink", "COpenSSL"]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .executableTarget(name: "cuff-sink-mqtt", dependencies: ["RemoteSink", "PersonNames", "CMosquitto"]),
        .testTarget(name: "MQTTTests", dependencies: ["cuff-sink-mqtt", "PersonNames", "RemoteSink"]),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "PostgresStore", dependencies: ["RemoteSink", "CPostgres"]),
        .executableTarget(name: "cuff-sink-postgres", dependencies: ["RemoteSink", "PersonNames", "PostgresStore"]),
        .target(name: "TestServers", path: "Tests/TestServers"),
        .testTarget(
            name: "PostgresTests", dependencies: ["PersonNames", "RemoteSink", "PostgresStore", "TestServers", "cuff-sink-postgres"]),
        .systemLibrary(name: "CRabbitMQ", pkgConfig: "librabbitmq", providers: [.apt(["librabbitmq-dev"])]),
        .executableTarget(name: "cuff-gateway", dependencies: ["HTTPClient", "RemoteSink", "PostgresStore", "CRabbitMQ"]),
        .testTarget(name: "GatewayTests", dependencies: ["RemoteSink", "PostgresStore", "cuff-gateway"]),
    ],
    swiftLanguageModes: [.v6]
)
