//! Sleeping: bounded slices that go on where the last one stopped, and what becomes of two memories
//! that say the same words.

use std::time::Instant;

use throughline_core::Speaker;
use throughline_core::event::{Event, Start, What};
use throughline_core::row::Extra;
use throughline_core::{
    Actor, Authority, Batch, BatchId, Cause, Change, Fingerprint, Kind, Memory, MemoryId,
    SessionId, State, Timestamp,
};
use throughline_engine::{
    Captured, Clock, Context, Edits, Engine, KeptBrief, NewMemory, Project, Slept,
};
use throughline_store::{SqliteStore, Store};
use uuid::Uuid;

const SAME: [&str; 2] = [
    "Deployments are started by the release robot",
    "deployments are started by the release robot.",
];

struct Bed {
    folder: tempfile::TempDir,
    engine: Engine,
    context: Context,
}

impl Bed {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::open(&folder.path().join("home"), Clock::System).unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir(&root).unwrap();
        let context = Context::user(Project::at(&root).unwrap());
        Self { folder, engine, context }
    }

    fn remember(&self, new: &NewMemory) -> MemoryId {
        self.engine.keeping(&self.context).remember(new).unwrap().card.memory.id
    }

    fn memory(&self, id: MemoryId) -> Memory {
        self.engine.looking(&self.context).cards_of(&[id]).unwrap().remove(0).memory
    }

    /// Two memories that say the same words, as no door lets them in: written past all of them.
    fn twins(&self, first: &NewMemory, second: &NewMemory) -> [MemoryId; 2] {
        let ids = [self.remember(first), self.remember(second)];
        let mut second = self.memory(ids[1]);
        second.content = SAME[1].to_owned();
        second.fingerprint = Fingerprint::of(SAME[1]);
        let batch = Batch {
            id: BatchId(Uuid::from_u128(7)),
            space: second.space,
            at: Timestamp::EPOCH,
            actor: Actor::User,
            cause: Cause::Edit,
            session: None,
            reason: None,
            changes: vec![Change::Revise(Box::new(second))],
            extra: Extra::new(),
        };
        let file = self.folder.path().join("home/throughline.db");
        SqliteStore::open(&file).unwrap().apply(&batch).unwrap();
        ids
    }

    fn sleep(&self) -> Slept {
        self.engine.sleeping(&self.context).sleep(&mut |_| ()).unwrap()
    }

    /// Takes in turns, which come without anything for a sleep to do.
    fn talk(&self, session: &str, turns: usize) {
        let session = SessionId(session.to_owned());
        let turns: Vec<Captured> = (0..turns)
            .zip(0_u32..)
            .map(|(n, minutes)| {
                let at = Timestamp::EPOCH.plus_days(20_000.0 + f64::from(minutes) / 1_440.0);
                let voice = if n % 2 == 0 { Speaker::User } else { Speaker::Assistant };
                Captured::said(at, voice, &format!("please look at number {n} of the list"))
            })
            .collect();
        self.engine
            .capturing(&self.context)
            .ingest_session(&session, "test", &turns, &mut |_| ())
            .unwrap();
    }

    fn waits(&self) -> u64 {
        self.engine.sleeping(&self.context).waiting_for_sleep().unwrap().turns
    }
}

fn plain() -> NewMemory {
    NewMemory::new("a placeholder that says something else")
}

#[test]
fn the_same_words_become_one_memory_with_all_its_evidence() {
    let bed = Bed::new();
    let [first, second] = bed.twins(&NewMemory::new(SAME[0]), &plain());
    let slept = bed.sleep();
    assert_eq!((slept.done.merged, slept.batches.len()), (1, 1), "{slept:?}");
    assert_eq!(bed.memory(second).superseded_by, Some(first), "of equals the older one stays");
    let kept = bed.engine.looking(&bed.context).cards_of(&[first]).unwrap().remove(0);
    assert_eq!((kept.evidence.len(), kept.memory.state), (2, State::Confirmed));
}

#[test]
fn of_two_that_say_the_same_the_better_source_stays() {
    let bed = Bed::new();
    let weak = NewMemory { authority: Authority::Extracted, ..NewMemory::new(SAME[0]) };
    let [weak, strong] = bed.twins(&weak, &plain());
    bed.sleep();
    assert_eq!(bed.memory(weak).superseded_by, Some(strong));
}

