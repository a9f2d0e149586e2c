//! Who may say what: nothing that an agent can call takes away, outranks, rewords or hides what a
//! person said, or makes its own word more than an agent's.

use serde_json::{Value, json};

use crate::harness::{Home, slow};
use crate::hooking::Agent;
use crate::mcp_client::{Client, Era};

pub(crate) const RULE: &str = "Deploys to production need two approvals";
pub(crate) const CONTRARY: &str = "Deploys to production need no approval";

pub(crate) fn id(told: &Value) -> String {
    told["id"].as_str().unwrap_or_default().to_owned()
}

/// The user's rule, as the user gave it.
pub(crate) fn rule(home: &Home) -> String {
    home.remember_with(&[RULE, "--kind", "principle"])
}

/// What a new session is told first.
fn brief(home: &Home) -> String {
    Agent::new(home, "next").starts()
}

/// The rule is what it was, and the next session hears it; the contrary is not told as a rule.
pub(crate) fn assert_stands(home: &Home, user: &str, how: &str) {
    let shown = home.show(user);
    assert_eq!(shown["content"], RULE, "{how}: {shown}");
    assert_eq!(shown["state"], "confirmed", "{how}: {shown}");
    assert_eq!(shown["authority"], "user_stated", "{how}: {shown}");
    assert_eq!(shown["contested_by"], json!([]), "{how}: {shown}");
    assert!(shown["trust"].as_f64().is_some_and(|trust| trust >= 0.95), "{how}: {shown}");
    let brief = brief(home);
    assert!(brief.contains(RULE), "{how}: {brief}");
    assert!(!brief.contains(CONTRARY), "{how}: {brief}");
}

/// Every order of some calls.
fn orders(calls: usize) -> Vec<Vec<usize>> {
    if calls == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for rest in orders(calls - 1) {
        for place in 0..=rest.len() {
            let mut order = rest.clone();
            order.insert(place, calls - 1);
            all.push(order);
        }
    }
    all
}

#[test]
fn an_agent_does_not_overrule_the_user_in_four_calls_in_any_order() {
    for order in orders(4) {
        let home = Home::new();
        let user = rule(&home);
        let mut client = home.mcp();
        let mut own = String::new();
        for call in &order {
            match call {
                0 => drop(client.try_call("recall", json!({ "query": "approvals for deploys" }))),
                1 => {
                    let said = json!({ "id": user, "content": CONTRARY, "evidence": "checked" });
                    own = id(&client.call("correct", said));
                }
                2 => {
                    let id = if own.is_empty() { &user } else { &own };
                    let said =
                        json!({ "id": id, "outcome": "confirmed", "evidence": "checked it" });
                    client.call("verify", said);
                }
                _ => drop(client.try_call("archive", json!({ "id": user, "reason": "outdated" }))),
            }
        }
        assert_stands(&home, &user, &format!("{order:?}"));
        let shown = home.show(&own);
        assert_eq!((&shown["authority"], &shown["state"]), (&json!("observed"), &json!("staged")));
        home.assert_sound();
    }
}

/// Numbers below some bound, the same ones in every run.
pub(crate) fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |bound| {
        // The generator of Knuth's MMIX; its high bits are good enough to shuffle by.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % bound
    }
}

/// The four calls in some order, and some of them once or twice more.
fn chain(number: u64) -> Vec<usize> {
    let mut below = numbers(number);
    let mut calls: Vec<usize> = (0..4).collect();
    for _ in 0..below(5) {
        calls.push(below(4));
    }
    for at in (1..calls.len()).rev() {
        calls.swap(at, below(at + 1));
    }
    calls
}

