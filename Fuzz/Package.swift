// swift-tools-version: 6.1
import PackageDescription

// Built by `Fuzz/run`, which adds -sanitize=fuzzer so that CuffCore is instrumented too. A separate package, so that
// these flags stay out of the product.
let settings: [SwiftSetting] = [.unsafeFlags(["-parse-as-library"])]
let linking: [LinkerSetting] = [.unsafeFlags(["-use-ld=lld"])]
let targets = ["FuzzSession", "FuzzFrames", "FuzzCapture", "FuzzAPDU", "FuzzPHD", "FuzzPcapng", "FuzzUSB"]

// `TOML` is not a product of the package: FuzzedTOML is the same sources.

let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "cuff", path: "..")],
    targets: targets.map {
        .executableTarget(
            name: $0, dependencies: [.product(name: "CuffCore", package: "cuff"), "FuzzMain"], swiftSettings: settings,
            linkerSettings: linking)
    } + [
        .executableTarget(
            name: "FuzzImport", dependencies: [.product(name: "CuffClinical", package: "cuff"), "FuzzMain"], swiftSettings: settings,
            linkerSettings: linking),
        .executableTarget(name: "FuzzTOML", dependencies: ["FuzzedTOML", "FuzzMain"], swiftSettings: settings, linkerSettings: linking),
        .target(name: "FuzzedTOML"), .target(name: "FuzzMain"),
    ],
    swiftLanguageModes: [.v6]
)
