import Foundation

/// The checkout that the tests were built from.
package enum ProjectFolder {
    /// The nearest folder above this file that has a Package.swift.
    package static let url: URL = {
        var folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        repeat {
            folder.deleteLastPathComponent()
        } while folder.path != "/"
            && !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
        return folder
    }()

    package static func path(_ relative: String) -> String { url.appendingPathComponent(relative).path }
}
