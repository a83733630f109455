import CuffCore
import Testing

@Suite struct LineSettingsTests {
    @Test func text_IsReadAsPeopleWriteIt() {
        #expect(LineSettings("9600") == LineSettings(rate: 9600))
        #expect(LineSettings("2400 8E1") == LineSettings(rate: 2400, parity: .even))
        #expect(LineSettings("4800-8n2") == LineSettings(rate: 4800, stopBits: 2))
        #expect(LineSettings("10400/7o1") == LineSettings(rate: 10400, dataBits: 7, parity: .odd))
        #expect(LineSettings("19200 8N1 rtscts") == LineSettings(rate: 19200, flow: .hardware))
        #expect(LineSettings("19200 XonXoff") == LineSettings(rate: 19200, flow: .software))
        #expect(LineSettings("9600 8N1 nodtr norts") == LineSettings(raisesDTR: false, raisesRTS: false))
    }

    @Test(arguments: [
        "", "fast", "0", "-9600", "4000001", "9600 9N1", "9600 8X1", "9600 8N3", "9600 8N", "9600 8N1 8N1", "9600 rtscts xonxoff",
        "9600 up",
        "8N1 9600",
    ])
    func anythingElse_IsRefused(_ text: String) { #expect(LineSettings(text) == nil) }

    @Test(arguments: ["9600 8N1", "10400 7E2 rtscts nodtr", "300 8O1 xonxoff norts"])
    func text_ComesBackAsItWas(_ text: String) { #expect(LineSettings(text)?.text == text) }
}
