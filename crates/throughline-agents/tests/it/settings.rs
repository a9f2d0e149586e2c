//! Settings as people really have them, of every host: we come and go a hundred times, and they
//! are what they were, to the byte.

use std::fs;
use std::path::{Path, PathBuf};

use throughline_agents::install::files::{Error, init, plan_init, plan_uninstall, uninstall};
use throughline_agents::install::{SettingsPlace, installed, project_places};
use throughline_agents::{Folders, Host, install};

const PROGRAM: &str = "/usr/local/bin/throughline";
const TIMES: usize = 100;

/// Somebody's settings.
struct Case {
    name: &'static str,
    host: Host,
    /// Which of the host's files.
    file: usize,
    text: &'static str,
    /// What its owner changes while we are in it.
    edit: Option<(&'static str, &'static str)>,
    /// What it is without an older entry of ours, where it has one.
    without: Option<&'static str>,
}

const fn case(name: &'static str, host: Host, file: usize, text: &'static str) -> Case {
    Case { name, host, file, text, edit: None, without: None }
}

const fn edited(mut case: Case, from: &'static str, to: &'static str) -> Case {
    case.edit = Some((from, to));
    case
}

const fn older(mut case: Case, without: &'static str) -> Case {
    case.without = Some(without);
    case
}

use Host::{ClaudeCode, Codex, Cursor, Gemini, Opencode};

