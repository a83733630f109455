import CLinux

/// What a program that runs for months, or reads gigabytes, asks of the allocator.
package enum ProcessMemory {
    /// glibc gives every thread a heap of its own, up to eight for each processor, and each keeps what it once needed: batches
    /// that go from queue to queue fill them all in the course of hours. Two are enough for the few threads here.
    ///
    /// A heap whose end is free gives it back to the kernel from 128 KiB on, and gets it again, page by page, for the next chunk
    /// of a file: a quarter of the time of `cuff decode`. Two megabytes hold the few chunks and batches that are under way.
    /// To be called first of all.
    package static func keepSmall() { clinux_set_heaps(2, 1 << 21) }
}
