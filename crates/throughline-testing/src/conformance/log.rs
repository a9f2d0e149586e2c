//! The log: everything that happened, in order, page by page.

use throughline_core::row::Image;
use throughline_core::{
    Batch, BatchId, Cause, Change, Commit, EntityKind, Logged, Relation, Row, RowKey, SpaceId,
    State, sleep,
};
use throughline_store::{LogQuery, StoredBatch, nodes_of_key};

use super::Factory;
use super::world::{EVERYTHING, World};
use crate::sample::{
    HERE, THERE, attended, batch_id, day, edge, entity, entity_id, evidence, fact, insert,
    memory_id, node, revise,
};

/// A world with ten batches after the opening, of one to three changes, every third one there.
fn ten_batches(factory: &dyn Factory) -> (World, Vec<Commit>) {
    let world = World::new(factory);
    let mut commits = Vec::new();
    for number in 1..=10_u32 {
        let space = if number % 3 == 0 { THERE } else { HERE };
        let changes = (0..=number % 3)
            .map(|n| {
                let id = u64::from(number * 10 + n);
                insert(&fact(space, id, &format!("memory {id}")))
            })
            .collect();
        commits.push(world.write_in(space, day(number), changes));
    }
    (world, commits)
}

fn ids(found: &[StoredBatch]) -> Vec<BatchId> {
    found.iter().map(|stored| stored.batch.id).collect()
}

fn batches(numbers: impl IntoIterator<Item = u64>) -> Vec<BatchId> {
    numbers.into_iter().map(batch_id).collect()
}

pub(super) fn the_log_holds_every_batch_as_it_was_applied(factory: &dyn Factory) {
    let world = World::new(factory);
    let batch = Batch {
        session: Some(crate::sample::session("morning")),
        reason: Some("because I say \"so\"".to_owned()),
        ..world.draft(vec![insert(&fact(HERE, 1, "one")), insert(&fact(THERE, 2, "two"))])
    };
    let commit = world.keep(&batch);
    let last = world.log().pop().expect("a batch");
    assert_eq!((last.first_seq, last.last_seq), (commit.seq - 1, commit.seq));
    assert_eq!(last.batch, batch);
}

pub(super) fn numbers_grow_by_one_with_every_change(factory: &dyn Factory) {
    let (world, commits) = ten_batches(factory);
    let log = world.log();
    let mut next = 1;
    for stored in &log {
        assert_eq!(stored.first_seq, next);
        next = stored.first_seq + stored.batch.changes.len() as u64;
        assert_eq!(stored.last_seq, next - 1);
    }
    let told: Vec<u64> = log.iter().skip(1).map(|stored| stored.last_seq).collect();
    let committed: Vec<u64> = commits.iter().map(|commit| commit.seq).collect();
    assert_eq!(told, committed);
}

pub(super) fn the_log_is_read_page_by_page_in_both_directions(factory: &dyn Factory) {
    let (world, _) = ten_batches(factory);
    let reader = world.read();
    let page = LogQuery { limit: 3, ..EVERYTHING };
    let mut forward = Vec::new();
    let mut after_seq = 0;
    // Eleven batches fit on four pages; the fifth is empty.
    for _ in 0..5 {
        let found = reader.log(&LogQuery { after_seq, ..page.clone() }).expect("a page");
        let Some(last) = found.last() else { break };
        assert!(found.len() <= 3);
        after_seq = last.last_seq;
        forward.extend(ids(&found));
    }
    assert_eq!(forward, batches(0..=10));

    let mut backward = Vec::new();
    let mut before_seq = None;
    for _ in 0..5 {
        let query = LogQuery { before_seq, latest_first: true, ..page.clone() };
        let found = reader.log(&query).expect("a page");
        let Some(last) = found.last() else { break };
        before_seq = Some(last.first_seq);
        backward.extend(ids(&found));
    }
    assert_eq!(backward, batches((0..=10).rev()));
}

pub(super) fn the_latest_batch_is_named_with_its_number(factory: &dyn Factory) {
    let (world, commits) = ten_batches(factory);
    let latest = world.read().latest().expect("the latest batch");
    assert_eq!(latest, Some((commits[9].seq, batches([10])[0])));
    let nothing_new = LogQuery { after_seq: commits[9].seq, ..EVERYTHING };
    assert_eq!(world.read().log(&nothing_new).expect("the log"), []);
}

