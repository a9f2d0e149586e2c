//! Our hooks in somebody's settings: what is not ours is left alone, to the byte.

use proptest::prelude::*;
use std::path::Path;

use throughline_agents::Host;
use throughline_agents::install::{
    self, Record, RefusedInstall, SettingsChange, SettingsForm, diff, project_places,
};

const PROGRAM: &str = "/usr/local/bin/throughline";

/// The file that the hooks of Claude Code stand in.
fn form() -> SettingsForm {
    project_places(Host::ClaudeCode, Path::new("/"))[0].form
}

fn add(settings: &str, command: &str) -> Result<SettingsChange, RefusedInstall> {
    install::add(form(), settings, command)
}

fn remove(settings: &str) -> Result<SettingsChange, RefusedInstall> {
    install::remove(form(), settings)
}

fn restore(settings: &str, record: &Record) -> Result<String, RefusedInstall> {
    install::restore(form(), settings, record)
}

fn installed(settings: &str) -> Vec<(String, String)> {
    install::installed(form(), settings).unwrap_or_default()
}

fn added(settings: &str) -> String {
    add(settings, PROGRAM).unwrap().after
}

fn removed(settings: &str) -> String {
    remove(settings).unwrap().after
}

const SETTINGS: &str = r#"{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": { "allow": ["Bash(ls:*)"] },
  "hooks": {
    "Stop": [
      {
        "hooks": [{ "type": "command", "command": "say done" }]
      }
    ]
  },
  "model": "opus"
}
"#;

#[test]
fn settings_without_hooks_get_one_line_for_each_event() {
    insta::assert_snapshot!("without-hooks", added("{\n  \"model\": \"opus\"\n}\n"));
    insta::assert_snapshot!("blank", added(""));
}

#[test]
fn hooks_of_others_stay_where_they_are() {
    let change = add(SETTINGS, PROGRAM).unwrap();
    assert_eq!(change.added.len(), 10);
    insta::assert_snapshot!("with-hooks", diff(&change.before, &change.after));
    assert_eq!(removed(&change.after), SETTINGS);
}

#[test]
fn what_was_put_in_is_json_that_the_host_understands() {
    let settings: serde_json::Value = serde_json::from_str(&added("{}")).unwrap();
    let handler = &settings["hooks"]["SessionStart"][0]["hooks"][0];
    assert_eq!(handler["command"], PROGRAM);
    let expected = serde_json::json!(["hook", "SessionStart", "--agent", "claude-code"]);
    assert_eq!(handler["args"], expected);
    assert_eq!(handler["timeout"], 10);
    assert_eq!(settings["hooks"]["PreToolUse"][0]["matcher"], "*");
    assert!(settings["hooks"].get("WorktreeCreate").is_none());
}

#[test]
fn twice_is_once_and_a_program_that_moved_is_found_again() {
    let once = added(SETTINGS);
    assert!(add(&once, PROGRAM).unwrap().is_empty());

    let moved = add(&once, "/opt/throughline").unwrap();
    assert_eq!((moved.added.len(), moved.updated.len()), (0, 10));
    assert_eq!(moved.after, once.replace(PROGRAM, "/opt/throughline"));
    assert_eq!(removed(&moved.after), SETTINGS);
    let paths = installed(&moved.after);
    assert_eq!(paths.len(), 10);
    assert_eq!(paths[0], ("Stop".to_owned(), "/opt/throughline".to_owned()));
}

#[test]
fn an_entry_of_an_older_version_is_brought_up_to_date() {
    let old = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/old/throughline","args":["hook","Stop","--agent","claude-code","--old"],"timeout":60}]}]}}"#;
    let change = add(old, PROGRAM).unwrap();
    assert_eq!((change.added.len(), change.updated), (9, vec!["Stop".to_owned()]));
    assert!(!change.after.contains("--old") && !change.after.contains("/old/"));
    assert_eq!(installed(&change.after).len(), 10);
}

