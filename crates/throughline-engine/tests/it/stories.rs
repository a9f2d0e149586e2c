//! Stories: what is said on which day, and what a question is answered then.

use insta::assert_snapshot;
use throughline_testing::story;

#[test]
fn a_correction_replaces_what_was_believed() {
    assert_snapshot!(story("
        day 1: staging runs Postgres 14
        day 9, correct \"Postgres 14\": staging runs Postgres 16
        ask: which Postgres does staging run?
        as of day 5, ask: which Postgres does staging run?
    "), @"
    which Postgres does staging run?
    - staging runs Postgres 16 (day 9; trust 1.00; replaced: staging runs Postgres 14)
    which Postgres does staging run?
    - staging runs Postgres 14 (day 1; trust 0.95)
    ");
}

#[test]
fn two_years_of_silence_leave_trust_as_it_was() {
    let told = |day: u32| {
        story(&format!(
            "
        day 1: the kernel is built with clang
        day {day}, find: which compiler builds the kernel
    "
        ))
    };
    let expected =
        "which compiler builds the kernel\n- the kernel is built with clang (day 1; trust 0.95)";
    assert_eq!(told(2), expected);
    assert_eq!(told(731), expected);
}

#[test]
fn a_value_that_can_only_be_one_is_replaced_by_a_later_word_of_the_user() {
    assert_snapshot!(story("
        day 1, slot ana|lives in|NYC|one: Ana lives in New York City
        day 20, slot ana|lives in|SF|one: Ana lives in San Francisco
        ask: where does Ana live?
    "), @"
    where does Ana live?
    - Ana lives in San Francisco (day 20; trust 0.95; replaced: Ana lives in New York City)
    ");
}

#[test]
fn values_that_can_be_many_stand_side_by_side() {
    assert_snapshot!(story("
        day 1, slot app|uses|TypeScript: the app uses TypeScript
        day 2, slot app|uses|DuckDB: the app uses DuckDB
        find: app uses
    "), @"
    app uses
    - the app uses TypeScript (day 1; trust 0.95)
    - the app uses DuckDB (day 2; trust 0.95)
    ");
}

#[test]
fn a_guess_does_not_replace_what_the_user_said() {
    assert_snapshot!(story("
        day 1, slot ci|runs on|Linux|one: CI runs on Linux
        day 2, by inferred, slot ci|runs on|macOS|one: CI runs on macOS
        find: CI runs
    "), @"
    CI runs
    - CI runs on Linux (day 1; trust 0.95)
    - CI runs on macOS (day 2; trust 0.20; staged; contested)
    ");
}

#[test]
fn two_equal_weak_sources_are_contested_and_shown_together() {
    assert_snapshot!(story("
        day 1, by observed, in s1, slot port|is|8080|one: the port is 8080
        day 2, by observed, in s2, slot port|is|9090|one: the port is 9090
        ask: what is the port?
    "), @"
    what is the port?
    - the port is 9090 (day 2; trust 0.33; staged; contested)
    - the port is 8080 (day 1; trust 0.33; staged; contested)
    ");
}

#[test]
fn a_second_independent_source_confirms_what_was_on_probation() {
    assert_snapshot!(story("
        day 1, by extracted, in s1: releases happen on Tuesdays
        find: releases
        day 2, by file, in s2: releases happen on Tuesdays
        find: releases
    "), @"
    releases
    - releases happen on Tuesdays (day 1; trust 0.55; staged)
    releases
    - releases happen on Tuesdays (day 1; trust 0.85)
    ");
}

#[test]
fn what_was_retired_does_not_come_back_by_an_agents_retelling_but_by_the_user() {
    assert_snapshot!(story("
        day 1: deploys go through Jenkins
        day 5, correct \"Jenkins\": deploys go through GitHub Actions
        day 6, by extracted, in s9: deploys go through Jenkins
        day 6, ask: how do deploys go?
        day 30: deploys go through Jenkins
        ask: how do deploys go?
    "), @"
    refused: retired
    how do deploys go?
    - deploys go through GitHub Actions (day 5; trust 1.00; replaced: deploys go through Jenkins)
    how do deploys go?
    - deploys go through Jenkins (day 30; trust 0.95; replaced: deploys go through GitHub Actions)
    ");
}

#[test]
fn what_was_forgotten_stays_out_until_it_is_undone() {
    assert_snapshot!(story("
        day 1: the mascot is a heron
        day 2, forget \"heron\": by mistake
        ask: what is the mascot?
        day 3, undo: the mistake
        ask: what is the mascot?
    "), @"
    what is the mascot?
    (nothing)
    what is the mascot?
    - the mascot is a heron (day 1; trust 0.95)
    ");
}

#[test]
fn undoing_again_and_again_walks_back() {
    assert_snapshot!(story("
        day 1: the limit is 10 requests
        day 2, correct \"10\": the limit is 20 requests
        day 3, correct \"20\": the limit is 30 requests
        undo: once
        find: limit
        undo: twice
        find: limit
        undo: thrice
        find: limit
        undo: and nothing is left
    "), @"
    limit
    - the limit is 20 requests (day 2; trust 1.00)
    limit
    - the limit is 10 requests (day 1; trust 0.95)
    limit
    (nothing)
    refused: nothing_to_undo
    ");
}

#[test]
fn another_number_of_the_same_thing_is_another_memory_and_the_later_one_holds() {
    assert_snapshot!(story("
        day 1: p99 latency is 12 ms
        day 2: p99 latency is 15 ms
        day 3: P99 latency is 15 ms.
        find: latency
    "), @"
    latency
    - p99 latency is 15 ms (day 2; trust 0.95)
    ");
}

#[test]
fn an_identifier_is_found_whole_and_in_parts() {
    assert_snapshot!(story("
        day 1: parseHttpLine panics on empty headers
        day 1: the flag --max-old-space-size is set in build/env.sh
        find: parse http
        find: parseHttpLine
        find: max old space
        find: env.sh
    "), @"
    parse http
    - parseHttpLine panics on empty headers (day 1; trust 0.95)
    parseHttpLine
    - parseHttpLine panics on empty headers (day 1; trust 0.95)
    max old space
    - the flag --max-old-space-size is set in build/env.sh (day 1; trust 0.95)
    env.sh
    - the flag --max-old-space-size is set in build/env.sh (day 1; trust 0.95)
    ");
}
