import CuffCore

/// One value of a category: a word, the number under which it is stored, and HealthKit's name.
public struct CategoryValue: Sendable, Hashable {
    /// The word on the command line and in tables.
    public let word: String
    /// HealthKit's number.
    public let number: Int
    /// HealthKit's name, as in the files of Apple's Health app.
    public let name: StaticName

    init(_ word: String, _ number: Int, _ name: StaticName) { (self.word, self.number, self.name) = (word, number, name) }

    /// The kind of a loud sound. Name and number: Apple's HKCategoryValues.h, iOS 14.
    public static let audioExposure = [
        CategoryValue("momentary_limit", 1, "HKCategoryValueEnvironmentalAudioExposureEventMomentaryLimit")
    ]

    /// How severe a symptom is. Names and numbers: Apple's HKCategoryValues.h, iOS 13.6.
    public static let severity = [
        CategoryValue("unspecified", 0, "HKCategoryValueSeverityUnspecified"),
        CategoryValue("not_present", 1, "HKCategoryValueSeverityNotPresent"),
        CategoryValue("mild", 2, "HKCategoryValueSeverityMild"), CategoryValue("moderate", 3, "HKCategoryValueSeverityModerate"),
        CategoryValue("severe", 4, "HKCategoryValueSeveritySevere"),
    ]
}
