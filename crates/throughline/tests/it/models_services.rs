//! Services: who may name one, where keys come from, who makes vectors, and what goes over the wire.

use serde_json::{Value, json};
use throughline_testing::server::{Reply, Server};

use crate::harness::{Home, bare};
use crate::hooking::{Agent, call};
use crate::models::{configure, says, session};
use crate::models_trouble::until;

const SAID: (&str, &str) =
    ("The label printer in the depot only understands ZPL, not PDF.", "Good to know.");

#[test]
fn a_project_cannot_name_a_service() {
    let home = Home::new();
    let evil = Server::start(|_| Reply::Nothing);
    let text =
        format!("[llm]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"{}\"\n", evil.address);
    std::fs::write(home.project().join(".throughline.toml"), &text).unwrap();
    std::fs::create_dir(home.project().join(".throughline")).unwrap();
    std::fs::write(home.project().join(".throughline/config.toml"), text).unwrap();
    let address = &evil.address;
    let text = format!(
        "OPENAI_BASE_URL={address}\nANTHROPIC_BASE_URL={address}\nTHROUGHLINE_LLM_BASE_URL={address}\n"
    );
    std::fs::write(home.project().join(".env"), text).unwrap();
    session(&home, &[SAID]);
    assert_eq!(home.json(&["work", "--once"])["configured"], false);
    let doctor = home.json(&["doctor"])["checks"].to_string();
    assert!(
        doctor.contains(
            ".throughline.toml names a model or an address; such settings of a project are ignored"
        ),
        "{doctor}"
    );
    // Nor does it redirect the one that the user named.
    let own = Server::start(|_| says(&json!({"operations": [], "verdicts": []})));
    configure(&home, &own);
    assert_eq!(home.json(&["work", "--once"])["asked"], 1);
    assert_eq!((own.heard().len(), evil.heard().len()), (1, 0));
}

#[test]
fn settings_that_cannot_work_are_refused_with_the_reason() {
    let home = Home::new();
    for (key, value, why) in [
        ("llm.provider", "skynet", "unknown provider"),
        ("llm.base_url", "http://api.example.com", "use https"),
        ("llm.base_url", "http://169.254.169.254", "never asked"),
        ("llm.base_url", "https://user:key@host", "is not an address"),
        ("llm.api_key_env", "sk-ant-a-real-key!", "name of a variable"),
        ("llm.tokens_per_day", "many", "a whole number"),
        ("embed.provider", "anthropic", "makes no vectors"),
    ] {
        let (code, error) = home.error(&["config", "set", key, value]);
        assert_eq!(code, 2);
        assert!(error["message"].as_str().is_some_and(|text| text.contains(why)), "{key}: {error}");
    }
    home.json(&["config", "set", "llm.provider", "anthropic"]);
    home.json(&["config", "set", "llm.model", "claude-haiku"]);
    let mut command = home.command();
    command.env_remove("ANTHROPIC_API_KEY");
    let run = command.args(["--json", "llm", "test"]).output().unwrap();
    let error = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(!run.status.success() && error.contains("ANTHROPIC_API_KEY"), "{error}");
    let doctor = home.json(&["doctor"])["checks"].to_string();
    assert!(doctor.contains("by rules only: anthropic claude-haiku cannot be used"), "{doctor}");
}

