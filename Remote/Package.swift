// swift-tools-version: 6.1
import PackageDescription

// Helper programs that deliver readings to servers. Each links one C library, so that none of them can crash `cuff`.
let package = Package(
    name: "cuff-remote",
    products: [
        .library(name: "RemoteSink", targets: ["RemoteSink"]),
        .executable(name: "cuff-sink-mqtt", targets: ["cuff-sink-mqtt"]),
    ],
    targets: [
        .target(name: "RemoteSink"),
        .testTarget(name: "RemoteSinkTests", dependencies: ["RemoteSink"]),

        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .executableTarget(name: "cuff-sink-mqtt", dependencies: ["RemoteSink", "CMosquitto"]),
    ],
    swiftLanguageModes: [.v6]
)
