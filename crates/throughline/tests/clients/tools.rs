//! Our tools in the four real agents, called through what one `init` wrote: what an agent keeps by
//! tool, the next one is told by its hooks and finds by tool; and nothing of ours comes back as news.

use serde_json::{Value, json};

use crate::desk::{Desk, Who};
use crate::model::Part;

/// What is kept by tool. Nobody says it aloud, so that whoever knows it has it from the tool.
struct Kept {
    /// What the agent is asked to do.
    keep: &'static str,
    content: &'static str,
    /// What the next agent is asked.
    look: &'static str,
    /// What it is that must be known then.
    word: &'static str,
}

const KEPT: [Kept; 4] = [
    Kept {
        keep: "Please note what you found out about the plant.",
        content: "The office plant is called Gertrude",
        look: "What is the office plant called?",
        word: "Gertrude",
    },
    Kept {
        keep: "Please note what you found out about the coffee machine.",
        content: "The coffee machine is unlocked with the code 4711",
        look: "Which code is the coffee machine unlocked with?",
        word: "4711",
    },
    Kept {
        keep: "Please note what you found out about the printer.",
        content: "The label printer on the second floor is called Ottokar",
        look: "What is the label printer on the second floor called?",
        word: "Ottokar",
    },
    Kept {
        keep: "Please note what you found out about the invoices.",
        content: "The invoice exporter writes its files in the Kestrel format",
        look: "Which format does the invoice exporter write its files in?",
        word: "Kestrel",
    },
];

fn script() -> Vec<Part> {
    let keeps = |one: &Kept| {
        Part::calls(one.keep, "remember", json!({"content": one.content}), "That is noted.")
    };
    let looks =
        |one: &Kept| Part::calls(one.look, "recall", json!({"query": one.look}), "As it says.");
    KEPT.iter().flat_map(|one| [keeps(one), looks(one)]).collect()
}

/// What is remembered, with its evidence.
fn held(desk: &Desk) -> Vec<Value> {
    let listed = desk.json(&["list", "--all"]);
    listed["items"].as_array().expect("a listing has items").clone()
}

/// What is held, and on what grounds. How often it was used is another matter.
fn grounds(desk: &Desk) -> Vec<Value> {
    let held = held(desk);
    held.iter().map(|one| json!([one["content"], one["evidence"], one["trust"]])).collect()
}

/// An agent keeps something by tool.
fn keep(desk: &Desk, who: Who, kept: &Kept) {
    let said = desk.say(who, kept.keep);
    let returned = said.returned();
    let answer = returned.last().unwrap_or_else(|| panic!("{who:?} is not answered"));
    let told = answer.contains(kept.content) && answer.contains("staged");
    assert!(told, "{who:?} is told that it is kept: {answer}");
    let held = held(desk);
    let found: Vec<_> = held.iter().filter(|one| one["content"] == kept.content).collect();
    assert_eq!(found.len(), 1, "{who:?} keeps it, once: {held:#?}");
    assert_eq!(found[0]["authority"], "observed", "{who:?}: {}", found[0]);
}

/// An agent is told something by its hooks, and finds the same by tool.
fn look(desk: &Desk, who: Who, kept: &Kept) {
    let said = desk.say(who, kept.look);
    let told = said.before_tools().pages().join("\n");
    assert!(told.contains(kept.word), "{who:?} is told by a hook: {told}");
    let returned = said.returned();
    let answer = returned.last().unwrap_or_else(|| panic!("{who:?} is not answered"));
    assert!(answer.contains(kept.content), "{who:?} finds it by tool: {answer}");
}

#[test]
fn what_one_agent_keeps_by_tool_the_next_one_is_told_and_finds() {
    let Some(clients) = crate::clients() else { return };
    let desk = Desk::connected(&clients, script());
    let round = Who::ALL;
    for (at, who) in round.into_iter().enumerate() {
        keep(&desk, who, &KEPT[at]);
        look(&desk, who, &KEPT[at]);
        look(&desk, round[(at + 1) % round.len()], &KEPT[at]);
    }
    desk.assert_no_failures();
    desk.assert_nothing_runs();

    // Hooks have seen every call and every answer, and took none of them for news.
    let after = held(&desk);
    assert_eq!(after.len(), KEPT.len(), "{after:#?}");
    for one in &after {
        assert_eq!(one["evidence"].as_array().map(Vec::len), Some(1), "{one}");
    }
    let before_past = grounds(&desk);
    // They stand in the transcripts as well, under the names that transcripts have for tools.
    for who in round {
        let past = desk.json(&["ingest", "--past", "--agent", who.name()]);
        assert!(past["turns"].as_u64() > Some(4), "{who:?} writes down what was said: {past}");
        assert_eq!(past["episodes"], 0, "{who:?}: {past}");
    }
    assert_eq!(grounds(&desk), before_past);
}

#[cfg(target_os = "linux")]
#[test]
fn an_agent_that_is_killed_takes_our_server_along() {
    let Some(clients) = crate::clients() else { return };
    let desk = Desk::connected(&clients, script());
    for who in Who::ALL {
        desk.kill(who, KEPT[0].keep);
    }
    let health = desk.json(&["doctor", "--rebuild-check"]);
    assert_eq!(health["ok"], true, "{health}");
}
