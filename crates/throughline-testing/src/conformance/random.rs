//! Random histories: every store agrees with the in-memory model, and every log with its tables.

use proptest::prelude::Strategy;
use proptest::test_runner::{Config, TestRunner};
use throughline_core::{Batch, BatchId, Change, Timestamp};
use throughline_store::{
    Begin, Error, LogQuery, MapStore, MemoryQuery, Reader, SlotQuery, Store, StoredBatch, TextOf,
    TextQuery,
};

use super::Factory;
use super::documents::assert_told;
use super::operation::{SPACES, Step, changes, own, steps};
use super::text::search_for;
use super::world::{EVERYTHING, assert_sound, plan_undo};
use crate::sample::{batch, day, entity_id, episode_id, memory_id, node, opening};

/// Steps between two comparisons.
const EVERY: usize = 6;

/// Tries a law on many histories and shows the shortest that breaks it.
pub(super) fn law<T: std::fmt::Debug>(
    cases: u32,
    input: impl Strategy<Value = T>,
    test: impl Fn(T),
) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&input, |value| {
        test(value);
        Ok(())
    });
    if let Err(broken) = outcome {
        panic!("{broken}");
    }
}

/// The batch of a step, or none where there is nothing to undo.
pub(super) fn plan(
    step: &Step,
    number: usize,
    applied: &[BatchId],
    reader: &dyn Reader,
) -> Option<Batch> {
    let at = day(u32::try_from(number).expect("few steps"));
    let (space, changes) = match step {
        Step::Write(space, operations) => (*space, changes(operations, *space, number, reader)),
        Step::Undo(back) => {
            let target = applied.iter().rev().nth(*back)?;
            let change = plan_undo(reader, *target).ok()?;
            (space_of(&change), vec![change])
        }
    };
    let number = u64::try_from(number).expect("few steps");
    Some(batch(number, space, at, changes))
}

fn space_of(change: &Change) -> throughline_core::SpaceId {
    if let Change::Restore { rows, .. } = change {
        rows[0].key.space
    } else {
        unreachable!("an undo restores")
    }
}

pub(super) fn any_history_is_told_alike_by_the_model(factory: &dyn Factory) {
    law(factory.cases(24), steps(36), |steps| {
        let model = MapStore::default();
        let place = factory.fresh();
        let store = place.open();
        for store in [&model as &dyn Store, &*store] {
            store.apply(&opening(&SPACES)).expect("spaces are welcome");
        }
        let mut applied = Vec::new();
        for (number, step) in (1..).zip(&steps) {
            let planned = plan(step, number, &applied, &*model.read().expect("a reader"));
            let same = plan(step, number, &applied, &*store.read().expect("a reader"));
            assert_eq!(planned, same, "the same is planned");
            let Some(batch) = planned else { continue };
            match (model.apply(&batch), store.apply(&batch)) {
                (Ok(expected), Ok(commit)) => {
                    assert_eq!(commit, expected);
                    applied.push(batch.id);
                }
                (Err(Error::Refused(expected)), Err(Error::Refused(refusal))) => {
                    assert_eq!(refusal, expected);
                }
                (expected, outcome) => panic!("{batch:?}: {outcome:?}, not {expected:?}"),
            }
            if number % EVERY == 0 || number == steps.len() {
                assert_alike(&model, &*store);
            }
        }
        assert_sound(&*store);
    });
}

/// Applies a history to a store, leaving out what is refused.
fn live_through(store: &dyn Store, steps: &[Step]) {
    store.apply(&opening(&SPACES)).expect("spaces are welcome");
    let mut applied = Vec::new();
    for (number, step) in (1..).zip(steps) {
        let planned = plan(step, number, &applied, &*store.read().expect("a reader"));
        let Some(batch) = planned else { continue };
        match store.apply(&batch) {
            Ok(commit) => applied.push(commit.batch),
            Err(Error::Refused(_)) => {}
            Err(error) => panic!("{batch:?}: {error}"),
        }
    }
}

pub(super) fn any_history_leaves_a_sound_store(factory: &dyn Factory) {
    law(factory.cases(16), steps(40), |steps| {
        let place = factory.fresh();
        let store = place.open();
        live_through(&*store, &steps);
        assert_sound(&*store);
    });
}

pub(super) fn any_history_leaves_one_document_for_every_text(factory: &dyn Factory) {
    law(factory.cases(16), steps(40), |steps| {
        let place = factory.fresh();
        let store = place.open();
        live_through(&*store, &steps);
        for again in [false, true] {
            if again {
                store.reindex().expect("documents are built anew");
            }
            let reader = store.read().expect("a reader");
            for space in SPACES {
                let turns: Vec<_> = (0..4).map(|number| episode_id(own(space, number))).collect();
                assert_told(&*reader, space, &turns);
            }
        }
    });
}

pub(super) fn replaying_any_log_gives_the_same_tables_to_the_byte(factory: &dyn Factory) {
    law(factory.cases(12), steps(40), |steps| {
        let (place, copy) = (factory.fresh(), factory.fresh());
        let (store, replayed) = (place.open(), copy.open());
        live_through(&*store, &steps);
        let (log, dump) = everything(&*store);
        for stored in &log {
            let commit = replayed.apply(&stored.batch).expect("what was accepted once");
            assert_eq!(commit.seq, stored.last_seq);
        }
        let (log_again, dump_again) = everything(&*replayed);
        assert_eq!(dump_again, dump);
        assert_eq!(log_again, log);
    });
}