#[test]
fn a_pinned_memory_and_one_of_another_kind_are_left_alone() {
    for other in
        [NewMemory { pinned: true, ..plain() }, NewMemory { kind: Kind::Decision, ..plain() }]
    {
        let bed = Bed::new();
        bed.twins(&NewMemory::new(SAME[0]), &other);
        assert_eq!(bed.sleep().done.merged, 0);
    }
}

#[test]
fn an_inference_that_a_person_repeats_teaches_nothing() {
    let bed = Bed::new();
    let inferred = NewMemory { authority: Authority::Inferred, ..NewMemory::new(SAME[0]) };
    bed.twins(&inferred, &plain());
    assert_eq!(bed.sleep().done.merged, 1);
    bed.remember(&NewMemory::new("Lunch is at noon"));
    assert_eq!(bed.sleep().done.lessons, 0, "it was right");
}

#[test]
fn a_reason_that_is_merged_with_its_twin_still_holds() {
    let bed = Bed::new();
    let [_, second] = bed.twins(&NewMemory::new(SAME[0]), &plain());
    let decision = NewMemory {
        kind: Kind::Decision,
        because: vec![second.to_string()],
        ..NewMemory::new("Nobody deploys by hand")
    };
    let decision = bed.remember(&decision);
    assert_eq!(bed.sleep().done.merged, 1);
    let card = bed.engine.looking(&bed.context).cards_of(&[decision]).unwrap().remove(0);
    assert_eq!((card.flags.len(), card.reopened_by.len()), (0, 0), "{card:?}");
}

#[test]
fn slices_go_on_where_the_last_one_stopped_and_miss_nothing() {
    let bed = Bed::new();
    let turns = 900;
    bed.talk("long", turns);
    assert_eq!(bed.waits(), turns as u64);
    let mut gone_over = 0;
    let mut runs = 0;
    while bed.waits() > 0 {
        // There is time for one slice.
        let slept = bed.engine.sleeping(&bed.context).sleep_until(Instant::now()).unwrap();
        gone_over += slept.inputs.episodes;
        assert_eq!(slept.left.turns, bed.waits());
        runs += 1;
        assert!(runs < 100, "it goes on");
    }
    assert_eq!(gone_over, turns, "each turn once");
    assert!(runs > 2, "in several slices: {runs}");
    assert_eq!(bed.sleep().inputs.episodes, 0);
}

#[test]
fn one_batch_with_more_than_a_slice_is_gone_over_whole() {
    let bed = Bed::new();
    let session = SessionId("import".to_owned());
    bed.remember(&NewMemory::new("Lunch is at noon"));
    let space = bed.context.project.space();
    let many = 1_500_u64;
    let changes = (0..many)
        .map(|n| {
            let id = throughline_core::EpisodeId(Uuid::from_u128(1_000 + u128::from(n)));
            Change::Record(throughline_core::Episode {
                id,
                space,
                session: session.clone(),
                position: n,
                turn: None,
                speaker: "user".to_owned(),
                at: Timestamp::EPOCH,
                text: format!("turn {n}"),
                person: None,
            })
        })
        .collect();
    let batch = Batch {
        id: BatchId(Uuid::from_u128(8)),
        space,
        at: Timestamp::EPOCH,
        actor: Actor::User,
        cause: Cause::Import,
        session: None,
        reason: None,
        changes,
        extra: Extra::new(),
    };
    let file = bed.folder.path().join("home/throughline.db");
    SqliteStore::open(&file).unwrap().apply(&batch).unwrap();
    let mut slices = 0;
    let slept = bed.engine.sleeping(&bed.context).sleep(&mut |_| slices += 1).unwrap();
    assert_eq!(slept.inputs.episodes as u64, many);
    assert!(slices > 3, "{slices}");
    assert_eq!(bed.waits(), 0);
}

