//! Tests of the index: what changes block by block, and copies that are kept in the home.

use std::path::{Path, PathBuf};

use throughline_core::document::{SpeakerCode, Traits};
use throughline_core::{State, Timestamp};
use throughline_store::{BLOCK, Document, RECORD, Shelf, TextOf};
use uuid::Uuid;

use super::Indexes;
use super::dense::{Counts, Index};
use super::kept::KeptFolder;
use super::place::{DocumentPlace, NONE, PLACE};
use crate::{Ask, Clock, Context, Engine, NewMemory, Project};

fn record(random: &mut fastrand::Rng, numbers: u32) -> Vec<u8> {
    let mut record = vec![0; RECORD];
    if random.u8(..) < 40 {
        return record;
    }
    let id = Uuid::from_u128(random.u128(..));
    let document = Document {
        id,
        at: Timestamp::EPOCH,
        session: random.u32(..u32::try_from(BLOCK).unwrap()),
        before: random.bool().then(|| random.u32(..numbers + 4)),
        speaker: SpeakerCode::NOBODY,
        length: random.u16(..9),
        traits: Traits::default(),
        state: random.bool().then(|| State::ALL[random.usize(..State::ALL.len())]),
        kind: None,
        bound: false,
        cold: random.u8(..) < 20,
        model: random.u8(..3),
    };
    document.write(&mut record);
    record
}

fn at(index: &Index, model: Option<u8>) -> Index {
    let mut other = index.clone();
    other.shelf = Shelf { stamp: 1, model, origin: 0 };
    other
}

/// Everything that is derived from the records. Which of several documents that name the same one before
/// them is the one after it depends on who came last; the documents of a store never do.
fn derived(index: &Index) -> (Counts, Vec<DocumentPlace>, Vec<u32>) {
    let numbers = 0..u32::try_from(index.len()).unwrap();
    let place = |number: u32| DocumentPlace { next: NONE, ..index.place(number) };
    let lengths = numbers.clone().map(|number| index.session_length(number)).collect();
    (index.counts, numbers.map(place).collect(), lengths)
}

#[test]
fn what_changes_block_by_block_comes_to_the_same_as_everything_read_anew() {
    let random = &mut fastrand::Rng::with_seed(7);
    let mut index = at(&Index::new(TextOf::Episodes), Some(1));
    for _ in 0..40 {
        let numbers = u32::try_from(BLOCK * random.usize(1..4)).unwrap();
        let mut changed = Vec::new();
        for _ in 0..random.usize(1..3) {
            let first = random.usize(..numbers as usize / BLOCK) * BLOCK;
            let held = index.records.bytes().get(first * RECORD..(first + BLOCK) * RECORD);
            let mut body = held.map_or_else(|| vec![0; BLOCK * RECORD], <[u8]>::to_vec);
            for _ in 0..random.usize(..60) {
                let row = random.usize(..BLOCK);
                let new = record(random, numbers);
                body[row * RECORD..(row + 1) * RECORD].copy_from_slice(&new);
            }
            index.take_block(first, &body, false, &mut changed);
        }
        changed.sort_unstable();
        changed.dedup();
        for at in changed {
            index.leave(at);
            index.enter(at);
        }
        let mut anew = at(&Index::new(TextOf::Episodes), Some(1));
        anew.records.grow(index.records.bytes().len());
        anew.records.bytes_mut().copy_from_slice(index.records.bytes());
        anew.derive();
        assert_eq!(derived(&index), derived(&anew));
    }
}

#[test]
fn a_place_is_read_as_it_was_written_and_zeros_are_no_document() {
    assert_eq!(DocumentPlace::read(&[0; PLACE]), DocumentPlace::ALONE);
    for state in [None, Some(None), Some(Some(State::Confirmed)), Some(Some(State::Archived))] {
        let place = DocumentPlace {
            before: 3,
            next: NONE,
            session: 9,
            length: 700,
            state,
            embedded: true,
            cold: false,
        };
        assert_eq!(DocumentPlace::read(&place.bytes()), place);
    }
}

