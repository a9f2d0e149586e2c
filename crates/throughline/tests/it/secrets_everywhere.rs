//! A secret in every argument of every command, in every field of every hook and in every argument
//! of every tool: afterwards no file of the home holds it, and none is named after it.

use serde_json::{Value, json};

use crate::harness::Home;
use crate::hooking::{Agent, PATIENT, call, run};
use crate::secrets::assert_gone;

/// A token that is known by its shape.
fn token() -> String {
    ["gh", "p_", "16C7e42F292c6912", "E7710c838347Ae178B4a"].concat()
}

/// Commands. {A} and {B} are memories, {T} is the token, {S} a sentence with it.
const CASES: &[&[&str]] = &[
    &["remember", "{S}"],
    &["remember", "one", "--tag", "{T}"],
    &["remember", "two", "--because", "{S}"],
    &["remember", "three", "--slot", "{SLOT}"],
    &["remember", "four", "--domain", "{T}"],
    &["remember", "five", "--label", "{S}"],
    &["remember", "six", "--trigger", "{T}"],
    &["remember", "seven", "--watch", "{FILE}"],
    &["remember", "eight", "--watch", "{FLAG}"],
    &["remember", "nine", "--kind", "{T}"],
    &["remember", "ten", "--session", "{T}", "--scope", "session"],
    &["--session", "{T}", "recall", "which cache do we use?"],
    &["recall", "{S}"],
    &["recall", "{T}", "--explain"],
    &["why-not", "{A}", "{S}"],
    &["read", "{S}"],
    &["read", "yes", "--before", "{S}"],
    &["search", "{T}"],
    &["list", "--tag", "{T}"],
    &["list", "--domain", "{T}"],
    &["edit", "{A}", "{S}"],
    &["edit", "{A}", "--label", "{S}"],
    &["edit", "{A}", "--domain", "{T}"],
    &["edit", "{A}", "--slot", "{SLOT}"],
    &["edit", "{A}", "--trigger", "{T}"],
    &["tag", "{A}", "{T}"],
    &["tag", "{A}", "--remove", "{T}"],
    &["link", "{A}", "relates_to", "{B}", "--reason", "{S}"],
    &["link", "{A}", "{T}", "{B}"],
    &["verify", "{A}", "--confirmed", "--evidence", "{S}"],
    &["verify", "{B}", "--refuted", "--evidence", "{S}"],
    &["correct", "{A}", "{S}", "--slot", "{SLOT}"],
    &["archive", "{A}", "--reason", "{S}"],
    &["forget", "{A}", "--reason", "{S}"],
    &["review", "--reject", "{A}", "--reason", "{S}"],
    &["review", "--merge", "{A}", "--text", "{S}"],
    &["show", "{T}"],
    &["undo", "{T}"],
    &["purge", "{T}", "--yes"],
    &["expand", "{T}"],
    &["graph", "--focus", "{T}"],
    &["config", "get", "{T}"],
    &["ingest", "{TURNS}"],
    &["import", "{TURNS}"],
    &["sleep"],
];

#[test]
fn no_argument_of_any_command_leaves_a_secret() {
    every_command(&Home::new(), &token(), |_| true);
}

/// Gives every command a secret in every argument that is `wanted`, and looks for it after each.
pub(crate) fn every_command(home: &Home, token: &str, wanted: fn(&[&str]) -> bool) {
    let said = format!("it says {token} there");
    let (slot, file, flag) =
        (format!("db|{token}|16|one"), format!("file:{token}.rs"), format!("flag:{token}"));
    let turn = json!({
        "session": token, "speaker": "user", "text": said, "at": "2026-03-01T09:00:00Z",
        "id": token,
    });
    let turns = home.outside("turns.jsonl");
    std::fs::write(&turns, format!("{turn}\n")).expect("a file can be written");
    for (at, case) in CASES.iter().enumerate().filter(|(_, case)| wanted(case)) {
        let ids = ["cache", "queue"].map(|part| {
            let is_named = case.contains(&"{A}") || case.contains(&"{B}");
            if is_named {
                home.remember(&format!("The {part} has {at} nodes"))
            } else {
                String::new()
            }
        });
        let filled: Vec<String> = case
            .iter()
            .map(|arg| match *arg {
                "{A}" => ids[0].clone(),
                "{B}" => ids[1].clone(),
                "{T}" => token.to_owned(),
                "{S}" => said.clone(),
                "{SLOT}" => slot.clone(),
                "{FILE}" => file.clone(),
                "{FLAG}" => flag.clone(),
                "{TURNS}" => turns.display().to_string(),
                other => other.to_owned(),
            })
            .collect();
        let args: Vec<&str> = filled.iter().map(String::as_str).collect();
        home.run(&args);
        assert_gone(home, &[token], &format!("{case:?}"));
    }
}

