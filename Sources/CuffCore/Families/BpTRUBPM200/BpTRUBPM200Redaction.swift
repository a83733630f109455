extension Redaction {
    /// Frames of unknown content are cleared with their unknown CRC. The others hold pressures, reasons and buttons, and stay.
    static let bptruBPM200 = frames(BpTRUBPM200Frame()) { frame, side, work in
        switch BpTRUBPM200Frame.ID(rawValue: frame[1]) {
        case .unknown1, .unknown2, .unknown3, .unknown4, .unknown5, nil: work.clear(&frame, 2..<7, .unknown)
        default: break
        }
    }
}
