//! Connecting every agent that is found here, each in its own settings, and letting all go again.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::harness::{Home, PROGRAM, Run, strings};

/// A machine with some agents on it.
struct Machine {
    home: Home,
}

const CODEX: &str = "# mine\nmodel = \"o5\" # the big one\n";
const GEMINI: &str = "{\r\n\t\"ui\": { \"theme\": \"GitHub\" } // dark\r\n}";
const OPENCODE: &str = "\u{feff}{\n  // mine\n  \"theme\": \"tokyo\",\n}\n";

impl Machine {
    fn new() -> Self {
        let machine = Self { home: Home::new() };
        std::fs::create_dir_all(machine.at(".claude")).expect("a folder can be made");
        machine.put(".codex/config.toml", CODEX);
        machine.put(".gemini/settings.json", GEMINI);
        machine.put(".config/opencode/opencode.jsonc", OPENCODE);
        machine
    }

    fn at(&self, name: &str) -> PathBuf {
        self.home.outside("person").join(name)
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().expect("a file lies in a folder"))
            .expect("a folder can be made");
        std::fs::write(path, text).expect("a file can be written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap_or_default()
    }

    fn command(&self) -> Command {
        let mut command = self.home.command();
        for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME"] {
            command.env_remove(name);
        }
        command.env("HOME", self.at("")).env("PATH", self.at("bin"));
        command
    }

    fn run(&self, args: &[&str]) -> Run {
        self.command().args(args).output().expect("the program starts").into()
    }

    fn json(&self, args: &[&str]) -> Value {
        let run = self.run(&[&["--json"], args].concat());
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
        serde_json::from_str(&run.stdout).expect("the answer is one JSON document")
    }

    /// Every file of the person's, with what stands in it.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let (mut found, mut open) = (Vec::new(), vec![self.at("")]);
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).expect("the folder can be listed") {
                let path = entry.expect("the folder can be listed").path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    found.push((path.clone(), std::fs::read(path).expect("it can be read")));
                }
            }
        }
        found.sort();
        found
    }

    /// What `doctor` and `status` say of an agent.
    fn says(&self, agent: &str) -> (String, String, String) {
        let run = self.run(&["--json", "doctor"]);
        let found: Value = serde_json::from_str(&run.stdout).expect("doctor answers in JSON");
        let checks = found["checks"].as_array().expect("doctor lists its checks");
        let check = checks.iter().find(|check| check["name"] == agent).expect("it is checked");
        let status = self.json(&["status"]);
        let agents = status["agents"].as_array().expect("status lists agents").iter();
        let state = agents.clone().find(|one| one["agent"] == agent).expect("it is listed");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&check["outcome"]), text(&check["detail"]), text(&state["state"]))
    }
}

fn agents(answer: &Value) -> Vec<&str> {
    let agents = answer["agents"].as_array().expect("an answer has agents");
    agents.iter().map(|one| one["agent"].as_str().expect("an agent has a name")).collect()
}

#[test]
fn every_agent_that_is_found_is_connected_and_all_are_let_go_to_the_byte() {
    let machine = Machine::new();
    let before = machine.files();
    let planned = machine.json(&["init", "--dry-run"]);
    assert_eq!(machine.files(), before, "a dry run writes nothing");
    for _ in 0..3 {
        let done = machine.json(&["init"]);
        assert_eq!(done, planned, "a dry run shows what a run then does");
        assert_eq!(agents(&done), ["claude-code", "codex", "gemini", "opencode"]);
        for name in [
            ".claude/settings.json",
            ".claude.json",
            ".codex/hooks.json",
            ".codex/config.toml",
            ".gemini/settings.json",
            ".config/opencode/opencode.jsonc",
            ".config/opencode/plugin/throughline.js",
        ] {
            assert!(machine.read(name).contains(PROGRAM), "{name}: {}", machine.read(name));
        }
        assert!(machine.read(".codex/config.toml").starts_with(CODEX));
        assert_eq!(machine.json(&["init"])["changed"], false, "twice is once");
        let gone = machine.json(&["uninstall"]);
        assert_eq!(gone["changed"], true);
        assert_eq!(machine.files(), before);
    }
    assert_eq!(machine.json(&["uninstall"])["changed"], false);
}