pub(super) fn the_log_is_narrowed_by_number_moment_and_space(factory: &dyn Factory) {
    let (world, commits) = ten_batches(factory);
    let reader = world.read();
    let narrowed = |query: LogQuery| ids(&reader.log(&query).expect("the log"));
    let seq = |number: usize| commits[number - 1].seq;
    let between = LogQuery { after_seq: seq(3), before_seq: Some(seq(7)), ..EVERYTHING };
    assert_eq!(narrowed(between.clone()), batches(4..=6));
    let since = LogQuery { since: Some(day(8)), ..EVERYTHING };
    assert_eq!(narrowed(since.clone()), batches(8..=10));
    let there = LogQuery { spaces: vec![THERE], ..EVERYTHING };
    assert_eq!(narrowed(there.clone()), batches([3, 6, 9]));
    assert_eq!(narrowed(LogQuery { spaces: vec![THERE], ..between }), batches([6]));
    let latest = LogQuery { spaces: vec![HERE], latest_first: true, limit: 2, ..since };
    assert_eq!(narrowed(latest), batches([10, 8]));
    assert_eq!(narrowed(LogQuery { spaces: vec![HERE, THERE], ..there }).len(), 11);
    assert_eq!(narrowed(LogQuery { spaces: vec![SpaceId(9)], ..EVERYTHING }), []);
    assert_eq!(narrowed(LogQuery { limit: 0, ..EVERYTHING }), []);
}

pub(super) fn batches_of_one_cause_come_without_their_changes_where_that_is_asked_for(
    factory: &dyn Factory,
) {
    let (world, _) = ten_batches(factory);
    let reader = world.read();
    let whole = reader.log(&EVERYTHING).expect("the log");
    let cause = whole.last().expect("a batch").batch.cause;
    let bare = reader.log(&LogQuery { bare: Some(cause), ..EVERYTHING }).expect("the log");
    assert_eq!(ids(&bare), ids(&whole), "none is left out");
    for (bare, whole) in bare.iter().zip(&whole) {
        let told = if whole.batch.cause == cause { &[][..] } else { &whole.batch.changes[..] };
        assert_eq!(bare.batch.changes, told);
        assert_eq!((bare.first_seq, bare.last_seq), (whole.first_seq, whole.last_seq));
    }
    let other = Some(Cause::Purge);
    assert_eq!(reader.log(&LogQuery { bare: other, ..EVERYTHING }).expect("the log"), whole);
}

pub(super) fn turns_after_a_change_are_counted_by_space(factory: &dyn Factory) {
    let world = World::new(factory);
    let record = |number, space| Change::Record(crate::sample::episode(space, number, "we moved"));
    let mut seqs = Vec::new();
    for number in 1..=6_u32 {
        let space = if number % 3 == 0 { THERE } else { HERE };
        let changes = vec![
            insert(&fact(space, u64::from(number), &format!("memory {number}"))),
            record(u64::from(number), space),
        ];
        seqs.push(world.write_in(space, day(number), changes).seq);
    }
    let reader = world.read();
    let after = |space, seq| reader.turns_after(space, seq).expect("a number");
    assert_eq!((after(HERE, 0), after(THERE, 0), after(SpaceId(9), 0)), (4, 2, 0));
    assert_eq!((after(HERE, seqs[1]), after(HERE, seqs[1] - 1)), (2, 3));
    assert_eq!((after(HERE, seqs[5]), after(HERE, u64::MAX)), (0, 0));
}

pub(super) fn memories_after_a_change_are_counted_by_space_and_once(factory: &dyn Factory) {
    let world = World::new(factory);
    let mut seqs = Vec::new();
    for number in 1..=4_u32 {
        let space = if number == 3 { THERE } else { HERE };
        let memory = fact(space, u64::from(number), &format!("memory {number}"));
        let said = evidence(space, u64::from(number), "said again");
        let changes = vec![insert(&memory), Change::Reinforce(said)];
        seqs.push(world.write_in(space, day(number), changes).seq);
    }
    let reader = world.read();
    let after = |space, seq| reader.memories_after(space, seq).expect("a number");
    assert_eq!((after(HERE, 0), after(THERE, 0), after(SpaceId(9), 0)), (3, 1, 0));
    assert_eq!((after(HERE, seqs[0]), after(HERE, seqs[1] - 1)), (2, 2), "said again counts");
    assert_eq!((after(HERE, seqs[3]), after(HERE, u64::MAX)), (0, 0));
}

