// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "cuff",
    products: [
        .library(name: "CuffCore", targets: ["CuffCore"]),
        .library(name: "CuffClinical", targets: ["CuffClinical"]),
    ],
    targets: [
        .target(name: "CuffCore"),
        // Style sheets and script become constants of `PackageResources`: no file is loaded at run time.
        .target(
            name: "CuffClinical", dependencies: ["CuffCore"],
            resources: [
                .embedInCode("Page/live.css"), .embedInCode("Page/live.js"), .embedInCode("Report/report.css"),
                .embedInCode("Report/shared.css"),
            ]),
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .testTarget(name: "CuffCoreTests", dependencies: ["CuffCore", "TestSupport"]),
        .testTarget(
            name: "CuffClinicalTests", dependencies: ["CuffClinical", "CuffCore", "TestSupport"],
            exclude: ["Averaging/average_oracle.py", "Averaging/guideline_oracle.py", "Statistics/statistics_oracle.py"]),
    ],
    swiftLanguageModes: [.v6]
)

// With CUFF_PARTS=core only these pure modules and their tests are built, so that an edit in one driver is tested in seconds
// (`make test-core`); CUFF_PARTS=bench adds programs that run the core alone: `core` to count its
// instructions, `worst` to search the costliest input.
if Context.environment["CUFF_PARTS"] == "bench" {
    package.targets += ["core", "worst"].map { .executableTarget(name: $0, dependencies: ["CuffCore"], path: "Benchmarks/Sources/\($0)") }
}

// Everything that touches the machine.
if Context.environment["CUFF_PARTS"] == nil {
    package.products += [
        .executable(name: "cuff", targets: ["cuff"]),
        .library(name: "CuffIngest", targets: ["CuffIngest"]),
        .library(name: "CuffFoundation", targets: ["CuffFoundation"]),
    ]
    package.dependencies += [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    ]
    package.targets += [
        .executableTarget(
            name: "cuff",
            dependencies: [
                "CuffCore", "CuffClinical", "CuffIngest",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(name: "TOML"),
        .target(name: "CLinux"),
        .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "SQLite", dependencies: ["CSQLite"]),
        .testTarget(name: "SQLiteTests", dependencies: ["SQLite"]),
        .target(
            name: "CuffIngest",
            dependencies: [
                "CuffCore", "CuffClinical", "TOML", "SQLite", "CLinux", "CUdev",
                .product(name: "Logging", package: "swift-log"),
            ]),
        // Bridges to Foundation, which nothing else imports.
        .target(name: "CuffFoundation", dependencies: ["CuffCore", "CuffClinical"]),
        .testTarget(name: "CuffFoundationTests", dependencies: ["CuffFoundation", "CuffClinical", "CuffCore"]),
        .testTarget(name: "TOMLTests", dependencies: ["TOML", "TestSupport"]),
        .target(name: "CFaultyDisk", dependencies: ["CSQLite"], path: "Tests/CFaultyDisk"),
        .testTarget(
            name: "CuffIngestTests",
            dependencies: [
                "cuff", "CuffIngest", "CuffClinical", "CuffCore", "CLinux", "CFaultyDisk", "TestSupport", "SQLite",
                .product(name: "Logging", package: "swift-log"),
            ]),
        // Not products: Examples/ is a package of its own for readers, and its sources are built here with everything else.
        .executableTarget(
            name: "EmbeddingExample", dependencies: ["CuffCore", "CuffClinical", "CuffIngest"], path: "Examples/Sources/EmbeddingExample"),
        .target(name: "AcmeDriver", dependencies: ["CuffCore"], path: "Examples/Sources/AcmeDriver"),
        .testTarget(name: "AcmeDriverTests", dependencies: ["AcmeDriver", "CuffCore"], path: "Examples/Tests/AcmeDriverTests"),
        .testTarget(name: "EndToEnd", dependencies: ["cuff", "EmbeddingExample", "CuffIngest", "CuffCore", "TestSupport"]),
    ]
}
