//! Haystacks: sessions that go into one memory of their own, and the questions asked of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tempfile::TempDir;
use throughline_core::{NodeId, Row, RowKey, SessionId, Timestamp};
use throughline_engine::{
    Ask, Clock, Context, Engine, Memo, PastTurn, Project, Recall, RecalledThing, keep_memory_at,
};

use crate::data::{Set, WireQuestion};

/// Haystacks that are put together at a time.
const THREADS: usize = 2;

/// Sessions, and the questions about them by their number in the set.
#[derive(Debug)]
pub(crate) struct Haystack<'a> {
    pub(crate) sessions: Vec<&'a str>,
    pub(crate) questions: Vec<usize>,
}

/// The haystacks of a set; one of all its sessions if they are to be pooled.
pub(crate) fn haystacks(set: &Set, pool: bool) -> Vec<Haystack<'_>> {
    let mut all: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for (at, question) in set.questions.iter().enumerate() {
        let sessions = if pool {
            set.sessions.keys().map(String::as_str).collect()
        } else {
            question.haystack.iter().map(String::as_str).collect()
        };
        all.entry(sessions).or_default().push(at);
    }
    all.into_iter().map(|(sessions, questions)| Haystack { sessions, questions }).collect()
}

/// A memory of its own, gone when it is dropped.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) engine: Engine,
    pub(crate) context: Context,
    _home: TempDir,
}

impl Store {
    /// An empty one. Lies in memory where the machine allows it: what is measured is not the disk.
    pub(crate) fn open(now: Timestamp, memo: &Arc<Memo>) -> anyhow::Result<Self> {
        let shared = Path::new("/dev/shm");
        let home = tempfile::tempdir_in(shared).or_else(|_| tempfile::tempdir())?;
        let engine = Engine::open(home.path(), Clock::Fixed(now))?.with_memo(Arc::clone(memo));
        let context = Context::user(Project::recorded("haystack", home.path()));
        Ok(Self { engine, context, _home: home })
    }

    /// An empty space of a server, beside those of others.
    fn open_at(now: Timestamp, memo: &Arc<Memo>, address: &str) -> anyhow::Result<Self> {
        let home = tempfile::tempdir()?;
        keep_memory_at(home.path(), Some(address));
        let engine = Engine::open(home.path(), Clock::Fixed(now))?.with_memo(Arc::clone(memo));
        let context = Context::user(Project::recorded(&home.path().to_string_lossy(), home.path()));
        Ok(Self { engine, context, _home: home })
    }

    /// One that holds a haystack.
    fn of(
        set: &Set,
        haystack: &Haystack<'_>,
        memo: &Arc<Memo>,
        server: Option<&str>,
    ) -> anyhow::Result<Self> {
        // Sessions may lie at other times for other questions. Those of one haystack agree; where
        // sessions are pooled the first one's stand for all.
        let dates = haystack.questions.first().map(|at| &set.questions[*at].dates);
        let at = |session: &str| {
            let given = dates.and_then(|dates| dates.get(session)).copied();
            given.or(set.sessions[session].at).unwrap_or(Timestamp::EPOCH)
        };
        let latest = haystack.sessions.iter().map(|session| at(session)).max();
        let now = latest.unwrap_or(Timestamp::EPOCH);
        let store = match server {
            Some(address) => Self::open_at(now, memo, address)?,
            None => Self::open(now, memo)?,
        };
        let turns: Vec<PastTurn> = haystack
            .sessions
            .iter()
            .flat_map(|session| {
                set.sessions[*session].turns.iter().map(move |turn| (session, turn))
            })
            .map(|(session, turn)| PastTurn {
                session: SessionId((*session).to_owned()),
                at: at(session),
                speaker: turn.speaker.clone(),
                text: turn.text.clone(),
                id: Some(turn.id.clone()),
            })
            .collect();
        store.engine.capturing(&store.context).ingest("eval", &turns, &mut |_| ())?;
        Ok(store)
    }

