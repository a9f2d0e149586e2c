//! What a model may cost, what it may learn of keys, and who starts the worker.

use serde_json::{Value, json};
use throughline_testing::server::{Heard, Reply, Server};

use crate::harness::Home;
use crate::hooking::Agent;
use crate::models::{configure, prompt_of, proposing, reads, says, session};
use crate::models_trouble::until;

/// Claims that are near each other.
fn near_claims(home: &Home, count: usize) {
    for floor in 0..count {
        home.remember(&format!("The printer on floor {floor} of the depot is serviced by Kestrel"));
    }
}

fn compares(heard: &Heard) -> bool {
    heard.body.to_string().contains("verdicts")
}

/// The pairs of all questions, as the texts that were shown.
fn pairs_of(server: &Server) -> Vec<(String, String)> {
    let heard = server.heard().into_iter().filter(compares);
    let prompts =
        heard.map(|one| one.body["messages"][1]["content"].as_str().expect("a prompt").to_owned());
    let lines: Vec<Value> = prompts
        .flat_map(|prompt| prompt.lines().map(str::to_owned).collect::<Vec<_>>())
        .filter_map(|line| serde_json::from_str(&line).ok())
        .collect();
    let text = |line: &Value, field: &str| line[field].as_str().unwrap_or_default().to_owned();
    lines.iter().map(|line| (text(line, "older"), text(line, "newer"))).collect()
}

#[test]
fn every_pair_is_asked_about_once_and_so_many_questions_a_day() {
    let home = Home::new();
    near_claims(&home, 12);
    let server = Server::start(|_| says(&json!({"verdicts": []})));
    configure(&home, &server);
    home.json(&["config", "set", "llm.calls_per_session", "1"]);
    let worked = home.json(&["work", "--once"]);
    assert_eq!(server.heard().len(), 1, "{worked}");
    assert!(worked["held"].as_str().is_some_and(|why| why.contains("contradictions")), "{worked}");
    assert_eq!(home.json(&["work", "--once"])["pairs"], 0, "nothing more today");
    assert_eq!(home.json(&["status"])["llm"]["pair_calls_today"], 1);
    // Days later it is still to be done: nothing is too old for it.
    home.travel("2026-03-20");
    home.json(&["config", "set", "llm.calls_per_session", "20"]);
    home.json(&["work", "--once"]);
    let mut pairs = pairs_of(&server);
    let all = pairs.len();
    pairs.sort();
    pairs.dedup();
    assert_eq!(pairs.len(), all, "each once");
    for floor in 1..12 {
        let newer = format!("floor {floor} of");
        assert!(pairs.iter().any(|pair| pair.1.contains(&newer)), "{floor}: {pairs:?}");
    }
    assert_eq!(home.json(&["work", "--once"])["pairs"], 0);
}

#[test]
fn a_session_that_has_had_its_questions_keeps_nobody_from_comparing() {
    let home = Home::new();
    session(&home, &[("The depot opens at seven on weekdays.", "Good.")]);
    near_claims(&home, 2);
    let server = proposing(Vec::new());
    configure(&home, &server);
    home.json(&["config", "set", "llm.calls_per_session", "1"]);
    home.json(&["work", "--once"]);
    let agent = Agent::new(&home, "s1");
    agent.hears("And it closes at noon on Saturdays, says the sign.");
    agent.ends();
    until("our turn", || home.json(&["work", "--once"])["elsewhere"] == false);
    home.travel("2026-03-04");
    home.remember("The printer on floor 7 of the depot is serviced by Osprey");
    until("the pairs", || server.heard().iter().filter(|one| compares(one)).count() == 2);
    assert_eq!(server.heard().iter().filter(|one| reads(one)).count(), 1);
    let page = home.page(&["status"]);
    assert!(page.contains("1 question a session, used up by 1 session"), "{page}");
}

#[test]
fn where_not_everything_can_be_read_the_freshest_session_is() {
    let home = Home::new();
    for (name, floor) in [("old", "first"), ("new", "second")] {
        let agent = Agent::new(&home, name);
        agent.hears(&format!("The spare toner is kept on the {floor} floor of the depot."));
        agent.ends();
    }
    let server = Server::start(|_| {
        Reply::json(&json!({"choices": [{"message": {"content": "{\"operations\": []}"}}],
            "usage": {"prompt_tokens": 4_500, "completion_tokens": 20}}))
    });
    configure(&home, &server);
    // Enough for one question, and not for two.
    home.json(&["config", "set", "llm.tokens_per_day", "6000"]);
    let worked = home.json(&["work", "--once"]);
    assert_eq!((&worked["asked"], &worked["left"]), (&json!(1), &json!(1)), "{worked}");
    assert!(prompt_of(&server).contains("second floor"));
    home.travel("2026-03-03");
    assert_eq!(home.json(&["work", "--once"])["left"], 0, "the other one comes the next day");
}

