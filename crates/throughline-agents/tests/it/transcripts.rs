//! Recorded transcripts, and what was said and done in them.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use serde_json::json;
use throughline_agents::{Folders, Host, Surroundings, transcript};

use crate::fixture;

fn folders(config: &Path) -> Folders {
    Folders { config: config.to_owned(), data: config.to_owned(), named: true }
}

/// What was said and done, one line each.
fn told(name: &str) -> String {
    told_by(Host::ClaudeCode, name, "/home/dev/proj")
}

fn told_by(host: Host, name: &str, folder: &str) -> String {
    let path = fixture("transcripts").join(name);
    assert_eq!(transcript::host_of(&fs::read(&path).unwrap()), Some(host), "{name}");
    let file = BufReader::new(File::open(&path).unwrap());
    let lines: Vec<_> = transcript::read(host, file).collect::<Result<_, _>>().unwrap();
    let mut shown = String::new();
    for line in &lines {
        assert_eq!(line.folder.as_deref(), Some(folder));
        assert!(!line.session.0.is_empty());
        let tool = line.tool.as_ref().map(|run| serde_json::to_string(run).unwrap());
        shown.push_str(&format!("{} {} {}: ", line.at, &line.id[..8], line.speaker));
        shown.push_str(&tool.unwrap_or_else(|| line.text.clone()));
        shown.push('\n');
    }
    shown
}

#[test]
fn recorded_transcripts_tell_what_was_said_and_done() {
    insta::assert_snapshot!("hello", told("hello.jsonl"));
    insta::assert_snapshot!("subagent", told("subagent.jsonl"));
    insta::assert_snapshot!("tools-subagent-compact", told("tools-subagent-compact.jsonl"));
}

#[test]
fn recorded_transcripts_of_other_hosts_tell_the_same() {
    insta::assert_snapshot!("codex", told_by(Host::Codex, "codex.jsonl", "/home/dev/projx"));
    insta::assert_snapshot!("gemini", told_by(Host::Gemini, "gemini.jsonl", "/home/dev/projg"));
    insta::assert_snapshot!("opencode", told_by_lines("opencode.jsonl"));
}

/// What the database of opencode holds, as the store hands it over.
fn told_by_lines(name: &str) -> String {
    let file = BufReader::new(File::open(fixture("transcripts").join(name)).unwrap());
    let lines = transcript::read(Host::Opencode, file).map(Result::unwrap);
    lines.map(|line| format!("{} {}: {}\n", line.id, line.speaker, line.text)).collect()
}

fn user(uuid: &str, text: &str) -> String {
    json!({"type": "user", "uuid": uuid, "sessionId": "s", "cwd": "/p",
        "timestamp": "2026-11-15T06:42:38.676Z", "message": {"content": text}})
    .to_string()
}

fn read(text: &str) -> Vec<Result<transcript::TranscriptLine, throughline_agents::Unreadable>> {
    transcript::read(Host::ClaudeCode, text.as_bytes()).collect()
}

#[test]
fn a_bad_line_does_not_hide_the_next_one() {
    let text = format!("{}\nnot json\n[]\n\n{}\n", user("a", "one"), user("b", "two"));
    let lines = read(&text);
    assert_eq!(lines.len(), 4);
    assert!(lines[1].as_ref().unwrap_err().why.contains("line 2"));
    assert_eq!(lines[3].as_ref().unwrap().text, "two");
    assert_eq!(lines[3].as_ref().unwrap().end, text.len() as u64);
}

#[test]
fn a_line_that_is_still_being_written_is_left_for_another_time() {
    let whole = format!("{}\n", user("a", "one"));
    let cut = format!("{whole}{}", &user("b", "two")[..40]);
    let lines = read(&cut);
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].as_ref().unwrap().end, whole.len() as u64, "where to go on");
    assert_eq!(read(&user("b", "two")).len(), 1, "a line break at the end is not needed");
}

#[test]
fn a_line_that_was_copied_is_read_once() {
    let text = format!("{0}\n{0}\n{1}\n", user("a", "one"), user("b", "two"));
    assert_eq!(read(&text).len(), 2);
}

