/// The profiles that resources claim beside the core profiles `bp` and `heartrate` of FHIR R4.
public enum FHIRProfile: Sendable, Hashable {
    /// No others.
    case core
    /// `us-core-blood-pressure` and `us-core-heart-rate` of HL7's US Core guide, by its version 5.0.1.
    case usCore
    /// The profiles of HL7's Personal Health Device guide for IEEE 11073 agents; resources name this computer as their gateway.
    case phd(FHIRGateway)
}
