//! Laws of the gate.

use proptest::prelude::*;

use super::*;

fn speaker() -> impl Strategy<Value = Speaker> {
    prop_oneof![Just(Speaker::User), Just(Speaker::Assistant), Just(Speaker::Tool)]
}

/// Text that cues are made of, and anything else.
fn text() -> impl Strategy<Value = String> {
    let spoken = prop::sample::select(vec![
        "no,", "actually", "wait", "use", "always", "`code", "\"", "12 ms", "tests", "failed",
        "\n", "```", "# ", "src/a.rs", "Alice", "let's", "go with", "error:", "…", "<tag>", "if",
        "?", ".",
    ]);
    prop_oneof![
        any::<String>(),
        prop::collection::vec(spoken, 0..40).prop_map(|words| words.join(" ")),
    ]
}

proptest! {
    #[test]
    fn any_text_is_judged_and_judged_alike(speaker in speaker(), text in text(), millis in any::<i64>()) {
        let turn = Turn { speaker, text: &text, run: None, at: Timestamp::from_millis(millis), pieces: None };
        let policy = GatePolicy::default();
        let once = judge(&Watch::default(), &turn, &policy);
        prop_assert_eq!(&once, &judge(&Watch::default(), &turn, &policy));
        for fired in &once.0.fired {
            prop_assert!(fired.words.chars().count() <= 160, "{:?}", fired);
        }
    }

    #[test]
    fn what_is_remembered_stays_small_and_can_be_written_down(
        turns in prop::collection::vec((speaker(), text()), 0..24),
    ) {
        let policy = GatePolicy::default();
        let mut watch = Watch::default();
        for (speaker, text) in &turns {
            watch = judge(&watch, &said(*speaker, text), &policy).1;
        }
        let written = serde_json::to_string(&watch).unwrap();
        prop_assert!(written.len() < 16 * 1024, "{} bytes", written.len());
        prop_assert_eq!(serde_json::from_str::<Watch>(&written).unwrap(), watch);
    }

    #[test]
    fn the_order_of_tool_runs_makes_no_difference(
        outputs in prop::collection::vec(
            prop_oneof![Just("test result: FAILED. 1 failed"), Just("ok"), Just("latency is 3 ms")],
            0..8,
        ).prop_shuffle(),
    ) {
        let policy = GatePolicy::default();
        let claim = said(Speaker::Assistant, "The search latency is 9 ms.");
        let start = judge(&Watch::default(), &claim, &policy).1;
        let run = |outputs: &[&str]| {
            let mut watch = start.clone();
            let mut fired = Vec::new();
            for output in outputs {
                let (verdict, next) = judge(&watch, &said(Speaker::Tool, output), &policy);
                fired.extend(verdict.fired.into_iter().map(|one| (one.signal, one.words)));
                watch = next;
            }
            fired.sort();
            (watch, fired)
        };
        let mut sorted = outputs.clone();
        sorted.sort_unstable();
        prop_assert_eq!(run(&outputs), run(&sorted));
    }

    #[test]
    fn at_most_seven_turns_go_by_without_a_probe(
        turns in prop::collection::vec((speaker(), text()), 0..24),
    ) {
        let policy = GatePolicy::default();
        let mut watch = Watch::default();
        for (speaker, text) in &turns {
            let (verdict, next) = judge(&watch, &said(*speaker, text), &policy);
            watch = match verdict.probe {
                ProbeWhen::Now(_) => probed(next, at(0)),
                ProbeWhen::Wait => next,
            };
            prop_assert!(watch.silent_turns < policy.dead_man_turns);
            prop_assert!(watch.waiting < policy.batch_turns);
        }
    }
}

#[test]
fn the_largest_memory_of_a_session_is_small() {
    let mut watch = Watch::default();
    for turn in 0..60 {
        let text: String = (0..30)
            .map(|n| format!("{n}{turn} ms of latencyKind{n}x{turn} in path{turn}/file{n}.rs.\n"))
            .collect();
        watch = judge(&watch, &said(Speaker::User, &text), &GatePolicy::default()).1;
    }
    let written = serde_json::to_string(&watch).unwrap();
    assert!(written.len() < 12 * 1024, "{} bytes", written.len());
}

#[test]
fn a_memory_from_another_version_can_be_read() {
    let watch: Watch = serde_json::from_str(r#"{"turns":3,"later":true}"#).unwrap();
    assert_eq!(watch.turns, 3);
}

#[test]
fn no_more_turns_are_noticed_than_there_were_however_many_tools_run() {
    let mut watch = Watch::default();
    let policy = GatePolicy::default();
    watch = judge(&watch, &said(Speaker::User, "We decided to use Postgres."), &policy).1;
    for _ in 0..9 {
        let ran = "error: the feature `simd` requires the nightly compiler\nExit code 101";
        watch = judge(&watch, &said(Speaker::Tool, ran), &policy).1;
    }
    assert_eq!((watch.turns, watch.fired), (1, 1));
}