#[test]
fn two_that_sleep_at_once_do_everything_once() {
    let bed = Bed::new();
    bed.talk("long", 900);
    let home = bed.folder.path().join("home");
    let total: usize = std::thread::scope(|scope| {
        let sleepers: Vec<_> = (0..2)
            .map(|_| {
                let (home, context) = (home.clone(), bed.context.clone());
                scope.spawn(move || {
                    let engine = Engine::open(&home, Clock::System).unwrap();
                    engine.sleeping(&context).sleep(&mut |_| ()).unwrap().inputs.episodes
                })
            })
            .collect();
        sleepers.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!(total, 900);
    assert_eq!(bed.waits(), 0);
}

#[test]
fn more_memories_than_fit_a_slice_are_all_gone_over_and_reported() {
    let bed = Bed::new();
    let many = 420;
    let ids: Vec<MemoryId> = (0..many)
        .map(|n| bed.remember(&NewMemory::new(&format!("Table number {n} is kept for {n} days"))))
        .collect();
    // The first and the last one give one thing two values, without anybody having been asked.
    for (id, value) in [(ids[0], "7"), (ids[many - 1], "9")] {
        let slot = throughline_core::Slot::parse(&format!("shop|workers|{value}|one")).unwrap();
        let edits = Edits { slot: Some(slot), ..Edits::default() };
        bed.engine.keeping(&bed.context).edit(&id.to_string(), &edits).unwrap();
    }
    let slept = bed.sleep();
    assert_eq!(slept.inputs.memories, many);
    let settled = slept.done.superseded + slept.done.contested;
    let pairs = bed.memory(ids[0]).superseded_by.is_some() || settled > 0;
    assert!(pairs, "never two silently: {slept:?}");
}

fn begins(session: &str) -> Event {
    Event {
        session: SessionId(session.to_owned()),
        folder: None,
        transcript: None,
        helper: None,
        what: What::Started(Start::Startup),
    }
}

#[test]
fn a_kept_brief_is_said_without_what_was_replaced_taken_back_or_changed_since() {
    let bed = Bed::new();
    let texts = [
        "We use pnpm for packages",
        "We use tabs",
        "Releases are cut on Tuesdays",
        "We log in JSON",
    ];
    let ids =
        texts.map(|text| bed.remember(&NewMemory { kind: Kind::Decision, ..NewMemory::new(text) }));
    let event = begins("march");
    let reply = bed.engine.listening(&bed.context).listen(&event).unwrap();
    assert!(texts.iter().all(|text| reply.said.text.contains(text)), "{}", reply.said.text);
    let home = bed.folder.path().join("home");
    let project = &bed.context.project;
    assert_eq!(KeptBrief::load(&home, project), None, "it is kept when nobody waits");
    bed.engine.listening(&bed.context).rest(&event, &reply).unwrap();
    let kept = KeptBrief::load(&home, project).unwrap();
    let said = bed.engine.briefing(&bed.context).say_kept(&kept).unwrap().text;
    assert!(texts.iter().all(|text| said.contains(text)), "{said}");
    assert!(said.contains("As of "), "{said}");

    let [pnpm, tabs, tuesdays, _] = ids.map(|id| id.to_string());
    bed.engine.keeping(&bed.context).correct(&pnpm, "We use yarn for packages", None).unwrap();
    bed.engine.keeping(&bed.context).forget(&tabs, None).unwrap();
    let edits =
        Edits { content: Some("Releases are cut on Mondays".to_owned()), ..Edits::default() };
    bed.engine.keeping(&bed.context).edit(&tuesdays, &edits).unwrap();
    let said = bed.engine.briefing(&bed.context).say_kept(&kept).unwrap().text;
    assert!(said.contains(texts[3]), "{said}");
    assert!(!texts[..3].iter().any(|text| said.contains(text)), "{said}");
}

#[test]
fn nothing_is_kept_of_a_brief_whose_memory_was_erased_meanwhile() {
    let bed = Bed::new();
    let id = bed.remember(&NewMemory { kind: Kind::Decision, ..NewMemory::new("We use pnpm") });
    let event = begins("march");
    let reply = bed.engine.listening(&bed.context).listen(&event).unwrap();
    assert!(reply.said.text.contains("pnpm"));
    bed.engine.erasing().purge(&bed.context, &[id.to_string()], false).unwrap();
    bed.engine.listening(&bed.context).rest(&event, &reply).unwrap();
    let home = bed.folder.path().join("home");
    assert_eq!(KeptBrief::load(&home, &bed.context.project), None);
}