const CASES: &[Case] = &[
    case("an empty file", ClaudeCode, 0, ""),
    case("an empty object", ClaudeCode, 0, "{}"),
    case("an empty object with room", ClaudeCode, 0, "{\n\n}\n"),
    edited(
        case("one setting", ClaudeCode, 0, "{\n  \"model\": \"opus\"\n}\n"),
        "\"opus\"",
        "\"sonnet\"",
    ),
    case("no end", ClaudeCode, 0, "{\n  \"model\": \"opus\"\n}"),
    edited(
        case("Windows", ClaudeCode, 0, "{\r\n\t\"model\": \"opus\",\r\n\t\"env\": {}\r\n}\r\n"),
        "\"env\": {}",
        "\"env\": { \"A\": \"1\" }",
    ),
    case("a byte order mark", ClaudeCode, 0, "\u{feff}{ \"model\": \"opus\" }\r\n"),
    case("on one line", ClaudeCode, 0, r#"{"model":"opus","hooks":{}}"#),
    edited(
        case(
            "hooks of others",
            ClaudeCode,
            0,
            r#"{
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{ "type": "command", "command": "guard.sh" }]
            }
        ],
        "Stop": []
    },
    "permissions": { "allow": ["Bash(ls:*)"], "deny": [] }
}
"#,
        ),
        "guard.sh",
        "guard-2.sh",
    ),
    older(
        case(
            "an older entry of ours",
            ClaudeCode,
            0,
            r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"bell"},{"type":"command","command":"/old/throughline","args":["hook","Stop","--agent","claude-code"],"timeout":60}]}]}}"#,
        ),
        r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"bell"}]}]}}"#,
    ),
    edited(
        case(
            "servers of others",
            ClaudeCode,
            1,
            "{\n  \"numStartups\": 12,\n  \"mcpServers\": {\n    \"files\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"files\"]\n    }\n  },\n  \"projects\": {}\n}\n",
        ),
        "\"numStartups\": 12",
        "\"numStartups\": 13",
    ),
    case("no servers yet", ClaudeCode, 1, "{\n  \"mcpServers\": {}\n}\n"),
    case("an empty list of hooks", Codex, 0, "{ \"hooks\": {} }\n"),
    edited(
        case(
            "hooks of others in Codex",
            Codex,
            0,
            r#"{
  "hooks": {
    "SessionStart": [{ "hooks": [{ "type": "command", "command": "hello.sh" }] }]
  }
}
"#,
        ),
        "hello.sh",
        "good-morning.sh",
    ),
    older(
        case(
            "an older line of ours in Codex",
            Codex,
            0,
            "{\"hooks\": {\"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"/old/throughline hook Stop --agent codex\", \"timeout\": 9 }] }], \"SessionEnd\": []}}\n",
        ),
        "{\"hooks\": { \"SessionEnd\": []}}\n",
    ),
    edited(
        case(
            "comments in TOML",
            Codex,
            1,
            "# mine\nmodel = \"o5\"   # the big one\n\n[mcp_servers.files] # others\ncommand = \"npx\"\nargs = [\n  \"-y\", # yes\n  \"files\",\n]\n\n[mcp_servers.files.env]\nA = '1'\n",
        ),
        "\"o5\"",
        "\"o5-mini\"",
    ),
    case("TOML of Windows", Codex, 1, "model = \"o5\"\r\n\r\n[features]\r\nhooks = true\r\n"),
    edited(
        case("TOML without an end", Codex, 1, "[tui]\ntheme = \"dark\""),
        "\"dark\"",
        "\"light\"",
    ),
    case("TOML that is empty", Codex, 1, ""),
    case("TOML with room at the end", Codex, 1, "model = \"o5\"\n\n\n"),
    case("TOML with a byte order mark", Codex, 1, "\u{feff}model = \"o5\"\n"),
    older(
        case(
            "an older server of ours in TOML",
            Codex,
            1,
            "a = 1\n\n[mcp_servers.throughline]\ncommand = \"/old/throughline\"\nargs = [\"mcp\"]\n\n[mcp_servers.throughline.env]\nB = \"2\"\n\n[z]\nc = 3\n",
        ),
        "a = 1\n\n[z]\nc = 3\n",
    ),
    edited(
        case(
            "Gemini as it begins",
            Gemini,
            0,
            "{\n  \"security\": {\n    \"auth\": {\n      \"selectedType\": \"gemini-api-key\"\n    }\n  }\n}",
        ),
        "gemini-api-key",
        "oauth-personal",
    ),
    case(
        "Gemini with comments",
        Gemini,
        0,
        "{\n  // the theme\n  \"ui\": { \"theme\": \"GitHub\" }, // nice\n  \"mcpServers\": { /* none */ },\n  \"hooks\": {\n    \"BeforeTool\": [], // later\n  },\n}\n",
    ),
    edited(
        case(
            "opencode with comments and commas",
            Opencode,
            0,
            "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  // tools\n  \"mcp\": {\n    \"files\": { \"type\": \"local\", \"command\": [\"npx\", \"files\"], },\n  },\n  \"theme\": \"tokyo\", /* dark */\n}\n",
        ),
        "\"tokyo\"",
        "\"gruvbox\"",
    ),
    case("opencode as it begins", Opencode, 0, "{\"$schema\":\"https://opencode.ai/config.json\"}"),
    edited(
        case(
            "hooks of others in Cursor",
            Cursor,
            0,
            "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"./bell.sh\" }],\n    \"sessionStart\": [{ \"command\": \"./hello.sh\" }]\n  }\n}\n",
        ),
        "./hello.sh",
        "./hi.sh",
    ),
    case(
        "servers of Cursor",
        Cursor,
        1,
        "{ \"mcpServers\": { \"a\": { \"url\": \"http://x\" } } }\n",
    ),
];

fn folders(config: &Path) -> Folders {
    Folders { config: config.to_owned(), data: config.to_owned(), named: true }
}

/// The files of a host in a folder of its own.
fn places(host: Host, config: &Path) -> Vec<SettingsPlace> {
    install::places(host, &folders(config))
}

