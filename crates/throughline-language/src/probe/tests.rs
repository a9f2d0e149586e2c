//! The probe, judged by a table of what it must find, by what it must leave alone, and by laws.

mod changes;
mod failures;

use std::time::Instant;

use proptest::prelude::*;

use throughline_core::Timestamp;
use throughline_core::event::ToolRun;
use throughline_core::reading::Piece;

use super::*;
use throughline_core::Slot;
use throughline_core::event::ToolCall;
use throughline_core::patch::read;
use throughline_core::reading::{Caution, Role};

fn user(text: &str) -> Turn<'_> {
    Turn { speaker: Speaker::User, text, run: None, at: Timestamp::from_millis(0), pieces: None }
}

fn assistant(text: &str) -> Turn<'_> {
    Turn {
        speaker: Speaker::Assistant,
        text,
        run: None,
        at: Timestamp::from_millis(0),
        pieces: None,
    }
}

fn ran(command: &str, output: &str, exit: i32) -> ToolRun {
    let call = ToolCall {
        tool: "Bash".to_owned(),
        command: Some(command.to_owned()),
        ..ToolCall::default()
    };
    ToolRun { call, output: output.to_owned(), failed: exit != 0, exit: Some(exit) }
}

fn tool(run: &ToolRun) -> Turn<'_> {
    Turn {
        speaker: Speaker::Tool,
        text: &run.output,
        run: Some(run),
        at: Timestamp::from_millis(0),
        pieces: None,
    }
}