#[test]
fn the_diff_is_shown_and_what_was_done_is_said_in_a_line_for_each_file() {
    let machine = Machine::new();
    machine.json(&["init", "--agent", "gemini"]);
    let tidy = |run: &Run| {
        let folder = machine.at("").display().to_string();
        run.stdout.replace(&folder, "[HOME]/").replace("[HOME]//", "[HOME]/")
    };
    let page = tidy(&machine.run(&["init"]));
    let (diff, done) = page.split_once("Claude Code").unwrap();
    assert!(diff.contains("[HOME]/.codex/config.toml\n@@ -1,2 +1,7 @@\n # mine\n"), "{diff}");
    assert!(diff.contains("+[mcp_servers.throughline]\n"), "{diff}");
    assert!(diff.contains("throughline.js\na new file of Throughline's own"), "{diff}");
    insta::assert_snapshot!(format!("Claude Code{done}"), @r"
    Claude Code connected    10 hooks in [HOME]/.claude/settings.json
                             the MCP server in [HOME]/.claude.json
    Codex       connected    9 hooks in [HOME]/.codex/hooks.json
                             the MCP server in [HOME]/.codex/config.toml
    Gemini CLI  connected already
    opencode    connected    the MCP server in [HOME]/.config/opencode/opencode.jsonc
                             the plugin in [HOME]/.config/opencode/plugin/throughline.js

    Connected. What you decide, correct and prefer is kept from the next session on.
    Codex does not run hooks that you have not trusted, and `codex exec` does not say so: start `codex`, open /hooks and trust them. Do it again whenever `init` changes them.
    `throughline` is not on your PATH. Agents have its full path; add its folder to your PATH to call it by its name yourself.
    `throughline ingest --past` imports past sessions; `doctor` checks the connection; `uninstall` restores the files.
    ");
    insta::assert_snapshot!(tidy(&machine.run(&["init"])), @r"
    Claude Code connected already
    Codex       connected already
    Gemini CLI  connected already
    opencode    connected already

    Nothing to change.
    ");
    insta::assert_snapshot!(tidy(&machine.run(&["uninstall"])), @r"
    Claude Code disconnected 10 hooks in [HOME]/.claude/settings.json
                             the MCP server in [HOME]/.claude.json
    Codex       disconnected 9 hooks in [HOME]/.codex/hooks.json
                             the MCP server in [HOME]/.codex/config.toml
    Gemini CLI  disconnected 6 hooks and the MCP server in [HOME]/.gemini/settings.json
    opencode    disconnected the MCP server in [HOME]/.config/opencode/opencode.jsonc
                             the plugin in [HOME]/.config/opencode/plugin/throughline.js

    Disconnected. Your memories are kept.
    ");
    insta::assert_snapshot!(tidy(&machine.run(&["uninstall"])), @"Not connected; nothing to change");
}

#[test]
fn a_program_that_is_not_on_the_path_is_called_by_its_full_path_and_doctor_says_so() {
    let machine = Machine::new();
    let program = |machine: &Machine| {
        let run = machine.run(&["--json", "doctor"]);
        let found: Value = serde_json::from_str(&run.stdout).expect("doctor answers in JSON");
        let checks = found["checks"].as_array().expect("doctor lists its checks").clone();
        checks.into_iter().find(|check| check["name"] == "program").expect("it is checked")
    };
    let page = machine.run(&["init"]).stdout;
    assert!(page.contains("not on your PATH"), "{page}");
    assert!(machine.read(".codex/hooks.json").contains(PROGRAM));
    let check = program(&machine);
    assert_eq!(check["outcome"], "note", "{check}");
    assert!(check["detail"].as_str().is_some_and(|text| text.contains("not on your PATH")));

    // A link on the PATH that leads to us stays when what it leads to is upgraded, so it is used.
    let link = machine.at("bin/throughline");
    std::fs::create_dir_all(machine.at("bin")).unwrap();
    std::os::unix::fs::symlink(PROGRAM, &link).unwrap();
    let page = machine.run(&["init"]).stdout;
    assert!(page.contains("Connected.") && !page.contains("not on your PATH"), "{page}");
    let link = link.to_str().unwrap();
    assert!(machine.read(".codex/hooks.json").contains(link));
    assert!(machine.read(".claude.json").contains(link));
    assert_eq!(program(&machine)["outcome"], "fine");

    // Somebody else's program of our name goes before us.
    std::fs::remove_file(link).unwrap();
    machine.put("bin/throughline", "");
    let check = program(&machine);
    assert_eq!(check["outcome"], "note", "{check}");
    assert!(check["detail"].as_str().is_some_and(|text| text.contains(link)), "{check}");
}

#[test]
fn one_agent_can_be_connected_alone_wherever_it_keeps_its_settings() {
    let machine = Machine::new();
    let done = machine.json(&["init", "--agent", "gemini"]);
    assert_eq!(agents(&done), ["gemini"]);
    assert_eq!(machine.read(".codex/config.toml"), CODEX);
    for (variable, agent, file) in [
        ("CLAUDE_CONFIG_DIR", "claude-code", "settings.json"),
        ("CODEX_HOME", "codex", "hooks.json"),
        ("GEMINI_CLI_HOME", "gemini", ".gemini/settings.json"),
        ("XDG_CONFIG_HOME", "opencode", "opencode/opencode.json"),
    ] {
        let folder = machine.at("elsewhere").join(agent);
        let mut command = machine.command();
        command.env(variable, &folder).args(["init", "--agent", agent]);
        let run: Run = command.output().expect("the program starts").into();
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(folder.join(file).exists(), "{agent}");
    }
    let given = machine.at("given");
    machine.json(&["init", "--agent", "codex", "--config", given.to_str().unwrap()]);
    assert!(given.join("config.toml").exists());
}

#[test]
fn codex_is_said_to_need_trust_and_cursor_to_be_untested() {
    let machine = Machine::new();
    let page = machine.run(&["init", "--agent", "codex"]).stdout;
    assert!(page.contains("trust"), "{page}");
    let (outcome, detail, state) = machine.says("codex");
    assert_eq!((outcome.as_str(), state.as_str()), ("note", "connected"));
    assert!(detail.contains("none of its hooks was called yet"), "{detail}");
    let done = machine.json(&["init", "--agent", "cursor"]);
    let notes = strings(&done["agents"][0]["notes"]);
    assert!(notes[0].contains("untested"), "{notes:?}");
    let help = machine.run(&["init", "--help"]).stdout;
    assert!(help.contains("cursor (untested)"), "{help}");
}

#[test]
fn every_agent_is_listed_as_it_stands() {
    let machine = Machine::new();
    assert_eq!(
        machine.says("gemini"),
        ("note".into(), "not connected".into(), "not_connected".into())
    );
    assert_eq!(
        machine.says("cursor"),
        ("fine".into(), "not installed here".into(), "not_installed".into())
    );
    machine.json(&["init", "--agent", "gemini"]);
    let (outcome, detail, state) = machine.says("gemini");
    assert_eq!((outcome.as_str(), state.as_str()), ("fine", "connected"));
    assert!(detail.contains("6 hooks and the MCP server in"), "{detail}");
    let page = machine.run(&["status"]).stdout;
    assert!(page.contains("gemini connected") && page.contains("codex not connected"), "{page}");
    machine.put(".gemini/settings.json", "{ \"hooks\": ");
    let (outcome, detail, state) = machine.says("gemini");
    assert_eq!((outcome.as_str(), state.as_str()), ("note", "cannot_read"));
    assert!(detail.contains("cannot read") && detail.contains("settings.json"), "{detail}");
    assert!(!detail.contains("not connected"), "{detail}");
    machine.put(".codex/config.toml", "model = \n");
    assert_eq!(machine.says("codex").2, "cannot_read");
}

#[test]
fn an_agent_whose_file_cannot_be_understood_is_named_and_the_others_are_connected() {
    let machine = Machine::new();
    machine.put(".gemini/settings.json", "{ \"hooks\": ");
    let before = machine.files();
    for args in [&["--json", "init", "--dry-run"][..], &["--json", "init"]] {
        let run = machine.run(args);
        assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{args:?}");
        let done: Value = serde_json::from_str(&run.stdout).unwrap();
        for agent in done["agents"].as_array().unwrap() {
            let error = agent["error"].as_str().unwrap_or_default();
            assert_eq!(agent["agent"] == "gemini", !error.is_empty(), "{agent}");
            assert_eq!(agent["changed"] == true, error.is_empty(), "{agent}");
            let named = error.contains("not JSON") && error.contains("settings.json");
            assert!(error.is_empty() || named, "{error}");
        }
    }
    assert_eq!(machine.says("codex").2, "connected");
    assert_eq!(machine.read(".gemini/settings.json"), "{ \"hooks\": ");
    let page = machine.run(&["init"]);
    assert_eq!(page.code, 1);
    assert!(page.stdout.contains("Gemini CLI was left as it is"), "{}", page.stdout);
    // It does not speak of us, so it keeps nobody from leaving elsewhere.
    assert_eq!(machine.json(&["uninstall"])["changed"], true);
    assert_eq!(machine.files(), before);
    // Where it does, it is named, and the others are let go.
    machine.run(&["init"]);
    machine.put(".gemini/settings.json", "{ \"hooks\": \"throughline\"");
    let run = machine.run(&["uninstall"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("Gemini CLI was left as it is"), "{}", run.stdout);
    assert_eq!(machine.says("codex").2, "not_connected");
}

#[test]
fn a_copy_that_is_left_behind_is_named() {
    let machine = Machine::new();
    machine.json(&["init", "--agent", "gemini"]);
    let text = machine.read(".gemini/settings.json").replace("GitHub", "Dracula");
    machine.put(".gemini/settings.json", &text);
    let run = machine.run(&["uninstall", "--agent", "gemini"]);
    let copy = machine.at(".gemini/settings.json.throughline-backup");
    assert!(copy.exists(), "what the owner had before is not there any more");
    assert!(run.stdout.contains(copy.to_str().unwrap()), "{}", run.stdout);
    let again = machine.json(&["uninstall", "--agent", "gemini"]);
    assert_eq!(strings(&again["copies"]), [copy.to_str().unwrap()]);
    std::fs::remove_file(&copy).unwrap();
    assert_eq!(machine.json(&["uninstall", "--agent", "gemini"]).get("copies"), None);
}

#[test]
fn a_machine_without_agents_is_told_how_to_name_one() {
    let machine = Machine { home: Home::new() };
    std::fs::create_dir_all(machine.at("")).unwrap();
    let run = machine.run(&["--json", "init"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("--agent") && run.stderr.contains("opencode"), "{}", run.stderr);
    // A program of its name is enough to be found.
    machine.put("bin/codex", "");
    assert_eq!(agents(&machine.json(&["init"])), ["codex"]);
}

#[test]
fn a_project_can_be_connected_for_everybody_who_works_on_it() {
    let machine = Machine::new();
    machine.json(&["init", "--here"]);
    let root = machine.home.project();
    for name in [
        ".claude/settings.json",
        ".mcp.json",
        ".codex/hooks.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        "opencode.json",
        ".opencode/plugin/throughline.js",
    ] {
        let text = std::fs::read_to_string(root.join(Path::new(name))).unwrap_or_default();
        assert!(text.contains("\"throughline"), "{name}: {text}");
        // Others have other machines.
        let folder = Path::new(PROGRAM).parent().unwrap().to_str().unwrap();
        for mine in [folder, root.to_str().unwrap(), machine.at("").to_str().unwrap()] {
            assert!(!text.contains(mine), "{name}: {text}");
        }
    }
    let page = machine.run(&["init", "--here"]).stdout;
    assert!(page.contains("Nothing to change"), "{page}");
    assert_eq!(machine.says("gemini").2, "program_gone", "it is not on the PATH");
    machine.put("bin/throughline", "");
    assert_eq!(machine.says("gemini").2, "connected");
    machine.json(&["uninstall", "--here"]);
    for name in [".mcp.json", "opencode.json", ".codex/hooks.json", ".opencode/plugin"] {
        assert!(!root.join(name).exists(), "{name}");
    }
}

#[test]
#[cfg(unix)]
fn what_a_team_shares_can_be_read_by_it_and_leaves_no_empty_folder_behind() {
    use std::os::unix::fs::PermissionsExt as _;
    let machine = Machine::new();
    let root = machine.home.project();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    std::fs::write(root.join("usual"), "as others make files").unwrap();
    machine.json(&["init", "--here"]);
    for name in [".mcp.json", ".claude/settings.json", ".codex/hooks.json", "opencode.json"] {
        assert_eq!(mode(&root.join(name)), mode(&root.join("usual")), "{name}");
    }
    machine.json(&["init", "--agent", "claude-code"]);
    assert_eq!(mode(&machine.at(".claude/settings.json")), 0o600, "one person's own stays private");
    std::fs::write(root.join(".gemini").join("GEMINI.md"), "ours").unwrap();
    machine.json(&["uninstall", "--here"]);
    for name in [".claude", ".codex", ".opencode", ".mcp.json"] {
        assert!(!root.join(name).exists(), "{name}");
    }
    assert!(root.join(".gemini").join("GEMINI.md").exists(), "what others put there stays");
    assert!(machine.at(".claude").exists(), "a person's own folder stays");
}
