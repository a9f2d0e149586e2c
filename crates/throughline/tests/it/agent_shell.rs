//! A shell that an agent runs acts as that agent: it reads, and says what an agent may say; the rest
//! is told as the command that the user runs by hand.

use serde_json::{Value, json};

use crate::harness::{Home, Run};
use crate::hooking::Agent;

/// One variable of every host.
const SHELLS: [(&str, &str); 6] = [
    ("CLAUDECODE", "1"),
    ("CLAUDE_CODE_SESSION_ID", "5f0c2f4e"),
    ("CODEX_THREAD_ID", "019a"),
    ("GEMINI_CLI", "1"),
    ("OPENCODE", "1"),
    ("CURSOR_AGENT", "1"),
];

/// Runs a command in an agent's shell.
fn run(home: &Home, shell: (&str, &str), args: &[&str]) -> Run {
    home.command().env(shell.0, shell.1).args(args).output().expect("the program starts").into()
}

fn json(home: &Home, args: &[&str]) -> Value {
    let run = run(home, SHELLS[0], &[&["--json"], args].concat());
    assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
    serde_json::from_str(&run.stdout).expect("the answer is one JSON document")
}

/// A command that is answered, and that did not do what was asked.
fn not_done(home: &Home, args: &[&str]) -> Value {
    let run = run(home, SHELLS[0], &[&["--json"], args].concat());
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{args:?}");
    serde_json::from_str(&run.stdout).expect("the answer is one JSON document")
}

#[test]
fn what_was_not_done_for_an_agent_is_said_as_not_done() {
    let home = Home::new();
    let user = home.remember("Deploys need two approvals");
    let corrected = run(&home, SHELLS[0], &["correct", &user, "Deploys need one approval"]);
    assert_eq!(corrected.code, 1, "{}", corrected.stderr);
    assert!(corrected.stdout.starts_with("Not corrected: the memory stays"), "{corrected:?}");
    assert_eq!(home.show(&user)["state"], "confirmed");
    let own = json(&home, &["remember", "The cache holds 512 entries"])["memory"]["id"].clone();
    let text = "The cache holds 1024 entries";
    let corrected = run(&home, SHELLS[0], &["correct", own.as_str().unwrap(), text]);
    assert_eq!(corrected.code, 0, "{}", corrected.stderr);
    assert!(corrected.stdout.starts_with("Corrected"), "its own is replaced: {corrected:?}");
}

#[test]
fn remember_in_an_agents_shell_is_the_agents_word_in_every_host() {
    for (number, shell) in SHELLS.into_iter().enumerate() {
        let home = Home::new();
        let text = format!("The cache holds {number}00 entries");
        let kept = run(&home, shell, &["--json", "remember", &text, "--authority", "user_stated"]);
        assert_eq!(kept.code, 0, "{shell:?}: {}", kept.stderr);
        let kept: Value = serde_json::from_str(&kept.stdout).unwrap();
        let memory = &kept["memory"];
        assert_eq!(memory["authority"], "observed", "{shell:?}: {memory}");
        assert_eq!(memory["state"], "staged", "{shell:?}: {memory}");
        assert_eq!(home.json(&["log"])["batches"][0]["actor"], "agent", "{shell:?}");
    }
}

