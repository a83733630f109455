import RemoteSink
import Testing

@testable import HTTPSink

@Suite struct InfluxTests {
}
