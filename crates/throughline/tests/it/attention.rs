//! Attention: being recalled counts as use, later and once. It moves salience and never trust.

use serde_json::{Value, json};

use crate::harness::{Home, batches, id_of, slow, strings};
use crate::hooking::Agent;

const OFFICE: [&str; 2] = ["recall", "where is the office in Basel?"];

fn spool(home: &Home) -> std::path::PathBuf {
    home.path().join("recalls.jsonl")
}

/// A home with a memory that [`OFFICE`] brings up, and one that it does not.
fn basel() -> (Home, String) {
    let home = Home::new();
    let id = home.remember("The office is in Basel");
    home.remember("Logs are kept for ninety days");
    (home, id)
}

fn causes(home: &Home) -> Vec<String> {
    let name = |batch: &Value| batch["cause"].as_str().expect("a cause").to_owned();
    batches(home).iter().map(name).collect()
}

fn gaps(home: &Home) -> Vec<String> {
    home.texts(&["list", "--all", "--kind", "gap"])
}

#[test]
fn a_rule_of_the_brief_that_prompts_are_about_is_used_although_it_is_not_told_again() {
    let home = Home::new();
    let rule = home.remember_with(&["Never use unwrap in library code", "--kind", "principle"]);
    for (day, session) in [("2026-03-03", "s1"), ("2026-03-04", "s2"), ("2026-03-05", "s3")] {
        home.travel(day);
        let agent = Agent::new(&home, session);
        assert!(agent.starts().contains("unwrap"), "the brief tells it");
        assert_eq!(agent.hears("may I use unwrap in the library code of the parser?"), "");
        agent.answers("No.");
        agent.ends();
    }
    let shown = home.show(&rule);
    assert_eq!((&shown["uses"], &shown["sessions"]), (&3.into(), &3.into()), "{shown}");
    assert!(strings(&shown["flags"]).contains(&"established"));
}

#[test]
fn a_recall_is_noted_at_once_and_counted_with_the_next_write() {
    let (home, id) = basel();
    home.json(&OFFICE);
    let noted = std::fs::read_to_string(spool(&home)).expect("a recall leaves a line");
    assert_eq!(noted.lines().count(), 1);
    assert!(!noted.contains("Basel"), "no text lies about: {noted}");
    assert!(!causes(&home).contains(&"recall".to_owned()), "asking wrote nothing");
    assert_eq!(home.json(&["list"])["items"][1]["uses"], 0);

    home.remember("Something new");
    assert!(!spool(&home).exists(), "settled");
    assert_eq!(home.show(&id)["uses"], 1);
    let told = batches(&home);
    assert_eq!((&told[0]["cause"], &told[0]["actor"]), (&"recall".into(), &"system".into()));
    assert_eq!(told[1]["cause"], "remember");
}

#[test]
fn looking_at_a_memory_settles_what_is_due() {
    let (home, id) = basel();
    for _ in 0..3 {
        home.json(&OFFICE);
    }
    assert_eq!(home.show(&id)["uses"], 3);
    assert_eq!(home.show(&id)["uses"], 3, "once is enough");
    assert_eq!(causes(&home).iter().filter(|cause| *cause == "recall").count(), 3);
    home.assert_sound();
}

#[test]
fn looking_into_the_works_or_into_the_past_is_no_use() {
    let (home, id) = basel();
    home.json(&[&OFFICE[..], &["--explain"]].concat());
    home.json(&[&OFFICE[..], &["--as-of", "2026-03-02T09:01:30Z"]].concat());
    home.json(&["why-not", &id, OFFICE[1]]);
    home.json(&["search", "office"]);
    assert!(!spool(&home).exists());
    assert_eq!(home.show(&id)["uses"], 0);
}

#[test]
fn reading_a_memory_again_and_again_leaves_its_truth_alone() {
    let (home, id) = basel();
    let truth = |memory: &Value| {
        ["trust", "last_verified_at", "confidence", "authority", "state", "evidence", "recorded_at"]
            .map(|field| memory[field].clone())
    };
    let before = home.show(&id);
    for _ in 0..30 {
        home.json(&OFFICE);
        home.json(&["search", "office"]);
    }
    let after = home.show(&id);
    assert_eq!(after["uses"], 30);
    assert!(after["salience"].as_f64() > before["salience"].as_f64());
    assert_eq!(truth(&after), truth(&before));
    assert_eq!(after["last_verified_at"], Value::Null);
}

