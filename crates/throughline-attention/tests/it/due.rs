//! When the deep class of sleep is due.

use proptest::prelude::*;
use throughline_attention::due::{DuePolicy, DueWhy, SinceDeep, due};

fn since(corpus: u64, sessions: u64, memories: u64, recalls: u64) -> SinceDeep {
    SinceDeep { corpus, sessions, memories, recalls, ..SinceDeep::default() }
}

#[test]
fn it_is_due_by_sessions_by_size_by_recalls_and_when_idle() {
    let policy = DuePolicy::default();
    let idle = SinceDeep { idle: true, ..since(20, 1, 1, 0) };
    for (happened, expected) in [
        (since(20, 2, 5, 0), None),
        (since(20, 3, 5, 0), Some(DueWhy::Sessions)),
        (since(500, 0, 60, 0), None),
        (since(501, 0, 60, 0), Some(DueWhy::Size)),
        (since(10_000, 0, 60, 0), None),
        (since(20, 0, 0, 50), Some(DueWhy::Recalls)),
        (since(5, 9, 5, 90), None),
        (idle, Some(DueWhy::Idle)),
        (SinceDeep { unfinished: true, ..SinceDeep::default() }, Some(DueWhy::Unfinished)),
    ] {
        assert_eq!(due(&happened, &policy), expected, "{happened:?}");
    }
}

proptest! {
    #[test]
    fn where_nothing_happened_it_is_never_due(corpus in 0..100_000_u64, sessions in 0..100_u64, idle in any::<bool>()) {
        let happened = SinceDeep { idle, ..since(corpus, sessions, 0, 0) };
        prop_assert_eq!(due(&happened, &DuePolicy::default()), None);
    }
}
