//! Crowd: whether so many want the processor at once that whoever has time should leave it to the others.

use std::num::NonZero;

/// So many threads for each core that want to run are a crowd, for whoever was kept waiting already and for everybody.
const PER_CORE_WHEN_LATE: usize = 4;
const PER_CORE: usize = 8;

/// Whether the machine is crowded at this moment; fewer make a crowd for who is `late`. `false` where the system does not
/// tell.
pub(crate) fn is_crowded(late: bool) -> bool {
    let most = if late { PER_CORE_WHEN_LATE } else { PER_CORE };
    let Ok(load) = std::fs::read_to_string("/proc/loadavg") else { return false };
    // Asking for the cores takes longer than this file, and mostly it is not needed.
    running(&load).is_some_and(|running| running > most && running > most * cores())
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Threads that run or wait for a core, of what Linux writes: `0.20 0.18 0.12 1/80 11206`.
fn running(load: &str) -> Option<usize> {
    let (running, _) = load.split_whitespace().nth(3)?.split_once('/')?;
    running.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_want_to_run_are_read_and_nonsense_is_no_crowd() {
        assert_eq!(running("0.20 0.18 0.12 64/310 11206\n"), Some(64));
        for other in ["", "0.20", "a b c d", "0 0 0 x/3 4"] {
            assert_eq!(running(other), None);
        }
    }
}
