import CuffCore

/// One value of a category: a word, the number under which it is stored, and HealthKit's name.
package struct CategoryValue: Sendable, Hashable {
    package let word: String
    package let number: Int
    /// HealthKit's name, as in the files of Apple's Health app.
    package let name: StaticName

    init(_ word: String, _ number: Int, _ name: StaticName) { (self.word, self.number, self.name) = (word, number, name) }

    /// How severe a symptom is. Names and numbers: Apple's HKCategoryValues.h, iOS 13.6.
    static let severity = [
        CategoryValue("unspecified", 0, "HKCategoryValueSeverityUnspecified"),
        CategoryValue("not_present", 1, "HKCategoryValueSeverityNotPresent"),
        CategoryValue("mild", 2, "HKCategoryValueSeverityMild"), CategoryValue("moderate", 3, "HKCategoryValueSeverityModerate"),
        CategoryValue("severe", 4, "HKCategoryValueSeveritySevere"),
    ]
}
