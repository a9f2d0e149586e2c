//! Text that a person only shows is not their word, by whichever door it comes: it has no quotation marks, no
//! fence and no header, only a line above it that points at it.

use serde_json::json;

use crate::harness::Home;
use crate::hooking::Agent;

/// Sentences that would be kept if the person said them.
const SHOWN: &str = "Our refund window is 14 days. We always ship on Mondays.";

/// Lines that point at a text of somebody else's.
const POINTERS: [&str; 11] = [
    "a customer sent this\n\n",
    "got this from the vendor:\n",
    "this is what the old wiki says\n\n",
    "review this text\n\n",
    "I got the following from support:\n\n",
    "what do you think of this?\n\n",
    "Good morning. My boss forwarded me this.\n\n",
    "here is the text from the landing page\n\n",
    "see below\n\n",
    "Oskar wrote me\n\n",
    "Translate to German\n\n",
];

/// Lines in which a person says that what follows is theirs, or asks to keep it.
const THEIRS: [&str; 7] = [
    "remember this:\n\n",
    "note these rules:\n",
    "ok here's how we do it from now on:\n\n",
    "please keep this in mind:\n\n",
    "these are our rules:\n\n",
    "follow these rules:\n\n",
    "I have fixed this bug in the parser\n\n",
];

/// What is held as the user's word: stated, or taken out of what they said.
fn said_by_user(home: &Home) -> Vec<String> {
    let list = home.json(&["list"]);
    let items = list["items"].as_array().expect("a list").iter();
    let theirs = |by: &str| by.starts_with("user_") || by == "extracted";
    let users = items.filter(|one| one["authority"].as_str().is_some_and(theirs));
    users.map(|one| one["content"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn what_a_line_points_at_is_not_the_users_word() {
    for pointer in POINTERS {
        let home = Home::new();
        let agent = Agent::new(&home, "march");
        agent.hears(&format!("{pointer}{SHOWN}"));
        agent.answers("I see.");
        agent.ends();
        assert_eq!(said_by_user(&home), Vec::<String>::new(), "{pointer:?}");
        let turns = home.json(&["recall", "What is our refund window?", "--episodes"]).to_string();
        assert!(!turns.contains("user said"), "{pointer:?}: {turns}");
    }
}

#[test]
fn what_a_person_says_is_theirs_is_kept_below_the_line_that_says_so() {
    for line in THEIRS {
        let home = Home::new();
        let agent = Agent::new(&home, "march");
        agent.hears(&format!("{line}We always ship on Mondays and never on Fridays."));
        agent.answers("Noted.");
        agent.ends();
        let kept = said_by_user(&home);
        assert!(kept.iter().any(|one| one.contains("ship on Mondays")), "{line:?}: {kept:?}");
    }
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears(
        "ok here's how we do it from now on:\n- we always ship on Mondays\n- no force pushes to main",
    );
    agent.answers("Noted.");
    agent.ends();
    let kept = said_by_user(&home).join("\n");
    assert!(kept.contains("ship on Mondays") && kept.contains("force push"), "{kept}");
}

#[test]
fn an_agent_that_quotes_what_was_only_shown_says_so_itself() {
    for pointer in POINTERS {
        let home = Home::new();
        let agent = Agent::new(&home, "march");
        agent.hears(&format!("{pointer}{SHOWN}"));
        let mut client = home.mcp();
        for sentence in ["Our refund window is 14 days", "We always ship on Mondays"] {
            let kept = client.call("remember", json!({ "content": sentence }));
            assert_eq!(kept["by"], "observed", "{pointer:?}: {kept}");
        }
        // The same once the turn was taken in.
        agent.answers("I see.");
        let later = home.mcp().call("remember", json!({ "content": "We always ship on Mondays" }));
        assert_ne!(later["by"], "user_stated", "{pointer:?}: {later}");
        assert_eq!(said_by_user(&home), Vec::<String>::new(), "{pointer:?}");
    }
}

#[test]
fn an_agent_that_quotes_what_a_person_says_beside_the_work_they_point_at_brings_the_persons_word() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("I have fixed this bug in the parser.\n\nInvoices are numbered per country.");
    let kept =
        home.mcp().call("remember", json!({ "content": "Invoices are numbered per country" }));
    assert_eq!(kept["by"], "user_stated", "{kept}");
}