#[test]
fn no_folder_that_is_named_after_a_secret_leaves_it() {
    let (home, token) = (Home::new(), token());
    let other = format!("{}9", &token[..token.len() - 1]);
    let seen = home.from(&token);
    seen.remember_with(&["The cache runs on Redis"]);
    seen.json(&["recall", "what does the cache run on?"]);
    Agent { home: &home, session: "one".to_owned(), folder: home.outside(&token) }
        .hears("We decided to use Postgres for orders because of the reports.");
    assert_gone(&home, &[&token], "a project's folder");
    let elsewhere = home.from(&other).texts(&["list"]);
    assert_eq!(elsewhere, Vec::<String>::new(), "another folder is another project");
}

#[test]
fn no_field_of_any_hook_leaves_a_secret() {
    let token = token();
    let said = format!("we use {token} in staging");
    let tool = json!({
        "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": {"command": "ls"}, "tool_response": {"stdout": "fine", "stderr": ""},
    });
    let with = |name: &str, value: Value| {
        let mut fields = tool.clone();
        fields[name] = value;
        fields
    };
    let cases: Vec<(&str, Value)> = vec![
        ("SessionStart", json!({"source": token})),
        ("UserPromptSubmit", json!({"prompt": said})),
        ("UserPromptSubmit", json!({"prompt": "we use Redis", "session_id": token})),
        ("UserPromptSubmit", json!({"prompt": "we use Redis", "cwd": format!("/tmp/{token}")})),
        (
            "UserPromptSubmit",
            json!({"prompt": "we use Redis", "transcript_path": format!("/t/{token}")}),
        ),
        ("UserPromptSubmit", json!({"prompt": "we use Redis", "hook_event_name": token})),
        ("UserPromptSubmit", json!({"prompt": "we use Redis", "permission_mode": token})),
        (&token, json!({"prompt": "we use Redis"})),
        ("PreToolUse", with("tool_name", json!(token))),
        ("PostToolUse", with("tool_name", json!(token))),
        ("PostToolUse", with("tool_use_id", json!(token))),
        ("PostToolUse", with("tool_input", json!({"command": format!("login {token}")}))),
        ("PostToolUse", with("tool_input", json!({"file_path": format!("/tmp/{token}")}))),
        ("PostToolUse", with("tool_input", json!({"file_path": "a", "content": said}))),
        ("PostToolUse", with("tool_response", json!({"stdout": said, "stderr": token}))),
        // The middle of a long output is cut out, and must not cut a secret in two.
        (
            "PostToolUse",
            with(
                "tool_response",
                json!(format!("{}{token}{}", "x ".repeat(1_310), "y ".repeat(4_000))),
            ),
        ),
        (
            "PostToolUseFailure",
            json!({"tool_name": "Bash", "tool_use_id": "u", "tool_input": {"command": "x"}, "error": said}),
        ),
        ("PostCompact", json!({"compact_summary": said})),
        ("Stop", json!({"last_assistant_message": said})),
        ("SubagentStop", json!({"agent_type": "helper", "last_assistant_message": said})),
        ("SessionEnd", json!({"reason": token})),
    ];
    let parts = [&token[..token.len() / 2], &token[token.len() / 2..]];
    for (event, fields) in &cases {
        let home = Home::new();
        let agent = Agent::new(&home, "one");
        agent.call(event, fields, &[]);
        agent.call("Stop", &json!({"last_assistant_message": "done"}), &[]);
        agent.call("SessionEnd", &json!({"reason": "other"}), &[]);
        let after = format!("{event} {fields}");
        assert_gone(&home, &[&token, parts[0], parts[1]], &after[..after.floor_char_boundary(300)]);
    }
}

