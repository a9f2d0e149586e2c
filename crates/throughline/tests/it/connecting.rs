//! Connecting an agent and letting it go again: its settings are somebody else's file.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Home, PROGRAM, strings};

/// Settings with a hook of somebody else's, comments, and a hand that likes three spaces.
const SETTINGS: &str = r#"{
   // mine, do not touch
   "model": "opus",
   "hooks": {
      /* a bell */
      "Stop": [{ "hooks": [{ "type": "command", "command": "bell.sh" }] }],
   },
   "permissions": { "allow": ["Bash(ls:*)"] }
}
"#;

fn settings(home: &Home, folder: &str, text: &str) -> (String, PathBuf) {
    let folder = home.outside(folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let file = folder.join("settings.json");
    std::fs::write(&file, text).expect("a file can be written");
    (folder.to_str().expect("temporary folders have plain names").to_owned(), file)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// Everything in a folder.
fn listing(folder: &str) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let entry = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, std::fs::read(entry.path()).unwrap_or_default())
    };
    let mut all: Vec<_> = entries.flatten().map(entry).collect();
    all.sort();
    all
}

/// The files of the only agent in an answer.
fn files(answer: &Value) -> &[Value] {
    assert_eq!(answer["agents"].as_array().map(Vec::len), Some(1), "{answer}");
    answer["agents"][0]["files"].as_array().expect("an agent has files")
}

/// What `doctor` says of the connection, looking where the agent keeps its settings.
fn connection(home: &Home, config: &str) -> (String, String) {
    let mut command = home.command();
    command.args(["--json", "doctor"]).env("CLAUDE_CONFIG_DIR", config);
    let output = command.output().expect("the program starts");
    let found: Value = serde_json::from_slice(&output.stdout).expect("doctor answers in JSON");
    let checks = found["checks"].as_array().expect("doctor lists its checks");
    let check = checks.iter().find(|check| check["name"] == "claude-code").expect("it is checked");
    let text = |name: &str| check[name].as_str().unwrap_or_default().to_owned();
    (text("outcome"), text("detail"))
}

#[test]
fn connecting_shows_the_change_keeps_a_copy_and_leaves_the_rest_alone() {
    let home = Home::new();
    let (config, file) = settings(&home, "claude", SETTINGS);
    let planned = home.page(&["init", "--config", &config, "--dry-run"]);
    let added: Vec<&str> = planned.lines().filter(|line| line.starts_with('+')).collect();
    assert!(added.iter().any(|line| line.contains("SessionStart")), "{planned}");
    let page = home.page(&["init", "--config", &config]);
    assert!(page.contains("10 hooks in") && page.contains("settings.json"), "{page}");
    assert!(page.contains("the MCP server in") && page.contains("Connected."), "{page}");
    let after = read(&file);
    for kept in ["// mine, do not touch", "/* a bell */", "\"bell.sh\"", "Bash(ls:*)", "\"opus\""] {
        assert!(after.contains(kept), "{kept}: {after}");
    }
    assert!(after.contains(PROGRAM), "{after}");
    assert_eq!(read(&file.with_extension("json.throughline-backup")), SETTINGS);

    let again = home.json(&["init", "--config", &config]);
    assert_eq!(again["changed"], false);
    assert_eq!(again["agents"][0]["files"][0]["diff"], "");
    assert_eq!(read(&file), after, "twice is once");
}

#[test]
fn letting_go_gives_back_the_very_same_bytes() {
    for text in [SETTINGS, "{}", "{\r\n\t\"model\": \"opus\"\r\n}", "", "{\"hooks\": {}}\n"] {
        let home = Home::new();
        let (config, file) = settings(&home, "claude", text);
        let before = listing(&config);
        home.json(&["init", "--config", &config]);
        assert_ne!(read(&file), text);
        let gone = home.json(&["uninstall", "--config", &config]);
        assert_eq!(gone["changed"], true);
        assert_eq!(listing(&config), before, "{text:?}");
        let again = home.page(&["uninstall", "--config", &config]);
        assert!(again.contains("Not connected"), "{again}");
        assert_eq!(listing(&config), before, "{text:?}");
    }
}

#[test]
fn a_change_of_the_owners_in_between_stays_when_we_go() {
    let home = Home::new();
    let (config, file) = settings(&home, "claude", SETTINGS);
    home.json(&["init", "--config", &config]);
    std::fs::write(&file, read(&file).replace("\"opus\"", "\"sonnet\"")).unwrap();
    home.json(&["uninstall", "--config", &config]);
    assert_eq!(read(&file), SETTINGS.replace("\"opus\"", "\"sonnet\""));
}

