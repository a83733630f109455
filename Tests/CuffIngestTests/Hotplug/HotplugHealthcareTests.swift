import CuffCore
import Testing

@testable import CuffIngest
@testable import cuff

@Suite struct HotplugHealthcareTests {
    /// Device, configuration, interface of class 0F, `04 20` function, `30` specializations, two bulk endpoints (docs/PHD.md
    /// §10.2).
    private static func descriptors(function: [UInt8] = [4, 0x20, 2, 0], specializations: [UInt8]) -> [UInt8] {
        [18, 1, 0, 2, 0, 0, 0, 64, 0xFE, 0xCA, 0x0F, 0x0F, 0, 1, 1, 2, 3, 1, 9, 2, 57, 0, 1, 1, 0, 0xC0, 50, 9, 4, 0, 0, 2, 0x0F, 0, 0, 0]
            + function + specializations + [7, 5, 0x81, 2, 64, 0, 0, 7, 5, 0x02, 2, 64, 0, 0]
    }

    private let cuff = HotplugSample.device(HotplugSample.healthcare(descriptors(specializations: [6, 0x30, 0, 1, 0x07, 0x10])))
    private let unnamed = HotplugSample.device(HotplugSample.healthcare(descriptors(specializations: [])))
    private let scale = HotplugSample.device(HotplugSample.healthcare(descriptors(specializations: [6, 0x30, 0, 1, 0x0F, 0x10])))

    @Test func aCuff_IsClaimedByItsClass_WhateverItsIDs() {
        #expect(Claiming.verdict(on: cuff) == .claimed("phd", .healthcareClass))
        #expect(Claiming.verdict(on: unnamed) == .claimed("phd", .healthcareClass))
        #expect(Claiming.verdict(on: scale) == .unassigned(["phd"]))
        #expect(cuff.node == "/dev/bus/usb/001/004" && cuff.kernelDriver == nil && cuff.subsystem == .usb)
    }

    /// A cuff whose descriptors no kernel driver accepts is known by its ids alone; any other such device is left alone.
    @Test func aCuffWithoutKernelDriver_IsClaimedByItsIDs() throws {
        let data: [UInt8] = [18, 1, 0, 2, 2, 0, 0, 64, 0x47, 0x12, 0xF8, 0, 0, 1, 1, 2, 3, 1]
        let device = try #require(PluggedDevice(HotplugSample.healthcare(data, ids: "1247:00f8")))
        #expect(device.healthcare == nil && device.subsystem == .usb && device.node == "/dev/bus/usb/001/004")
        let id = USBID(vendor: 0x1247, product: 0x00F8)
        #expect(Claiming.verdict(on: device) == .claimed("visomat-usb", .exactID(id)))
        #expect(PluggedDevice(HotplugSample.healthcare(data, ids: "1247:00f9")) == nil)
    }

    @Test func aVendorsOwnData_IsNoDeviceOfOurs() {
        let chain = HotplugSample.healthcare(Self.descriptors(function: [4, 0x20, 1, 0], specializations: []))
        #expect(PluggedDevice(chain) == nil)
    }

    @Test(arguments: ["/dev/bus/usb/001/004", "usb:cafe:0f0f", "port:1-4"])
    func identify_NamesIt_WithoutOpeningIt(_ text: String) throws {
        let address = try DeviceAddress(text)
        for (device, sentence) in [
            (cuff, "its USB class is personal healthcare (0F), blood pressure"), (unnamed, "its USB class is personal healthcare (0F)"),
        ] {
            #expect(try Identifying.claim(on: address, among: [device]) == .claim("phd", sentence))
        }
        let report = Identifying.Report(word: try Identifying.claim(on: address, among: [cuff]))
        #expect(report.text == "phd  its USB class is personal healthcare (0F), blood pressure\n")
        #expect(report.jsonLines.contains(#""driver":"phd","by":"claim""#))
    }

    /// A scale is neither identified nor opened. A bridge chip is listened to, a HID device with unknown ids is not.
    @Test func identify_OpensNoOtherUSBOrHIDDevice() throws {
        #expect(throws: IngestError.self) { try Identifying.claim(on: try DeviceAddress("port:1-4"), among: [scale]) }
        let hid = HotplugSample.device(HotplugSample.hid(ids: "1234:5678"))
        #expect(throws: IngestError.self) { try Identifying.claim(on: .node("/dev/hidraw0"), among: [hid]) }
        let adapter = HotplugSample.device(HotplugSample.adapter())
        #expect(try Identifying.claim(on: .node("/dev/ttyUSB0"), among: [adapter]) == nil)
        #expect(try Identifying.claim(on: .node("/dev/ttyUSB9"), among: [adapter]) == nil)
    }
}