/// Everything under a folder.
fn listing(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push((path.clone(), fs::read(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// A file of a case, in a folder that goes away with the test.
fn set_up(case: &Case) -> (tempfile::TempDir, SettingsPlace) {
    let home = tempfile::tempdir().unwrap();
    let place = places(case.host, home.path()).swap_remove(case.file);
    fs::create_dir_all(place.path.parent().unwrap()).unwrap();
    fs::write(&place.path, case.text).unwrap();
    (home, place)
}

#[test]
fn settings_of_every_host_are_what_they_were_after_a_hundred_times() {
    assert!(CASES.len() >= 20);
    std::thread::scope(|threads| {
        for case in CASES {
            threads.spawn(|| come_and_go(case));
        }
    });
}

fn come_and_go(case: &Case) {
    let (home, place) = set_up(case);
    let expected = case.without.unwrap_or(case.text);
    for time in 0..TIMES {
        let done = init(&place, PROGRAM).unwrap();
        assert!(!done.is_empty(), "{} {time}", case.name);
        let connected = fs::read_to_string(&place.path).unwrap();
        assert!(!installed(place.form, &connected).unwrap().is_empty(), "{}", case.name);
        assert!(init(&place, PROGRAM).unwrap().is_empty(), "{}: twice is once", case.name);
        uninstall(&place).unwrap();
        let after = fs::read_to_string(&place.path).unwrap();
        assert_eq!(after, expected, "{} after {time} times", case.name);
        assert_eq!(listing(home.path()).len(), 1, "{}: copies that tell nothing go", case.name);
    }
    assert!(uninstall(&place).unwrap().is_empty(), "{}", case.name);
}

#[test]
fn an_edit_of_the_owners_stays_when_we_go() {
    let mut seen = 0;
    for case in CASES {
        let Some((from, to)) = case.edit else { continue };
        let (_home, place) = set_up(case);
        init(&place, PROGRAM).unwrap();
        let connected = fs::read_to_string(&place.path).unwrap();
        fs::write(&place.path, connected.replacen(from, to, 1)).unwrap();
        uninstall(&place).unwrap();
        let after = fs::read_to_string(&place.path).unwrap();
        assert_eq!(after, case.text.replacen(from, to, 1), "{}", case.name);
        seen += 1;
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn what_others_write_behind_us_in_toml_stays() {
    let text = "model = \"o5\"\n";
    let (_home, place) = set_up(&case("", Codex, 1, text));
    init(&place, PROGRAM).unwrap();
    let connected = fs::read_to_string(&place.path).unwrap();
    let more = "\n[projects.\"/home/dev/p\"]\ntrust_level = \"trusted\"\n";
    fs::write(&place.path, format!("{connected}{more}")).unwrap();
    uninstall(&place).unwrap();
    assert_eq!(fs::read_to_string(&place.path).unwrap(), format!("{text}{more}"));
}

#[test]
fn a_host_without_any_settings_is_left_without_any() {
    for host in Host::ALL {
        let home = tempfile::tempdir().unwrap();
        for place in places(*host, home.path()) {
            assert!(!plan_init(&place, PROGRAM).unwrap().is_empty());
            init(&place, PROGRAM).unwrap();
            assert!(init(&place, PROGRAM).unwrap().is_empty());
        }
        let paths: Vec<_> = places(*host, home.path());
        assert_eq!(listing(home.path()).len(), paths.len(), "{host}");
        for place in paths {
            uninstall(&place).unwrap();
        }
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0, "{host}");
    }
}

#[test]
fn malformed_settings_are_left_alone_and_the_line_is_named() {
    for (host, file, text, words) in [
        (ClaudeCode, 1, "{\n  \"mcpServers\": {\n", "line 3"),
        (Codex, 0, "{ \"hooks\": 1 }", "`hooks` is not an object"),
        (Codex, 1, "model = \"o5\"\n[mcp_servers\n", "line 2"),
        (Codex, 1, "mcp_servers = { a = { command = \"x\" } }\n", "is not a section"),
        (Gemini, 0, "{ \"hooks\": { \"AfterAgent\": {} } }", "is not a list"),
        (Gemini, 0, "{ \"mcpServers\": [] }", "`mcpServers` is not an object"),
        (Opencode, 0, "{ // cut off", "line 1"),
        (Cursor, 0, "version: 1", "line 1"),
    ] {
        let (home, place) = set_up(&case("", host, file, text));
        let before = listing(home.path());
        let error = init(&place, PROGRAM).unwrap_err();
        let Error::Refused { source, .. } = &error else { panic!("{error}") };
        assert!(source.to_string().contains(words), "{source}");
        assert_eq!(listing(home.path()), before, "{text}");
    }
}

#[test]
fn a_name_that_somebody_else_has_is_not_taken_from_them() {
    for (host, file, text) in [
        (ClaudeCode, 1, "{\"mcpServers\": {\"throughline\": {\"url\": \"http://x\"}}}"),
        (Codex, 1, "[mcp_servers.throughline]\nurl = \"http://x\"\n"),
        (Opencode, 0, "{\"mcp\": {\"throughline\": {\"type\": \"remote\", \"url\": \"x\"}}}"),
        (Opencode, 1, "// somebody's plugin\n"),
    ] {
        let (_home, place) = set_up(&case("", host, file, text));
        let error = init(&place, PROGRAM).unwrap_err();
        let Error::Refused { source, .. } = &error else { panic!("{error}") };
        assert!(source.to_string().contains("was not written by Throughline"), "{source}");
        assert!(plan_uninstall(&place).unwrap().is_empty());
        assert_eq!(fs::read_to_string(&place.path).unwrap(), text);
    }
}

#[test]
fn a_program_that_moved_is_found_again_everywhere() {
    for host in Host::ALL {
        let home = tempfile::tempdir().unwrap();
        for place in places(*host, home.path()) {
            init(&place, PROGRAM).unwrap();
            let moved = init(&place, "/opt/my tools/throughline").unwrap();
            assert_eq!(moved.added, [""; 0], "{host}");
            assert!(!moved.updated.is_empty(), "{host}");
            let text = fs::read_to_string(&place.path).unwrap();
            let found = installed(place.form, &text).unwrap();
            assert!(found.iter().all(|(_, path)| path == "/opt/my tools/throughline"), "{found:?}");
            assert!(!text.contains(PROGRAM), "{text}");
        }
    }
}

#[test]
fn what_is_written_is_what_the_host_reads() {
    let home = tempfile::tempdir().unwrap();
    let after = |host: Host, file: usize| {
        let place = places(host, home.path()).swap_remove(file);
        plan_init(&place, PROGRAM).unwrap().after
    };
    let json =
        |host, file| -> serde_json::Value { serde_json::from_str(&after(host, file)).unwrap() };
    let line = format!("{PROGRAM} hook SessionEnd --agent codex");
    let handler = &json(Codex, 0)["hooks"]["SessionEnd"][0]["hooks"][0];
    assert_eq!((&handler["command"], &handler["timeout"]), (&line.into(), &3.into()));
    let gemini = json(Gemini, 0);
    assert_eq!(gemini["hooks"]["PreCompress"][0]["matcher"], "manual", "not before every call");
    assert_eq!(gemini["hooks"]["AfterTool"][0]["hooks"][0]["timeout"], 5_000, "milliseconds");
    assert!(gemini["hooks"].get("BeforeTool").is_none());
    assert_eq!(gemini["mcpServers"]["throughline"]["args"][0], "mcp");
    assert_eq!(json(Opencode, 0)["mcp"]["throughline"]["command"][1], "mcp");
    assert_eq!(json(Cursor, 0)["version"], 1);
    assert_eq!(json(ClaudeCode, 1)["mcpServers"]["throughline"]["type"], "stdio");
    assert!(after(Opencode, 1).contains(&format!("const PROGRAM = \"{PROGRAM}\"\n")));
}

#[test]
fn an_existing_file_of_opencode_is_used_whatever_its_end() {
    let home = tempfile::tempdir().unwrap();
    let name = || places(Opencode, home.path())[0].path.file_name().unwrap().to_owned();
    assert_eq!(name(), "opencode.json");
    fs::write(home.path().join("opencode.jsonc"), "{}").unwrap();
    assert_eq!(name(), "opencode.jsonc");
    let other = "{\"mcp\": {\"throughline\": {\"command\": [\"/x/throughline\", \"mcp\"]}}}";
    fs::write(home.path().join("opencode.json"), other).unwrap();
    assert_eq!(name(), "opencode.json", "where we are, we stay");
}

#[test]
fn servers_of_claude_code_stand_where_it_looks_for_them() {
    let usual = Folders { named: false, ..folders(Path::new("/home/dev/.claude")) };
    let path = |folders: &Folders| install::places(ClaudeCode, folders)[1].path.clone();
    assert_eq!(path(&usual), Path::new("/home/dev/.claude.json"));
    assert_eq!(path(&folders(Path::new("/c"))), Path::new("/c/.claude.json"));
    let project = project_places(ClaudeCode, Path::new("/p"));
    assert_eq!(project[1].path, Path::new("/p/.mcp.json"));
}