#[test]
fn a_text_that_a_service_refuses_keeps_no_other_from_its_vector() {
    let home = Home::new();
    for text in ["Releases are cut on Thursdays", "The poisoned text", "Dana approves invoices"] {
        home.remember(text);
    }
    let server = Server::start(|heard| {
        let texts: Vec<String> =
            serde_json::from_value(heard.body["input"].clone()).unwrap_or_default();
        if texts.iter().any(|text| text.contains("poisoned")) {
            return Reply::status(400, &json!({"error": "too long"}));
        }
        Reply::json(&json!({"embeddings": vec![vec![1.0, 0.5]; texts.len()]}))
    });
    for (key, value) in
        [("embed.provider", "ollama"), ("embed.model", "any"), ("embed.base_url", &server.address)]
    {
        home.json(&["config", "set", key, value]);
    }
    let worked = home.json(&["work", "--once"]);
    assert_eq!((&worked["embedded"], &worked["held"]), (&json!(2), &Value::Null), "{worked}");
}

#[test]
fn a_clock_that_is_put_back_buys_nothing() {
    let home = Home::new();
    let server = Server::start(|_| says(&json!({"answer": "yes"})));
    configure(&home, &server);
    home.json(&["llm", "test"]);
    let today = || home.json(&["status"])["llm"]["tokens_today"].clone();
    let spent = today();
    assert!(spent.as_u64() > Some(0));
    for day in ["2026-03-03", "2025-01-01"] {
        home.travel(day);
        assert_eq!(today(), 0);
        home.json(&["llm", "test"]);
    }
    home.travel("2026-03-02");
    assert_eq!(today(), spent);
    // The budget holds for a test, too.
    home.json(&["config", "set", "llm.tokens_per_day", spent.to_string().as_str()]);
    let (_, error) = home.error(&["llm", "test"]);
    assert!(error.to_string().contains("tokens of today are spent"), "{error}");
    assert_eq!(server.heard().len(), 3);
}

#[test]
fn a_key_that_a_service_repeats_is_neither_shown_nor_kept() {
    let key = "sk-live-0123456789abcdefghijklmnop";
    let ends: [fn(&str) -> Reply; 3] = [
        // Cut in the middle of it, where complaints are cut.
        |key| {
            Reply::status(401, &json!({"error": {"message": format!("{}{key}", "x".repeat(290))}}))
        },
        |key| says(&json!(format!("You sent {key}"))),
        |key| Reply::Body(200, Vec::new(), format!("<html>{key}").into_bytes()),
    ];
    for end in ends {
        let home = Home::new();
        session(&home, &[("The depot opens at seven on weekdays.", "Good.")]);
        let server = Server::start(move |heard| {
            assert_eq!(heard.header("authorization"), Some(format!("Bearer {key}").as_str()));
            end(key)
        });
        configure(&home, &server);
        for args in [
            &["--json", "llm", "test"][..],
            &["llm", "test"],
            &["work", "--once"],
            &["--json", "doctor", "--llm"],
            &["--json", "status"],
            &["review"],
        ] {
            let run = home.command().env("OPENAI_API_KEY", key).args(args).output().unwrap();
            let said = String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).into_owned();
            assert!(!said.contains("sk-live-0"), "{args:?}: {said}");
        }
        assert!(!server.heard().is_empty());
        assert_eq!(home.files_holding("sk-live-0"), Vec::<std::path::PathBuf>::new());
    }
}

#[cfg(unix)]
#[test]
fn a_program_gets_the_key_that_is_meant_for_it_and_no_other() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let program = home.outside("model");
    let script = "#!/bin/sh\ncat > /dev/null\nprintf '{\"answer\":\"%s\"}' yes\necho \"[$ANTHROPIC_API_KEY|$OPENAI_API_KEY|$VECTOR_KEY]\" > \"$0.keys\"\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    for (key, value) in [
        ("llm.provider", "command"),
        ("llm.command", &home.arg("model")),
        ("embed.api_key_env", "VECTOR_KEY"),
    ] {
        home.json(&["config", "set", key, value]);
    }
    let keys = || {
        let mut command = home.command();
        for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "VECTOR_KEY"] {
            command.env(name, name.to_lowercase());
        }
        assert!(command.args(["llm", "test"]).output().unwrap().status.success());
        std::fs::read_to_string(home.outside("model.keys")).unwrap().trim().to_owned()
    };
    assert_eq!(keys(), "[||]");
    home.json(&["config", "set", "llm.api_key_env", "ANTHROPIC_API_KEY"]);
    assert_eq!(keys(), "[anthropic_api_key||]");
}

