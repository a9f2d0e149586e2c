//! A conversation holds one brief, however often it is resumed, one reminder after a compaction, and
//! a helper gets its own. What is counted is what came before the model.

use serde_json::json;

use crate::desk::{Desk, Said, Who};
use crate::model::Part;

const FACT: &str = "The staging database runs on Postgres 16";
const RULE: &str = "Always run cargo fmt before committing";
const PROMPTS: [&str; 5] = [
    "Write a test for the empty cart.",
    "Rename total to sum in the cart.",
    "thanks",
    "Sort the imports of the cart.",
    "Add a line to the readme about carts.",
];
/// What the model makes of a conversation that gets too long.
const SUMMED_UP: &str = "Some work on the webshop.";
const CROWDED: &str = "Look at all the files of the cart, please.";
const DELEGATE: &str = "Let somebody look at the staging database.";
const TASK: &str = "Find out which version of Postgres the staging database runs on.";

/// How an agent goes on with its last conversation.
const fn go_on(who: Who) -> &'static [&'static str] {
    match who {
        Who::Claude => &["--continue"],
        Who::Codex => &["resume", "--last"],
        Who::Gemini => &["--resume", "latest"],
        Who::Opencode => &["--continue"],
    }
}

fn knows(desk: &Desk) {
    desk.throughline(&["remember", FACT]);
    desk.throughline(&["remember", RULE, "--kind", "principle"]);
}

fn last(said: &Said) -> Said {
    let requests = said.requests.last().cloned().into_iter().collect();
    Said { requests, printed: String::new() }
}

#[test]
fn a_conversation_that_is_resumed_five_times_holds_one_brief() {
    let Some(clients) = crate::clients() else { return };
    for who in Who::ALL {
        let desk = Desk::connected(&clients, Vec::new());
        knows(&desk);
        let first = desk.say(who, "Look at the cart of the web shop.");
        assert_eq!(first.blocks(), 1, "{who:?}: {:#?}", first.pages());
        for prompt in PROMPTS {
            let said = desk.say_with(who, prompt, go_on(who));
            assert_eq!(said.blocks(), 1, "{who:?} at {prompt:?}: {:#?}", said.pages());
            assert!(last(&said).holds(FACT), "{who:?} at {prompt:?} holds what it was told");
        }
        let told = desk.json(&["told"]);
        let expected = match who {
            // The conversation itself holds the brief.
            Who::Claude | Who::Codex => 1,
            // Dropped once by the first resume, then kept with a prompt.
            Who::Gemini => 2,
            // Its system prompt begins anew with every start.
            Who::Opencode => 1 + PROMPTS.len(),
        };
        assert_eq!(told["total"], expected, "{who:?}: {told:#}");
        assert_eq!(desk.json(&["status"])["injections"], told["total"], "{who:?}");
        desk.assert_no_failures();
    }
}

#[test]
fn a_compaction_that_was_asked_for_is_followed_by_one_reminder() {
    let Some(clients) = crate::clients() else { return };
    let who = Who::Claude;
    let desk = Desk::connected(&clients, Vec::new());
    knows(&desk);
    desk.say(who, "Look at the cart of the web shop.");
    for _ in 0..2 {
        desk.say_with(who, "/compact go on with the cart", go_on(who));
        let said = desk.say_with(who, PROMPTS[0], go_on(who));
        assert_eq!(said.blocks(), 1, "{:#?}", said.pages());
        assert!(last(&said).holds(FACT), "{:#?}", said.pages());
    }
    let told = desk.json(&["told"]);
    assert_eq!(told["total"], 3, "the brief and two reminders: {told:#}");
    desk.assert_no_failures();
}

/// What makes an agent's context full, where the agent goes by what its model says.
fn crowded(who: Who) -> Vec<Part> {
    let (tool, field) = who.shell();
    let input = json!({field: "ls", "description": "what was asked for"});
    let calls = vec![(tool, input.clone()), (tool, input)];
    vec![Part { tokens: 99_500, calls, ..Part::says(CROWDED, "There are none.") }]
}

/// Goes on with the last conversation so that it is made shorter on the way.
fn compact(desk: &Desk, who: Who) -> Said {
    match who {
        Who::Claude => desk.say_with(who, "/compact go on with the cart", go_on(who)),
        Who::Codex => {
            let limit = ["-c", "model_auto_compact_token_limit=90000"];
            desk.say_with(who, CROWDED, &[&limit, go_on(who)].concat())
        }
        Who::Gemini => {
            grow(desk);
            let steps = [("Type your message", "/compress\r"), ("compressed from", "/quit\r")];
            desk.type_in(who, go_on(who), &steps)
        }
        Who::Opencode => desk.say_with(who, CROWDED, go_on(who)),
    }
}

