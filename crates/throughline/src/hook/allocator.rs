//! The memory allocator of a process that lives for some milliseconds.

/// How much the heap grows at a time.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const STEP_BYTES: libc::c_int = 2 << 20;
/// What every hook uses of the heap, which the system hands over in one go. Page by page, as it is first
/// touched, the same takes several times as long.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const FIRST_BYTES: usize = 1 << 20;
/// Blocks up to this size come from the heap, and go back to it: one that is mapped by itself is handed
/// over, page by page, each time anew. Larger ones mostly grow, which is cheaper where they are mapped.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const HEAP_BLOCK_BYTES: libc::c_int = 1 << 20;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const PAGE_BYTES: usize = 4_096;

/// Uses one heap for all threads, lets it grow in large steps and never shrink, and fills its beginning. By
/// default glibc gives each thread a heap of its own that grows a little at a time: that is a tenth of
/// what a hook takes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "settings of the allocator, made before there is a second thread")]
pub(crate) fn use_one_heap() {
    // SAFETY: the parameters take any number, and no other thread allocates yet. The block is ours until it
    // is freed, and pages that lie in it whole are only filled with the zeros that nobody has read yet; a
    // system that cannot do so leaves them as they are.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
        libc::mallopt(libc::M_TOP_PAD, STEP_BYTES);
        libc::mallopt(libc::M_MMAP_THRESHOLD, HEAP_BLOCK_BYTES);
        libc::mallopt(libc::M_TRIM_THRESHOLD, libc::c_int::MAX);
        let block = libc::malloc(FIRST_BYTES);
        if !block.is_null() {
            let skipped = block.align_offset(PAGE_BYTES);
            let whole = (FIRST_BYTES - skipped.min(FIRST_BYTES)) / PAGE_BYTES * PAGE_BYTES;
            libc::madvise(block.wrapping_byte_add(skipped), whole, libc::MADV_POPULATE_WRITE);
            libc::free(block);
        }
    }
}

/// Other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn use_one_heap() {}