#[test]
fn settings_that_we_made_go_with_us() {
    let home = Home::new();
    let config = home.arg("new");
    let done = home.json(&["init", "--config", &config]);
    let file = home.outside("new").join("settings.json");
    let [hooks, servers] = files(&done) else { panic!("hooks and servers: {done}") };
    assert_eq!(hooks["settings"], file.to_str().unwrap());
    assert_eq!(servers["settings"], home.arg("new/.claude.json"));
    assert_eq!(strings(&servers["events"]), ["mcp"]);
    assert_eq!(done["agents"][0]["agent"], "claude-code");
    let events = strings(&hooks["events"]);
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd"] {
        assert!(events.contains(&event), "{events:?}");
    }
    let written: Value = serde_json::from_str(&read(&file)).expect("settings are JSON");
    let hook = &written["hooks"]["Stop"][0]["hooks"][0];
    assert_eq!(hook["command"], PROGRAM);
    assert_eq!(hook["args"], json!(["hook", "Stop", "--agent", "claude-code"]));
    home.json(&["uninstall", "--config", &config]);
    assert_eq!(listing(&config), []);
}

#[test]
fn a_dry_run_shows_and_writes_nothing() {
    let home = Home::new();
    let (config, file) = settings(&home, "claude", SETTINGS);
    let before = listing(&config);
    let planned = home.json(&["init", "--config", &config, "--dry-run"]);
    assert_eq!(planned["changed"], true);
    let diff = files(&planned)[0]["diff"].as_str().expect("a change is shown");
    assert!(diff.contains("UserPromptSubmit"), "{diff}");
    assert_eq!(listing(&config), before);
    let page = home.page(&["init", "--config", &config, "--dry-run"]);
    assert!(page.contains("Nothing was written"), "{page}");
    let done = home.json(&["init", "--config", &config]);
    assert_eq!(done, planned, "a dry run shows what a run then does");
    let connected = read(&file);
    home.json(&["uninstall", "--config", &config, "--dry-run"]);
    assert_eq!(read(&file), connected);
    let fresh = home.arg("fresh");
    home.json(&["init", "--config", &fresh, "--dry-run"]);
    assert!(!home.outside("fresh").exists());
    home.json(&["uninstall", "--config", &config]);
    assert_eq!(listing(&config), before);
}

#[test]
fn here_means_the_settings_of_the_project() {
    let home = Home::new();
    std::fs::create_dir_all(home.project().join(".git")).unwrap();
    std::fs::create_dir_all(home.project().join("src/deep")).unwrap();
    let deep = home.from("webshop/src/deep");
    let done = deep.json(&["init", "--here", "--agent", "claude-code"]);
    let root = home.project().canonicalize().unwrap();
    let file = root.join(".claude/settings.json");
    let [hooks, servers] = files(&done) else { panic!("hooks and servers: {done}") };
    assert_eq!(hooks["settings"], file.to_str().unwrap());
    assert_eq!(servers["settings"], root.join(".mcp.json").to_str().unwrap());
    assert!(read(&root.join(".mcp.json")).contains("\"throughline\""));
    assert!(!read(&root.join(".mcp.json")).contains(PROGRAM), "others have other machines");
    assert!(read(&file).contains("SessionStart"));
    let (outcome, detail) = connection(&home, &home.arg("nothing"));
    assert_eq!(outcome, "note", "it is called by its name: {detail}");
    let page = deep.run(&["init", "--here", "--agent", "claude-code"]).stdout;
    assert!(page.contains("Nothing to change"), "{page}");
    deep.json(&["uninstall", "--here"]);
    assert!(!file.exists() && !root.join(".mcp.json").exists());
}

