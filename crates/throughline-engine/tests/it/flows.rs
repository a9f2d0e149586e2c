//! Flows that a story cannot tell: walls, erasure, import, limits.

use std::time::{Duration, Instant};

use throughline_core::event::{Event, What};
use throughline_core::scope::Level;
use throughline_core::{Kind, SessionId, State};
use throughline_engine::{
    Clock, Context, Edits, Engine, Error, Filter, Journal, JournalEntry, NewMemory, OnlyIf, Project,
};

struct Desk {
    _folder: tempfile::TempDir,
    engine: Engine,
    context: Context,
    other: Context,
}

/// An engine, and two projects that use it.
fn desk() -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let project = |name: &str| {
        let root = folder.path().join(name);
        std::fs::create_dir(&root).unwrap();
        Context::user(Project::at(&root).unwrap())
    };
    let (context, other) = (project("one"), project("two"));
    let engine = Engine::open(&folder.path().join("home"), Clock::System).unwrap();
    Desk { _folder: folder, engine, context, other }
}

impl Desk {
    fn remember(&self, context: &Context, text: &str) -> String {
        let new = NewMemory::new(text);
        self.engine.keeping(context).remember(&new).unwrap().card.memory.id.to_string()
    }

    fn found(&self, context: &Context, query: &str) -> Vec<String> {
        let reader = self.engine.now_reader().unwrap();
        let found =
            self.engine.looking(context).search(&*reader, query, &Filter::default()).unwrap();
        found.items.into_iter().map(|card| card.memory.content).collect()
    }
}

#[test]
fn a_project_does_not_see_another_even_with_the_same_words() {
    let desk = desk();
    let one = desk.remember(&desk.context, "the queue is Kafka");
    let two = desk.remember(&desk.other, "the queue is Kafka");
    assert_ne!(one, two, "twins in two projects are two memories");

    let reader = desk.engine.now_reader().unwrap();
    let across = desk.engine.looking(&desk.other).show(&*reader, &one);
    assert!(matches!(across, Err(Error::NotFound { .. })), "{across:?}");
    drop(reader);
    desk.engine.keeping(&desk.other).correct(&two, "the queue is NATS", None).unwrap();
    assert_eq!(desk.found(&desk.context, "queue"), ["the queue is Kafka"]);
    assert_eq!(desk.found(&desk.other, "queue"), ["the queue is NATS"]);
}

#[test]
fn what_is_global_is_seen_from_every_project_and_changed_as_global() {
    let desk = desk();
    let global = Context { level: Level::Global, ..desk.context.clone() };
    let id = desk.remember(&global, "commits are signed");
    assert_eq!(desk.found(&desk.other, "signed"), ["commits are signed"]);
    desk.engine.keeping(&desk.other).correct(&id, "commits and tags are signed", None).unwrap();
    assert_eq!(desk.found(&desk.context, "signed"), ["commits and tags are signed"]);
}

#[test]
fn what_holds_for_a_session_is_unseen_by_others() {
    let desk = desk();
    let session = |name: &str| Context {
        level: Level::Session,
        session: Some(SessionId(name.to_owned())),
        ..desk.context.clone()
    };
    desk.remember(&session("a"), "we are on the release branch");
    assert_eq!(desk.found(&session("a"), "release branch").len(), 1);
    assert!(desk.found(&session("b"), "release branch").is_empty());
    assert!(desk.found(&desk.context, "release branch").is_empty());
}

