//! The memory allocator of a process that lives for some milliseconds.

/// How much the heap grows at a time.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const STEP_BYTES: libc::c_int = 2 << 20;

/// Uses one heap for all threads, and lets it grow in large steps. By default glibc gives each thread a
/// heap of its own that grows a little at a time: that is a tenth of what a hook takes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "a setting of the allocator, made before there is a second thread")]
pub(crate) fn use_one_heap() {
    // SAFETY: both parameters take any number, and no other thread allocates yet.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
        libc::mallopt(libc::M_TOP_PAD, STEP_BYTES);
    }
}

/// Other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn use_one_heap() {}
