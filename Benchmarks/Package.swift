// swift-tools-version: 6.1
import PackageDescription

// The core alone, without the command: `core` to count instructions and allocations, `worst` to search the costliest input. A separate package, so that the
// product has no executable that is not installed.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "cuff", path: "..")],
    targets: ["core", "worst"].map { .executableTarget(name: $0, dependencies: [.product(name: "CuffCore", package: "cuff")]) },
    swiftLanguageModes: [.v6]
)