#[test]
fn no_field_of_another_hosts_hook_leaves_a_secret() {
    let token = token();
    let cases = [
        (
            "codex",
            "UserPromptSubmit",
            json!({"session_id": token, "cwd": "/tmp", "prompt": "we use Redis"}),
        ),
        (
            "gemini",
            "BeforeAgent",
            json!({"session_id": token, "cwd": "/tmp", "prompt": "we use Redis"}),
        ),
        (
            "cursor",
            "beforeSubmitPrompt",
            json!({"conversation_id": token, "workspace_roots": [format!("/tmp/{token}")], "prompt": "we use Redis"}),
        ),
        (
            "opencode",
            "chat.message",
            json!({"hook": "chat.message", "directory": format!("/tmp/{token}"), "input": {"sessionID": token}, "output": {"parts": [{"type": "text", "text": "we use Redis"}]}}),
        ),
        (
            "opencode",
            &token,
            json!({"hook": token, "directory": "/tmp", "input": {"sessionID": "one"}}),
        ),
    ];
    for (host, event, payload) in &cases {
        let home = Home::new();
        home.remember("The queue runs on Kafka");
        let mut command = home.command();
        command.args(["hook", event, "--agent", host]).env(PATIENT.0, PATIENT.1);
        run(command, payload.to_string().as_bytes());
        assert_gone(&home, &[&token], &format!("{host} {event} {payload}"));
    }
    let home = Home::new();
    home.remember("The queue runs on Kafka");
    call(home.command(), &token, b"{ no JSON", &[PATIENT]);
    assert_gone(&home, &[&token], "an event of that name");
}

#[test]
fn no_argument_of_any_tool_leaves_a_secret() {
    for profile in ["default", "server-memory"] {
        every_tool(&Home::new(), profile, &token());
    }
}

/// Gives every tool of a profile a secret in every argument, and looks for it after each.
pub(crate) fn every_tool(home: &Home, profile: &str, token: &str) {
    let said = format!("it says {token} there");
    let id = home.remember("The cache runs on Redis");
    let other = home.remember("The queue runs on Kafka");
    let mut client = if profile == "default" { home.mcp() } else { home.mcp_profile(profile) };
    let tools = client.get("tools/list", json!({}));
    let tools = tools["tools"].as_array().expect("tools are listed").clone();
    assert!(tools.len() >= 8, "{profile}: {tools:?}");
    for tool in &tools {
        let name = tool["name"].as_str().expect("a tool has a name");
        let properties = tool["inputSchema"]["properties"].as_object().cloned();
        for (property, schema) in properties.unwrap_or_default() {
            for secret in [token, &said] {
                let mut arguments = usual(tool, &id, &other);
                arguments[&property] = filled(&schema, secret);
                client.try_call(name, arguments);
            }
        }
        assert_gone(home, &[token], &format!("{profile} {name}"));
    }
}

/// Arguments that a tool does something with.
fn usual(tool: &Value, id: &str, other: &str) -> Value {
    let mut arguments = json!({});
    for required in tool["inputSchema"]["required"].as_array().into_iter().flatten() {
        let name = required.as_str().expect("a name");
        arguments[name] = match name {
            "id" | "from" | "memory" => json!(id),
            "to" | "other" => json!(other),
            "relation" => json!("relates_to"),
            "outcome" => json!("confirmed"),
            "helpful" => json!(true),
            "query" => json!("which cache do we use?"),
            _ => {
                let schema = &tool["inputSchema"]["properties"][name];
                filled(schema, "The cache is warm")
            }
        };
    }
    arguments
}