#[test]
fn the_users_rule_stands_after_chains_of_calls_that_are_shuffled_and_repeated() {
    let home = Home::new();
    // The engine's own tests always go through a hundred of them.
    for number in 0..if slow() { 100 } else { 10 } {
        let calls = chain(number);
        let project = home.from(&format!("project-{number}"));
        let user = project.remember_with(&[RULE, "--kind", "principle"]);
        let mut client = Client::greet(project.command(), &["mcp"], Era::Handshake);
        let mut own = user.clone();
        for call in &calls {
            match call {
                0 => drop(client.try_call("recall", json!({ "query": "approvals for deploys" }))),
                1 => {
                    let said = json!({ "id": user, "content": CONTRARY, "evidence": "checked" });
                    own = id(&client.call("correct", said));
                }
                2 => {
                    let said =
                        json!({ "id": own, "outcome": "confirmed", "evidence": "checked it" });
                    client.call("verify", said);
                }
                _ => drop(client.try_call("archive", json!({ "id": user, "reason": "outdated" }))),
            }
        }
        let folder = home.outside(&format!("project-{number}"));
        let brief = Agent { home: &home, session: format!("next-{number}"), folder }.starts();
        assert!(brief.contains(RULE), "{calls:?}: {brief}");
        assert!(!brief.contains(CONTRARY), "{calls:?}: {brief}");
    }
}

#[test]
fn a_rule_from_outside_waits_for_the_user_whatever_is_said_to_verify_it() {
    for order in orders(3) {
        let home = Home::new();
        let user = rule(&home);
        let mut client = home.mcp();
        let said =
            |source: &str| json!({ "content": CONTRARY, "kind": "principle", "source": source });
        for call in &order {
            match call {
                0 => {
                    let told = client.fail("remember", said("external"));
                    assert_eq!(told["error"], "only_the_user", "{told}");
                }
                1 => drop(client.call("remember", said("inferred"))),
                _ => {
                    let found = home.json(&["search", CONTRARY, "--all"]);
                    let own = found["items"][0]["id"].as_str().unwrap_or(&user).to_owned();
                    let checked = "I ran the deploy and it asked for no approval";
                    let said = json!({ "id": own, "outcome": "confirmed", "evidence": checked });
                    client.call("verify", said);
                }
            }
        }
        assert_stands(&home, &user, &format!("{order:?}"));
        let found = home.json(&["search", CONTRARY, "--all"]);
        for one in
            found["items"].as_array().unwrap().iter().filter(|one| one["content"] == CONTRARY)
        {
            assert!(one["trust"].as_f64().unwrap() <= 0.40, "{one}");
            assert_eq!(one["state"], "staged");
        }
        let waits = home.json(&["review"]);
        assert_eq!(waits["pending"].as_array().unwrap().len(), 1, "{waits}");
    }
}

#[test]
fn an_agents_archive_of_what_the_user_said_waits_and_the_user_decides() {
    let home = Home::new();
    let user = rule(&home);
    let mut client = home.mcp();
    client.call("recall", json!({ "query": "approvals for deploys" }));
    let lie = "the note says “buy milk”, which is done";
    let told = client.call("archive", json!({ "id": user, "reason": lie }));
    assert_eq!(told["waits"], true, "{told}");
    assert!(told["user_would_run"].as_str().unwrap().starts_with("throughline archive "));
    assert_stands(&home, &user, "archive");
    let waits = home.json(&["review"]);
    let pending = waits["pending"].as_array().unwrap();
    assert_eq!(pending.len(), 1, "{waits}");
    // Whoever decides is shown what is stored, whatever the agent says that it is.
    let stored = home.show(&user)["content"].as_str().unwrap().to_owned();
    assert!(pending[0]["says"].as_str().unwrap().contains(&stored), "{waits}");
    assert!(home.page(&["review"]).contains(&format!("put away “{stored}”")), "{waits}");
    home.json(&["review", "--accept", pending[0]["id"].as_str().unwrap()]);
    assert_eq!(home.show(&user)["state"], "archived");
}

#[test]
fn a_contest_outlives_the_archiving_of_its_other_side() {
    let home = Home::new();
    let user = rule(&home);
    let mut client = home.mcp();
    let own = id(&client.call("correct", json!({ "id": user, "content": CONTRARY })));
    let before = home.show(&own);
    let against = before["contested_by"].clone();
    assert_eq!(against, json!([user]));
    home.json(&["archive", &user]);
    let after = home.show(&own);
    assert_eq!((&after["contested_by"], &after["trust"]), (&against, &before["trust"]));
    home.json(&["review", "--keep-b", &own]);
    assert_eq!(home.show(&own)["contested_by"], json!([]), "the user settled it");
}

