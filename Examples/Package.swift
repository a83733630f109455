// swift-tools-version: 6.1
import PackageDescription

// A program of your own that reads cuffs: this is all that its package needs. The same source is a target of the main
// package, so that it is built with it.
let package = Package(
    name: "examples",
    dependencies: [.package(name: "cuff", path: "..")],
    targets: [
        .executableTarget(
            name: "EmbeddingExample",
            dependencies: ["CuffCore", "CuffClinical", "CuffIngest"].map { .product(name: $0, package: "cuff") })
    ],
    swiftLanguageModes: [.v6]
)
