//! Lately: what came in today, this week, this month; and what the figures say of how well memory helps.

use serde_json::{Value, json};

use crate::harness::{Home, id_of};
use crate::hooking::{Agent, DECISION};

fn contents(list: &Value) -> Vec<&str> {
    let items = list.as_array().expect("a list");
    items.iter().map(|one| one["content"].as_str().expect("content is text")).collect()
}

#[test]
fn today_tells_what_was_learned_replaced_and_asked() {
    let home = Home::new();
    let slot = |value: &str| format!("staging|runs|{value}|one");
    home.remember_with(&["Staging runs Postgres 14", "--slot", &slot("Postgres 14")]);
    home.travel("2026-03-05");
    home.remember_with(&["Staging runs Postgres 16", "--slot", &slot("Postgres 16")]);
    let gone = home.remember("The printer is out of order");
    home.json(&["archive", &gone]);
    let agent = Agent::new(&home, "a-session");
    agent.starts();
    agent.hears("Which version of Postgres does staging run?");
    let today = home.json(&["today"]);
    assert_eq!(contents(&today["learned"]), ["Staging runs Postgres 16"], "{today}");
    assert_eq!(contents(&today["replaced"]), ["Staging runs Postgres 14"]);
    assert_eq!(contents(&today["away"]), ["The printer is out of order"]);
    assert!(today["told"].as_u64() >= Some(1), "{today}");
    for list in ["questioned", "verify", "gaps"] {
        assert!(today[list].is_array(), "{list}");
    }
    let page = home.page(&["today"]);
    assert!(page.contains("Learned (1)") && page.contains("Replaced (1)"), "{page}");
    home.travel("2026-03-06");
    assert_eq!(contents(&home.json(&["today"])["learned"]), [""; 0]);
    assert_eq!(home.json(&["today", "--days", "7"])["learned"].as_array().map(Vec::len), Some(1));
    assert_eq!(home.run(&["today", "--days", "0"]).code, 2);
}

#[test]
fn a_list_shows_today_in_full_the_week_as_lines_and_of_the_month_what_stands_out() {
    let home = Home::new();
    home.remember("The kitchen has a new kettle");
    home.remember_with(&["We chose Buildkite for the pipelines", "--kind", "decision"]);
    home.travel("2026-03-18");
    home.remember("The window of the office was mended");
    home.travel("2026-03-20");
    home.remember("The plants were watered");
    let detail = |flag: &str| -> Vec<(String, String)> {
        let found = home.json(&["list", flag]);
        let items = found["items"].as_array().expect("a list").clone();
        let text = |one: &Value, name: &str| one[name].as_str().expect("text").to_owned();
        items.iter().map(|one| (text(one, "content"), text(one, "detail"))).collect()
    };
    let pair = |content: &str, detail: &str| (content.to_owned(), detail.to_owned());
    let today = pair("The plants were watered", "full");
    let week = pair("The window of the office was mended", "line");
    let month = pair("We chose Buildkite for the pipelines", "landmark");
    assert_eq!(detail("--today"), std::slice::from_ref(&today));
    assert_eq!(detail("--week"), [today.clone(), week.clone()]);
    assert_eq!(detail("--month"), [today, week, month]);
    let page = home.page(&["list", "--month"]);
    assert!(page.contains("This week (1)") && !page.contains("kettle"), "{page}");
    assert_eq!(home.run(&["list", "--week", "--month"]).code, 2);
}

#[test]
fn stats_say_how_soon_a_session_was_back_in_context() {
    let home = Home::new();
    let empty = home.json(&["stats"]);
    assert_eq!(empty["metrics"]["continuity"]["sessions"], 0, "{empty}");
    let first = Agent::new(&home, "one");
    first.starts();
    first.hears(DECISION);
    first.answers("Noted.");
    first.ends();
    home.travel("2026-03-04");
    // The second begins with a brief: nothing had to be asked. It is compacted, and told again.
    let second = Agent::new(&home, "two");
    assert!(second.starts().contains("sessions in Postgres"));
    second.hears("please rename the button on the start page");
    second.answers("Renamed.");
    second.tell_at(None, "PreCompact", &json!({"trigger": "auto"}));
    let again = second.tell_at(None, "SessionStart", &json!({"source": "compact"}));
    assert!(again.contains("sessions in Postgres"), "{again}");
    second.ends();
    let stats = home.json(&["stats"]);
    let continuity = &stats["metrics"]["continuity"];
    assert_eq!(
        (&continuity["sessions"], &continuity["compactions"]),
        (&json!(1), &json!(1)),
        "{stats}"
    );
    assert_eq!(continuity["after_prompts"][0], 2, "{continuity}");
    assert_eq!(
        (&continuity["mean_prompts"], &continuity["within_one"]),
        (&json!(0.0), &json!(1.0))
    );
    let page = home.page(&["stats"]);
    assert!(page.contains("continuity (30 days)") && page.contains("at once    █"), "{page}");
    assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
}