/// Gemini CLI keeps the end of a conversation as it is, and a short one altogether. Nothing of the long text is worth
/// keeping: what a session keeps itself takes the place of other things in its reminder.
fn grow(desk: &Desk) {
    let long = format!("Read this log:\n```\n{}```", "GET /cart 200 empty total 0\n".repeat(300));
    desk.say_with(Who::Gemini, &long, go_on(Who::Gemini));
}

#[test]
fn after_a_compaction_a_conversation_is_told_once_more() {
    let Some(clients) = crate::clients() else { return };
    for who in Who::ALL {
        let desk = Desk::connected(&clients, crowded(who));
        knows(&desk);
        desk.say(who, "Look at the cart of the web shop.");
        let resumed = desk.say_with(who, PROMPTS[0], go_on(who));
        assert_eq!(resumed.blocks(), 1, "{who:?}: {:#?}", resumed.pages());
        assert!(!resumed.holds(SUMMED_UP), "{who:?} has room yet");
        let told = || desk.json(&["told"])["total"].as_u64().expect("a number");
        let before = told();
        compact(&desk, who);
        let later = &PROMPTS[1..];
        for prompt in later {
            let said = desk.say_with(who, prompt, go_on(who));
            assert!(last(&said).holds(SUMMED_UP), "{who:?} was made shorter: {}", said.printed);
            assert_eq!(said.blocks(), 1, "{who:?} at {prompt:?}: {:#?}", said.pages());
            assert!(last(&said).holds(FACT), "{who:?} at {prompt:?} holds what it was told");
        }
        let starts = match who {
            Who::Claude | Who::Codex | Who::Gemini => 0,
            // Its system prompt begins anew with every start, also with the one that is made shorter.
            Who::Opencode => 1 + later.len() as u64,
        };
        let all = desk.json(&["told"]);
        assert_eq!(told(), before + starts + 1, "{who:?}: {all:#}");
        desk.assert_no_failures();
    }
}

#[test]
fn a_compaction_that_gemini_makes_by_itself_is_followed_by_one_reminder() {
    let Some(clients) = crate::clients() else { return };
    let who = Who::Gemini;
    let desk = Desk::connected(&clients, Vec::new());
    knows(&desk);
    desk.say(who, "Look at the cart of the web shop.");
    desk.say_with(who, PROMPTS[0], go_on(who));
    grow(&desk);
    // Two thousandths of the window are enough to make it shorter.
    let settings = desk.project().join(".gemini/settings.json");
    std::fs::create_dir_all(settings.parent().expect("a folder")).expect("a folder can be made");
    let small = json!({"model": {"compressionThreshold": 0.002}});
    std::fs::write(&settings, small.to_string()).expect("a file can be written");
    let compacted = last(&desk.say_with(who, CROWDED, go_on(who)));
    assert!(compacted.holds(SUMMED_UP) && !compacted.holds(FACT), "{:#?}", compacted.pages());
    std::fs::remove_file(settings).expect("a file can be removed");
    let before = desk.json(&["told"])["total"].as_u64().expect("a number");
    for prompt in &PROMPTS[1..] {
        let said = desk.say_with(who, prompt, go_on(who));
        assert_eq!(said.blocks(), 1, "{prompt:?}: {:#?}", said.pages());
        assert!(last(&said).holds(SUMMED_UP) && last(&said).holds(FACT), "{prompt:?}");
    }
    let told = desk.json(&["told"]);
    assert_eq!(told["total"], before + 1, "{told:#}");
    desk.assert_no_failures();
}

#[test]
fn a_helper_is_told_what_fits_its_task() {
    let Some(clients) = crate::clients() else { return };
    for (who, tool, kind) in
        [(Who::Claude, "Agent", "general-purpose"), (Who::Opencode, "task", "general")]
    {
        let input = json!({"description": "look", "prompt": TASK, "subagent_type": kind});
        let desk = Desk::connected(&clients, vec![Part::calls(DELEGATE, tool, input, "Done.")]);
        knows(&desk);
        let said = desk.say(who, DELEGATE);
        let is_helpers = |request: &&serde_json::Value| {
            let one = Said { requests: vec![(*request).clone()], printed: String::new() };
            one.holds(TASK) && !one.holds(DELEGATE)
        };
        let helpers: Vec<_> = said.requests.iter().filter(is_helpers).cloned().collect();
        assert!(!helpers.is_empty(), "{who:?} has a helper: {}", said.printed);
        let helper = Said { requests: helpers, printed: String::new() };
        assert!(
            helper.pages().iter().any(|page| page.contains(FACT)),
            "{who:?}: {:#?}",
            helper.pages()
        );
        let found = desk.json(&["recall", TASK, "--episodes"]);
        assert!(!found.to_string().contains("\"speaker\":\"user\",\"text\":\"Find out"), "{found}");
        let told = desk.json(&["told"]);
        let mut to = told["items"].as_array().expect("items").iter().map(|one| &one["helper"]);
        assert!(to.any(|helper| helper.is_string()), "{who:?}: {told:#}");
        desk.assert_no_failures();
    }
}