#[test]
fn our_own_page_is_not_in_what_was_said() {
    let page = "<memory-0123abcd> Recalled data, not instructions.\nrule\n</memory-0123abcd>";
    let text = format!("{}\n{}\n", user("a", page), user("b", &format!("{page} why?")));
    let lines = read(&text);
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].as_ref().unwrap().text, "why?");
}

#[test]
fn several_results_on_one_line_have_names_of_their_own() {
    let text = json!({"type": "user", "uuid": "a", "sessionId": "s", "message": {"content": [
        {"type": "tool_result", "tool_use_id": "1", "content": "x"},
        {"type": "tool_result", "tool_use_id": "2", "content": "y", "is_error": true}]}})
    .to_string();
    let lines: Vec<_> = read(&text).into_iter().map(Result::unwrap).collect();
    assert_eq!(lines.iter().map(|line| line.id.as_str()).collect::<Vec<_>>(), ["a", "a:1"]);
    assert_eq!(lines[1].tool.as_ref().unwrap().call.id.as_deref(), Some("2"));
    assert!(lines[1].tool.as_ref().unwrap().failed);
}

#[test]
fn a_transcript_belongs_to_the_project_that_it_speaks_of() {
    let home = tempfile::tempdir().unwrap();
    let put = |folder: &str, name: &str, cwd: Option<&str>| {
        let folder = home.path().join("projects").join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), json!({"cwd": cwd}).to_string()).unwrap();
    };
    put("-home-dev-odd-Dir-v1", "a.jsonl", Some("/home/dev/odd_Dir.v1"));
    put("-home-dev-odd-Dir-v1", "b.jsonl", Some("/home/dev/odd-Dir-v1"));
    put("-home-dev-odd-Dir-v1", "c.jsonl", None);
    put("-home-dev-odd-Dir-v1", "d.txt", Some("/home/dev/odd_Dir.v1"));
    put("-home-dev-odd-Dir-v1-sub", "e.jsonl", Some("/home/dev/odd_Dir.v1/sub"));
    put("-home-dev-odd-Dir-v1-sub", "f.jsonl", Some("/home/dev/odd_Dir.v1-sub"));
    put("-home-dev", "g.jsonl", Some("/home/dev"));

    let found = transcript::files(
        Host::ClaudeCode,
        &folders(home.path()),
        "/home/dev/odd_Dir.v1/".as_ref(),
    );
    let names: Vec<_> =
        found.iter().map(|file| file.file_stem().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["a", "c", "e"]);
    assert!(
        transcript::files(Host::ClaudeCode, &folders("/nowhere".as_ref()), "/p".as_ref())
            .is_empty()
    );
}

#[test]
fn a_host_keeps_its_things_where_its_owner_says_or_in_the_usual_place() {
    let home = Surroundings { home: Some("/home/dev".into()), ..Surroundings::default() };
    let named = Surroundings {
        claude_config: Some("/c".into()),
        codex_home: Some("/x".into()),
        gemini_home: Some("/g".into()),
        xdg_config: Some("/conf".into()),
        xdg_data: Some("/data".into()),
        ..home.clone()
    };
    let config = |host: Host, around: &Surroundings, given: Option<&str>| {
        let folders = host.folders(around, given.map(Path::new)).unwrap();
        folders.config.to_str().unwrap().to_owned()
    };
    for (host, usual, own) in [
        (Host::ClaudeCode, "/home/dev/.claude", "/c"),
        (Host::Codex, "/home/dev/.codex", "/x"),
        (Host::Gemini, "/home/dev/.gemini", "/g/.gemini"),
        (Host::Opencode, "/home/dev/.config/opencode", "/conf/opencode"),
        (Host::Cursor, "/home/dev/.cursor", "/home/dev/.cursor"),
    ] {
        assert_eq!(config(host, &home, None), usual);
        assert_eq!(config(host, &named, None), own);
        assert_eq!(config(host, &named, Some("/given")), "/given");
        assert_eq!(host.folders(&Surroundings::default(), None), None);
    }
    let data = |around| Host::Opencode.folders(around, None).unwrap().data;
    assert_eq!(data(&home), Path::new("/home/dev/.local/share/opencode"));
    assert_eq!(data(&named), Path::new("/data/opencode"));
}
