//! What could not be applied waits for the user: kept, decided, erased, carried along.

use std::path::{Path, PathBuf};

use throughline_core::permission::Door;
use throughline_core::scope::Level;
use throughline_core::{Authority, Kind, Pending, PendingId};
use throughline_engine::{
    Clock, Context, Engine, Error, ImportSource, Keep, NewMemory, Project, Review,
};

struct Desk {
    folder: tempfile::TempDir,
    engine: Engine,
    context: Context,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::open(&folder.path().join("home"), Clock::System).unwrap();
        let context = project(folder.path(), "one");
        Self { engine, context, folder }
    }

    fn defer(&self, operation: &str) -> PendingId {
        let why = "unknown operation: ponder";
        self.engine.reviewing(&self.context).defer(operation, why, Authority::Extracted).unwrap()
    }

    fn remember(&self, text: &str) -> String {
        let new = NewMemory::new(text);
        self.engine.keeping(&self.context).remember(&new).unwrap().card.memory.id.to_string()
    }

    fn claim(&self, text: &str, slot: &str) -> String {
        let new = NewMemory {
            slot: Some(throughline_core::Slot::parse(slot).unwrap()),
            authority: Authority::Extracted,
            ..NewMemory::new(text)
        };
        self.engine.keeping(&self.context).remember(&new).unwrap().card.memory.id.to_string()
    }

    fn review(&self) -> Review {
        self.engine.reviewing(&self.context).review().unwrap()
    }

    fn waiting(&self) -> Vec<String> {
        self.review().pending.into_iter().map(|one| one.pending.operation).collect()
    }

    fn reject(&self, handle: &str) -> Result<Pending, Error> {
        self.engine.reviewing(&self.context).reject_pending(handle, None)
    }

    /// The files of the home that hold a word.
    fn holding(&self, word: &str) -> Vec<PathBuf> {
        let mut open = vec![self.folder.path().join("home")];
        let mut files = Vec::new();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else if String::from_utf8_lossy(&std::fs::read(&path).unwrap()).contains(word) {
                    files.push(path);
                }
            }
        }
        files
    }

    fn assert_sound(&self) {
        let home = self.folder.path().join("home");
        let wrong: Vec<_> = throughline_engine::Checking::doctor(&home, Clock::System, true)
            .into_iter()
            .filter(|check| check.outcome == throughline_engine::CheckOutcome::Wrong)
            .collect();
        assert_eq!(wrong, []);
    }

    fn export(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        let mut file = std::fs::File::create(&path).unwrap();
        self.engine.copying().export_log(&mut file, &mut |_| ()).unwrap();
        path
    }

    fn import(&self, file: &Path) {
        self.engine
            .copying()
            .import(&self.context, file, ImportSource::Vouched, &mut |_| ())
            .unwrap();
    }
}

/// A project that is the same wherever it lies.
fn project(folder: &Path, name: &str) -> Context {
    let root = folder.join(name);
    std::fs::create_dir_all(&root).unwrap();
    Context::user(Project::recorded(&format!("example.org/{name}"), &root))
}

const PONDER: &str = r#"{"op":"ponder","content":"the mascot is a heron"}"#;

#[test]
fn what_could_not_be_applied_waits_and_is_found_by_its_handle() {
    let desk = Desk::new();
    let id = desk.defer(PONDER);
    let waiting = desk.review().pending;
    let [one] = waiting.as_slice() else { panic!("{waiting:?}") };
    assert_eq!(
        (one.pending.id, one.pending.operation.as_str(), one.pending.authority),
        (id, PONDER, Authority::Extracted)
    );
    assert_eq!(one.pending.why, "unknown operation: ponder");

    let reader = desk.engine.now_reader().unwrap();
    let take = |handle: &str| desk.engine.reviewing(&desk.context).take_pending(&*reader, handle);
    let whole = id.to_string();
    for handle in [&whole, &id.handle(), &whole[..8], &format!("#{}", id.handle())] {
        assert_eq!(take(handle).unwrap().id, id, "{handle}");
    }
    let unknown = take("00000000").unwrap_err();
    assert!(matches!(unknown, Error::NotFound { .. }), "{unknown}");
    assert!(unknown.hint().unwrap().contains("`review`"));
    assert!(matches!(take("ponder"), Err(Error::BadInput(_))));
}

