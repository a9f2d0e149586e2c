//! What an agent quotes of the user's, word for word, is the user's; nothing else is.

use serde_json::{Value, json};

use crate::harness::Home;
use crate::hooking::Agent;
use crate::mcp_client::Client;

const SAID: &str = "Invoices are numbered per country";

fn remember(client: &mut Client, content: &str) -> Value {
    client.call("remember", json!({ "content": content }))
}

#[test]
fn a_whole_sentence_of_the_users_is_theirs_with_the_turn_as_evidence() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("Good morning. Invoices are numbered per country. Please fix the report.");
    // The turn lies in the journal only: the agent is just answering it.
    let kept = remember(&mut home.mcp(), SAID);
    assert_eq!((&kept["by"], kept.get("state")), (&json!("user_stated"), None), "{kept}");
    let shown = home.show(kept["id"].as_str().unwrap());
    let evidence = &shown["evidence"][0];
    assert_eq!(
        (&evidence["session"], &evidence["authority"]),
        (&json!("march"), &json!("user_stated"))
    );
    assert_eq!(evidence["snippet"], "Invoices are numbered per country.");
    let turn = evidence["turn"].as_str().unwrap().to_owned();
    let log = home.json(&["log"]);
    assert_eq!(log["batches"][0]["actor"], "agent", "{log}");

    // It is the same turn once it was taken in, and quoting it again adds nothing.
    agent.answers("Done.");
    let again = remember(&mut home.mcp(), "invoices are numbered per country!");
    assert_eq!((&again["known"], &again["trust"]), (&json!(true), &kept["trust"]), "{again}");
    let opened = home.mcp().call("expand", json!({ "id": turn }));
    assert!(opened["turns"].to_string().contains("Please fix the report"), "{opened}");
    home.assert_sound();
}

#[test]
fn what_was_taken_in_earlier_and_in_another_session_counts_too_but_not_for_ever() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears(&format!("{SAID}."));
    agent.answers("Noted.");
    agent.tell_at(None, "SessionEnd", &json!({ "reason": "exit" }));
    home.travel("2026-03-20");
    let late = home.mcp().call("remember", json!({ "content": SAID, "session": "april" }));
    assert_eq!(late["by"], "user_stated", "{late}");

    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("Please look at the report. Vendors are paid in weekly batches. Thanks!");
    agent.answers("I looked.");
    home.travel("2026-09-01");
    let stale = remember(&mut home.mcp(), "Vendors are paid in weekly batches");
    assert_eq!(stale["by"], "observed", "what was said half a year ago is history: {stale}");
}

#[test]
fn fragments_quotations_pasted_text_and_other_voices_stay_the_agents() {
    for said in [
        "It is not true that invoices are numbered per country.",
        "Do not write that invoices are numbered per country, please.",
        "Invoices are numbered per country in the old system only.",
        "Are invoices numbered per country?",
        "My colleague says invoices are numbered per country.",
        "Maybe invoices are numbered per country.",
        "The wiki says:\n\n> Invoices are numbered per country.",
        "Look at this:\n```\nInvoices are numbered per country.\n```",
        "Invoices are numbered per country. No wait, that is wrong.",
        "Never claim any of these:\n- Invoices are numbered per country\n- We ship on Sundays",
    ] {
        let home = Home::new();
        let agent = Agent::new(&home, "march");
        agent.hears(said);
        let kept = remember(&mut home.mcp(), SAID);
        assert_eq!((&kept["by"], &kept["state"]), (&json!("observed"), &json!("staged")), "{said}");
    }
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("How are invoices numbered, by the way?");
    agent.answers(&format!("{SAID}."));
    let kept = remember(&mut home.mcp(), SAID);
    assert_eq!(kept["by"], "observed", "the agent said so: {kept}");
}

#[test]
fn our_own_block_in_a_prompt_is_nobodys_word() {
    let home = Home::new();
    home.json(&["remember", SAID, "--authority", "inferred"]);
    let agent = Agent::new(&home, "march");
    let block = agent.hears("How are invoices numbered?");
    assert!(block.contains(SAID), "{block}");
    agent.hears(&format!("You told me this before.\n\n{block}\n\nIs it so?"));
    let kept = home.mcp().call("remember", json!({ "content": SAID, "session": "march" }));
    assert_eq!(kept["by"], "inferred", "{kept}");
}

#[test]
fn a_quote_reaches_over_no_wall_and_brings_nothing_back() {
    let home = Home::new();
    let mut elsewhere = Agent::new(&home, "march");
    home.from("other");
    elsewhere.folder = home.outside("other");
    elsewhere.hears(&format!("{SAID}."));
    elsewhere.answers("Noted.");
    let kept = remember(&mut home.mcp(), SAID);
    assert_eq!(kept["by"], "observed", "said in another project: {kept}");

    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears(&format!("{SAID}."));
    agent.answers("Noted.");
    let kept = remember(&mut home.mcp(), SAID);
    assert_eq!(kept["by"], "user_stated");
    home.run(&["forget", kept["id"].as_str().unwrap(), "--reason", "no longer"]);
    let told = home.mcp().fail("remember", json!({ "content": SAID }));
    assert!(told["user_would_run"].is_string(), "an old quote revives nothing: {told}");
}

#[test]
fn what_an_agent_adds_to_a_quote_is_left_out() {
    let home = Home::new();
    let held =
        home.remember_with(&["Orders are in Postgres", "--slot", "orders|live in|Postgres|one"]);
    let agent = Agent::new(&home, "march");
    agent.hears("Use MySQL for the tests. Please go on.");
    let added = json!({ "content": "Use MySQL for the tests", "slot": "orders|live in|MySQL|one",
        "because": ["Postgres is slow to start"] });
    let mut client = home.mcp();
    let kept = client.call("remember", added);
    assert_eq!(kept["by"], "user_stated", "{kept}");
    assert_eq!(kept["left_out"], json!(["slot", "because"]), "{kept}");
    assert_eq!(home.show(&held)["state"], "confirmed");
    assert_eq!(home.show(kept["id"].as_str().unwrap())["slot"], Value::Null);
    let why = client.call("why", json!({ "id": kept["id"] }));
    assert_eq!(why.get("because").cloned().unwrap_or(json!([])), json!([]), "{why}");
    for source in ["inferred", "external"] {
        let claim = json!({ "content": "Please go on", "source": source });
        assert_ne!(client.call("remember", claim)["by"], "user_stated");
    }
}