#[test]
fn stats_count_what_came_up_from_another_area_and_was_used() {
    let home = Home::new();
    let area = |text: &str, domain: &str| home.remember_with(&[text, "--domain", domain]);
    area("The invoice job runs on node seven", "technical");
    area("The invoice job needs the ledger service", "technical");
    let other = area("Dana from finance owns the invoice job", "relationship");
    let agent = Agent::new(&home, "one");
    let told = agent.starts();
    assert!(told.contains("Dana from finance"), "{told}");
    agent.hears("Who owns the invoice job?");
    agent.answers("Dana from finance owns the invoice job.");
    agent.ends();
    home.json(&["sleep"]);
    let cross = home.json(&["stats"])["metrics"]["cross_domain"].clone();
    assert_eq!((&cross["surfaced"], &cross["useful"]), (&json!(1), &json!(1)), "{cross}");
    assert_eq!((&cross["per_day"], &cross["by_day"][29]), (&json!(1.0), &json!(1)), "{cross}");
    assert_eq!(home.show(&other)["sessions"], 1);
    assert!(home.page(&["stats"]).contains("from other areas (30 days)"));
}

#[test]
fn stats_say_how_many_accepted_lines_held() {
    let home = Home::new();
    let memory = |text: &str, session: &[&'static str], query: &str| {
        let id = home.remember_with(&[
            text,
            "--kind",
            "decision",
            "--because",
            "it was agreed",
            "--tag",
            "x",
        ]);
        for session in session {
            home.session(session).json(&["recall", query]);
        }
        id
    };
    let sessions = ["one", "two", "three"];
    let kept = memory(
        "Deployments need two approvals",
        &sessions,
        "how many approvals do deployments need?",
    );
    let dropped = memory("Invoices are sent on Mondays", &sessions, "when are invoices sent?");
    home.json(&["sleep"]);
    let proposals = home.json(&["review"])["graduation"].as_array().expect("a list").clone();
    assert_eq!(proposals.len(), 2, "{proposals:?}");
    for _ in 0..2 {
        let open = home.json(&["review"])["graduation"][0]["id"].clone();
        home.json(&["review", "--accept", open.as_str().expect("an id")]);
    }
    home.travel("2026-03-10");
    home.json(&["correct", &dropped, "Invoices are sent on Fridays"]);
    home.travel("2026-04-10");
    let found = home.json(&["stats"])["metrics"]["graduation"].clone();
    assert_eq!(
        found,
        json!({"proposed": 2, "accepted": 2, "judged": 2, "held": 1, "share_held": 0.5})
    );
    assert_eq!(id_of(&home.show(&kept)), kept);
    assert!(home.page(&["stats"]).contains("50 %  held for 30 days (1 of 2)"));
}

#[test]
fn today_calls_questioned_what_later_words_most_likely_change_and_not_what_is_only_near() {
    let home = Home::new();
    home.remember("The staging database listens on port 5432.");
    home.remember("Reviews of the payments module are done by two people.");
    home.travel("2026-03-05");
    let agent = Agent::new(&home, "later");
    agent.starts();
    agent.hears("I had a look at the payments module this morning, the coffee was cold by then.");
    agent.answers("Understood.");
    agent.ends();
    let today = home.json(&["today"]);
    assert_eq!(contents(&today["questioned"]), [""; 0], "{today}");
}

/// A working day in sixty turns, prompt and answer in turn.
const SIXTY: [(&str, &str); 30] = [
    (
        "Have a look at the importer in src/import.rs, it is slow",
        "I'll read the importer and profile it.",
    ),
    ("what does the second pass do?", "It resolves references between records."),
    ("ok", "Reading the second pass now."),
    ("how long does it take?", "The second pass takes most of the time."),
    ("can it run in parallel?", "Yes, the records are independent there."),
    ("Let's use rayon for that.", "Added it and split the loop."),
    ("run the benchmark", "It is three times faster."),
    ("nice", "Shall I clean up the helper as well?"),
    ("yes", "Done."),
    ("show me the diff", "Here is the diff of the importer."),
    ("No, keep the old signature, callers depend on it.", "You're right, I restored it."),
    ("ok run it again", "Same result as before."),
    ("what is left?", "The error path still copies every record."),
    ("It still doesn't compile on Windows.", "Fixed, it borrows now."),
    ("thanks", "You are welcome."),
    ("Next is the exporter, see ExportJob and CsvWriter", "I'll look at both."),
    ("why does it buffer?", "It sorts by date before writing."),
    ("hm", "It could stream if the order did not matter."),
    ("We decided that order does not matter.", "Then I will stream it."),
    ("go on", "Streaming is in place."),
    ("does it pass?", "The exporter passes."),
    ("Always add a test when you change behaviour.", "Added one for streaming."),
    ("good", "Anything else for the exporter?"),
    ("how big is the output now?", "About the same size."),
    ("fine", "Moving on."),
    ("I'll talk to the billing team tomorrow", "Good, I will leave the schema alone."),
    ("what else touches the schema?", "Two reports read it."),
    ("which ones?", "The root cause is the view they share."),
    ("ok", "Shall I write a summary?"),
    ("please do, I prefer it short", "Summary written."),
];

#[test]
fn sixty_turns_by_hooks_take_ten_to_fifteen_probes_and_the_eighth_silent_turn_takes_one() {
    let probes = |home: &Home| home.json(&["stats"])["capture"]["probes"].as_u64().unwrap_or(0);
    let home = Home::new();
    let agent = Agent::new(&home, "day");
    for (prompt, answer) in SIXTY {
        agent.hears(prompt);
        agent.answers(answer);
    }
    assert!((10..=15).contains(&probes(&home)), "{} probes", probes(&home));

    let home = Home::new();
    let agent = Agent::new(&home, "quiet");
    for turn in 1..=4 {
        assert_eq!(probes(&home), 0, "before turn {turn}");
        agent.hears("ok");
        agent.answers("Looking at the next part.");
    }
    assert_eq!(probes(&home), 1, "after eight turns of silence");
}
