//! Kept answers: who asks the same again while nothing has changed is told the same, without its being worked out again.
//!
//! An answer is kept for whoever asked it, with the project and every word of the request. It holds while the latest batch
//! of the log is the one that it was worked out at, whichever process wrote it, and within the same second, because what
//! follows from the clock moves. What depends on anything else is not kept.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;
use throughline_core::BatchId;
use throughline_engine::Engine;

use crate::Problem;
use crate::given::Asker;

/// Bytes of answers that are kept at most, and of one of them.
const BYTES_MAX: usize = 8 << 20;
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// Moment: what an answer depends on, beside the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    latest: (u64, BatchId),
    second: i64,
}

impl Moment {
    /// The present one; nothing where memory cannot tell that nothing was written since.
    pub(crate) fn now(engine: &Engine) -> Result<Option<Self>, Problem> {
        let second = engine.now().as_millis().div_euclid(1_000);
        let latest = engine.latest_batch(&*engine.now_reader()?)?;
        Ok(latest.map(|latest| Self { latest, second }))
    }
}

/// Kept answers: those of one moment.
#[derive(Debug, Default)]
pub(crate) struct KeptAnswers(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    at: Option<Moment>,
    answers: HashMap<(Asker, String), Bytes>,
    bytes: usize,
}

impl KeptAnswers {
    /// The answer to a request, if it was worked out at this moment.
    pub(crate) fn of(&self, at: Moment, asker: &Asker, asked: &str) -> Option<Bytes> {
        let mut held = self.held();
        if held.at != Some(at) {
            *held = Held { at: Some(at), ..Held::default() };
        }
        held.answers.get(&(asker.clone(), asked.to_owned())).cloned()
    }

    /// Keeps an answer. `at` is a moment before it was worked out.
    pub(crate) fn keep(&self, at: Moment, asker: &Asker, asked: &str, answer: &Bytes) {
        let mut held = self.held();
        let fits = answer.len() <= ANSWER_BYTES_MAX && held.bytes + answer.len() <= BYTES_MAX;
        if fits && held.at == Some(at) {
            held.bytes += answer.len();
            held.answers.insert((asker.clone(), asked.to_owned()), answer.clone());
        }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(seq: u64, second: i64) -> Moment {
        let batch: BatchId = "01990000-0000-7000-8000-000000000001".parse().unwrap();
        Moment { latest: (seq, batch), second }
    }

    fn asker(person: Option<&str>, project: Option<&str>) -> Asker {
        let (person, project) = (person.map(str::to_owned), project.map(str::to_owned));
        Asker { person, project, ..Asker::default() }
    }

    #[test]
    fn an_answer_is_told_to_whoever_asked_it_from_where_they_asked_and_to_nobody_else() {
        let (kept, at) = (KeptAnswers::default(), moment(7, 100));
        let ben = asker(Some("ben"), None);
        assert_eq!(kept.of(at, &ben, "/list"), None);
        kept.keep(at, &ben, "/list", &Bytes::from_static(b"of ben"));
        assert_eq!(kept.of(at, &ben, "/list").unwrap(), "of ben");
        let everywhere =
            Asker { level: Some(throughline_core::scope::Level::Global), ..ben.clone() };
        for (who, asked) in [
            (asker(None, None), "/list"),
            (asker(Some("anna"), None), "/list"),
            (asker(Some("ben"), Some("bank")), "/list"),
            (everywhere, "/list"),
            (ben, "/list?all=true"),
        ] {
            assert_eq!(kept.of(at, &who, asked), None, "{who:?} {asked}");
        }
    }

    #[test]
    fn an_answer_is_told_until_something_is_written_or_the_clock_goes_on() {
        for later in [moment(8, 100), moment(7, 101)] {
            let (kept, at) = (KeptAnswers::default(), moment(7, 100));
            let ben = asker(Some("ben"), None);
            kept.of(at, &ben, "/list");
            kept.keep(at, &ben, "/list", &Bytes::from_static(b"old"));
            assert_eq!(kept.of(later, &ben, "/list"), None);
            // What was being worked out meanwhile is not taken for an answer of later.
            kept.keep(at, &ben, "/list", &Bytes::from_static(b"old"));
            assert_eq!(kept.of(later, &ben, "/list"), None);
        }
    }

    #[test]
    fn answers_take_no_more_than_a_few_megabytes() {
        let (kept, at, who) = (KeptAnswers::default(), moment(7, 100), asker(None, None));
        kept.of(at, &who, "/0");
        for number in 0..20 {
            let answer = Bytes::from(vec![b' '; ANSWER_BYTES_MAX]);
            kept.keep(at, &who, &format!("/{number}"), &answer);
        }
        kept.keep(at, &who, "/large", &Bytes::from(vec![b' '; ANSWER_BYTES_MAX + 1]));
        assert_eq!(kept.of(at, &who, "/large"), None);
        assert!(kept.held().bytes <= BYTES_MAX);
    }
}