#[test]
fn a_decision_without_its_why_is_flagged_until_it_gets_one() {
    let desk = desk();
    let flags = |new: &NewMemory| {
        let card = desk.engine.keeping(&desk.context).remember(new).unwrap().card;
        card.flags.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let decision = |text: &str| NewMemory { kind: Kind::Decision, ..NewMemory::new(text) };
    assert_eq!(flags(&decision("we use Nix")), ["incomplete"]);
    let because = vec!["builds differed between laptops".to_owned()];
    assert!(flags(&NewMemory { because, ..decision("we use Bazel") }).is_empty());
}

#[test]
fn reasons_that_go_in_a_circle_still_end() {
    let desk = desk();
    let a = desk.remember(&desk.context, "alpha is slow");
    let b = desk.remember(&desk.context, "beta is slow");
    let link = |from: &str, to: &str| {
        let because = throughline_core::Relation::Because;
        desk.engine.keeping(&desk.context).link(from, because, to, None).unwrap();
    };
    link(&a, &b);
    link(&b, &a);
    let why = desk.engine.looking(&desk.context).why(&a).unwrap();
    assert_eq!(why.because[0].memory.content, "beta is slow");
    assert!(why.because[0].because[0].repeated);
}

#[test]
fn only_the_user_can_erase() {
    let desk = desk();
    let id = desk.remember(&desk.context, "something private");
    let agent = Context { door: throughline_core::permission::Door::Tools, ..desk.context.clone() };
    desk.engine.erasing().purge(&agent, std::slice::from_ref(&id), false).unwrap_err();
    assert_eq!(desk.found(&desk.context, "private").len(), 1);
    desk.engine.erasing().purge(&desk.context, &[id], false).unwrap();
    assert!(desk.found(&desk.context, "private").is_empty());
}

#[test]
fn every_change_can_be_undone_and_the_undoing_too() {
    let desk = desk();
    let id = desk.remember(&desk.context, "the cache is warm");
    let state = || {
        let reader = desk.engine.now_reader().unwrap();
        desk.engine.looking(&desk.context).show(&*reader, &id).unwrap().memory.state
    };
    desk.engine.keeping(&desk.context).archive(&id, Some("done with it")).unwrap();
    let undone = desk.engine.keeping(&desk.context).undo(None).unwrap();
    assert_eq!(state(), State::Confirmed);
    desk.engine.keeping(&desk.context).undo(Some(&undone.batch.to_string())).unwrap();
    assert_eq!(state(), State::Archived);
}

#[test]
fn whoever_comes_late_is_answered_and_what_they_told_waits_in_the_journal() {
    let desk = desk();
    desk.remember(&desk.context, "The billing service listens on port 7010");
    let Desk { _folder, engine, context, .. } = desk;
    let event = |what: What| Event {
        session: SessionId("busy".to_owned()),
        folder: None,
        transcript: None,
        helper: None,
        what,
    };
    let text = "We decided to use nginx for TLS. Which port does the billing service listen on?";
    let prompted = event(What::Prompted { text: text.to_owned() });
    let entry = JournalEntry::new(engine.now(), "test", Some(&context.project), prompted.clone());
    Journal::new(engine.home()).append(&entry).unwrap();

    let (most, moment) = (Duration::from_millis(300), Instant::now());
    let long_ago = moment.checked_sub(Duration::from_millis(100)).unwrap();
    let engine = engine.in_time(long_ago, most);
    let reply = engine.listening(&context).listen(&prompted).unwrap();
    assert!(reply.said.text.contains("7010"), "{}", reply.said.text);
    assert_eq!(reply.capture.episodes, 0, "it is taken in later");

    let engine = engine.in_time(Instant::now(), Duration::from_secs(60));
    let answered = event(What::Answered { text: None });
    let reply = engine.listening(&context).listen(&answered).unwrap();
    assert_eq!(reply.capture.episodes, 1, "now");
}

#[test]
fn a_change_of_what_was_read_is_made_only_if_nobody_changed_it_since_up_to_the_moment_of_writing() {
    let desk = desk();
    let id = desk.remember(&desk.context, "staging runs Postgres 14");
    let reader = desk.engine.now_reader().unwrap();
    let read = desk.engine.looking(&desk.context).show(&*reader, &id).unwrap();
    drop(reader);
    let other = Engine::open(desk.engine.home(), Clock::System).unwrap();
    let says = |text: &str| Edits { content: Some(text.to_owned()), ..Edits::default() };
    let only_if =
        |wanted: &'static str| OnlyIf::new(&read.memory, move |card| card.memory.content == wanted);
    let edit = |only_if: &OnlyIf, text: &str| {
        let context = Context { only_if: Some(only_if.clone()), ..desk.context.clone() };
        desk.engine.keeping(&context).edit(&id, &says(text))
    };
    let as_read = only_if("staging runs Postgres 14");
    other.keeping(&desk.context).edit(&id, &says("staging runs Postgres 15")).unwrap();
    let refused = edit(&as_read, "staging runs Postgres 16").unwrap_err();
    assert!(as_read.failed() && refused.to_string().contains("nothing was written"), "{refused}");
    assert_eq!(desk.found(&desk.context, "staging"), ["staging runs Postgres 15"]);

    let as_it_is = only_if("staging runs Postgres 15");
    edit(&as_it_is, "staging runs Postgres 16").unwrap();
    assert!(!as_it_is.failed());
    // What the same caller does then is not held against what was read before.
    edit(&as_it_is, "staging runs Postgres 17").unwrap();
    assert_eq!(desk.found(&desk.context, "staging"), ["staging runs Postgres 17"]);

    // Whoever writes while it is looked at comes after.
    let (tell, asked) = std::sync::mpsc::channel();
    let slowly = OnlyIf::new(&read.memory, move |card| {
        tell.send(()).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        card.memory.content == "staging runs Postgres 17"
    });
    std::thread::scope(|scope| {
        let (other, context, id) = (&other, &desk.context, &id);
        let theirs = scope.spawn(move || {
            asked.recv().unwrap();
            other.keeping(context).edit(id, &says("staging runs Postgres 19")).unwrap();
        });
        edit(&slowly, "staging runs Postgres 18").unwrap();
        theirs.join().unwrap();
    });
    let (_, versions) = desk.engine.looking(&desk.context).history(&id).unwrap();
    let said = versions.iter().filter_map(|one| Some(one.after.as_ref()?.content.as_str()));
    let mut said: Vec<&str> = said.collect();
    said.dedup();
    assert!(said.ends_with(&["staging runs Postgres 18", "staging runs Postgres 19"]), "{said:?}");
}
