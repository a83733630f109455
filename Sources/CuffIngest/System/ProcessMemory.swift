import CLinux

/// Settings of glibc's allocator for long runs and large inputs.
package enum ProcessMemory {
    /// glibc creates up to eight heaps per processor, and each keeps its largest size: batches passed between queues fill all of
    /// them within hours. Two are enough for the few threads here.
    ///
    /// By default a heap returns free memory above 128 KiB to the kernel, and faults it in again for the next chunk of a file: a
    /// quarter of the time of `cuff decode`. 2 MiB hold all chunks and batches in flight. Must be called first.
    package static func keepSmall() { clinux_set_heaps(2, 1 << 21) }

    /// The code and constants that only the start of a long run needed no longer count as its memory: what is used again is mapped
    /// again from the page cache. An idle watch has a third of the memory with it.
    static func releaseCode() { clinux_release_code() }
}
