//! The memory allocator of a process that stays and answers on many threads.

/// Heaps that threads share. By default there may be eight for each processor, and each keeps what it once needed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const HEAPS_MAX: libc::c_int = 4;
/// Larger blocks are mapped by themselves, and go back to the system as soon as they are freed. By default this grows with
/// the blocks that are freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const HEAP_BLOCK_BYTES: libc::c_int = 1 << 20;
/// What a heap keeps free at its end.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT_FREE_BYTES: libc::c_int = 4 << 20;

/// Lets the allocator give back what is free. By default glibc keeps hundreds of megabytes that requests needed for a
/// moment.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "settings of the allocator")]
pub(super) fn give_back_what_is_free() {
    // SAFETY: the parameters take any number, and glibc locks its settings while it changes them.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, HEAPS_MAX);
        libc::mallopt(libc::M_MMAP_THRESHOLD, HEAP_BLOCK_BYTES);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT_FREE_BYTES);
    }
}

/// Other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back_what_is_free() {}
