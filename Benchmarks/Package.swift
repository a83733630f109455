// swift-tools-version: 6.1
import PackageDescription

// The core alone, without the command, to count instructions and allocations. A separate package, so that the
// product has no executable that is not installed.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "cuff", path: "..")],
    targets: [.executableTarget(name: "core", dependencies: [.product(name: "CuffCore", package: "cuff")])],
    swiftLanguageModes: [.v6]
)