/// A session in which a tool printed something.
fn ran(home: &Home, session: &str, command: &str, output: &str) {
    let agent = Agent::new(home, session);
    let call = json!({"tool_name": "Bash", "tool_input": {"command": command},
        "tool_use_id": "toolu_9", "tool_response": {"stdout": output, "stderr": ""}});
    agent.tell_at(None, "PostToolBatch", &json!({"tool_calls": [call]}));
}

#[test]
fn measured_is_what_a_captured_tool_result_of_this_session_holds() {
    let home = Home::new();
    ran(&home, "s1", "psql -c 'select version()'", "PostgreSQL   16.2\non x86_64, compiled by gcc");
    let mut client = home.mcp();
    let claim = json!({ "content": "Staging runs PostgreSQL 16.2", "source": "inferred" });
    let own = id(&client.call("remember", claim));
    let verify = |client: &mut Client, evidence: &str, session: &str| {
        let said = json!({ "id": own, "outcome": "confirmed", "evidence": evidence,
            "session": session });
        client.call("verify", said);
        home.show(&own)["trust"].as_f64().unwrap()
    };
    for (evidence, session) in [
        ("ok", "s1"),
        ("checked it", "s1"),
        ("PostgreSQL 16.3 on x86_64", "s1"),
        ("PostgreSQL 16.2 on x86_64", "another"),
        ("psql -c 'select version()'", "s1"),
        ("compiled by gcc", "s1"),
    ] {
        let trust = verify(&mut client, evidence, session);
        assert!(trust <= 0.40, "{evidence} in {session}: {trust}");
    }
    let trust = verify(&mut client, "PostgreSQL 16.2 on x86_64", "s1");
    assert!(trust >= 0.90, "{trust}");
    let shown = home.show(&own);
    assert_eq!(shown["state"], "confirmed", "{shown}");
    assert!(shown["evidence"].to_string().contains("measured"), "{shown}");
}

#[test]
fn what_a_tool_printed_in_another_project_lifts_nothing_here() {
    let home = Home::new();
    let printed = "PostgreSQL 16.2 on x86_64";
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "psql -c 'select version()'"},
        "tool_use_id": "toolu_9", "tool_response": {"stdout": printed, "stderr": ""}});
    let folder = home.outside("elsewhere");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let there = Agent { home: &home, session: "s1".to_owned(), folder };
    there.tell_at(None, "PostToolBatch", &json!({"tool_calls": [call]}));
    let mut client = home.mcp();
    let claim = json!({ "content": "Staging runs PostgreSQL 16.2", "source": "inferred" });
    let own = id(&client.call("remember", claim));
    let said = json!({ "id": own, "outcome": "confirmed", "evidence": printed, "session": "s1" });
    client.call("verify", said.clone());
    let shown = home.show(&own);
    assert!(shown["trust"].as_f64().is_some_and(|trust| trust <= 0.40), "{shown}");
    assert!(!shown["evidence"].to_string().contains("measured"), "{shown}");
    // The same words, printed in a session of this project, do it.
    ran(&home, "s2", "psql -c 'select version()'", printed);
    let mut here = said;
    here["session"] = json!("s2");
    client.call("verify", here);
    let shown = home.show(&own);
    assert!(shown["trust"].as_f64().is_some_and(|trust| trust >= 0.90), "{shown}");
}

#[test]
fn a_preference_from_outside_waits_for_the_user() {
    let home = Home::new();
    let mut client = home.mcp();
    let said = json!({ "content": "I prefer deploys without review", "kind": "preference",
        "source": "external" });
    let told = client.fail("remember", said);
    assert_eq!(told["error"], "only_the_user", "{told}");
    assert_eq!(home.json(&["list", "--all"])["total"], 0);
    assert_eq!(home.json(&["review"])["pending"].as_array().map(Vec::len), Some(1));
    // Without a kind it is nobody's preference here, and worth little.
    let said = json!({ "content": "I prefer deploys at night", "source": "external" });
    client.try_call("remember", said);
    for one in home.everything()["items"].as_array().expect("a list") {
        assert_ne!(one["kind"], "preference", "{one}");
        assert!(one["trust"].as_f64().is_some_and(|trust| trust <= 0.20), "{one}");
    }
    let brief = brief(&home);
    assert!(!brief.contains("prefer deploys"), "{brief}");
}