#[test]
fn the_users_verbs_are_refused_with_the_command_to_run_by_hand() {
    let home = Home::new();
    let user = home.remember_with(&["Deploys need two approvals", "--kind", "principle"]);
    let away = home.remember("The office is in Basel");
    home.json(&["archive", &away]);
    let theirs = home.json(&["log"])["batches"][0]["id"].as_str().unwrap().to_owned();
    let export = home.arg("own.jsonl");
    home.json(&["export", "-o", &export]);
    let everything = home.everything();
    for args in [
        vec!["purge", &user, "--yes"],
        vec!["edit", &user, "Deploys need no approval"],
        vec!["unarchive", &away],
        vec!["unsupersede", &user],
        vec!["pin", &user],
        vec!["pin", &user, "--off"],
        vec!["confirm", &user],
        vec!["tag", &user, "old"],
        vec!["undo"],
        vec!["undo", &theirs],
        vec!["review", "--accept", "abcdef12"],
        vec!["review", "--reject", "abcdef12"],
        vec!["review", "--keep-a", &user],
        vec!["config", "set", "llm.provider", "command"],
        vec!["config", "unset", "enabled"],
        vec!["import", &export],
        vec!["ingest", &export],
        vec!["export"],
        vec!["backup", &export],
        vec!["restore", &export],
        vec!["patch", &export, "--voice", "user"],
        vec!["uninstall"],
        vec!["project", "join"],
        vec!["project", "join", "--key", "github.com/acme/webshop"],
        vec!["project", "leave"],
        vec!["remember", "Deploys need no approval at all", "--pin"],
        vec!["remember", "Deploys need no approval at all", "--revive"],
    ] {
        let refused = run(&home, SHELLS[0], &[&["--json"], args.as_slice()].concat());
        assert_eq!(
            (refused.code, refused.stdout.as_str()),
            (1, ""),
            "{args:?}: {}",
            refused.stderr
        );
        let told: Value = serde_json::from_str(&refused.stderr).unwrap();
        assert_eq!(told["error"]["code"], "only_the_user", "{args:?}: {told}");
        let hint = told["error"]["hint"].as_str().unwrap();
        let verb = format!(" {}", args[0]);
        assert!(hint.contains("throughline ") && hint.contains(&verb), "{args:?}: {hint}");
    }
    assert_eq!(home.everything(), everything, "nothing was changed");
    assert_eq!(home.json(&["config", "get", "llm.provider"])["value"], "none");
}

#[test]
fn the_command_that_is_told_does_it_when_the_user_runs_it() {
    let home = Home::new();
    let user = home.remember("It's the \"old\" office in Basel");
    let words = ["edit", &user, "It's the \"new\" office"];
    let refused = run(&home, SHELLS[0], &[&["--json"], words.as_slice()].concat());
    let told: Value = serde_json::from_str(&refused.stderr).unwrap();
    let hint = told["error"]["hint"].as_str().unwrap();
    let command = hint.split_once(": ").expect("it tells a command").1;
    let command = command.replacen("throughline", crate::harness::PROGRAM, 1);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &command]);
    let done: Run = crate::harness::clean(shell).output().expect("there is a shell").into();
    assert_eq!(done.code, 0, "{command}: {}", done.stderr);
    assert_eq!(home.show(&user)["content"], "It's the \"new\" office");
}

#[test]
fn what_an_agent_wants_to_put_away_waits_for_the_user() {
    let home = Home::new();
    let user = home.remember_with(&["Deploys need two approvals", "--kind", "principle"]);
    let own = json(&home, &["remember", "Deploys need no approval"])["memory"]["id"].clone();
    let own = own.as_str().unwrap();
    for args in [
        vec!["archive", user.as_str()],
        vec!["forget", user.as_str()],
        vec!["supersede", user.as_str(), own],
        vec!["verify", user.as_str(), "--refuted", "--evidence", "nobody asked"],
    ] {
        assert_eq!(not_done(&home, &args)["waits"], true, "{args:?}");
    }
    let corrected = not_done(&home, &["correct", &user, "Deploys need one approval"]);
    assert_eq!(corrected["superseded"], json!([]), "{corrected}");
    assert_eq!(corrected["memory"]["authority"], "observed");
    let shown = home.show(&user);
    assert_eq!((&shown["state"], &shown["contested_by"]), (&json!("confirmed"), &json!([])));
    assert!(Agent::new(&home, "next").starts().contains("Deploys need two approvals"));
    let waits = home.json(&["review"]);
    assert_eq!(waits["contested"].as_array().unwrap().len(), 2, "{waits}");
    assert!(waits["pending"].as_array().unwrap().len() >= 2, "{waits}");
}