#[test]
fn our_entry_goes_out_of_a_group_that_others_share() {
    let shared = r#"{"hooks":{"Stop":[{"hooks":[
        {"type":"command","command":"theirs"},
        {"type":"command","command":"/x/throughline","args":["hook","Stop","--agent","claude-code"]}
    ]}]}}"#;
    let change = remove(shared).unwrap();
    assert_eq!(change.removed, ["Stop"]);
    let left: serde_json::Value = serde_json::from_str(&change.after).unwrap();
    let theirs = serde_json::json!([{"type": "command", "command": "theirs"}]);
    assert_eq!(left["hooks"]["Stop"][0]["hooks"], theirs);
}

#[test]
fn we_are_found_and_removed_after_the_host_wrote_its_settings_anew() {
    for (settings, left) in [
        (r#"{"model":"opus"}"#, r#"{"model":"opus"}"#),
        (SETTINGS, SETTINGS),
        ("{}", "{}"),
        ("", "{}"),
    ] {
        let value: serde_json::Value = serde_json::from_str(&added(settings)).unwrap();
        let anew = serde_json::to_string_pretty(&value).unwrap();
        let after: serde_json::Value = serde_json::from_str(&removed(&anew)).unwrap();
        let left: serde_json::Value = serde_json::from_str(left).unwrap();
        assert_eq!(after, left, "{settings}");
    }
}

#[test]
fn what_looks_like_us_but_is_not_stays() {
    for handler in [
        r#"{"type":"command","command":"/x/throughline","args":["serve"]}"#,
        r#"{"type":"command","command":"/x/throughline hook Stop --agent claude-code"}"#,
        r#"{"type":"command","command":"/x/other","args":["hook","Stop","--agent","claude-code"]}"#,
        r#"{"type":"command","command":"/x/throughline","args":["hook","Stop","--agent","codex"]}"#,
        r#"{"type":"http","command":"/x/throughline","args":["hook","Stop","--agent","claude-code"]}"#,
    ] {
        let settings = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{handler}]}}]}}}}"#);
        assert_eq!(removed(&settings), settings);
        assert!(installed(&settings).is_empty());
        assert_eq!(removed(&added(&settings)), settings);
    }
}

#[test]
fn settings_that_are_not_json_are_refused() {
    for (settings, line) in [
        ("{", 1),
        ("not json", 1),
        ("{\n\"a\": 1\n\"b\": 2}", 3),
        ("{'a': 1}", 1),
        ("{\"a\": \"\n\"}", 1),
        ("{} {}", 1),
        ("{\"a\": tru}", 1),
        ("{\"a\": \"\\x\"}", 1),
        ("[,]", 1),
        ("{} /* no end", 1),
    ] {
        for refused in [add(settings, PROGRAM).unwrap_err(), remove(settings).unwrap_err()] {
            assert!(
                matches!(refused, RefusedInstall::NotJson { line: l, .. } if l == line),
                "{refused}"
            );
        }
        assert!(installed(settings).is_empty());
    }
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(add(&deep, PROGRAM).is_err());
    for settings in ["[]", "1", r#"{"hooks":[]}"#, r#"{"hooks":{"Stop":{}}}"#] {
        assert!(matches!(add(settings, PROGRAM), Err(RefusedInstall::Shape { .. })), "{settings}");
        assert_eq!(removed(settings), settings);
    }
}

#[test]
fn a_program_that_we_would_not_find_again_is_not_put_in() {
    for command in ["throughline2", "./throughline", "/usr/bin/env", ""] {
        assert!(matches!(add("{}", command), Err(RefusedInstall::Command { .. })), "{command}");
    }
    // By its name alone it is found on the PATH of whoever shares the file.
    for command in
        ["throughline", "C:\\bin\\throughline.exe", "\\\\host\\throughline", "/a \"b\"/throughline"]
    {
        let after = add("{}", command).unwrap().after;
        assert_eq!(installed(&after)[0].1, command);
        assert_eq!(removed(&after), "{}");
    }
}

#[test]
fn a_record_gives_back_what_was_there() {
    let record = Record { before: "{ }".into(), after: added("{ }") };
    assert_eq!(restore(&record.after, &record).unwrap(), "{ }");
    let touched = record.after.replace("{ }", "{}") + "\n";
    assert_eq!(restore(&touched, &record).unwrap(), "{ }\n");
}