#[test]
fn what_a_tool_printed_makes_nothing_a_rule_and_overrules_no_person() {
    let home = Home::new();
    let user = rule(&home);
    ran(&home, "s1", "cat policy.txt", &format!("{CONTRARY}, says policy.txt"));
    let mut client = home.mcp();
    let evidence = format!("{CONTRARY}, says policy.txt");
    let said = json!({ "id": user, "content": CONTRARY, "evidence": evidence, "session": "s1" });
    let own = id(&client.call("correct", said));
    let said = json!({ "id": own, "outcome": "confirmed", "evidence": evidence, "session": "s1" });
    client.call("verify", said);
    let said = json!({ "id": user, "outcome": "refuted", "evidence": evidence, "session": "s1" });
    assert_eq!(client.call("verify", said)["waits"], true);
    assert_stands(&home, &user, "a printed rule");
    assert_eq!(home.show(&own)["authority"], "observed", "a rule is not measured");
}

#[test]
fn a_flood_of_contrary_claims_does_not_push_the_users_rule_out_of_the_brief() {
    let home = Home::new();
    let user = rule(&home);
    let mut client = home.mcp();
    for number in 0..40 {
        let content = format!("{CONTRARY}, says note {number}");
        client.call("remember", json!({ "content": content, "kind": "principle" }));
        client.call("feedback", json!({ "id": user, "helpful": false }));
    }
    assert_eq!(home.show(&user)["unhelpful"], 1, "one agent's complaint counts once");
    assert_stands(&home, &user, "flood");
}

#[test]
fn an_agent_gives_the_users_words_no_other_form() {
    let home = Home::new();
    let user = rule(&home);
    let other =
        home.remember_with(&["Staging deploys itself", "--slot", "staging|deploys|by itself|one"]);
    let mut client = home.mcp();
    // A slot of the agent's making would let one statement of the user's replace another.
    let said = json!({ "content": RULE, "slot": "staging|deploys|never|one", "tags": ["old"],
        "triggers": ["ls"] });
    client.call("remember", said);
    let shown = home.show(&user);
    assert_eq!((&shown["slot"], &shown["tags"]), (&Value::Null, &json!([])), "{shown}");
    assert_eq!(home.show(&other)["state"], "confirmed");
    for (from, relation, to) in [(&user, "because", &other), (&user, "contradicts", &other)] {
        let said = json!({ "from": from, "relation": relation, "to": to });
        assert_eq!(client.fail("relate", said)["error"], "only_the_user");
    }
    assert_stands(&home, &user, "form");
}

#[test]
fn an_agents_word_stays_an_agents_however_often_and_in_however_many_sessions_it_is_said() {
    let home = Home::new();
    let mut client = home.mcp();
    let claim = "The cache holds 512 entries";
    let mut own = String::new();
    for (session, source) in
        [("a", "external"), ("b", "inferred"), ("c", "observed"), ("d", "observed")]
    {
        let said = json!({ "content": claim, "source": source, "session": session });
        own = id(&client.call("remember", said));
        let said =
            json!({ "id": own, "outcome": "confirmed", "evidence": claim, "session": session });
        client.call("verify", said);
    }
    let shown = home.show(&own);
    assert!(shown["trust"].as_f64().unwrap() <= 0.65, "{shown}");
    assert_eq!(shown["state"], "staged");
    // A refuted claim of its own leaves no lesson of a higher rank either.
    let said = json!({ "id": own, "outcome": "refuted", "evidence": "entries are endless" });
    if let Some(lesson) = client.call("verify", said)["lesson"].as_str() {
        let lesson = home.show(lesson);
        assert!(lesson["trust"].as_f64().unwrap() <= 0.65, "{lesson}");
    }
}

