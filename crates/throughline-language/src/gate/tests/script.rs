//! When probes come due: a reference session of sixty turns, and each rule by itself.

use super::*;

const QUIET: &str = "Looking at the next part.";

fn step(watch: &Watch, speaker: Speaker, text: &str, minute: i64) -> (GateVerdict, Watch) {
    let turn = Turn { speaker, text, run: None, at: at(minute), pieces: None };
    judge(watch, &turn, &GatePolicy::default())
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
fn sixty_turns_take_ten_to_fifteen_probes() {
    let mut watch = Watch::default();
    for (turn, (prompt, answer)) in SIXTY.iter().enumerate() {
        let minute = i64::try_from(turn).unwrap() * 2;
        for (speaker, text) in [(Speaker::User, prompt), (Speaker::Assistant, answer)] {
            let (verdict, next) = step(&watch, speaker, text, minute);
            watch = if verdict.probe == ProbeWhen::Wait { next } else { probed(next, at(minute)) };
        }
    }
    assert_eq!(watch.turns, 60);
    assert!((10..=15).contains(&watch.probes), "{} probes", watch.probes);
}

#[test]
fn the_dead_mans_switch_goes_off_at_the_eighth_silent_turn() {
    let mut watch = Watch::default();
    for turn in 1..=24 {
        let (verdict, next) = step(&watch, Speaker::Assistant, QUIET, 0);
        let due = turn % 8 == 0;
        assert_eq!(verdict.probe == ProbeWhen::Now(Due::Silence), due, "turn {turn}");
        assert_eq!(verdict.fired.iter().any(|one| one.signal == Signal::Silence), due);
        watch = if due { probed(next, at(0)) } else { next };
    }
    assert_eq!(watch.probes, 3);
}

#[test]
fn tool_runs_are_no_turns() {
    let mut watch = Watch::default();
    for _ in 0..50 {
        let (verdict, next) = step(&watch, Speaker::Tool, "ok", 0);
        assert_eq!(verdict.probe, ProbeWhen::Wait);
        watch = next;
    }
    assert_eq!((watch.turns, watch.silent_turns), (0, 0));
    for _ in 0..50 {
        watch = step(&watch, Speaker::Tool, "error: could not compile", 0).1;
    }
    assert_eq!(watch.waiting, 1, "the runs between two turns wait together");
}

#[test]
fn the_fifth_waiting_turn_takes_the_others_along() {
    let mut watch = Watch::default();
    for turn in 1..=5 {
        let (verdict, next) = step(&watch, Speaker::User, "I'll do that part myself", 0);
        let expected = if turn == 5 { ProbeWhen::Now(Due::Batch) } else { ProbeWhen::Wait };
        assert_eq!(verdict.probe, expected, "turn {turn}");
        watch = next;
    }
    let after = probed(watch, at(1));
    assert_eq!((after.waiting, after.waiting_since, after.silent_turns), (0, None, 0));
}

#[test]
fn nothing_waits_longer_than_a_quarter_of_an_hour() {
    let (_, watch) = step(&Watch::default(), Speaker::User, "I'll do that part myself", 0);
    assert_eq!(step(&watch, Speaker::Assistant, QUIET, 14).0.probe, ProbeWhen::Wait);
    assert_eq!(step(&watch, Speaker::Assistant, QUIET, 15).0.probe, ProbeWhen::Now(Due::Minutes));
    assert_eq!(step(&watch, Speaker::Tool, "ok", 15).0.probe, ProbeWhen::Now(Due::Minutes));
}

#[test]
fn a_new_topic_takes_four_waiting_turns_along() {
    let mut watch = Watch::default();
    for _ in 0..3 {
        watch = step(&watch, Speaker::User, "I'll write the importer docs for records", 0).1;
    }
    let other =
        "does the kubernetes ingress terminate certificates before the gateway proxies traffic";
    assert_eq!(step(&watch, Speaker::User, other, 0).0.probe, ProbeWhen::Now(Due::Topic));
}

#[test]
fn what_is_strong_does_not_wait() {
    let (verdict, watch) = step(&Watch::default(), Speaker::User, "Never push to main.", 0);
    assert_eq!(verdict.probe, ProbeWhen::Now(Due::Strong));
    let again = step(&watch, Speaker::Assistant, QUIET, 1).0.probe;
    assert_eq!(again, ProbeWhen::Now(Due::Strong), "it stays due until somebody probes");
    let after = probed(watch, at(2));
    assert_eq!(step(&after, Speaker::Assistant, QUIET, 3).0.probe, ProbeWhen::Wait);
}

#[test]
fn a_session_ends_with_nothing_left_behind() {
    let fresh = Watch::default();
    assert!(!flush(&fresh, Flush::Ending));
    let (_, one) = step(&fresh, Speaker::User, "I'll do that part myself", 0);
    for why in [Flush::TopicChange, Flush::Compacting, Flush::Ending] {
        assert!(flush(&one, why), "{why:?}");
    }
    let done = probed(one, at(1));
    assert!(!flush(&done, Flush::Ending));
    let (_, quiet) = step(&step(&fresh, Speaker::User, "hm", 0).1, Speaker::Assistant, QUIET, 0);
    assert!(flush(&quiet, Flush::Ending), "a session is probed once at least");
    assert!(!flush(&quiet, Flush::TopicChange));
}