#[test]
fn a_key_comes_from_the_environment_or_a_private_file_and_is_never_shown() {
    let home = Home::new();
    let server = Server::start(|_| says(&json!({"answer": "yes"})));
    configure(&home, &server);
    let test = |key: Option<&str>| {
        let mut command = home.command();
        command.env_remove("OPENAI_API_KEY");
        command.envs(key.map(|key| ("OPENAI_API_KEY", key)));
        let run = command.args(["--json", "llm", "test"]).output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let heard = server.heard().pop().unwrap();
        heard.header("authorization").map(str::to_owned)
    };
    assert_eq!(test(None), None);
    assert_eq!(test(Some("sk-environment")), Some("Bearer sk-environment".to_owned()));
    let mut keeps = home.command();
    keeps
        .args(["llm", "key"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut child = keeps.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"sk-filed-away\n").unwrap();
    let kept = child.wait_with_output().unwrap();
    assert!(kept.status.success() && !String::from_utf8_lossy(&kept.stdout).contains("sk-filed"));
    assert_eq!(test(None), Some("Bearer sk-filed-away".to_owned()));
    let doctor = home.json(&["doctor", "--llm"])["checks"].to_string();
    assert!(doctor.contains("by rules and openai small, which answers"), "{doctor}");
    for page in [home.page(&["config"]), home.page(&["status"]), home.page(&["doctor"])] {
        assert!(!page.contains("sk-filed"), "{page}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = home.path().join("llm.key");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let run =
            home.command().env_remove("OPENAI_API_KEY").args(["llm", "test"]).output().unwrap();
        assert!(String::from_utf8_lossy(&run.stderr).contains("can be read by other users"));
    }
}

#[test]
fn a_service_makes_vectors_beside_ours_and_hooks_never_ask_it() {
    let home = Home::live();
    // Its vectors know one thing: what is about ships.
    let server = Server::start(|heard| {
        let texts: Vec<String> =
            serde_json::from_value(heard.body["input"].clone()).unwrap_or_default();
        let about = |text: &String| text.contains("vessel") || text.contains("Marigold");
        let rows: Vec<Value> = texts
            .iter()
            .map(|text| if about(text) { json!([1.0, 0.05, 0.0]) } else { json!([0.0, 0.1, 1.0]) })
            .collect();
        Reply::json(&json!({"embeddings": rows}))
    });
    for text in ["Marigold sails on Tuesdays", "The cook prefers gas", "Deploys need two approvals"]
    {
        home.remember(text);
    }
    for (key, value) in [
        ("embed.provider", "ollama"),
        ("embed.model", "ships"),
        ("embed.base_url", &server.address),
    ] {
        home.json(&["config", "set", key, value]);
    }
    let doctor = home.json(&["doctor"])["checks"].to_string();
    assert!(doctor.contains("3 texts have no vector of ollama ships yet"), "{doctor}");
    let question = "When does the vessel depart?";
    assert_eq!(server.heard().len(), 0, "until then the built-in model looks");
    home.json(&["recall", question]);
    assert_eq!(server.heard().len(), 0);
    let worked = home.json(&["work", "--once"]);
    assert_eq!(worked["embedded"], 3, "{worked}");
    assert_eq!(home.json(&["work", "--once"])["embedded"], 0, "each text once");
    let found = home.json(&["recall", question, "--explain"]);
    assert_eq!(server.heard().last().map(|one| one.body["input"].clone()), Some(json!([question])));
    let best = &found["candidates"][0];
    assert!(best.to_string().contains("Marigold"), "{found}");
    // A hook looks with the built-in model, and asks nobody.
    let asked = server.heard().len();
    Agent::new(&home, "s1").hears(question);
    assert_eq!(server.heard().len(), asked);
    home.json(&["config", "set", "embed.base_url", "http://127.0.0.1:9"]);
    assert!(home.json(&["recall", question])["items"].is_array(), "without it, ours");
}

#[test]
fn an_embedding_service_that_hangs_keeps_no_agent_waiting() {
    let home = Home::live();
    let server = Server::start(|_| Reply::Silence);
    home.remember("Marigold sails on Tuesdays");
    for (key, value) in [
        ("embed.provider", "ollama"),
        ("embed.model", "ships"),
        ("embed.base_url", &server.address),
    ] {
        home.json(&["config", "set", key, value]);
    }
    let agent = Agent::new(&home, "s1");
    let asked = json!({"prompt": "When does Marigold sail?"});
    // With the deadline that a hook has by itself: an answer or nothing, and in time.
    let began = std::time::Instant::now();
    let payload = agent.payload("UserPromptSubmit", &asked);
    let run = call(home.command(), "UserPromptSubmit", payload.as_bytes(), &[]);
    let took = began.elapsed();
    assert!(took < std::time::Duration::from_millis(1_500), "{took:?}");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(run.stdout.is_empty() || run.stdout.contains("Tuesdays"), "{}", run.stdout);
    // Who has more time is answered with the vectors of our own.
    assert!(Agent::new(&home, "s2").hears("When does Marigold sail?").contains("Tuesdays"));
    assert_eq!(server.heard().len(), 0, "a hook asks no service");
}

/// The stub that stands in for the real services, where it and Python are.
#[test]
fn the_wire_formats_agree_with_the_recorded_ones() {
    let stub = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/harness/llm_stub.py");
    let python = std::process::Command::new("python3").arg("--version").output();
    if !stub.exists() || python.is_err() {
        return;
    }
    let home = Home::new();
    session(&home, &[SAID]);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let log = home.outside("requests.jsonl");
    let mut child = std::process::Command::new("python3")
        .args([stub.as_os_str(), port.to_string().as_ref(), log.as_os_str()])
        .spawn()
        .unwrap();
    until("the stub", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    for provider in ["anthropic", "openai", "ollama"] {
        home.json(&["config", "set", "llm.provider", provider]);
        home.json(&["config", "set", "llm.model", "stub"]);
        home.json(&["config", "set", "llm.base_url", &format!("http://127.0.0.1:{port}")]);
        let run = home.json(&["llm", "test"]);
        assert_eq!(run["ok"], true, "{provider}: {run}");
    }
    // It answers with the smallest thing that fits the schema: nothing that holds up.
    let worked = home.json(&["work", "--once"]);
    assert_eq!(
        (&worked["asked"], &worked["deferred"], &worked["memories"]),
        (&json!(1), &json!(1), &json!([])),
        "{worked}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    let asked = std::fs::read_to_string(log).unwrap();
    assert!(asked.contains("x-api-key") || asked.contains("anthropic-version"), "{asked}");
}

#[test]
fn the_help_names_what_can_be_set() {
    let page = Home::new().page(&["config"]);
    for key in ["llm.provider", "llm.model", "llm.tokens_per_day", "embed.provider"] {
        assert!(page.contains(key), "{page}");
    }
    let help = bare().args(["work", "--help"]).output().unwrap();
    assert!(String::from_utf8_lossy(&help.stdout).contains("Do everything that waits"));
}