#[cfg(unix)]
#[test]
fn a_program_sees_what_it_needs_of_the_environment_and_what_the_user_names() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let program = home.outside("model");
    let script = "#!/bin/sh\ncat > /dev/null\nprintf '{\"answer\":\"%s\"}' yes\nenv > \"$0.env\"\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    for (key, value) in [("llm.provider", "command"), ("llm.command", &home.arg("model"))] {
        home.json(&["config", "set", key, value]);
    }
    let others = [
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "GITHUB_TOKEN",
        "GEMINI_API_KEY",
        "GROQ_API_KEY",
        "OPENROUTER_API_KEY",
        "OF_NO_NAME",
    ];
    let seen = || {
        let mut command = home.command();
        command.envs(others.map(|name| (name, "quite-private")));
        assert!(command.args(["llm", "test"]).output().unwrap().status.success());
        let told = std::fs::read_to_string(home.outside("model.env")).unwrap();
        let names = told.lines().filter_map(|line| Some(line.split_once('=')?.0.to_owned()));
        names.collect::<Vec<_>>()
    };
    let first = seen();
    assert!(
        ["PATH", "HOME", "THROUGHLINE_INSIDE"]
            .iter()
            .all(|name| first.contains(&(*name).to_owned()))
    );
    assert!(others.iter().all(|name| !first.contains(&(*name).to_owned())), "{first:?}");
    home.json(&["config", "set", "llm.pass_env", "GITHUB_TOKEN, OF_NO_NAME"]);
    let named = seen();
    for name in others {
        let expected = ["GITHUB_TOKEN", "OF_NO_NAME"].contains(&name);
        assert_eq!(named.contains(&name.to_owned()), expected, "{name}");
    }
}

#[test]
fn sleep_has_what_came_in_compared() {
    let home = Home::live();
    near_claims(&home, 3);
    let server = Server::start(|_| says(&json!({"verdicts": []})));
    configure(&home, &server);
    let dry = home.json(&["sleep", "--dry-run"]);
    assert!(dry["compared_by"].is_null() && server.heard().is_empty(), "{dry}");
    assert_eq!(home.json(&["sleep"])["compared_by"], "openai small");
    until("the pairs", || server.heard().iter().any(compares));
}

#[cfg(target_os = "linux")]
#[test]
fn what_an_agent_notes_by_a_tool_starts_the_worker_and_nothing_is_left_of_it() {
    let home = Home::live();
    let server = Server::start(|_| says(&json!({"verdicts": []})));
    configure(&home, &server);
    let mut client = home.mcp();
    for round in 1..=3 {
        for floor in ["first", "second"] {
            let text = format!("Round {round}: Kestrel services the printer on the {floor} floor");
            client.call("remember", json!({"content": text}));
        }
        until("the pairs", || server.heard().iter().filter(|one| compares(one)).count() >= round);
        until("its end", || crate::models_trouble::workers(&home).is_empty());
    }
    until("nothing of them", || zombies_of(client.pid()) == 0);
    until("nothing to do", || {
        let worked = home.json(&["work", "--once"]);
        worked["elsewhere"] == false && worked["pairs"] == 0
    });
    let asked = server.heard().len();
    client.call("recall", json!({"query": "Who services the printer?"}));
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(server.heard().len(), asked, "nothing is written, nobody is asked");
}

/// Children that ended and that nobody saw off.
#[cfg(target_os = "linux")]
fn zombies_of(parent: u32) -> usize {
    let entries = std::fs::read_dir("/proc").expect("processes are listed").flatten();
    let stats = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    let is_one = |stat: &String| {
        let after = stat.rsplit_once(')').map(|(_, after)| after).unwrap_or_default();
        let mut fields = after.split_whitespace();
        fields.next() == Some("Z") && fields.next() == Some(parent.to_string().as_str())
    };
    stats.filter(is_one).count()
}

/// Words that nobody else uses, each by itself in the order of the alphabet before `t`.
fn plain_words() -> Vec<String> {
    let ends = ["alto", "ento", "isko", "ombo", "urdo", "anko"];
    let begins = ["b", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p"];
    begins.iter().flat_map(|begin| ends.iter().map(move |end| format!("{begin}{end}"))).collect()
}

#[test]
fn what_a_model_is_shown_as_known_is_found_by_rare_words_and_not_by_first_letters() {
    let home = Home::new();
    let words = plain_words();
    assert!(words.len() > 48, "more than are looked for");
    // Few enough that everything that is found is shown.
    for list in 0..10 {
        home.remember(&format!("List number {list} of parts: {}", words.join(" ")));
    }
    home.remember("Zygotron exports belong to Wanda");
    home.remember("Aardwolf exports belong to Anselm");
    let asked = format!(
        "I read through {} and then through the zygotron and the aardwolf once more, and it was \
         a long afternoon.",
        words.join(" ")
    );
    session(&home, &[(&asked, "I see.")]);
    let server = proposing(Vec::new());
    configure(&home, &server);
    assert_eq!(home.json(&["work", "--once"])["asked"], 1);
    let prompt = prompt_of(&server);
    assert!(prompt.contains("belong to Wanda"), "the last letter: {prompt}");
    assert!(prompt.contains("belong to Anselm"), "the first letter: {prompt}");
}
