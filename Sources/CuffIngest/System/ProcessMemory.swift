import CLinux

/// What a program that runs for months asks of the allocator.
public enum ProcessMemory {
    /// glibc gives every thread a heap of its own, up to eight for each processor, and each keeps what it once needed: batches
    /// that go from queue to queue fill them all in the course of hours. Two are enough for the few threads here. To be called
    /// first of all.
    public static func keepSmall() { clinux_limit_heaps(2) }
}
