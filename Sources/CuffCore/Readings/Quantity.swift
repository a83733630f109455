/// A value other than a blood pressure, from another IEEE 11073 agent or a private metric; named if known, not interpreted.
public struct Quantity: Sendable, Hashable {
    /// Nomenclature partition and term; the printed `mdc` is partition × 65536 + term.
    public var partition: UInt16
    /// The term within `partition`.
    public var term: UInt16
    /// The value; `nil` if absent (see `absence`) or not a number.
    public var value: Digits?
    /// Why there is no value; `none` if there is one or the agent sent none.
    public var absence: Absence
    /// The bits or object identifier of an enumeration.
    public var bits: UInt32?
    /// Unit term of the dimension partition; 0: none.
    public var unit: UInt16
    /// Position within a compound observation; 0 for a simple one.
    public var component: UInt8

    /// Creates a quantity without checks.
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

    /// The context-free code of the unit, partition 4 × 65536 + term, if any. Printed as `unit_mdc` for units without a name.
    public var unitCode: UInt32? {
        get { unit == 0 ? nil : Nomenclature.dimensions << 16 | UInt32(unit) }
        set { unit = UInt16(truncatingIfNeeded: newValue ?? 0) }
    }
}