#[test]
fn fifty_questions_about_other_things_hide_nothing() {
    let (home, id) = basel();
    let before = home.show(&id);
    for n in 0..50 {
        let query = format!("how many days are logs kept in region {n}?");
        home.json(&["--session", &format!("s{n}"), "recall", &query]);
    }
    let after = home.show(&id);
    for field in ["state", "trust", "flags", "uses", "unhelpful", "salience"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    assert_eq!(home.texts(&OFFICE), ["The office is in Basel"]);
    // Nor do fifty who say that it did not help, and what tidies up afterwards.
    for _ in 0..50 {
        home.json(&["feedback", &id, "--unhelpful"]);
    }
    for class in [&["sleep"][..], &["sleep", "--deep"]] {
        home.json(class);
        let after = home.show(&id);
        for field in ["state", "trust", "flags"] {
            assert_eq!(after[field], before[field], "{field} after {class:?}");
        }
        assert_eq!(home.texts(&OFFICE), ["The office is in Basel"], "{class:?}");
    }
}

#[test]
fn opening_a_memory_raises_attention_and_never_trust() {
    let (home, id) = basel();
    let long = format!("The handbook of the office says: {}", "be kind and tidy up. ".repeat(120));
    let handbook = home.remember(&long);
    home.json(&["link", &id, "informs", &handbook]);
    let before = home.show(&handbook);
    let opened = home.json(&["expand", &handbook]);
    assert_eq!(opened["memory"]["content"], long.as_str(), "the whole of it");
    assert_eq!(opened["related"][0]["id"], id.as_str());
    assert_eq!(
        (&opened["related"][0]["outward"], opened["turns"].as_array()),
        (&false.into(), Some(&vec![]))
    );
    let after = home.show(&handbook);
    assert_eq!(after["uses"], 1);
    assert!(after["salience"].as_f64() > before["salience"].as_f64());
    assert_eq!((&after["trust"], &after["last_verified_at"]), (&before["trust"], &Value::Null));
    assert_eq!(home.error(&["expand", "0123456789"]).0, 3);
    assert_eq!(home.error(&["expand", "zebra!"]).0, 2);
}

/// A memory that nobody needed for so long that it is dormant, and a home that went on meanwhile.
fn dormant() -> (Home, String) {
    let home = Home::new();
    let options = ["--authority", "inferred", "--slot", "zebra migration|uses|shadow table"];
    let text = ["The zebra migration fills a shadow table first"];
    let id = home.remember_with(&[&text[..], &options].concat());
    for day in 3..28 {
        home.travel(format!("2026-03-{day:02}").leak());
        home.remember(&format!("Diary of day {day}"));
    }
    home.travel("2026-09-01");
    let flags = home.show(&id)["flags"].clone();
    assert!(strings(&flags).contains(&"dormant"), "{flags}");
    (home, id)
}

#[test]
fn what_is_dormant_is_said_where_nothing_fits_better_and_only_counted_elsewhere() {
    let (home, id) = dormant();
    for query in [
        "tell me about the zebra migration",
        "zebra migration",
        "is the zebra migration on?",
        "fills a shadow table first",
        "what does the migration fill first?",
    ] {
        let named = home.json(&["recall", query]);
        assert_eq!(named["items"][0]["memory"]["id"], id.as_str(), "{query}");
        assert_eq!(named["items"][0]["detail"], "full", "{query}");
    }
    home.remember("The invoice job fills the ledger table at night");
    let fits = home.json(&["recall", "which job fills the ledger table at night?"]);
    let shown = fits["items"].as_array().expect("a list");
    assert!(shown.iter().all(|one| one["memory"]["id"] != id.as_str()), "{fits}");
    assert_eq!(shown.len(), 1, "{fits}");
}

/// A home that went on for many days after something was said in it.
fn after_days(home: &Home, days: u32) {
    for day in 0..days {
        let (month, of_month) = (3 + day / 28, 3 + day % 28);
        let (year, month) = (2026 + (month - 1) / 12, (month - 1) % 12 + 1);
        home.travel(format!("{year}-{month:02}-{of_month:02}").leak());
        home.remember(&format!("Diary of day number {day}"));
    }
}

#[test]
fn a_fact_is_recalled_word_for_word_however_long_nobody_needed_it() {
    let days = if slow() { 400 } else { 60 };
    let home = Home::new();
    let own = home.remember("The staging bastion is reached through port 2222");
    let anchor =
        home.remember_with(&["The nightly export goes to the vault bucket", "--authority", "file"]);
    after_days(&home, days);
    for (id, query) in [
        (&own, "The staging bastion is reached through port 2222"),
        (&own, "how is the staging bastion reached?"),
        (&anchor, "The nightly export goes to the vault bucket"),
    ] {
        let found = home.json(&["recall", query]);
        assert_eq!(found["items"][0]["memory"]["id"], id.as_str(), "{query}: {found}");
    }
    assert!(!strings(&home.show(&anchor)["flags"]).contains(&"dormant"), "an anchor has a floor");
}

#[test]
fn what_was_used_in_several_sessions_does_not_go_dormant() {
    let home = Home::new();
    let id = home.remember("The staging bastion is reached through port 2222");
    for session in ["one", "two", "three", "four"] {
        home.session(session).json(&["recall", "how is the staging bastion reached?"]);
    }
    after_days(&home, 60);
    let flags = home.show(&id)["flags"].clone();
    assert!(strings(&flags).contains(&"established"), "{flags}");
    assert!(!strings(&flags).contains(&"dormant"), "{flags}");
}

#[test]
fn a_quiet_project_does_not_fade() {
    let (home, id) = basel();
    let before = home.show(&id);
    home.travel("2031-09-01");
    let after = home.show(&id);
    assert_eq!((&after["salience"], &after["trust"]), (&before["salience"], &before["trust"]));
    assert_eq!(home.texts(&OFFICE), ["The office is in Basel"]);
}

#[test]
fn feedback_moves_what_is_helpful_and_never_what_is_true() {
    let (home, id) = basel();
    let before = home.show(&id);
    let helped = home.json(&["feedback", &id, "--helpful"]);
    assert_eq!(
        (&helped["memory"]["helpful"], &helped["memory"]["unhelpful"]),
        (&1.into(), &0.into())
    );
    for n in 1..=5 {
        let rated = home.json(&["feedback", &id, "--unhelpful"]);
        assert_eq!(rated["memory"]["unhelpful"], n);
    }
    let after = home.show(&id);
    assert!(after["salience"].as_f64() < before["salience"].as_f64());
    for field in ["trust", "state", "last_verified_at", "evidence", "uses"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    assert_eq!(home.texts(&OFFICE), ["The office is in Basel"], "it is still found");
    assert_eq!(home.error(&["feedback", "0123456789", "--helpful"]).0, 3);
}

#[test]
fn memories_that_come_up_together_are_tied() {
    let (home, one) = basel();
    let two = home.remember("The Basel office opens at eight");
    home.json(&["recall", "Basel office"]);
    let noted = std::fs::read_to_string(spool(&home)).expect("a recall leaves a line");
    assert!(noted.contains(&one) && noted.contains(&two), "both came up: {noted}");
    home.show(&one);
    let graph = home.json(&["graph"]);
    let tied = |edge: &&Value| edge["relation"] == "co_used";
    let edges: Vec<&Value> =
        graph["edges"].as_array().expect("edges").iter().filter(tied).collect();
    let [edge] = edges.as_slice() else { panic!("{graph}") };
    let mut ends = [edge["from"].as_str(), edge["to"].as_str()];
    ends.sort_unstable();
    let mut both = [Some(one.as_str()), Some(two.as_str())];
    both.sort_unstable();
    assert_eq!(ends, both);
    // A person can cut the tie.
    let ends = [edge["from"].as_str().expect("an id"), edge["to"].as_str().expect("an id")];
    home.json(&["unlink", ends[0], "co_used", ends[1]]);
    let graph = home.json(&["graph"]);
    assert!(!graph["edges"].as_array().expect("edges").iter().any(|edge| tied(&edge)), "{graph}");
}

#[test]
fn what_a_recall_moved_can_be_undone_by_its_name_and_only_so() {
    let (home, id) = basel();
    home.json(&OFFICE);
    assert_eq!(home.show(&id)["uses"], 1);
    let recall = id_of(&batches(&home)[0]);
    home.json(&["undo", &recall]);
    let after = home.show(&id);
    assert_eq!((&after["uses"], &after["salience"]), (&0.into(), &json!(0.5)));
    home.json(&OFFICE);
    home.show(&id);
    home.json(&["undo"]);
    let left = home.texts(&["list"]);
    assert_eq!(left, ["The office is in Basel"], "attention is not what one takes back");
    home.assert_sound();
}

#[test]
fn a_question_about_the_past_without_an_answer_leaves_a_gap() {
    let (home, id) = basel();
    let query = ["recall", "what did we decide about the zebra enclosure?"];
    assert_eq!(home.json(&query)["text"], "");
    home.show(&id);
    let [gap] = gaps(&home).try_into().expect("one gap");
    assert!(gap.contains("zebra enclosure"), "{gap}");
    home.json(&query);
    home.show(&id);
    assert_eq!(gaps(&home), [gap], "asked again, it is the same gap");
    for query in ["zebra enclosure", "nothing known about zebra", query[1], "known zebra gap"] {
        assert_eq!(home.json(&["recall", query, "--include-superseded"])["text"], "", "{query}");
    }
    for prompt in ["thanks!", "write a haiku about the sea", "refactor the zebra enclosure"] {
        home.json(&["recall", prompt]);
    }
    home.show(&id);
    assert_eq!(gaps(&home).len(), 1, "only a question about the past leaves one");
}

#[test]
fn a_gap_stays_in_the_project_where_it_was_met() {
    let home = Home::new();
    let (shop, blog) = (home.from("shop"), home.from("blog"));
    shop.remember_with(&["The shop sells bread"]);
    blog.remember_with(&["The blog is about bread"]);
    shop.json(&["recall", "what did we decide about the zebra enclosure?"]);
    blog.remember_with(&["The blog has two authors"]);
    for args in [&["list", "--all"][..], &["log"]] {
        let page = blog.run(args).stdout;
        assert!(!page.contains("zebra"), "{args:?}: {page}");
    }
    assert_eq!(shop.texts(&["list", "--kind", "gap"]).len(), 1);
}

#[test]
fn attention_that_others_settle_does_not_rename_a_project() {
    let home = Home::new();
    let (shop, blog) = (home.from("shop"), home.from("blog"));
    shop.remember_with(&["Speak plainly to customers", "--scope", "global"]);
    blog.json(&["recall", "how do we speak to customers, plainly?"]);
    assert!(spool(&home).exists(), "what is global came up in the blog");
    shop.remember_with(&["The shop sells bread"]);
    let log = blog.run(&["log"]).stdout;
    assert!(!log.contains("space shop"), "the blog is not the shop: {log}");
}

#[test]
fn what_was_found_and_not_shown_is_no_gap() {
    let (home, id) = basel();
    let query = ["recall", "did we say where the office in Basel is?"];
    assert_eq!(home.texts(&query).len(), 1);
    for more in [["--budget", "0"], ["--budget", "20"]] {
        home.json(&[&query[..], &more].concat());
    }
    home.show(&id);
    assert_eq!(gaps(&home), Vec::<String>::new());
}

#[test]
fn undo_takes_back_what_a_person_did_and_not_a_gap_that_was_noted_since() {
    let (home, id) = basel();
    home.json(&["archive", &id]);
    home.json(&["recall", "what did we decide about the zebra enclosure?"]);
    assert_eq!(home.show(&id)["state"], "archived");
    home.json(&["undo"]);
    assert_eq!(home.show(&id)["state"], "confirmed");
}

#[test]
fn a_torn_line_loses_its_own_attention_and_nothing_else() {
    for torn in
        [&b"{\"at\":\"2026-03-02T09:00"[..], b"{\"session\":\"\xc3", b"\0\0\0\0", b"\xff\n\n[]"]
    {
        let (home, id) = basel();
        home.json(&OFFICE);
        let mut noted = std::fs::read(spool(&home)).expect("a recall leaves a line");
        noted.extend(torn);
        std::fs::write(spool(&home), noted).expect("a file can be written");
        home.remember("Something new");
        assert_eq!(home.show(&id)["uses"], 1, "{torn:?}");
        home.json(&OFFICE);
        assert_eq!(home.show(&id)["uses"], 2, "{torn:?}");
    }
}

#[test]
fn a_spool_that_cannot_be_read_is_in_nobodys_way() {
    let (home, id) = basel();
    std::fs::create_dir(spool(&home)).expect("a folder can be made");
    assert_eq!(home.texts(&OFFICE), ["The office is in Basel"]);
    home.remember("Something new");
    assert_eq!(home.show(&id)["content"], "The office is in Basel");
    assert_eq!(home.texts(&OFFICE), ["The office is in Basel"]);
    home.assert_sound();
}

#[test]
fn recalls_that_many_settle_at_once_are_counted_once() {
    let (home, id) = basel();
    for _ in 0..10 {
        home.json(&OFFICE);
    }
    let commands: Vec<_> = (0..8)
        .map(|_| {
            let mut command = home.command();
            command.args(["--json", "show", &id]);
            command
        })
        .collect();
    std::thread::scope(|scope| {
        for mut command in commands {
            scope.spawn(move || {
                let done = command.output().expect("the program starts");
                assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            });
        }
    });
    assert_eq!(home.show(&id)["uses"], 10);
    home.assert_sound();
}

#[test]
fn a_session_is_not_told_again_what_it_was_just_told() {
    let (home, id) = basel();
    let (one, two) = (home.session("s1"), home.session("s2"));
    assert_eq!(one.texts(&OFFICE).len(), 1);
    home.remember("Something new");
    let again = one.json(&OFFICE);
    assert_eq!(again["items"], json!([]));
    assert_eq!(two.texts(&OFFICE).len(), 1, "another session was not told");
    assert_eq!(home.texts(&OFFICE).len(), 1, "nor was nobody in particular");
    let told = one.json(&["why-not", &id, OFFICE[1]]);
    assert_eq!(
        (&told["shown"], &told["reason"]),
        (&false.into(), &"shown in this session already".into())
    );
    home.wait(60);
    assert_eq!(one.texts(&OFFICE).len(), 1, "after an hour it is told again");
    assert_eq!(again["text"], "", "not even as a hint");
}