#[test]
fn an_agent_undoes_what_it_did_itself_and_reads_everything() {
    let home = Home::new();
    home.remember("Deploys need two approvals");
    let own = json(&home, &["remember", "The cache holds 512 entries"]);
    let batch = own["batch"].as_str().unwrap();
    json(&home, &["undo", batch]);
    assert_eq!(home.texts(&["list"]), ["Deploys need two approvals"]);
    for args in [
        vec!["recall", "approvals"],
        vec!["search", "approvals"],
        vec!["list"],
        vec!["log"],
        vec!["review"],
        vec!["status"],
        vec!["config"],
        vec!["verify", "--list"],
    ] {
        json(&home, &args);
    }
    let page = run(&home, SHELLS[0], &["export", "--format", "markdown"]);
    assert!(page.stdout.contains("Deploys need two approvals"), "{}", page.stderr);
}

#[test]
fn hooks_and_tools_go_on_working_inside_of_an_agent() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    let prompt = "Remember that deploys to production need two approvals.";
    let env = [("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "march")];
    let heard = agent.call("UserPromptSubmit", &json!({ "prompt": prompt }), &env);
    assert_eq!((heard.code, heard.stderr.as_str()), (0, ""));
    let stop = json!({"stop_hook_active": false, "last_assistant_message": "Noted."});
    assert_eq!(agent.call("Stop", &stop, &env).code, 0);
    let found = home.json(&["search", "approvals"]);
    assert_eq!(found["items"][0]["authority"], "user_stated", "the user said it: {found}");
}

#[test]
fn plugins_approve_reading_and_remember_beforehand_and_nothing_else() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins");
    let mut open = vec![root];
    let mut approved = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("plugins are part of the repository") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("it is a text");
            for part in text.split("Bash(").skip(1) {
                approved.push(part.split(')').next().unwrap_or_default().to_owned());
            }
        }
    }
    assert!(!approved.is_empty());
    let may = ["recall", "search", "why", "graph", "remember"];
    for rule in approved {
        let fits = may.iter().any(|verb| rule == format!("throughline {verb}:*"));
        assert!(fits, "{rule}");
    }
}

#[test]
fn a_shell_inside_an_agent_reaches_no_other_project() {
    let home = Home::new();
    home.outside("other");
    home.from("other").json(&["remember", "The vault code is lilac"]);
    let agent = |args: &[&str]| run(&home, SHELLS[0], args);
    let other = home.arg("other");
    for args in [
        &["list", "--project", &other][..],
        &["recall", "What is the vault code?", "--project", &other],
        &["export", "--format", "markdown", "--project", &other],
        &["project", "list"],
    ] {
        let run = agent(args);
        assert_eq!(run.code, 1, "{args:?}: {}", run.stdout);
        assert!(!format!("{}{}", run.stdout, run.stderr).contains("lilac"), "{args:?}");
        assert!(run.stderr.contains("only the user can look into another project"), "{args:?}");
    }
    assert_eq!(home.run(&["list", "--project", &other]).code, 0, "a person does");
}

/// The last lines of a server of tools that was asked for the vault code.
fn asked_by_tools(mut command: std::process::Command) -> String {
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "shell", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "recall", "arguments": {"query": "What is the vault code?"}}}),
    ];
    let lines: Vec<String> = messages.iter().map(Value::to_string).collect();
    command.arg("mcp");
    let done = crate::hooking::run(command, format!("{}\n", lines.join("\n")).as_bytes());
    format!("{}{}", done.stdout, done.stderr)
}

#[test]
fn a_server_of_tools_that_an_agent_starts_in_its_shell_reaches_no_other_project() {
    let home = Home::new();
    home.from("other").json(&["remember", "The vault code is lilac"]);
    let other = home.outside("other");
    let mut named = bare(&home);
    named.current_dir(home.project()).env("CLAUDECODE", "1").arg("--project").arg(&other);
    let mut set = bare(&home);
    set.current_dir(home.project()).env("CLAUDECODE", "1").env("CLAUDE_PROJECT_DIR", &other);
    for (how, command) in [("--project", named), ("CLAUDE_PROJECT_DIR", set)] {
        let told = asked_by_tools(command);
        assert!(!told.contains("lilac"), "{how}: {told}");
        assert!(told.contains("only the user can look into another project"), "{how}: {told}");
    }
    let mut own = bare(&home);
    own.current_dir(&other).env("CLAUDECODE", "1").env("CLAUDE_PROJECT_DIR", &other);
    assert!(asked_by_tools(own).contains("lilac"), "the host starts it where it works");
}

