import CuffClinical
import HTTPClient
import RemoteSink
import Testing

@testable import HTTPSink

func reading(_ json: String) throws -> ReadingLine { try #require(ReadingLine(Array(json.utf8))) }

@Suite struct InfluxTests {
    private static let head =
        #"{"type":"blood_pressure","schema":1,"id":"20260505T073130-d33c245d2be4b540","driver":"phd","device":"00091ffffe000101""#

    /// The line of the reference, but for the last digits of the time: FNV-1a of this id is 321,822 modulo a million.
    @Test func line_HasTheValuesTheFlagsAndTheID() throws {
        let one = try reading(
            Self.head + #","systolic_mmHg":128,"diastolic_mmHg":82,"mean_mmHg":97,"pulse_per_min":71,"user":1,"flags":["irregular_pulse"],"#
                + #""measured":"2026-05-05T07:31:30+02:00","origin":"push"}"#)
        #expect(
            InfluxLine.text(ExchangeReading(one))
                == "blood_pressure,device=00091ffffe000101,driver=phd,user=1 systolic_mmHg=128,diastolic_mmHg=82,mean_mmHg=97,"
                + "pulse_per_min=71,irregular_pulse=true,id=\"20260505T073130-d33c245d2be4b540\" 1777959090000321822\n")
    }

    @Test func kilopascals_KeepTheirDigits() throws {
        let one = try reading(
            Self.head
                + #","systolic_kPa":16.0,"systolic_mmHg":120.010,"diastolic_kPa":10.7,"diastolic_mmHg":80.26,"measured":"2026-05-05T07:31Z"}"#
        )
        let text = try #require(InfluxLine.text(ExchangeReading(one)))
        #expect(text.contains(" systolic_mmHg=120.010,systolic_kPa=16.0,diastolic_mmHg=80.26,diastolic_kPa=10.7,"))
    }

    @Test func names_AreEscaped() throws {
        let one = try reading(
            #"{"type":"blood_pressure","id":"x\"y","driver":"","device":"a b,c=d\\\n","systolic_mmHg":1,"diastolic_mmHg":1,"measured":"2026-05-05T07:31Z"}"#
        )
        let text = try #require(InfluxLine.text(ExchangeReading(one)))
        #expect(text.hasPrefix(#"blood_pressure,device=a\ b\,c\=d__ systolic_mmHg=1,"#))
        #expect(text.contains(#"id="x\"y" "#))
        #expect(text.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["", #","measured":"yesterday""#, #","measured":"2026-05-05T07:31:30""#])
    func withoutATime_ItIsRefused(time: String) throws {
        let one = try reading(Self.head + #","systolic_mmHg":128,"diastolic_mmHg":82\#(time)}"#)
        #expect(InfluxFormat(url: "").refusal(one)?.contains("time") == true)
        #expect(InfluxLine.text(ExchangeReading(one)) == nil)
    }

    @Test func withoutAValue_ItIsRefused() throws {
        let one = try reading(Self.head + #","flags":["irregular_pulse"],"measured":"2026-05-05T07:31Z"}"#)
        #expect(InfluxFormat(url: "").refusal(one)?.contains("value") == true)
    }

    @Test(arguments: [
        (204, "", Verdict.taken), (400, #"{"error":"partial write"}"#, .content("HTTP 400: partial write")),
        (503, "busy", .later("HTTP 503: busy")),
    ]) func answers(status: Int, body: String, verdict: Verdict) {
        #expect(InfluxFormat(url: "").verdict(HTTPAnswer(status, body: Array(body.utf8)), for: []) == verdict)
    }

    @Test(arguments: [200, 201, 302, 401, 403, 404]) func otherAnswers_AreTheConfigurations(status: Int) {
        guard case .configuration = InfluxFormat(url: "").verdict(HTTPAnswer(status), for: []) else {
            Issue.record("\(status)")
            return
        }
    }
}

@Suite struct InfluxDeletionTests {
    private static let deleted =
        #"{"type":"deleted","id":"20260505T073130-d33c245d2be4b540","revision":255,"of":"blood_pressure","driver":"phd","#
        + #""device":"it's","measured":"2026-05-05T07:31:30+02:00"}"#

    /// The time is that of `line_HasTheValuesTheFlagsAndTheID`.
    @Test func version1_DeletesThePointByTimeAndTags() throws {
        let format = InfluxFormat(url: "http://h/write?db=bp&precision=ns")
        let request = format.request([try reading(Self.deleted)])
        #expect(request.url == "http://h/query?db=bp&precision=ns")
        let query = request.body.split(separator: "%20").joined(separator: " ")
        #expect(query.contains("time%20%3D%201777959090000321822") || query.contains("1777959090000321822"))
        #expect(request.body.hasPrefix("q=DELETE%20FROM%20%22blood_pressure%22%20WHERE%20time"))
        #expect(request.body.contains("%22device%22%20%3D%20%27it%5C%27s%27") && request.body.contains("%22pending%22"))
        #expect(request.body.contains("%22left_out%22"))
        #expect(
            format.verdict(HTTPAnswer(200, body: Array(#"{"results":[{"statement_id":0}]}"#.utf8)), for: [try reading(Self.deleted)])
                == .taken)
        let failed = Array(#"{"results":[{"statement_id":0,"error":"no rights"}]}"#.utf8)
        #expect(
            format.verdict(HTTPAnswer(200, body: failed), for: [try reading(Self.deleted)])
                == .content("InfluxDB did not delete it: no rights"))
    }

    /// 1777959090 s are 2026-05-05T05:31:30Z (Python's datetime).
    @Test func version2_DeletesARangeOfANanosecond() throws {
        let format = InfluxFormat(url: "https://h/api/v2/write?org=o&bucket=b&precision=ns")
        let request = format.request([try reading(Self.deleted)])
        #expect(request.url == "https://h/api/v2/delete?org=o&bucket=b&precision=ns")
        let body = try #require(JSONValue(parsing: Array(request.body.utf8)))
        #expect(body["start"]?.string == "2026-05-05T05:31:30.000321822Z" && body["stop"]?.string == "2026-05-05T05:31:30.000321823Z")
        #expect(body["predicate"]?.string == #"driver="phd" AND device="it's""#)
        #expect(format.verdict(HTTPAnswer(204), for: [try reading(Self.deleted)]) == .taken)
    }

    @Test func aDeletion_GoesInARequestOfItsOwn() throws {
        var state = DeliveryState(InfluxFormat(url: "http://h/write?db=bp"))
        let head = #"{"type":"blood_pressure","driver":"phd","systolic_mmHg":128,"diastolic_mmHg":82,"measured":"2026-05-05T07:31Z","id":""#
        for line in [head + "a\"}", Self.deleted, head + "b\"}"] { state.accept(try reading(line)) }
        var answers: [Answer] = []
        var urls: [String] = []
        while let request = state.next(&answers) {
            urls.append(request.url)
            let body = request.url.contains("query") ? #"{"results":[{}]}"# : ""
            state.handle(.answered(HTTPAnswer(request.url.contains("query") ? 200 : 204, body: Array(body.utf8))), seconds: 0.1, &answers)
        }
        #expect(urls == ["http://h/write?db=bp", "http://h/query?db=bp", "http://h/write?db=bp"])
        #expect(answers.count == 3)
    }
}

@Suite struct InstantTests {
    // From Python's datetime.fromisoformat.
    @Test(arguments: [
        ("2026-05-05T07:31:30+02:00", 1_777_959_090_000, "2026-05-05T07:31:30+02:00"),
        ("2024-02-29T23:59:59.120-03:30", 1_709_263_799_120, "2024-02-29T23:59:59.120-03:30"),
        ("1969-12-31T23:59:59Z", -1000, "1969-12-31T23:59:59Z"), ("2000-03-01T00:00Z", 951_868_800_000, "2000-03-01T00:00:00Z"),
    ]) func times(text: String, milliseconds: Int64, full: String) throws {
        let instant = try #require(Instant(text))
        #expect(instant.milliseconds == milliseconds)
        #expect(instant.text == full)
    }

    @Test(arguments: [
        "", "2026-05-05", "2026-05-05T07:31", "2026-05-05T07:31:30", "2026-13-05T07:31:30Z", "2026-02-29T07:31:30Z", "2026-05-05T24:00Z",
        "2026-05-05T07:60Z", "2026-05-05T07:31:30.Z", "2026-05-05T07:31:30+2:00", "2026-05-05T07:31:30Z ", "2026-05-05 07:31:30Z",
    ]) func others_AreNoTimes(text: String) { #expect(Instant(text) == nil) }
}
