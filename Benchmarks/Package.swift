// swift-tools-version: 6.1
import PackageDescription

// The core alone, without the command, for counts of instructions and of allocations. A package of its own, so that the
// product has no executable that nobody installs.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "cuff", path: "..")],
    targets: [.executableTarget(name: "core", dependencies: [.product(name: "CuffCore", package: "cuff")])],
    swiftLanguageModes: [.v6]
)