pub(super) fn the_mark_of_sleep_moves(factory: &dyn Factory) {
    let world = World::new(factory);
    let here = || {
        let spaces = world.read().spaces().expect("spaces");
        spaces.into_iter().find(|one| one.space == HERE).expect("it is known")
    };
    assert_eq!(here().slept, None);
    let mark = |number| sleep::SleepMark { to: batch_id(number), changes: None, at: day(2) };
    let slept = |key: &str, mark| Change::Slept { space: HERE, key: key.to_owned(), mark };
    let key = here().key;
    for number in [1, 2] {
        world.write(vec![slept(&key, mark(number))]);
        assert_eq!(here().slept, Some(mark(number)));
    }
    let refused = world.refused(vec![slept("nobody's", mark(3))]);
    assert!(matches!(refused, throughline_store::Error::Refused(_)), "{refused}");
    world.assert_sound();
}

pub(super) fn a_batch_is_found_by_the_beginning_or_the_end_of_its_id(factory: &dyn Factory) {
    let (world, _) = ten_batches(factory);
    let whole = batch_id(7).to_string();
    for handle in [&whole[..], &whole[..8], &whole[..14], &whole[whole.len() - 8..]] {
        let found = world.read().find_batches(handle).expect("batches");
        assert_eq!(ids(&found), batches([7]), "{handle}");
        assert_eq!(found[0].batch.changes.len(), 2, "with its changes");
    }
    let all = world.read().find_batches("0000").expect("batches");
    assert_eq!(ids(&all), batches(0..=10));
    assert_eq!(world.read().find_batches("ffffff").expect("batches"), []);
}

pub(super) fn headers_leave_the_changes_out(factory: &dyn Factory) {
    let (world, commits) = ten_batches(factory);
    let mut found = world.read().headers(&batches([9, 4, 99])).expect("headers");
    found.sort_by_key(|stored| stored.first_seq);
    assert_eq!(ids(&found), batches([4, 9]));
    assert_eq!(found[0].last_seq, commits[3].seq);
    assert_eq!(found[1].batch.space, THERE);
    assert!(found.iter().all(|stored| stored.batch.changes.is_empty()));
}

pub(super) fn the_changes_of_a_batch_carry_the_rows_as_they_were(factory: &dyn Factory) {
    let world = World::new(factory);
    let first = fact(HERE, 1, "in one way");
    let second = fact(HERE, 1, "in another way");
    let changes = vec![insert(&first), revise(&second)];
    let commit = world.write(changes.clone());

    let found = world.read().changes_of(HERE, commit.batch).expect("changes");
    let key = RowKey::memory(HERE, memory_id(1));
    let was = [None, Some(Row::Memory(Box::new(first)))];
    let expected: Vec<Logged> = (commit.seq - 1..)
        .zip(changes)
        .zip(was)
        .map(|((seq, change), row)| Logged {
            seq,
            batch: commit.batch,
            change,
            before: vec![Image { key: key.clone(), row }],
        })
        .collect();
    assert_eq!(found, expected);
    assert_eq!(world.read().changes_of(HERE, batch_id(99)).expect("none"), []);
}