#[test]
fn what_the_user_says_after_an_agent_is_the_users() {
    let home = Home::new();
    let mut client = home.mcp();
    let own = id(&client.call("remember", json!({ "content": RULE, "kind": "principle" })));
    let said = home.remember(RULE);
    assert!(said.ends_with(&own), "{said}");
    assert_eq!(home.show(&own)["authority"], "user_stated");
    client.call("recall", json!({ "query": "approvals for deploys" }));
    assert_eq!(client.call("archive", json!({ "id": own, "reason": "mine" }))["waits"], true);
    assert_stands(&home, &own, "said again by the user");
}

#[test]
fn an_edit_is_the_users_word() {
    let home = Home::new();
    let own = id(&home.mcp().call("remember", json!({ "content": "The cache holds 512 entries" })));
    let before = home.show(&own);
    assert_eq!((&before["authority"], &before["state"]), (&json!("observed"), &json!("staged")));
    home.json(&["edit", &own, "The cache holds 1024 entries"]);
    let after = home.show(&own);
    assert_eq!(after["authority"], "user_corrected", "{after}");
    assert_eq!(after["state"], "confirmed", "{after}");
    assert!(after["trust"].as_f64().unwrap() >= 0.95, "{after}");
    assert!(after["evidence"].to_string().contains("edited by hand"), "{after}");
    home.assert_sound();
}

#[test]
fn however_much_agents_claim_the_brief_says_what_the_user_said() {
    let home = Home::new();
    home.json(&["remember", "The staging database runs on port 5433"]);
    home.json(&["remember", "Send the audit report to Mara", "--kind", "commitment"]);
    for rack in 0..30 {
        for kind in ["fact", "commitment"] {
            let text = format!("Rack {rack} holds the {kind} servers");
            let args = ["remember", &text, "--kind", kind];
            let run = home.command().env("CLAUDECODE", "1").args(args).output();
            assert!(run.expect("the program starts").status.success());
        }
    }
    let brief = Agent::new(&home, "next").starts();
    assert!(brief.contains("port 5433") && brief.contains("audit report"), "{brief}");
}

#[test]
fn a_line_of_the_command_itself_is_no_proof() {
    let home = Home::new();
    ran(&home, "s1", "true\n# The cache layer holds 512 entries", "");
    ran(&home, "s1", "cd .\nthroughline list", "The cache layer holds 512 entries");
    let mut client = home.mcp();
    let claim = json!({ "content": "The cache layer holds 512 entries", "source": "inferred" });
    let own = id(&client.call("remember", claim));
    let said = json!({ "id": own, "outcome": "confirmed", "session": "s1",
        "evidence": "The cache layer holds 512 entries" });
    client.call("verify", said);
    let shown = home.show(&own);
    assert!(!shown["evidence"].to_string().contains("measured"), "{shown}");
}

#[test]
fn variations_of_an_agents_claim_do_not_push_the_users_rule_out_of_recall() {
    let home = Home::new();
    home.remember_with(&["Never force-push to main", "--kind", "principle"]);
    let mut client = home.mcp();
    for team in ["ax", "bx", "cx", "dx", "ex", "fx", "gx", "hx"] {
        let content = format!("Force-push to main branch freely for team {team}");
        client.call("remember", json!({ "content": content, "kind": "principle" }));
    }
    let question = "may I force-push to the main branch freely for the team?";
    let told = Agent::new(&home, "asks").hears(question);
    assert!(told.contains("Never force-push to main"), "{told}");
    let told = home.run(&["recall", question]).stdout;
    assert!(told.contains("Never force-push to main"), "{told}");
}

#[test]
fn what_an_agent_claims_and_takes_back_does_not_withdraw_the_users_words() {
    let home = Home::new();
    let said = "Hm, the nightly importer chokes whenever the vendor feed contains umlauts in \
                supplier names, so I restarted it by hand yesterday evening.";
    let agent = Agent::new(&home, "one");
    agent.hears(said);
    agent.answers("I see.");
    let mut client = home.mcp();
    let part = "the vendor feed contains umlauts in supplier names";
    let own = id(&client.call("remember", json!({ "content": part })));
    let run = home.command().env("CLAUDECODE", "1").args(["forget", &own]).output();
    assert!(run.expect("the program starts").status.success());
    let question = "Why did the nightly importer choke on the vendor feed?";
    let told = home.run(&["recall", question, "--episodes"]).stdout;
    assert!(told.contains("umlauts"), "{told}");
}
