import CuffClinical

package struct StatisticsRequest: Sendable {
    package var selection: ReadingSelection
    package var cut: CalendarCut
    package var style = AggregationStyle.discreteArithmetic
    package var options: StatisticsCollection.Options = []
    package var excludesDisturbed = false

    package init(_ selection: ReadingSelection, by cut: CalendarCut) { (self.selection, self.cut) = (selection, cut) }
}