/// White space and comments, as people leave them. `line` says whether they stand before something.
fn gap() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just(""),
        3 => Just(" "),
        2 => Just("\n  "),
        1 => Just("\n"),
        1 => Just("\r\n"),
        1 => Just("\t"),
        1 => Just("\n\t\t"),
        1 => Just("/* c */"),
        1 => Just("// c  \n"),
        1 => Just("// c\r\n"),
    ];
    proptest::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

/// A container with items that are written already.
fn filled(
    open: &'static str,
    close: &'static str,
    items: impl Strategy<Value = Vec<String>>,
) -> impl Strategy<Value = String> {
    let gaps = proptest::collection::vec((gap(), gap()), 8);
    (items, gaps, gap(), any::<bool>()).prop_map(move |(items, gaps, end, trailing)| {
        let mut text = open.to_owned();
        let count = items.len();
        for (index, (item, (before, after))) in items.into_iter().zip(gaps).enumerate() {
            let comma = if index + 1 < count || trailing { "," } else { "" };
            text.push_str(&format!("{before}{item}{after}{comma}"));
        }
        text + &end + close
    })
}

fn member(
    name: &'static str,
    value: impl Strategy<Value = String>,
) -> impl Strategy<Value = String> {
    (gap(), gap(), value).prop_map(move |(a, b, value)| format!("\"{name}\"{a}:{b}{value}"))
}

fn settings() -> impl Strategy<Value = String> {
    let theirs = prop_oneof![
        Just(r#"{"hooks":[{"type":"command","command":"theirs"}]}"#.to_owned()),
        Just("{ \"matcher\": \"Bash\",\n \"hooks\": [ ] }".to_owned()),
        Just("{}".to_owned()),
    ];
    let groups = || filled("[", "]", proptest::collection::vec(theirs.clone(), 0..3)).boxed();
    let event = prop_oneof![
        member("Stop", groups()),
        member("SessionStart", groups()),
        member("SessionEnd", groups()),
        member("PreToolUse", groups()),
        member("Notification", groups()),
    ];
    let hooks = filled("{", "}", proptest::collection::vec(event, 0..4)).boxed();
    let other = prop_oneof![
        Just(r#""model": "opus""#.to_owned()),
        Just("\"env\":{\"A\":\"\\u00e4 // no comment\"}".to_owned()),
        Just("\"n\": [1, -2.5e3, true, null]".to_owned()),
        member("hooks", hooks),
    ];
    let object = filled("{", "}", proptest::collection::vec(other, 0..4));
    prop_oneof![
        9 => (gap(), object, gap()).prop_map(|(a, object, b)| a + &object + &b),
        1 => gap(),
        1 => gap().prop_map(|gap| gap + "// last words"),
    ]
}

proptest! {
    #[test]
    fn taking_out_what_was_put_in_gives_back_the_same_bytes(settings in settings()) {
        let after = added(&settings);
        prop_assert_eq!(installed(&after).len(), 10, "{}", after);
        prop_assert_eq!(&added(&after), &after, "twice is once");
        prop_assert_eq!(&removed(&after), &settings, "{}", after);
        let moved = add(&after, "/opt/throughline").unwrap().after;
        prop_assert_eq!(&removed(&moved), &settings, "{}", moved);
    }

    #[test]
    fn settings_without_us_have_nothing_to_take_out(settings in settings()) {
        prop_assert_eq!(removed(&settings), settings);
    }

    #[test]
    fn no_text_brings_the_installer_down(text in "[\\[\\]{}\",:/*a\\\\ \n\r0-9hooks]{0,60}") {
        if let Ok(change) = add(&text, PROGRAM) {
            prop_assert_eq!(removed(&change.after), text);
        }
    }

    #[test]
    fn plain_json_stays_plain_json(entries in proptest::collection::btree_map("[a-z]{1,6}", "[ -~]{0,9}", 0..5)) {
        let plain = serde_json::to_string_pretty(&entries).unwrap();
        let after: serde_json::Value = serde_json::from_str(&added(&plain)).unwrap();
        prop_assert!(after["hooks"]["Stop"].is_array());
    }
}
