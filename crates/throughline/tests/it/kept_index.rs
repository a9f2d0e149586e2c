//! Kept indexes: what a large memory is searched by lies in a file that hooks map. It is a copy, and never a source of truth.

use std::path::PathBuf;

use serde_json::{Value, json};
use throughline_core::scope::{Scope, Space};
use throughline_core::{
    Actor, Authority, Batch, BatchId, Cause, Change, Kind, Memory, MemoryId, Timestamp,
};
use throughline_engine::Project;

use crate::harness::{Home, overwrite};

/// More documents than are worth a file.
const MANY: usize = 4_400;
/// Memories in one batch.
const AT_ONCE: usize = 200;

fn id(number: usize) -> MemoryId {
    format!("01990000-0000-7000-8000-{number:012x}").parse().expect("it has the form of an id")
}

/// A home with very many memories.
fn large() -> Home {
    let home = Home::new();
    home.remember("The first word of this project");
    let project = Project::at(&home.project()).expect("the folder is there");
    let (space, at) = (project.space(), Timestamp::from_millis(1_760_000_000_000));
    let scope = Scope { space, session: None };
    let insert = |number: usize| {
        let text = format!("The gateway number {number} listens on port {}", 10_000 + number);
        let told = Authority::UserStated;
        Change::Insert(Box::new(Memory::new(id(number), &scope, Kind::Fact, &text, told, at)))
    };
    let (key, name) = (project.key.as_str().to_owned(), project.name);
    let known = Change::AddSpace(Space { space, key, name, created_at: at, slept: None });
    let batch = |changes: Vec<Change>, number: usize| Batch {
        id: BatchId(id((1 << 40) + number).0),
        space,
        at,
        actor: Actor::System,
        cause: Cause::Import,
        session: None,
        reason: None,
        changes,
        extra: std::collections::BTreeMap::new(),
    };
    let mut lines = vec![json!({"format": "throughline-log", "version": 1}).to_string()];
    let all: Vec<usize> = (0..MANY).collect();
    for (number, some) in all.chunks(AT_ONCE).enumerate() {
        let known = (number == 0).then(|| known.clone());
        let changes = known.into_iter().chain(some.iter().copied().map(insert)).collect();
        lines.push(serde_json::to_string(&batch(changes, number)).expect("it is JSON"));
    }
    let file = home.arg("many.jsonl");
    let log = lines.join("\n") + "\n";
    std::fs::write(&file, log).expect("the folder can be written to");
    home.json(&["import", &file, "--trust"]);
    home
}

fn hook(home: &Home, event: &str, more: &Value) -> String {
    let mut payload = json!({"session_id": "s", "cwd": home.project(), "hook_event_name": event});
    payload
        .as_object_mut()
        .expect("an object")
        .extend(more.as_object().expect("an object").clone());
    let mut command = home.command();
    command.args(["hook", event, "--agent", "claude-code"]).env("THROUGHLINE_DEADLINE_MS", "20000");
    let output = told(command, &payload.to_string());
    String::from_utf8(output).expect("it is text")
}

fn told(mut command: std::process::Command, input: &str) -> Vec<u8> {
    use std::io::Write as _;
    use std::process::Stdio;
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it listens");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    output.stdout
}

fn kept(home: &Home) -> Vec<PathBuf> {
    let files = home.files().into_iter();
    files.filter(|path| path.extension().is_some_and(|end| end == "idx")).collect()
}

/// An agent has answered: now there is time to keep an index.
fn answered(home: &Home) {
    hook(home, "Stop", &json!({"last_assistant_message": "Done."}));
}

fn recalled(home: &Home, number: usize) -> Vec<String> {
    let query = format!("which port does gateway number {number} listen on?");
    let found = home.json(&["recall", &query]);
    let items = found["items"].as_array().expect("a list").iter();
    items.filter_map(|item| item["content"].as_str().map(str::to_owned)).collect()
}

#[test]
fn a_large_memory_is_searched_from_a_kept_file_as_from_the_store_and_erasing_removes_the_file() {
    let home = large();
    let before = recalled(&home, 77);
    assert!(before.iter().any(|text| text.contains("port 10077")), "{before:?}");
    assert!(kept(&home).is_empty(), "nobody writes it while somebody waits");
    answered(&home);
    let files = kept(&home);
    assert_eq!(files.len(), 1, "memories are many, turns are few");
    assert_eq!(recalled(&home, 77), before);
    // What changed since is read from the store.
    home.remember("The gateway number 9999 listens on port 4242");
    assert!(recalled(&home, 9999).iter().any(|text| text.contains("port 4242")));
    let prompt = json!({"prompt": "which port does gateway number 9999 listen on?"});
    assert!(hook(&home, "UserPromptSubmit", &prompt).contains("port 4242"));
    // Damage is passed over, in the head and behind it.
    let file = &files[0];
    let sound = std::fs::read(file).expect("it can be read");
    overwrite(file, 30, &[9; 8]);
    assert_eq!(recalled(&home, 77), before);
    std::fs::write(file, &sound[..sound.len() / 2]).expect("it can be written");
    assert_eq!(recalled(&home, 77), before);
    let mut nonsense = sound.clone();
    nonsense[4_096..200_000].fill(0xEE);
    std::fs::write(file, &nonsense).expect("it can be written");
    home.run(&["recall", "which port does gateway number 77 listen on?"]);
    // An erasure leaves no vector behind.
    std::fs::write(file, &sound).expect("it can be written");
    let found = home.json(&["search", "gateway", "number", "9999"]);
    let id = found["memories"][0]["id"].as_str().expect("an id").to_owned();
    home.json(&["purge", &id, "--yes"]);
    assert_eq!(kept(&home), Vec::<PathBuf>::new());
    assert_eq!(recalled(&home, 77), before);
    home.assert_sound();
}

#[test]
fn a_file_kept_by_another_database_is_not_believed() {
    let home = large();
    answered(&home);
    let file = kept(&home).remove(0);
    let bytes = std::fs::read(&file).expect("it can be read");
    home.wipe();
    home.remember("The gateway number 77 listens on port 1");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("it can be made");
    std::fs::write(&file, bytes).expect("it can be written");
    assert_eq!(recalled(&home, 77), ["The gateway number 77 listens on port 1"]);
}
