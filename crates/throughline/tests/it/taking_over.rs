//! What you said is yours, whatever an agent set before or says after: your words, your kind, your slot,
//! and nothing of the agent's on it. Each is tried by both doors of an agent, its shell and our tools.

use serde_json::{Value, json};

use crate::harness::{Home, Run};
use crate::hooking::Agent;

const RULE: &str = "Never force-push to main";

/// The doors of an agent.
#[derive(Debug, Clone, Copy)]
enum By {
    Shell,
    Tools,
}

const DOORS: [By; 2] = [By::Shell, By::Tools];

fn in_shell(home: &Home, args: &[&str]) -> Run {
    home.command().env("CLAUDECODE", "1").args(args).output().expect("the program starts").into()
}

/// An agent remembers something, with what it adds to it.
fn agent(home: &Home, by: By, content: &str, added: &Value) -> Value {
    if let By::Tools = by {
        let mut said = added.clone();
        said["content"] = content.into();
        return home.mcp().call("remember", said);
    }
    let mut args = vec!["--json".to_owned(), "remember".to_owned(), content.to_owned()];
    for (name, value) in added.as_object().expect("what is added is an object") {
        let option = match name.as_str() {
            "tags" => "--tag".to_owned(),
            "triggers" => "--trigger".to_owned(),
            other => format!("--{other}"),
        };
        let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        for value in values {
            args.extend([option.clone(), value.as_str().expect("a text").to_owned()]);
        }
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let run = in_shell(home, &args);
    assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
    serde_json::from_str(&run.stdout).expect("the answer is one JSON document")
}

/// The id of what an agent remembered, by either door.
fn id(kept: &Value) -> String {
    let kept = kept.get("memory").unwrap_or(kept);
    kept["id"].as_str().expect("a memory has an id").to_owned()
}

/// What a new session is told first.
fn brief(home: &Home) -> String {
    Agent::new(home, "next").starts()
}

/// A file that an agent binds something to, and then removes.
fn touch(home: &Home) -> std::path::PathBuf {
    let file = home.project().join("t");
    std::fs::write(&file, "x\n").expect("a file can be written");
    file
}

/// The user says something in a prompt, and it is taken in.
fn prompt(home: &Home, words: &str) {
    let agent = Agent::new(home, "talk");
    agent.hears(words);
    agent.answers("Understood.");
}

/// The one memory that says this.
fn held(home: &Home, words: &str) -> Value {
    let found = home.json(&["search", words, "--all"]);
    let items = found["items"].as_array().expect("a listing has items");
    home.show(items[0]["id"].as_str().expect("it is found"))
}

#[test]
fn the_users_words_take_the_place_of_an_agents_wording() {
    for by in DOORS {
        let home = Home::live();
        let planted = id(&agent(&home, by, "Never! Force-push to main!", &json!({})));
        prompt(&home, "Never force-push to main.");
        let shown = home.show(&planted);
        assert_eq!((&shown["content"], &shown["kind"]), (&json!(RULE), &json!("principle")));
        let told = brief(&home);
        assert!(told.contains(RULE) && !told.contains("Never!"), "{by:?}: {told}");
        let history = home.json(&["history", &planted]).to_string();
        assert!(history.contains("Never! Force-push"), "the old wording is history: {history}");
        home.assert_sound();

        let home = Home::live();
        let planted = id(&agent(&home, by, "No! Deploy on Fridays!", &json!({})));
        home.remember("No deploy on Fridays");
        assert_eq!(home.show(&planted)["content"], "No deploy on Fridays", "{by:?}");
        let told = brief(&home);
        assert!(!told.contains("No!"), "{by:?}: {told}");
    }
}

#[test]
fn what_an_agent_quotes_is_kept_as_the_user_wrote_it() {
    for by in DOORS {
        let home = Home::live();
        let talk = Agent::new(&home, "talk");
        talk.hears("Hi there. No deploys on the weekend. Do you see the log?");
        let kept = agent(&home, by, "No! Deploys on the weekend!", &json!({ "kind": "principle" }));
        let shown = home.show(&id(&kept));
        assert_eq!(shown["content"], "No deploys on the weekend", "{by:?}: {shown}");
        assert_eq!(shown["authority"], "user_stated", "{by:?}: {shown}");
        let told = brief(&home);
        assert!(!told.contains("No!"), "{by:?}: {told}");
    }
}

#[test]
fn sentences_of_the_users_are_not_joined_into_one_of_theirs() {
    for by in DOORS {
        let home = Home::live();
        let talk = Agent::new(&home, "talk");
        talk.hears("We merge on green. Do you see it?");
        talk.hears("Never on red. We deploy from main. Do you see it?");
        for words in [
            "We merge on green, never; on red we deploy from main",
            "We merge on green. Never on red. We deploy from main.",
        ] {
            let shown = home.show(&id(&agent(&home, by, words, &json!({}))));
            assert_eq!(shown["authority"], "observed", "{by:?} {words}: {shown}");
        }
    }
}

#[test]
fn what_an_agent_set_before_the_user_spoke_does_not_stay_on_the_users_word() {
    for by in DOORS {
        let home = Home::live();
        let file = touch(&home);
        let added = json!({ "kind": "event", "watch": ["file:t"], "tags": ["obsolete"],
            "triggers": ["git push"], "because": ["It was a joke in March"],
            "slot": "main|force-push|allowed|one" });
        let planted = id(&agent(&home, by, RULE, &added));
        std::fs::remove_file(file).expect("it was there");
        prompt(&home, "Never force-push to main.");
        home.remember_with(&[RULE, "--kind", "principle"]);
        let shown = home.show(&planted);
        assert_eq!(shown["kind"], "principle", "{by:?}: {shown}");
        assert_eq!((&shown["slot"], &shown["tags"]), (&Value::Null, &json!([])), "{by:?}: {shown}");
        assert_eq!(shown["triggers"], json!([]), "{by:?}: {shown}");
        assert_eq!(shown["watermarks"], json!([]), "{by:?}: {shown}");
        assert!(shown["trust"].as_f64().unwrap() >= 0.95, "{by:?}: {shown}");
        let why = home.json(&["why", &planted]);
        assert_eq!(why["because"], json!([]), "{by:?}: {why}");
        let told = brief(&home);
        assert!(told.contains(RULE), "{by:?}: {told}");
        home.assert_sound();
    }
}

#[test]
fn a_failure_that_an_agent_planted_is_not_what_the_user_said() {
    for by in DOORS {
        let home = Home::live();
        let added = json!({ "kind": "negative", "because": ["It broke the build"] });
        agent(&home, by, RULE, &added);
        prompt(&home, "Never force-push to main.");
        let told = brief(&home);
        assert!(told.contains(RULE) && !told.contains("Tried and failed"), "{by:?}: {told}");
    }
}

#[test]
fn a_value_that_an_agent_planted_is_not_the_users() {
    for by in DOORS {
        let home = Home::live();
        let words = "The staging database listens on port 5433";
        let added = json!({ "slot": "staging database|port|9999|one" });
        let planted = id(&agent(&home, by, words, &added));
        prompt(&home, "Remember: the staging database listens on port 5433.");
        let shown = home.show(&planted);
        assert_eq!(shown["authority"], "user_stated", "{by:?}: {shown}");
        assert!(!shown["slot"].to_string().contains("9999"), "{by:?}: {shown}");
        let home = Home::live();
        let planted = id(&agent(&home, by, words, &added));
        home.remember(words);
        assert_eq!(home.show(&planted)["slot"], Value::Null, "{by:?}");
        // Another text that an agent put in the slot of the user's value is not told as theirs.
        let home = Home::live();
        let added = json!({ "slot": "staging database|port|5433|one" });
        agent(&home, by, "Staging is open to everybody", &added);
        home.remember_with(&[words, "--slot", "staging database|port|5433|one"]);
        assert_eq!(held(&home, words)["content"], words, "{by:?}");
        assert!(!brief(&home).contains("open to everybody"), "{by:?}");
    }
}

#[test]
fn what_the_user_put_on_an_agents_claim_stays_when_the_user_says_it_too() {
    for by in DOORS {
        let home = Home::live();
        let planted = id(&agent(&home, by, RULE, &json!({ "tags": ["obsolete"] })));
        home.json(&["tag", &planted, "git"]);
        let reason = home.remember("A force-push lost a week of work");
        home.json(&["link", &planted, "because", &reason]);
        home.remember(RULE);
        assert_eq!(home.show(&planted)["tags"], json!(["git"]), "{by:?}");
        let why = home.json(&["why", &planted]);
        assert!(why["because"].to_string().contains("lost a week"), "{by:?}: {why}");
    }
}

#[test]
fn an_agent_binds_what_the_user_said_to_nothing() {
    for by in DOORS {
        let home = Home::live();
        let rule = home.remember_with(&[RULE, "--kind", "principle"]);
        let file = touch(&home);
        let kept = agent(&home, by, RULE, &json!({ "watch": ["file:t"] }));
        assert_eq!(kept["left_out"], json!(["watch"]), "{by:?}: {kept}");
        std::fs::remove_file(file).expect("it was there");
        let told = brief(&home);
        assert!(told.contains(RULE), "{by:?}: {told}");
        let shown = home.show(&rule);
        assert!(shown["trust"].as_f64().unwrap() >= 0.95, "{by:?}: {shown}");
    }
}

#[test]
fn words_of_an_agents_bind_what_the_user_said_in_other_words_to_nothing() {
    for by in DOORS {
        let home = Home::live();
        let slot = "staging database|port|5433|one";
        let said = home.remember_with(&["Staging listens on 5433", "--slot", slot]);
        std::fs::write(home.project().join("notes.txt"), "port 5433\n").expect("it is written");
        agent(&home, by, "notes.txt says that the port is 5433", &json!({ "slot": slot }));
        let shown = home.show(&said);
        assert!(!shown["watermarks"].to_string().contains("notes.txt"), "{by:?}: {shown}");
    }
}

#[test]
fn what_a_quoted_sentence_is_is_read_from_its_words() {
    for by in DOORS {
        let home = Home::live();
        touch(&home);
        Agent::new(&home, "talk").hears("Hello. All demo users are admins. Can you check?");
        let mut added = json!({ "kind": "principle", "tags": ["obsolete"],
            "triggers": ["git push"], "because": ["It was a joke in March"],
            "slot": "demo users|are|admins|one", "watch": ["file:t"] });
        if let By::Shell = by {
            added["label"] = "Force-push is allowed".into();
            added["domain"] = "x".into();
            added["confidence"] = "0.01".into();
        }
        let kept = agent(&home, by, "All demo users are admins", &added);
        let left: Vec<&str> =
            kept["left_out"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        for name in added.as_object().unwrap().keys() {
            assert!(left.contains(&name.as_str()), "{by:?} {name}: {kept}");
        }
        let shown = home.show(&id(&kept));
        assert_eq!(shown["authority"], "user_stated", "{by:?}: {shown}");
        assert_eq!(shown["kind"], "fact", "{by:?}: {shown}");
        assert_eq!((&shown["slot"], &shown["tags"]), (&Value::Null, &json!([])), "{by:?}: {shown}");
        for name in ["triggers", "watermarks"] {
            assert_eq!(shown[name], json!([]), "{by:?} {name}: {shown}");
        }
        assert_eq!(shown["domain"], Value::Null, "{by:?}: {shown}");
        assert_eq!(shown["label"], "All demo users are admins", "{by:?}: {shown}");
        assert_eq!(shown["confidence"], 1.0, "{by:?}: {shown}");
        let why = home.json(&["why", &id(&kept)]);
        assert_eq!(why["because"], json!([]), "{by:?}: {why}");
        // The user may still say that it is a rule.
        home.remember_with(&["All demo users are admins", "--kind", "principle"]);
        assert_eq!(home.show(&id(&kept))["kind"], "principle", "{by:?}");
    }
}

#[test]
fn an_agent_gives_what_the_user_said_no_reason() {
    for by in DOORS {
        let home = Home::live();
        let rule = home.remember(RULE);
        let kept = agent(&home, by, RULE, &json!({ "because": ["It was a joke"] }));
        assert_eq!(kept["left_out"], json!(["because"]), "{by:?}: {kept}");
        let why = home.json(&["why", &rule]);
        assert_eq!(why["because"], json!([]), "{by:?}: {why}");
    }
}

#[test]
fn what_an_agent_took_back_itself_does_not_stand_in_the_users_way() {
    for verb in ["forget", "archive"] {
        // The agent's clock is ahead of the user's by years.
        let home = Home::new();
        let late = |args: &[&str]| {
            let mut command = home.command();
            command.env("CLAUDECODE", "1").env("THROUGHLINE_NOW", "2090-01-01T00:00:00Z");
            let run: Run = command.args(args).output().expect("the program starts").into();
            assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
            serde_json::from_str::<Value>(&run.stdout).expect("the answer is JSON")
        };
        let planted = id(&late(&["--json", "remember", RULE, "--kind", "event"]));
        late(&["--json", verb, &planted]);
        prompt(&home, "Never force-push to main.");
        let told = brief(&home);
        assert!(told.contains(RULE), "{verb}: {told}");
        home.assert_sound();
    }
}

#[test]
fn the_clock_of_an_agents_shell_is_the_machines() {
    let home = Home::new();
    let mut command = home.command();
    command.env("CLAUDECODE", "1").env("THROUGHLINE_NOW", "2090-01-01T00:00:00Z");
    let run: Run = command.args(["--json", "remember", RULE]).output().unwrap().into();
    assert!(!run.stdout.contains("2090-01-01"), "{}", run.stdout);
    // A hook goes by what it is told, also inside of an agent.
    let talk = Agent::new(&home, "talk");
    let env = [("CLAUDECODE", "1"), ("THROUGHLINE_NOW", "2031-05-06T07:08:09Z")];
    let said = json!({ "prompt": "Remember: the office is in Basel." });
    talk.call("UserPromptSubmit", &said, &env);
    talk.call("Stop", &json!({"stop_hook_active": false, "last_assistant_message": "Yes."}), &env);
    let found = held(&home, "The office is in Basel").to_string();
    assert!(found.contains("2031-05-06"), "{found}");
}

#[test]
fn what_the_user_took_back_is_not_revived_by_an_older_turn() {
    let home = Home::new();
    let own = id(&home.mcp().call("remember", json!({ "content": RULE })));
    home.travel("2026-03-04");
    home.run(&["forget", &own]);
    let early = Some("2026-03-03T09:00:00Z");
    let talk = Agent::new(&home, "talk");
    let said = json!({ "prompt": "Never force-push to main." });
    talk.tell_at(early, "UserPromptSubmit", &said);
    home.travel("2026-03-05");
    assert_eq!(home.show(&own)["state"], "retracted");
}
