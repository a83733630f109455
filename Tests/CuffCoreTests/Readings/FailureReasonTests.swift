import CuffCore
import Testing

@Suite struct FailureReasonTests {
    /// `word` of each case is its name in snake case, as it is stored.
    @Test(arguments: FailureReason.allCases)
    func word_IsTheNameOfTheCase(_ reason: FailureReason) {
        let name = "\(reason)".reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
        #expect(reason.word.description == name)
    }

    @Test func words_AreThoseOfStoredReadings() {
        let words: [FailureReason: String] = [
            .unknown: "unknown", .cuffLoose: "cuff_loose", .overPressure: "over_pressure", .timeout: "timeout", .selfTest: "self_test",
            .insufficientPressure: "insufficient_pressure", .residualPressure: "residual_pressure", .noValue: "no_value",
            .noAnswer: "no_answer", .noResult: "no_result", .withdrawn: "withdrawn",
        ]
        for (reason, word) in words { #expect(reason.word.description == word) }
    }
}