/// A value of the kind that a schema asks for, with `text` wherever a text may stand.
fn filled(schema: &Value, text: &str) -> Value {
    let kind = &schema["type"];
    let kind = kind.as_array().and_then(|kinds| kinds.first()).unwrap_or(kind);
    match kind.as_str().unwrap_or_default() {
        "array" => json!([filled(&schema["items"], text)]),
        "object" => {
            let fields = schema["properties"].as_object().cloned().unwrap_or_default();
            let fields = fields.iter().map(|(name, part)| (name.clone(), filled(part, text)));
            Value::Object(fields.collect())
        }
        "boolean" => json!(true),
        "integer" | "number" => json!(1),
        _ => json!(text),
    }
}

/// Signs that look random and are the same every time.
fn signs(alphabet: &str, length: usize) -> String {
    let alphabet = alphabet.as_bytes();
    let mut state = 0x2545_F491_4F6C_DD1D_u64 ^ (length as u64) << 7;
    let mut next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(alphabet[usize::from(state.to_le_bytes()[3]) % alphabet.len()])
    };
    (0..length).map(&mut next).collect()
}

/// Tokens of many services, invented and put together here, so that no scanner takes this file for a leak.
fn tokens() -> Vec<String> {
    let mixed = |n| signs("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", n);
    let hex = |n| signs("0123456789abcdef", n);
    let capitals = |n| signs("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", n);
    [
        ("gh", "p_", mixed(36)),
        ("gh", "s_", mixed(36)),
        ("github", "_pat_", format!("{}_{}", mixed(22), mixed(59))),
        ("gl", "pat-", mixed(20)),
        ("np", "m_", mixed(36)),
        ("py", "pi-AgEIcHlwaS5vcmc", mixed(120)),
        ("ruby", "gems_", hex(48)),
        ("dckr", "_pat_", mixed(27)),
        ("AK", "IA", capitals(16)),
        ("AI", "za", mixed(35)),
        ("GOC", "SPX-", mixed(28)),
        ("do", "p_v1_", hex(64)),
        ("hv", "s.", mixed(95)),
        ("pu", "l-", hex(40)),
        ("dp", ".pt.", mixed(43)),
        ("da", "pi", hex(32)),
        ("sk-", "ant-", format!("api03-{}AA", mixed(93))),
        ("sk", "-proj-", format!("{}T3BlbkFJ{}", mixed(74), mixed(74))),
        ("h", "f_", mixed(34)),
        ("gs", "k_", mixed(52)),
        ("xo", "xb-", format!("123456789012-123456789012-{}", mixed(24))),
        ("S", "G.", format!("{}.{}", mixed(22), mixed(43))),
        ("sk_", "live_", mixed(24)),
        ("lin", "_api_", mixed(40)),
    ]
    .iter()
    .map(|(one, two, rest)| format!("{one}{two}{rest}"))
    .collect()
}

#[test]
fn tokens_of_two_dozen_shapes_reach_no_file_and_no_export_and_a_mention_of_a_key_stays() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    let tokens = tokens();
    for (n, token) in tokens.iter().enumerate() {
        if n % 3 == 0 {
            agent.hears(&format!("Remember: mirror number {n} takes {token} as its pass"));
        } else if n % 3 == 1 {
            agent.answers(&format!("I used {token} for mirror number {n}."));
        } else {
            home.remember(&format!("Mirror number {n} is reached with {token} only"));
        }
    }
    let mention = "There is no API key in the build, and the token count stays below 800";
    home.remember(mention);
    agent.ends();
    home.json(&["sleep", "--deep"]);
    let export = home.page(&["export"]);
    let backup = home.arg("copy.db");
    home.json(&["backup", &backup]);
    let copy = std::fs::read(&backup).expect("the copy can be read");
    for token in &tokens {
        // Its secret part: what stands behind the mark of the service.
        let secret = &token[token.len() - 14..];
        assert_eq!(home.files_holding(secret), Vec::<std::path::PathBuf>::new(), "{token}");
        assert!(!export.contains(secret), "{token} is in the export");
        assert!(!String::from_utf8_lossy(&copy).contains(secret), "{token} is in the copy");
    }
    assert!(home.texts(&["list"]).contains(&mention.to_owned()), "{:?}", home.texts(&["list"]));
    assert!(export.contains(mention));
}