pub(super) fn history_tells_in_order_what_touched_a_node_and_what_hangs_on_it(
    factory: &dyn Factory,
) {
    let world = World::new(factory);
    let told = vec![
        vec![insert(&fact(HERE, 1, "first words"))],
        vec![Change::Reinforce(evidence(HERE, 1, "again"))],
        vec![revise(&fact(HERE, 1, "other words"))],
        vec![
            Change::Know(entity(HERE, 1, EntityKind::Tool, &["hammer"])),
            Change::Link(edge(HERE, node(1), Relation::About, entity_id(1).into())),
        ],
        vec![Change::Rate { space: HERE, memory: memory_id(1), helpful: false }],
        vec![Change::Move { space: HERE, id: memory_id(1), to: State::Retracted, at: day(9) }],
    ];
    for (number, changes) in (10..).zip(told.clone()) {
        world.write(vec![insert(&fact(HERE, number, &format!("aside {number}")))]);
        world.write(changes);
    }

    let history = |node| {
        let found = world.read().history(HERE, node).expect("history");
        assert!(found.is_sorted_by_key(|logged| logged.seq));
        found.into_iter().map(|logged| logged.change).collect::<Vec<_>>()
    };
    let mut expected: Vec<Change> = told.into_iter().flatten().collect();
    let about_entity: Vec<Change> = expected[3..5].to_vec();
    expected.remove(3);
    assert_eq!(history(node(1)), expected);
    assert_eq!(history(entity_id(1).into()), about_entity);
    assert_eq!(history(node(99)), []);
}

pub(super) fn the_next_touch_of_a_row_is_the_first_later_change(factory: &dyn Factory) {
    let world = World::new(factory);
    let seq_of = |changes| world.write(changes).seq;
    let made = seq_of(vec![insert(&fact(HERE, 1, "first words"))]);
    seq_of(vec![Change::Reinforce(evidence(HERE, 1, "again"))]);
    let revised = seq_of(vec![revise(&fact(HERE, 1, "other words"))]);
    let revised_again = seq_of(vec![revise(&fact(HERE, 1, "still other words"))]);
    let began = seq_of(vec![Change::Attend(attended(HERE, "morning"))]);

    let next = |key: &RowKey, seq| {
        let found = world.read().next_touch(key, &nodes_of_key(key), seq);
        found.expect("a touch").map(|logged| logged.seq)
    };
    let key = RowKey::memory(HERE, memory_id(1));
    assert_eq!(next(&key, 0), Some(made));
    assert_eq!(next(&key, made), Some(revised), "evidence is another row");
    assert_eq!(next(&key, revised), Some(revised_again));
    assert_eq!(next(&key, revised_again), None);
    let session = Row::Session(attended(HERE, "morning")).key();
    assert_eq!(next(&session, made), Some(began), "a row of no node");
    assert_eq!(next(&RowKey::memory(THERE, memory_id(1)), 0), None);
}

pub(super) fn days_with_work_are_told_once_for_each_space(factory: &dyn Factory) {
    let world = World::new(factory);
    for (space, on) in [(HERE, 7), (HERE, 3), (THERE, 5), (HERE, 7)] {
        world.write_in(space, day(on).plus_days(0.3), Vec::new());
    }
    let days = |space| world.read().active_days(space).expect("days");
    assert_eq!(days(HERE), [day(0).day(), day(3).day(), day(7).day()]);
    assert_eq!(days(THERE), [day(5).day()]);
    assert!(days(SpaceId(9)).is_empty());
}

pub(super) fn memory_can_be_read_as_it_was_believed_at_a_moment(factory: &dyn Factory) {
    let world = World::new(factory);
    let mut dumps = vec![world.dump()];
    for changes in [
        vec![insert(&fact(HERE, 1, "staging runs Postgres 14"))],
        vec![
            insert(&fact(HERE, 2, "staging runs Postgres 16")),
            Change::Supersede { space: HERE, old: memory_id(1), new: memory_id(2), at: day(2) },
        ],
        vec![revise(&fact(HERE, 2, "staging runs Postgres 16.2"))],
    ] {
        world.write(changes);
        dumps.push(world.dump());
    }
    let then = |at| world.store.as_of(at).expect("the past");
    for (on, dump) in (0..).zip(&dumps) {
        assert_eq!(then(day(on)).dump().expect("a dump"), *dump, "day {on}");
        let evening = day(on).plus_days(0.9);
        assert_eq!(then(evening).dump().expect("a dump"), *dump, "evening of day {on}");
    }
    assert!(then(day(0).plus_days(-1.0)).dump().expect("a dump").is_empty());
    assert_eq!(then(day(2)).log(&EVERYTHING).expect("the log").len(), 3);
}
