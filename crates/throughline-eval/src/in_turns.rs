//! Playing many things, some at a time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context as _;

/// How many are played at once: a player starts programs and waits for them.
const AT_ONCE: usize = 2;

/// Plays each of `count` parts, some at a time. Returns what came of them, in their order.
pub(crate) fn play<R: Send>(
    count: usize,
    play: impl Fn(usize) -> anyhow::Result<R> + Sync,
) -> anyhow::Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= count {
                    break;
                }
                let played = play(at);
                if let Ok(mut done) = done.lock() {
                    done.push((at, played));
                }
            }
        };
        for _ in 0..AT_ONCE {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().ok().context("a player broke off")?;
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, played)| played).collect()
}