#[test]
fn settings_that_cannot_be_understood_are_left_alone_and_named() {
    for (text, words) in [
        ("{ \"hooks\": ", "not JSON"),
        ("model = \"opus\"\n", "not JSON"),
        ("[1, 2]", "expected form"),
        ("{\"hooks\": []}", "expected form"),
        ("{\"hooks\": {\"Stop\": \"bell.sh\"}}", "expected form"),
    ] {
        let home = Home::new();
        let (config, _) = settings(&home, "claude", text);
        let before = listing(&config);
        for command in ["init", "uninstall"] {
            let run = home.run(&["--json", command, "--config", &config]);
            if command == "uninstall" && run.code == 0 {
                continue; // nothing of ours is in there
            }
            assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{command} {text}");
            let told: Value = serde_json::from_str(&run.stderr).expect("the error is JSON");
            let message = told["error"]["message"].as_str().expect("an error has a message");
            assert!(message.contains(words) && message.contains("settings.json"), "{message}");
        }
        assert_eq!(listing(&config), before, "{text}");
    }
    let home = Home::new();
    let folder = home.outside("claude/settings.json");
    std::fs::create_dir_all(&folder).unwrap();
    let (code, error) = home.error(&["init", "--config", &home.arg("claude")]);
    assert_eq!(code, 1);
    assert!(error["message"].as_str().is_some_and(|text| text.contains("a folder")), "{error}");
}

#[test]
fn doctor_tells_whether_an_agent_is_connected_and_to_what() {
    let home = Home::new();
    let (config, file) = settings(&home, "claude", SETTINGS);
    assert_eq!(connection(&home, &config), ("note".to_owned(), "not connected".to_owned()));
    home.json(&["init", "--config", &config]);
    let (outcome, detail) = connection(&home, &config);
    assert_eq!(outcome, "fine");
    assert!(detail.contains("10 hooks in") && detail.contains("settings.json"), "{detail}");
    assert!(detail.contains("the MCP server in") && detail.contains(".claude.json"), "{detail}");
    let servers = home.outside("claude").join(".claude.json");
    let written = read(&servers);
    std::fs::write(&servers, "{}").unwrap();
    let (outcome, detail) = connection(&home, &config);
    assert_eq!(outcome, "note");
    assert!(detail.contains("the MCP server is missing"), "{detail}");
    std::fs::write(&servers, written).unwrap();
    std::fs::write(&file, read(&file).replace(PROGRAM, "/nowhere/throughline")).unwrap();
    let (outcome, detail) = connection(&home, &config);
    assert_eq!(outcome, "note");
    assert!(
        detail.contains("/nowhere/throughline") && detail.contains("no longer exists"),
        "{detail}"
    );
    let mended = home.json(&["init", "--config", &config]);
    assert_eq!(mended["changed"], true);
    assert_eq!(connection(&home, &config).0, "fine", "init puts the right path in");
    home.json(&["uninstall", "--config", &config]);
    assert_eq!(read(&file), SETTINGS);
}

/// A folder with programs that do nothing, as a search path.
#[cfg(unix)]
fn programs(home: &Home, names: &[&str]) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = home.outside("bin");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    for name in names {
        let file = folder.join(name);
        std::fs::write(&file, "#!/bin/sh\n").expect("a file can be written");
        let permissions = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&file, permissions).expect("it can be run");
    }
    folder
}

#[cfg(unix)]
#[test]
fn the_agents_own_model_is_offered_and_switched_on_only_by_the_user() {
    let home = Home::new();
    let path = programs(&home, &["claude"]);
    let (config, _) = settings(&home, "claude", "{}");
    let init = |more: &[&str], shell: &[(&str, &str)]| {
        let mut command = home.command();
        command.env("PATH", &path).env("CLAUDE_CONFIG_DIR", &config).envs(shell.iter().copied());
        command.args(["init", "--agent", "claude-code"]).args(more);
        crate::harness::Run::from(command.output().expect("the program starts"))
    };
    let provider = || home.json(&["config", "get", "llm.provider"])["value"].clone();
    let first = init(&[], &[]);
    assert!(first.stdout.contains("--read-along claude"), "{}", first.stdout);
    assert_eq!((first.code, provider()), (0, json!("none")), "nothing by itself");
    assert_eq!(init(&["--read-along", "claude"], &[("CLAUDECODE", "1")]).code, 1);
    assert_eq!(provider(), "none", "an agent does not decide where words are sent");
    assert_ne!(init(&["--read-along", "codex"], &[]).code, 0, "it is not installed");
    let yes = init(&["--read-along", "claude"], &[]);
    assert_eq!(yes.code, 0, "{}", yes.stderr);
    for told in ["without secrets", "20 questions a session", "200000 tokens a day"] {
        let page = yes.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(told), "{told}: {page}");
    }
    assert_eq!(provider(), "command");
    assert_eq!(home.json(&["config", "get", "llm.command"])["value"], "claude -p");
    assert!(!init(&[], &[]).stdout.contains("--read-along"), "offered no more");
}