#[test]
fn an_operation_that_comes_again_waits_once() {
    let desk = Desk::new();
    let id = desk.defer(PONDER);
    assert_eq!(desk.defer(PONDER), id);
    desk.defer(r#"{"op":"ponder","content":"something else"}"#);
    assert_eq!(desk.waiting().len(), 2);
    desk.reject(&id.handle()).unwrap();
    assert_eq!(desk.waiting().len(), 1);
    assert_eq!(desk.defer(PONDER), id);
    assert_eq!(desk.waiting().len(), 2, "what is proposed again is asked again");
    desk.assert_sound();
}

#[test]
fn a_rejected_operation_is_gone_until_the_rejection_is_undone() {
    let desk = Desk::new();
    let id = desk.defer(PONDER);
    assert_eq!(desk.reject(&id.handle()).unwrap().operation, PONDER);
    assert_eq!(desk.waiting(), [""; 0]);
    let again = desk.reject(&id.handle()).unwrap_err();
    assert!(matches!(again, Error::NotFound { .. }), "{again}");
    desk.engine.keeping(&desk.context).undo(None).unwrap();
    assert_eq!(desk.waiting(), [PONDER]);
    desk.assert_sound();
}

#[test]
fn only_the_user_decides() {
    let desk = Desk::new();
    let id = desk.defer(PONDER);
    let a = desk.claim("The port is 1", "port|is|1|one");
    desk.claim("The port is 2", "port|is|2|one");
    for door in [Door::Tools, Door::AgentShell, Door::Hook, Door::Model, Door::Upkeep] {
        let other = Context { door, ..desk.context.clone() };
        let refused = desk.engine.reviewing(&other).reject_pending(&id.handle(), None).unwrap_err();
        assert!(matches!(refused, Error::NotYours { .. }), "{refused}");
        desk.engine.reviewing(&other).resolve_contest(&a, Keep::A).unwrap_err();
    }
    let review = desk.review();
    assert_eq!((review.pending.len(), review.contested.len()), (1, 1));
}

#[test]
fn what_waits_in_a_project_is_seen_only_there_and_what_is_global_everywhere() {
    let desk = Desk::new();
    let id = desk.defer(PONDER);
    let other = project(desk.folder.path(), "two");
    let seen = |context: &Context| desk.engine.reviewing(context).review().unwrap().pending.len();
    assert_eq!((seen(&desk.context), seen(&other)), (1, 0));
    desk.engine.reviewing(&other).reject_pending(&id.to_string(), None).unwrap_err();
    let global = Context { level: Level::Global, ..other.clone() };
    let id =
        desk.engine.reviewing(&global).defer("{}", "it says nothing", Authority::External).unwrap();
    assert_eq!((seen(&desk.context), seen(&other)), (2, 1));
    desk.engine.reviewing(&other).reject_pending(&id.handle(), Some("nothing")).unwrap();
    assert_eq!((seen(&desk.context), seen(&other)), (1, 0));
    desk.assert_sound();
}

#[test]
fn an_endless_operation_is_cut_and_not_dropped() {
    let desk = Desk::new();
    desk.defer(&"\u{1f9ad}".repeat(100_000));
    let one = &desk.review().pending[0];
    assert!(one.pending.operation.len() > 200_000 && one.pending.operation.len() < 400_000);
    assert!(one.pending.why.contains("400000 bytes"), "{}", one.pending.why);
    let nothing = desk.engine.reviewing(&desk.context).defer(" ", "why", Authority::Extracted);
    assert!(matches!(nothing, Err(Error::BadInput(_))));
}

#[test]
fn erasing_a_memory_erases_every_operation_that_told_it_from_every_file() {
    let desk = Desk::new();
    let told = r#"{"op":"ponder","content":"I was told: the mascot\nis a heron, a quetzal"}"#;
    let rejected = desk.defer(told);
    desk.engine
        .reviewing(&desk.context)
        .reject_pending(&rejected.handle(), Some("no quetzal"))
        .unwrap();
    desk.defer(PONDER);
    desk.defer(r#"{"op":"ponder","content":"the mascot is not a walrus"}"#);
    // A copy from before there was a memory knows only what waited.
    let copies = desk.folder.path().join("home/backups");
    std::fs::create_dir(&copies).unwrap();
    desk.engine.copying().backup(&copies.join("before.db")).unwrap();
    let id = desk.remember("The mascot is a heron");
    desk.engine
        .keeping(&desk.context)
        .edit(
            &id,
            &throughline_engine::Edits {
                content: Some("The mascot is a stork".to_owned()),
                ..throughline_engine::Edits::default()
            },
        )
        .unwrap();
    for word in ["heron", "quetzal"] {
        assert!(desk.holding(word).len() > 1, "{word} is not there to be erased");
    }
    desk.engine.erasing().purge(&desk.context, &[id], false).unwrap();
    for word in ["heron", "quetzal", "stork"] {
        assert_eq!(desk.holding(word), Vec::<PathBuf>::new(), "{word}");
    }
    assert_eq!(desk.waiting(), [r#"{"op":"ponder","content":"the mascot is not a walrus"}"#]);
    let undone = desk.engine.keeping(&desk.context).undo(None);
    assert!(matches!(undone, Err(Error::UndoRefused(_))), "{undone:?}");
    desk.assert_sound();
}

#[test]
fn what_waits_travels_with_an_export() {
    let (there, here) = (Desk::new(), Desk::new());
    there.defer(PONDER);
    let file = there.export("theirs.jsonl");
    here.import(&file);
    assert_eq!(here.waiting(), [PONDER], "into an empty home");

    let merged = Desk::new();
    merged.remember("Something of its own");
    merged.import(&file);
    assert_eq!(merged.waiting(), [PONDER]);
    let id = merged.review().pending[0].pending.id;
    merged.reject(&id.handle()).unwrap();
    merged.import(&file);
    assert_eq!(merged.waiting(), [""; 0], "what was decided here is not asked again");
    merged.assert_sound();
}

#[test]
fn an_import_brings_back_no_operation_that_tells_what_was_erased() {
    let (there, here) = (Desk::new(), Desk::new());
    there.defer(PONDER);
    there.defer(r#"{"op":"ponder","content":"harmless"}"#);
    let file = there.export("theirs.jsonl");
    let id = here.remember("The mascot is a heron");
    here.engine.erasing().purge(&here.context, &[id], false).unwrap();
    here.import(&file);
    assert_eq!(here.waiting(), [r#"{"op":"ponder","content":"harmless"}"#]);
    assert_eq!(here.holding("heron"), Vec::<PathBuf>::new());
    here.assert_sound();
}

#[test]
fn contradictions_and_gaps_wait_too() {
    let desk = Desk::new();
    assert!(desk.review().is_empty());
    let a = desk.claim("The port is 1", "port|is|1|one");
    let b = desk.claim("The port is 2", "port|is|2|one");
    let gap = NewMemory { kind: Kind::Gap, ..NewMemory::new("Who runs the port?") };
    desk.engine.keeping(&desk.context).remember(&gap).unwrap();
    let review = desk.review();
    let pairs: Vec<_> = review
        .contested
        .iter()
        .map(|(a, b)| [a, b].map(|card| card.memory.id.to_string()))
        .collect();
    assert_eq!(pairs, [[a, b]], "the older one first");
    assert_eq!(review.gaps.len(), 1);
    assert!(review.contested.iter().all(|(a, _)| !a.contested_by.is_empty()));
}

#[test]
fn of_several_contradictions_of_one_memory_the_pair_must_be_named() {
    let desk = Desk::new();
    let a = desk.claim("The port is 1", "port|is|1|one");
    let b = desk.claim("The port is 2", "port|is|2|one");
    let c = desk.claim("The port is 3", "port|is|3|one");
    assert_eq!(desk.review().contested.len(), 3);
    let settle =
        |handle: &str, keep| desk.engine.reviewing(&desk.context).resolve_contest(handle, keep);
    let unclear = settle(&a, Keep::B).unwrap_err();
    assert!(matches!(&unclear, Error::Ambiguous { candidates, .. } if candidates.len() == 2));
    assert!(unclear.hint().unwrap().contains("A/B"), "{unclear}");
    let held = settle(&format!("{b}/{a}"), Keep::Both).unwrap();
    assert_eq!(held.len(), 2);
    let held = settle(&format!("{a}/{c}"), Keep::B).unwrap();
    assert_eq!(held[0].memory.id.to_string(), c);
    assert_eq!(desk.review().contested.len(), 1);
    settle(&b, Keep::A).unwrap();
    assert!(desk.review().is_empty());
    assert!(matches!(settle(&b, Keep::A), Err(Error::NotFound { .. })));
    desk.assert_sound();
}