    /// Asks a question of it.
    pub(crate) fn recall(&self, ask: &Ask<'_>) -> anyhow::Result<Recall> {
        Ok(self.engine.recalling(&self.context).recall(ask)?)
    }

    /// A question as hooks ask it, of what was said as well.
    pub(crate) fn ask<'a>(&self, question: &'a WireQuestion) -> Ask<'a> {
        Ask {
            asked_at: question.asked_at,
            episodes: true,
            ..Ask::new(&question.question, self.engine.policy().recall)
        }
    }

    /// The names that turns came with, for all candidates that are turns.
    pub(crate) fn turn_names(&self, recall: &Recall) -> anyhow::Result<BTreeMap<NodeId, String>> {
        let reader = self.engine.now_reader()?;
        let keys: Vec<RowKey> =
            recall.candidates.iter().map(|one| RowKey::node(one.space, one.node)).collect();
        let rows = reader.rows(&keys)?;
        let named = recall.candidates.iter().zip(rows);
        Ok(named
            .filter_map(|(one, row)| match row {
                Some(Row::Episode(episode)) => Some((one.node, episode.turn?)),
                _ => None,
            })
            .collect())
    }
}

/// The turns that were recalled, best first, by the names they came with.
pub(crate) fn turns_of(recall: &Recall) -> Vec<String> {
    let turn = |found: &RecalledThing| match found {
        RecalledThing::Episode(episode) => episode.turn.clone(),
        RecalledThing::Memory(_) => None,
    };
    recall.items.iter().filter_map(|item| turn(&item.what)).collect()
}

/// Puts every haystack into a memory of its own and asks its questions, which are returned in the
/// order of the set. Haystacks are put together side by side, but nothing else goes on while
/// something is asked, so that it can be timed.
pub(crate) fn ask_all<T: Send>(
    set: &Set,
    haystacks: &[Haystack<'_>],
    memo: &Arc<Memo>,
    ask: impl Fn(&Store, &WireQuestion) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    ask_all_at(None, set, haystacks, memo, ask)
}

/// The same, in files or each in a space of a server.
pub(crate) fn ask_all_at<T: Send>(
    server: Option<&str>,
    set: &Set,
    haystacks: &[Haystack<'_>],
    memo: &Arc<Memo>,
    ask: impl Fn(&Store, &WireQuestion) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    let quiet = RwLock::new(());
    let answered = side_by_side(haystacks, |haystack| {
        let store = {
            let _busy = quiet.read().unwrap_or_else(PoisonError::into_inner);
            Store::of(set, haystack, memo, server)?
        };
        let _alone = quiet.write().unwrap_or_else(PoisonError::into_inner);
        let questions = haystack.questions.iter();
        questions.map(|at| Ok((*at, ask(&store, &set.questions[*at])?))).collect()
    })?;
    let mut answers: Vec<(usize, T)> =
        answered.into_iter().flat_map(|some: Vec<(usize, T)>| some).collect();
    answers.sort_by_key(|(at, _)| *at);
    Ok(answers.into_iter().map(|(_, answer)| answer).collect())
}

/// Does the same to all, a few at a time; returns what came of it in their order.
pub(crate) fn side_by_side<I: Sync, T: Send>(
    all: &[I],
    each: impl Fn(&I) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let at = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(one) = all.get(at)
                {
                    let came = each(one);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, came));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, came)| came).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_side_by_side_comes_back_in_order() {
        let numbers: Vec<u32> = (0..50).collect();
        let doubled = side_by_side(&numbers, |one| Ok(one * 2)).unwrap();
        assert_eq!(doubled, numbers.iter().map(|one| one * 2).collect::<Vec<_>>());
    }

    #[test]
    fn one_failure_fails_all() {
        let failed = side_by_side(&[1, 2, 3], |one| {
            anyhow::ensure!(*one != 2, "two is too many");
            Ok(())
        });
        assert_eq!(failed.unwrap_err().to_string(), "two is too many");
    }
}
