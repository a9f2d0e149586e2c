//! Rules where they act, among many other memories of the same words.

use throughline_core::event::{Event, ToolCall, What};
use throughline_core::{Kind, SessionId};
use throughline_engine::{Clock, Context, Engine, NewMemory, Project};

const RULE: &str = "Deploys only Tue and Thu";

fn told_before(engine: &Engine, context: &Context, command: &str) -> String {
    let call =
        ToolCall { tool: "Bash".into(), command: Some(command.into()), ..ToolCall::default() };
    let event = Event {
        session: SessionId("s".into()),
        folder: None,
        transcript: None,
        helper: None,
        what: What::ToolStarts(call),
    };
    engine.listening(context).listen(&event).unwrap().said.text
}

#[test]
fn many_facts_about_a_thing_do_not_hide_the_one_rule_about_it() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(&folder.path().join("home"), Clock::System).unwrap();
    let root = folder.path().join("project");
    std::fs::create_dir(&root).unwrap();
    let context = Context::user(Project::at(&root).unwrap());
    let rule = NewMemory { kind: Kind::Principle, ..NewMemory::new(RULE) };
    engine.keeping(&context).remember(&rule).unwrap();
    for n in 0..120 {
        let fact = format!("Make deploy {n} of service {n} took {} seconds", n * 7);
        engine.keeping(&context).remember(&NewMemory::new(&fact)).unwrap();
    }
    let said = told_before(&engine, &context, "make deploy");
    assert!(said.contains(RULE), "{said}");
    assert!(!said.contains("took"), "{said}");
}