/// An engine that keeps copies of small indexes too.
fn engine(home: &Path) -> Engine {
    let mut engine = Engine::open(home, Clock::System).unwrap();
    engine.indexes = Indexes::new(Some(KeptFolder::of_few(home.join("index"))));
    engine
}

fn context(folder: &Path) -> Context {
    std::fs::create_dir_all(folder).unwrap();
    Context::user(Project::at(folder).unwrap())
}

fn remember(engine: &Engine, context: &Context, text: &str) {
    engine.keeping(context).remember(&NewMemory::new(text)).unwrap();
}

fn recalled(engine: &Engine, context: &Context, query: &str) -> Vec<String> {
    let ask = Ask { ungated: true, ..Ask::new(query, engine.policy().recall) };
    let found = engine.recalling(context).recall(&ask).unwrap();
    found.titles(&*engine.now_reader().unwrap()).unwrap()
}

fn kept(home: &Path) -> Vec<PathBuf> {
    crate::journal::file::with_extension(&home.join("index"), "idx").unwrap()
}

#[test]
fn a_kept_index_answers_as_the_store_does_and_an_erasure_removes_it() {
    let folder = tempfile::tempdir().unwrap();
    let (home, context) = (folder.path().join("home"), context(&folder.path().join("project")));
    let first = engine(&home);
    for number in 0..20 {
        remember(&first, &context, &format!("Gateway {number} listens on port {}", 7_000 + number));
    }
    let query = "which port does gateway 7 listen on";
    let before = recalled(&first, &context, query);
    assert!(before[0].contains("7007"), "{before:?}");
    first.indexes.keep(&first).unwrap();
    let file = kept(&home).remove(0);
    let sound = std::fs::read(&file).unwrap();
    assert_eq!(recalled(&engine(&home), &context, query), before);
    // What changed since comes from the store.
    remember(&first, &context, "Gateway 99 listens on port 4242");
    let found = recalled(&engine(&home), &context, "which port does gateway 99 listen on");
    assert!(found[0].contains("4242"), "{found:?}");
    // Damage in the head, a file that is cut, and numbers that make no sense.
    let after = recalled(&first, &context, query);
    for damaged in [
        [&sound[..30], &[9; 8], &sound[38..]].concat(),
        sound[..sound.len() / 2].to_vec(),
        Vec::new(),
    ] {
        std::fs::write(&file, damaged).unwrap();
        assert_eq!(recalled(&engine(&home), &context, query), after);
    }
    let mut nonsense = sound.clone();
    nonsense[4_096..40_000].fill(0xEE);
    std::fs::write(&file, nonsense).unwrap();
    recalled(&engine(&home), &context, query);
    std::fs::write(&file, &sound).unwrap();
    let ask = Ask { ungated: true, ..Ask::new(query, first.policy().recall) };
    let found = first.recalling(&context).recall(&ask).unwrap();
    let id = found.candidates[0].node.memory().unwrap().to_string();
    first.erasing().purge(&context, &[id], false).unwrap();
    assert_eq!(kept(&home), Vec::<PathBuf>::new());
}

#[test]
fn a_copy_of_a_server_belongs_to_one_role_on_it() {
    let folder = tempfile::tempdir().unwrap();
    let (home, context) = (folder.path().join("home"), context(&folder.path().join("project")));
    let of = |server: &str, role: &str| KeptFolder::of_server(home.join("index"), server, role);
    let mut engine = Engine::open(&home, Clock::System).unwrap();
    engine.indexes = Indexes::new(Some(of("db.example.com", "anna")));
    remember(&engine, &context, "Gateway 7 listens on port 7007");
    recalled(&engine, &context, "which port does gateway 7 listen on");
    engine.indexes.keep(&engine).unwrap();
    let has = |kept: &KeptFolder| kept.has(context.project.space(), TextOf::Memories);
    assert!(has(&of("db.example.com", "anna")));
    assert!(!has(&of("db.example.com", "ben")) && !has(&of("db.example.org", "anna")));
    assert!(!has(&KeptFolder::new(home.join("index"))));
}
