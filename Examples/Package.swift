// swift-tools-version: 6.1
import PackageDescription

// Programs of your own that read cuffs: this is all that their package needs. The same sources are targets of the main package, so
// that they are built and tested with it.
let package = Package(
    name: "examples",
    dependencies: [.package(name: "cuff", path: "..")],
    targets: [
        .executableTarget(
            name: "EmbeddingExample",
            dependencies: ["CuffCore", "CuffClinical", "CuffIngest"].map { .product(name: $0, package: "cuff") }),
        .target(name: "AcmeDriver", dependencies: [.product(name: "CuffCore", package: "cuff")]),
        .testTarget(name: "AcmeDriverTests", dependencies: ["AcmeDriver", .product(name: "CuffCore", package: "cuff")]),
    ],
    swiftLanguageModes: [.v6]
)