fn everything(store: &dyn Store) -> (Vec<StoredBatch>, Vec<String>) {
    let reader = store.read().expect("a reader");
    let log = reader.log(&EVERYTHING).expect("the log");
    (log, reader.dump().expect("a dump"))
}

fn assert_alike(model: &dyn Store, store: &dyn Store) {
    let expected = model.read().expect("a reader");
    let found = store.read().expect("a reader");
    assert_eq!(found.dump().expect("a dump"), expected.dump().expect("a dump"));
    let log = expected.log(&EVERYTHING).expect("the log");
    assert_eq!(found.log(&EVERYTHING).expect("the log"), log);
    for query in searches() {
        assert_same_hits(&*found, &*expected, &query);
    }
    assert_eq!(answers(&*found, &log), answers(&*expected, &log));
    drop((found, expected));
    let middle = log[log.len() / 2].batch.at;
    assert_eq!(past(store, middle), past(model, middle));
}

fn past(store: &dyn Store, at: Timestamp) -> Vec<String> {
    store.as_of(at).expect("the past").dump().expect("a dump")
}

fn searches() -> Vec<TextQuery> {
    let mut queries = Vec::new();
    for words in ["deploying to staging", "header 数据库", "naïve Postgres note7x0", "the"] {
        for of in [TextOf::Memories, TextOf::Episodes] {
            for spaces in [vec![SPACES[0]], SPACES.to_vec()] {
                queries.push(TextQuery { of, spaces, ..search_for(words) });
            }
        }
    }
    queries
}

fn assert_same_hits(found: &dyn Reader, expected: &dyn Reader, query: &TextQuery) {
    let (found, expected) = (found.text(query), expected.text(query));
    let (found, expected) = (found.expect("a search"), expected.expect("a search"));
    let nodes = |hits: &[throughline_store::TextHit]| {
        hits.iter().map(|hit| (hit.space, hit.node)).collect::<Vec<_>>()
    };
    assert_eq!(nodes(&found), nodes(&expected), "{query:?}");
    for (one, other) in found.iter().zip(&expected) {
        assert!((one.score - other.score).abs() < 1e-9, "{one:?}, not {other:?}");
    }
}

/// The answers to questions about everything that a history may have touched.
fn answers(reader: &dyn Reader, log: &[StoredBatch]) -> Vec<String> {
    let mut told = vec![
        format!("{:?}", reader.counts(&SPACES).expect("counts")),
        format!("{:?}", reader.spaces().expect("spaces")),
        format!("{:?}", reader.all_tombstones().expect("tombstones")),
        format!("{:?}", reader.pending(&SPACES, 4).expect("what waits")),
        format!("{:?}", reader.contradictions(&SPACES, 4).expect("edges")),
    ];
    for space in SPACES {
        told.push(format!("{:?}", reader.active_days(space).expect("days")));
        told.push(format!("{:?}", reader.deferred(space).expect("what waited")));
        let list =
            MemoryQuery { spaces: vec![space], limit: 3, offset: 1, ..MemoryQuery::default() };
        told.push(format!("{:?}", reader.memories(&list).expect("a listing")));
        told.push(format!(
            "{:?}",
            reader.sessions(&[space], &Begin::Skip(0), 2).expect("sessions")
        ));
        let said = reader.turns(space, &crate::sample::session("morning"), &Begin::Skip(0), 3);
        told.push(format!("{:?}", said.expect("turns")));
        let slot = reader.in_slot(space, &SlotQuery::active("staging|deployed"));
        told.push(format!("{:?}", slot.expect("memories")));
        let decided = LogQuery { spaces: vec![space], latest_first: true, limit: 4, ..EVERYTHING };
        told.push(format!("{:?}", reader.log(&decided).expect("the log")));
        for number in 0..5 {
            let id = memory_id(own(space, number));
            let thing = entity_id(own(space, number)).into();
            let nodes = [node(own(space, number)), thing];
            let seqs = |found: Vec<throughline_core::Logged>| {
                found.into_iter().map(|logged| logged.seq).collect::<Vec<_>>()
            };
            told.push(format!("{:?}", reader.replaced_by(space, id).expect("memories")));
            told.push(format!("{:?}", reader.attached(space, &nodes).expect("rows")));
            told.push(format!("{:?}", reader.neighbours(space, &nodes, &[], 2).expect("edges")));
            told.push(format!("{:?}", reader.injections(space, id, 2).expect("shown")));
            told.push(format!("{:?}", seqs(reader.history(space, nodes[0]).expect("history"))));
            told.push(format!("{:?}", seqs(reader.history(space, nodes[1]).expect("history"))));
        }
    }
    for stored in log {
        let changes = reader.changes_of(stored.batch.space, stored.batch.id);
        let mut changes = changes.expect("changes");
        for logged in &mut changes {
            logged.before.sort_by(|a, b| a.key.cmp(&b.key));
        }
        told.push(format!("{changes:?}"));
    }
    told
}
