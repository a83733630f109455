/// The phrases of the report and of the live page. In their texts `%1`, `%2` … are values, and of `one|several` the first is used if the
/// first value is 1.
enum Phrase: String, Sendable, Hashable, CaseIterable {
    case bloodPressure, bloodPressureOf, noReadings, readings, onDays, minutes, period, moment
    // The first box
    case average, morning, evening, otherTimes, pulse, perMinute, systolic, diastolic
    case rule, completeness, compared, range, noted, failed, medicines, leftOut
    case meanOfAll, withoutFirstDays, upToDay, firstOfSession, meanOfSessions, onlyMorningAndEvening, superseded
    case planned, plannedDays, enough, tooFew, trendOnly, nothingCounts
    case readingsThatCount, readingsMeasured, daysThatCount, daysMeasured
    case atOrAbove, averageIs, reached, below, guidelineClass
    // Chart and table
    case chart, hourly, daily, weekly, monthly, pressureChart, pulseChart
    case list, listLegend, averagesList, averagesLegend, day, weekOf, month
    case typedIn, imported, automatic, medication
    // The foot
    case markNote, windows, afterMidnight, measuredWith, times, madeWith, intendedUse, page, ofPages
    // Where the numbers come from
    case explained, explainedText, rules, numberOfRule, value, evidence, quotation, exactMeans, exactMean, readingID, when, partOfDay, what
    case why, cuff, counts
    // A day and a night
    case dayAndNight, fromTo, recordingHead, wholeDay, byDay, byNight, byHours, ruleName, hours, hoursOf, fixedHours, diary, supersededBy
    case measurements, validOfTried, validOfPlanned, failedCount, leftOutCount, validity, validRecording, invalidRecording
    case officeMeanOfLastTwo, officeLowerOfLastTwo, bothArms
    case ofUsually, ofPreferably, ofPercent, ofHours, ofDay, ofNight, nightlyFall, fallOf, thatNight, surge, fromTrough, fromBeforeWaking
    case variability, systolicDeviation, diastolicDeviation, weightedByDay, weightedByTime, threshold, loads, guideline, className
    case isolatedSystolic, isolatedDiastolic, systolicSign, diastolicSign, nightShaded
    // The live page
    case asOf, skip, measuring, cuffPressure, measurementsInProgress, connectionLost, silent
    case alerts, alertRule, condition, since, person, persons, everyone, noReadingsYet, noReadingsInRange
    case today, yesterday, lastDays, oneYear, everything, shownRange, latestReadings, notes, failedWith, timeUnknown
    case report, csv, cuffs, noCuff, readingsSince, connected, sinks, skippedSections
    case optional, kept, waiting, failing, following, notConnected
    case shownIsOld, shortMoment, meanPressure, perMinuteOf
    // Persons without a name
    case user, userOf, userTypedIn, withoutUser, typedInWithoutUser
}