fn found(turns: &[Turn<'_>]) -> Vec<Operation> {
    probe(turns, &ProbePolicy::default()).operations
}

fn remembered(turns: &[Turn<'_>]) -> Vec<Remember> {
    found(turns)
        .into_iter()
        .filter_map(|one| match one {
            Operation::Remember(it) => Some(it),
            Operation::Correct(_)
            | Operation::Retract(_)
            | Operation::Archive(_)
            | Operation::Know { .. }
            | Operation::Relate(_)
            | Operation::Settle(_)
            | Operation::Summarize(_)
            | Operation::Artifact(_) => None,
        })
        .collect()
}

/// A claim as a line of the fixture: kind, content, slot, because.
fn line(it: &Remember) -> [String; 4] {
    let form = |slot: &Slot| {
        format!("{}|{}|{}|{}", slot.subject, slot.predicate, slot.object, slot.cardinality)
    };
    let slot = it.slot.as_ref().map(form).unwrap_or_default();
    [it.kind.as_str().to_owned(), it.content.clone(), slot, it.because.join("; ")]
}

fn lines(fixture: &str) -> impl Iterator<Item = &str> {
    fixture.lines().filter(|line| !line.is_empty() && !line.starts_with("# "))
}

#[test]
fn what_is_asked_for_chosen_or_found_out_by_the_agent_is_kept() {
    let fixture = include_str!("../../tests/fixtures/probe_finds.tsv");
    let mut count = 0;
    let mut missed = String::new();
    for example in lines(fixture) {
        let (said, expected) = example.split_once('\t').unwrap();
        // "Before → said": what the other side has just said.
        let (before, own) = said.split_once(" ⇒ ").unwrap_or(("", said));
        let (before, own) = (before.replace("\\n", "\n"), own.replace("\\n", "\n"));
        let own = own.strip_prefix("agent: ").map_or_else(|| user(&own), assistant);
        let kept = remembered(&[assistant(&before), own]);
        let first = kept.first().map(line).unwrap_or_default().join("\t");
        if first != expected {
            missed += &format!("{said}\n\tis\t{first}\n\tnot\t{expected}\n");
        }
        count += 1;
    }
    assert!(missed.is_empty(), "\n{missed}");
    assert!(count >= 90, "{count}");
}

#[test]
fn a_yes_a_no_or_an_option_says_nothing_where_nothing_was_offered() {
    for said in [
        "ok",
        "yes, drop those two",
        "go ahead",
        "1",
        "b",
        "Option B",
        "go with option 2",
        "option 3 looks good",
        "let's take 30 for number 4",
        "No, thanks.",
        "Never mind, I found it.",
        "Actually, scratch that.",
    ] {
        assert_eq!(found(&[assistant("The build is green."), user(said)]), Vec::new(), "{said}");
    }
}

#[test]
fn plans_praise_and_reports_of_the_agent_are_left_alone() {
    for said in [
        "I'll move `parse` to `lib.rs` next and then run the tests.",
        "Let me check how `watch_all` calls the callback in `main.rs`.",
        "You could move `parse` from `lib.rs` to `main.rs`.",
        "Want me to add a `--json` flag to `watch`?",
        "All tests in `src/parse` pass and `clippy` is clean.",
        "Added two tests to `src/parse/tests.rs` for `parse_all`.",
        "Option B: `sync` calls `flush()` after every record.",
        "Line 42: `parse_all` returns early when the list is empty.",
        "It calls `flush()` in `src/out.rs` after every record.",
        "The `run` command passes it to `preload()` in `main.rs`.",
        "✅ `parse_all` handles empty lists and returns `None`.",
        "`TestParse` creates a file in `/tmp` and reads it back.",
        "Removed the unused import of `fmt` from `src/out.rs`.",
        "If `flush()` fails, `write_all` would return early.",
        "The plan: `sync` reads `index.db` before it uploads.",
    ] {
        assert_eq!(found(&[user("go"), assistant(said)]), Vec::new(), "{said}");
    }
}

#[test]
fn only_the_answer_is_read_for_findings() {
    let said = "`requires_sync()` makes the HEAD request and compares sizes.";
    let run = ran("cargo check", "ok", 0);
    assert_eq!(found(&[assistant(said), tool(&run)]), Vec::new());
    assert_eq!(remembered(&[assistant(said), user("ok")]).len(), 1);
    let cause = "The root cause is that `glob` keeps the trailing slash of `target/`.";
    assert_eq!(remembered(&[assistant(cause), tool(&run)]).len(), 1);
}

#[test]
fn what_is_about_to_change_is_no_finding() {
    let now = "`add_stats` reads `stats.json` and writes it back for every session.";
    let offered = format!("{now}\n\nShall I buffer the writes instead?");
    assert_eq!(found(&[assistant(&offered)]), Vec::new());
    let reported = format!("Fixed. {now}\n\nAnything else?");
    assert_eq!(remembered(&[assistant(&reported)]).len(), 1);
}

#[test]
fn an_answer_leaves_little_behind() {
    let said: String = (0..20)
        .map(|n| format!("`part_{n}` reads `file_{n}.rs` and returns its size.\n\n"))
        .collect();
    assert_eq!(remembered(&[assistant(&said)]).len(), 6);
}

#[test]
fn who_is_asked_to_note_something_was_not_told_it() {
    for words in [
        "Please note what you found out about the plant.",
        "Please remember how the deployment of the shop works.",
        "Remember that: what you just found out about the plant.",
        "Keep that in mind for the reorg.",
    ] {
        assert_eq!(remembered(&[user(words)]), [], "{words}");
    }
    let told = "Please note the staging host has no outbound network.";
    assert_eq!(remembered(&[user(told)]).len(), 1);
}

#[test]
fn what_is_asked_to_be_remembered_is_kept_whole_and_without_the_asking() {
    for (said, kept) in [
        ("Remember: use tabs", "use tabs"),
        ("Remember: staging is on 8081.", "staging is on 8081"),
        ("remember this: the office cat is called Miso", "the office cat is called Miso"),
        (
            "Note: Grace signs off every release. Ask her first.",
            "Grace signs off every release. Ask her first",
        ),
        ("note: the VPN drops at noon", "the VPN drops at noon"),
        ("Please remember that it was Bob's idea.", "it was Bob's idea"),
        ("please remember the following:\n- tabs\n- no emojis", "- tabs - no emojis"),
        ("Fix the build.\n\nRemember: if CI is red, ask me.", "if CI is red, ask me"),
        ("remember that the docs say 30 s", "the docs say 30 s"),
        ("Remember this. We deploy on Tuesdays.", "We deploy on Tuesdays"),
        ("Remember: the port is 80. Can you fix the test now?", "the port is 80"),
        ("also please note that maybe we move to Bonn", "maybe we move to Bonn"),
    ] {
        let operations = found(&[user(said)]);
        let [Operation::Remember(it)] = &operations[..] else { panic!("{said}: {operations:?}") };
        assert_eq!(
            (it.content.trim_start_matches("- "), it.confidence),
            (kept.trim_start_matches("- "), 0.95),
            "{said}"
        );
    }
    for said in [
        "Do you remember the port?",
        "remember when we used Redis?",
        "I can't remember the port.",
        "Remember how that went",
        "remember?",
        "Remember: the port is 80. Scratch that.",
        "Remember this. What is the port?",
        "> Note: the port is 80",
        "From: a@b.c\nSubject: x\n\nRemember: the port is 80.",
    ] {
        let asked = remembered(&[user(said)]);
        assert!(asked.iter().all(|it| it.confidence < 0.95), "{said}: {asked:?}");
    }
}

#[test]
fn what_was_said_about_a_thing_can_be_forgotten() {
    let operations = found(&[user("Forget what I said about the retry limit.")]);
    let [Operation::Retract(it)] = &operations[..] else { panic!("{operations:?}") };
    assert_eq!(it.what, "the retry limit");
}

#[test]
fn what_is_to_be_forgotten_is_named_in_its_own_words() {
    let operations = found(&[user("Please forget that Bob is on vacation.")]);
    let [Operation::Retract(it)] = &operations[..] else { panic!("{operations:?}") };
    assert_eq!((it.what.as_str(), it.exact), ("Bob is on vacation", true));
    assert_eq!(found(&[user("Did you forget that Bob is on vacation?")]), Vec::new());
}

#[test]
fn numbers_of_whole_runs_are_measurements() {
    let run = ran(
        "cargo nextest run",
        "     Summary [   4.2s] 619 tests run: 619 passed, 0 skipped\n",
        0,
    );
    let [it] = &remembered(&[tool(&run)])[..] else { panic!("one") };
    let slot = it.slot.as_ref().unwrap();
    assert_eq!(
        (slot.subject.as_str(), slot.object.as_str()),
        ("tests of cargo nextest run", "619 passed")
    );
    let one = ran("cargo nextest run -E 'test(x)'", "Summary 1 tests run: 12 passed", 0);
    assert_eq!(found(&[tool(&one)]), Vec::new());
}

#[test]
fn the_agent_is_believed_little() {
    assert_eq!(
        found(&[assistant(
            "We always use tabs. The default branch is develop. Let's go with Redis."
        )]),
        Vec::new()
    );
    let said = "`EXPLAIN` doesn't work because `sqlite3` does not support parameters there.";
    assert!(remembered(&[assistant(said)]).iter().all(|it| it.confidence < 0.5));
    let [it] = &remembered(&[assistant("Import time: 9.5s → 1.5s")])[..] else { panic!("one") };
    assert_eq!(it.slot.as_ref().unwrap().object, "1.5 s");
}

#[test]
fn an_option_is_kept_as_what_it_stands_for() {
    let turns = [
        assistant(
            "Two ways:\n\n- Option A: keep Redis as a cache\n- Option B: move sessions to Postgres",
        ),
        user("Go with option B"),
    ];
    let [it] = &remembered(&turns)[..] else { panic!("one") };
    assert_eq!(it.content, "Chosen: move sessions to Postgres");
}

#[test]
fn a_yes_makes_a_decision_of_a_proposal() {
    let turns =
        [assistant("Both work. Should we use Postgres for sessions?"), user("yes, go ahead")];
    let [it] = &remembered(&turns)[..] else { panic!("one") };
    assert_eq!(
        (it.kind, it.content.as_str(), it.turn),
        (Kind::Decision, "Agreed: use Postgres for sessions", Some(0))
    );
    assert_eq!(found(&[assistant("Should we use Postgres or Redis?"), user("yes")]), Vec::new());
}

/// A piece that a reader would keep.
fn piece(turn: &str, said: &str) -> Piece {
    let start = turn.find(said).expect("said in the turn");
    let mut piece = Piece {
        span: start..start + said.len(),
        lasting: 0.95,
        roles: [0.0; Role::ALL.len()],
        cautions: [0.0; Caution::ALL.len()],
    };
    piece.roles[Role::Rule as usize] = 1.0;
    piece.cautions[Caution::None as usize] = 1.0;
    piece
}

#[test]
fn what_the_agent_wrote_is_not_the_users_though_they_paste_it() {
    let review = "Never hold the lock while you call the network from here on.";
    let pieces = [piece(review, review)];
    let pasted = Turn { pieces: Some(&pieces), ..user(review) };
    assert_eq!(found(&[assistant(review), pasted]), Vec::new());
    assert_eq!(found(&[pasted]).len(), 1);
    let plan = "Implement this.\n\n# Plan\n\nAlways use tabs.\n\n## Steps\n\nNever use spaces.";
    let pieces = [piece(plan, "Always use tabs."), piece(plan, "Never use spaces.")];
    assert_eq!(found(&[Turn { pieces: Some(&pieces), ..user(plan) }]), Vec::new());
}

#[test]
fn turns_before_the_first_are_only_context() {
    let turns = [user("Remember: always use tabs."), user("Remember: never use semicolons.")];
    let patch = probe_telling(&turns, 1, &ProbePolicy::default()).0;
    assert_eq!(patch.operations.len(), 1);
}

#[test]
fn names_in_what_is_kept_are_known_with_their_aliases_and_relations() {
    let turn = "`tl-api`, also called `gateway`, depends on Redis. My colleague Grace owns it.";
    let pieces = [piece(turn, turn)];
    let operations = found(&[Turn { pieces: Some(&pieces), ..user(turn) }]);
    let told = operations.iter().filter_map(|one| match one {
        Operation::Know { entity } => Some(format!("{} {:?}", entity.name, entity.aliases)),
        Operation::Relate(it) => Some(format!("{} {} {}", it.from, it.relation, it.to)),
        Operation::Remember(_)
        | Operation::Correct(_)
        | Operation::Retract(_)
        | Operation::Archive(_)
        | Operation::Settle(_)
        | Operation::Summarize(_)
        | Operation::Artifact(_) => None,
    });
    let told: Vec<String> = told.collect();
    assert_eq!(told, ["tl-api [\"gateway\"]", "gateway depends_on Redis", "Grace []"]);
}

#[test]
fn a_megabyte_is_probed_in_no_time() {
    for piece in [
        "No, we use pnpm, not npm because it is fast.\n",
        "Remember: we use pnpm. Forget that we use npm.\n",
        "never ",
        "`a` ",
        "we decided to use X, ",
        "\"'",
    ] {
        let turn = piece.repeat(1_000_000 / piece.len());
        let start = Instant::now();
        let count = found(&[user(&turn), assistant(&turn)]).len();
        let taken = start.elapsed().as_secs_f64();
        assert!(taken < 4.0, "{piece:?}: {count} operations in {taken} s");
    }
}

fn anything() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        ".{0,30}",
        "[a-zA-Z ,.!?'\"`\n:-]{0,40}",
        proptest::sample::select(vec![
            "Remember: ",
            "please forget that ",
            "Should we use `X`?",
            "yes",
            "We decided to use `X` because ",
            "Always run ",
            "no, we use A, not B. ",
            "The default branch is ",
            "I'll do it tomorrow. ",
            "to release: 1) a 2) b",
            "switched from ",
            " to ",
            "I ",
            "my ",
            "fails because ",
            "root cause: `x` ",
            "p50 12 ms ",
            "12",
            "We no longer use ",
            " anymore",
            "is deprecated, use ",
            "'",
            "“",
            "\u{130}",
            "ß",
            "1. ",
            "\n- ",
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn whatever_is_said_operations_are_bounded_grounded_and_readable(a in anything(), b in anything(), output in anything()) {
        let run = ran(&a, &output, 1);
        let turns = [assistant(&a), tool(&run), user(&b), user(&a), assistant(&b)];
        let patch = probe(&turns, &ProbePolicy::default());
        for operation in &patch.operations {
            let (content, quote, turn) = match operation {
                Operation::Remember(it) => (&it.content, &it.quote, it.turn),
                Operation::Correct(it) => (&it.right, &it.quote, it.turn),
                Operation::Retract(it) | Operation::Archive(it) => (&it.what, &it.quote, it.turn),
                Operation::Know { .. } | Operation::Relate(_) | Operation::Settle(_) | Operation::Summarize(_) | Operation::Artifact(_) => continue,
            };
            prop_assert!(!content.trim().is_empty() && content.chars().count() <= 700);
            let quote = quote.as_ref().expect("what it rests on");
            prop_assert!(turns[turn.expect("where")].text.contains(quote.as_str()), "{quote:?}");
        }
        let json = serde_json::to_string(&patch).expect("a patch is JSON");
        let reading = read(&json);
        prop_assert!(reading.refused.is_empty(), "{:?}", reading.refused);
        prop_assert_eq!(reading.patch, patch);
    }
}

proptest! {
    /// What is kept of a person's words stands in the turn as it is, up to the end of a sentence.
    #[test]
    fn whatever_a_person_says_is_kept_as_a_stretch_of_the_turn(a in anything(), b in anything()) {
        let turn = format!("{a}{b}");
        let bare = |text: &str| content::plain(&text.replace('*', ""));
        let all = bare(&turn);
        for operation in found(&[user(&turn)]) {
            let kept = match &operation {
                Operation::Remember(it) => &it.content,
                Operation::Correct(it) => &it.right,
                Operation::Retract(_)
                | Operation::Archive(_)
                | Operation::Know { .. }
                | Operation::Relate(_)
                | Operation::Settle(_) | Operation::Summarize(_) | Operation::Artifact(_) => continue,
            };
            let kept = bare(kept);
            prop_assert!(all.contains(kept.as_str()), "{kept:?} of {turn:?}");
            let ends = speech::own_units(&turn).iter().any(|unit| {
                let said = bare(&turn[..unit.span.end]);
                said.trim_end_matches(['.', ',', '?', ' ']).ends_with(kept.as_str())
                    || said.ends_with(kept.as_str())
            });
            prop_assert!(ends, "{kept:?} of {turn:?}");
        }
    }
}
