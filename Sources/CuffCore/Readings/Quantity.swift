/// A measured value that is not a blood pressure: what another IEEE 11073 agent sends, or a private metric of a cuff.
/// It is carried, named where the nomenclature is known, and never interpreted.
public struct Quantity: Sendable, Hashable {
    /// Nomenclature partition and term; the printed `mdc` is partition × 65536 + term.
    public var partition: UInt16
    /// The term within `partition`.
    public var term: UInt16
    /// The value; `nil` when it is absent (see `absence`) or is not a number.
    public var value: Digits?
    /// Why there is no value; `none` where there is one, or where the agent sent none.
    public var absence: Absence
    /// An enumeration's bits or object identifier where the value is one of these.
    public var bits: UInt32?
    /// Unit term of the nomenclature's dimension partition; 0 when there is none.
    public var unit: UInt16
    /// Position within a compound observation; 0 for a simple one.
    public var component: UInt8

    /// Sets each property as given; nothing is checked.
    public init(
        partition: UInt16, term: UInt16, value: Digits?, absence: Absence = .none, bits: UInt32? = nil,
        unit: UInt16 = 0, component: UInt8 = 0
    ) {
        self.partition = partition
        self.term = term
        self.value = value
        self.absence = absence
        self.bits = bits
        self.unit = unit
        self.component = component
    }

    /// The context-free code of the term: partition × 65536 + term.
    public var mdc: UInt32 { UInt32(partition) << 16 | UInt32(term) }

    /// The unit as a context-free code, partition 4 × 65536 + term; `nil` where there is none. It says what the unit is
    /// where `Nomenclature` has no name for it, and is printed as `unit_mdc`.
    public var unitCode: UInt32? {
        get { unit == 0 ? nil : Nomenclature.dimensions << 16 | UInt32(unit) }
        set { unit = UInt16(truncatingIfNeeded: newValue ?? 0) }
    }
}
