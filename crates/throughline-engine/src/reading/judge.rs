//! How words bear on memories. Each pair takes milliseconds of somebody's time: two are judged at a time, and what
//! was judged lately is not judged again.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use throughline_core::reading::Judged;
use throughline_core::{Timestamp, when};
use throughline_language::probe;
use throughline_reader::TrainedReader as Trained;

/// Judgements that are remembered: a prompt is held against the same memories when it comes in, when it is taken
/// in as a whole and when it is taken in claim by claim.
const JUDGED_MAX: usize = 64;

/// What was judged last, by what was given to the reader.
static JUDGED_LAST: Mutex<VecDeque<(u64, Judged)>> = Mutex::new(VecDeque::new());

/// How words bear on a memory.
pub(super) fn judged(trained: &Trained, held: &str, before: Option<&str>, said: &str) -> Judged {
    let before = before.filter(|_| probe::needs_before(said)).map(probe::what_is_asked);
    let mut hasher = DefaultHasher::new();
    (held, before, said).hash(&mut hasher);
    let key = hasher.finish();
    let last = || JUDGED_LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = last().iter().find(|(known, _)| *known == key) {
        return *known;
    }
    // The reader was shown memories as sentences.
    let mut sentence = probe::without_given_up(held, said).to_owned();
    if !sentence.ends_with(['.', '!', '?', ':', ';']) {
        sentence.push('.');
    }
    // What holds from a day on claims the same as what holds now, unless the day is what changes.
    let dated = !when::find(held, Timestamp::EPOCH).is_empty();
    let said = if dated { said.into() } else { when::without_start(said) };
    let judged = trained.relate(&sentence, before, &said);
    let mut last = last();
    if last.len() == JUDGED_MAX {
        last.pop_front();
    }
    last.push_back((key, judged));
    judged
}

/// How words bear on each of some memories, on two threads. None is begun after one was found to be `enough`;
/// those that were left out are `None`.
pub(super) fn judge_all(
    trained: &Trained,
    held: &[&str],
    before: Option<&str>,
    said: &str,
    enough: impl Fn(&Judged) -> bool + Sync,
) -> Vec<Option<Judged>> {
    let (next, end) = (AtomicUsize::new(0), held.len());
    // Whoever is free takes the next, because memories differ in length.
    let share = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(held) = held.get(at) else { return done };
            let judged = judged(trained, held, before, said);
            if enough(&judged) {
                next.store(end, Ordering::Relaxed);
            }
            done.push((at, judged));
        }
    };
    let mut all = vec![None; end];
    let done = std::thread::scope(|scope| {
        let other = (end > 1).then(|| scope.spawn(share));
        let own = share();
        let other = other.map(|it| it.join().expect("judging does not panic")).unwrap_or_default();
        own.into_iter().chain(other)
    });
    for (at, judged) in done {
        all[at] = Some(judged);
    }
    all
}