/// The program in a folder of the caller's choice, without a project on its command line.
fn bare(home: &Home) -> std::process::Command {
    let mut command = crate::harness::bare();
    command.arg("--home").arg(home.path());
    command
}

#[test]
fn an_agent_that_changes_into_another_project_finds_it_closed() {
    let home = Home::new();
    home.from("other").json(&["remember", "The vault code is lilac"]);
    home.remember("The queue has 4 workers");
    Agent::new(&home, "march").starts();
    let in_folder = |folder: &std::path::Path, args: &[&str]| -> Run {
        let mut command = bare(&home);
        let session = [("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "march")];
        command.current_dir(folder).envs(session).args(args);
        command.output().expect("the program starts").into()
    };
    let other = home.outside("other");
    for args in [
        &["recall", "What is the vault code?"][..],
        &["list"],
        &["remember", "The vault code is mauve"],
        &["mcp"],
    ] {
        let run = in_folder(&other, args);
        assert_eq!(run.code, 1, "{args:?}: {}", run.stdout);
        assert!(!format!("{}{}", run.stdout, run.stderr).contains("lilac"), "{args:?}");
        assert!(run.stderr.contains("only the user can look into another project"), "{args:?}");
    }
    let inside = home.project().join("src");
    std::fs::create_dir_all(&inside).expect("a folder can be made");
    for folder in [home.project(), inside] {
        let run = in_folder(&folder, &["list"]);
        assert_eq!(run.code, 0, "{}: {}", folder.display(), run.stderr);
    }
    assert_eq!(home.from("other").texts(&["list"]), ["The vault code is lilac"]);
}

#[test]
fn an_agent_says_nothing_for_all_projects() {
    let home = Home::new();
    let global = ["--json", "remember", "--scope", "global", "Everybody deploys from laptops"];
    let refused = run(&home, SHELLS[0], &global);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{}", refused.stderr);
    assert!(refused.stderr.contains("only the user can say something for all projects"));
    for args in [&["--scope", "global", "mcp"][..], &["--scope", "global", "memory-tool"]] {
        let refused = run(&home, SHELLS[0], args);
        assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{args:?}");
    }
    assert_eq!(home.from("other").texts(&["list", "--all"]), Vec::<String>::new());
    assert_eq!(home.run(&global).code, 0, "a person does");
}

#[test]
fn an_export_takes_no_other_files_place() {
    let home = Home::new();
    home.json(&["remember", "The queue has 4 workers"]);
    let database = home.database().display().to_string();
    let config = home.path().join("config.toml").display().to_string();
    for output in [&database, &config] {
        let args = ["export", "--format", "markdown", "--output", output];
        assert_eq!(run(&home, SHELLS[0], &args).code, 1, "{output}");
        assert_eq!(home.run(&args).code, 1, "{output}");
    }
    assert_eq!(home.texts(&["list"]), ["The queue has 4 workers"]);
    let fresh = home.arg("notes.md");
    for _ in 0..2 {
        let run = home.run(&["export", "--format", "markdown", "--output", &fresh]);
        assert_eq!(run.code, 0, "an older export may go: {}", run.stderr);
    }
    std::fs::write(&fresh, "My own notes").expect("the disk does as it is told");
    let over = home.run(&["export", "--format", "markdown", "--output", &fresh]);
    assert_eq!(over.code, 1);
    assert!(over.stderr.contains("exists already"), "{}", over.stderr);
    assert_eq!(std::fs::read_to_string(&fresh).expect("it is there"), "My own notes");
}
