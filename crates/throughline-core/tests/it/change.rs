//! The written form of changes is the log's promise: what was once written can always be read.

use throughline_core::row::Tombstone;
use throughline_core::watermark::Referent;
use throughline_core::{Change, Row, Ruling, State, Table, Usage};

use crate::sample::{
    attended, edge, entity, episode, evidence, file, full_memory, injection, leaf, one_of_each,
    pending, space, watermark,
};
use crate::world::{SPACE, day, id};

/// Stops compiling when a variant is added, so that it gets a line of its own below.
fn place(change: &Change) -> usize {
    match change {
        Change::AddSpace(_) => 0,
        Change::Insert(_) => 1,
        Change::Reinforce(_) => 2,
        Change::Revise(_) => 3,
        Change::Move { .. } => 4,
        Change::Supersede { .. } => 5,
        Change::Unsupersede { .. } => 6,
        Change::Link(_) => 7,
        Change::Unlink { .. } => 8,
        Change::Watch(_) => 9,
        Change::Know(_) => 10,
        Change::Record(_) => 11,
        Change::Use { .. } => 12,
        Change::Rate { .. } => 13,
        Change::Attend(_) => 14,
        Change::Inject(_) => 15,
        Change::Purge(_) => 16,
        Change::Expunge(_) => 17,
        Change::Restore { .. } => 18,
        Change::Unknow { .. } => 19,
        Change::Defer(_) => 20,
        Change::Decide { .. } => 21,
        Change::Silence { .. } => 22,
        Change::Unwatch { .. } => 23,
        Change::Shelve(_) => 24,
        Change::Unshelve { .. } => 25,
        Change::Slept { .. } => 26,
        Change::Redact { .. } => 27,
    }
}

#[test]
fn the_log_is_written_as_it_always_was() {
    let places: Vec<_> = one_of_each().iter().map(place).collect();
    assert_eq!(places, (0..28).collect::<Vec<_>>(), "one of every variant");
    let lines: Vec<_> =
        one_of_each().iter().map(|change| serde_json::to_string(change).unwrap()).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    {"add_space":{"space":1,"key":"github.com/acme/app","name":"app","created_at":"2024-10-04T00:00:00.000Z"}}
    {"insert":{"id":"00000000-0000-0000-0000-000000000001","space":1,"kind":"fact","content":"Use tabs.","fingerprint":"274ce604304bf99bb24a95026c7c1a340e70cc6d4607fe899d4d27e35132410a","importance":0.5,"authority":"inferred","confidence":1.0,"state":"staged","recorded_at":"2024-10-04T00:00:00.000Z"}}
    {"reinforce":{"id":"3aa5ac01b728cc8d","space":1,"memory":"00000000-0000-0000-0000-000000000001","authority":"extracted","session":"s","turn":"t7","at":"2024-10-05T00:00:00.000Z","snippet":"we moved","why":"stated in passing","echo":true}}
    {"revise":{"id":"00000000-0000-0000-0000-000000000001","space":1,"session":"s","kind":"fact","content":"Staging runs Postgres 16.","fingerprint":"1e67a2c6b8f659aba2028afd61ee0e8791a495eb13ee2d1a46e31d89b2c65fc3","label":"database","domain":"technical","importance":0.5,"slot":{"subject":"staging","predicate":"runs","object":"Postgres 16","cardinality":"one"},"authority":"user_corrected","confidence":1.0,"state":"superseded","previous":"staged","since":"2024-10-06T00:00:00.000Z","valid_from":"2024-10-05T00:00:00.000Z","valid_until":"2024-10-06T00:00:00.000Z","recorded_at":"2024-10-04T00:00:00.000Z","last_verified_at":"2024-10-05T00:00:00.000Z","superseded_by":"00000000-0000-0000-0000-000000000002","pinned":true,"cold":true,"graduated_at":"2024-10-12T00:00:00.000Z","done_at":"2024-10-13T00:00:00.000Z","triggers":["psql"]}}
    {"move":{"space":1,"id":"00000000-0000-0000-0000-000000000001","to":"archived","at":"2024-10-06T00:00:00.000Z"}}
    {"supersede":{"space":1,"old":"00000000-0000-0000-0000-000000000001","new":"00000000-0000-0000-0000-000000000002","at":"2024-10-06T00:00:00.000Z"}}
    {"unsupersede":{"space":1,"old":"00000000-0000-0000-0000-000000000001"}}
    {"link":{"space":1,"from":"m:00000000-0000-0000-0000-000000000001","relation":"evidenced_by","to":"m:00000000-0000-0000-0000-000000000002","weight":1.0,"confidence":1.0,"reinforcements":2,"last_reinforced_at":"2024-10-05T00:00:00.000Z","reason":"it was measured"}}
    {"unlink":{"space":1,"from":"m:00000000-0000-0000-0000-000000000001","relation":"about","to":"n:00000000-0000-0000-0000-000000000003"}}
    {"watch":{"space":1,"memory":"00000000-0000-0000-0000-000000000001","referent":{"type":"file","path":"compose.yml","span":[3,9]},"stamp":"9f2c","stamped_at":"2024-10-05T00:00:00.000Z","reading":"scope_touched","then":"retries = 5","now":"retries = 7","tally":{"hits":1,"false_alarms":0,"misses":0,"quiet":0}}}
    {"know":{"id":"00000000-0000-0000-0000-000000000003","space":1,"kind":"tool","name":"Postgres","aliases":["pg"],"created_at":"2024-10-05T00:00:00.000Z"}}
    {"record":{"id":"00000000-0000-0000-0000-000000000004","space":1,"session":"s","position":7,"turn":"t7","speaker":"user","at":"2024-10-05T00:00:00.000Z","text":"we moved"}}
    {"use":{"space":1,"memories":["00000000-0000-0000-0000-000000000001"],"session":"s","at":"2024-10-06T00:00:00.000Z"}}
    {"rate":{"space":1,"memory":"00000000-0000-0000-0000-000000000001","helpful":true}}
    {"attend":{"id":"s","space":1,"agent":"claude","started_at":"2024-10-05T00:00:00.000Z","ended_at":"2024-10-06T00:00:00.000Z"}}
    {"inject":{"id":"i1","space":1,"session":"s","at":"2024-10-05T00:00:00.000Z","memories":["00000000-0000-0000-0000-000000000001","00000000-0000-0000-0000-000000000002"],"tokens":120}}
    {"purge":{"space":1,"fingerprint":"1e67a2c6b8f659aba2028afd61ee0e8791a495eb13ee2d1a46e31d89b2c65fc3","slot":"a46e2b2ec3d3f7ee9407b640be1b999f53bd0bfe65a121fcc949a3b5cbd091e8","memory":"00000000-0000-0000-0000-000000000001","at":"2024-10-07T00:00:00.000Z"}}
    {"expunge":{"space":1,"fingerprint":"1e67a2c6b8f659aba2028afd61ee0e8791a495eb13ee2d1a46e31d89b2c65fc3","slot":"a46e2b2ec3d3f7ee9407b640be1b999f53bd0bfe65a121fcc949a3b5cbd091e8","memory":"00000000-0000-0000-0000-000000000001","at":"2024-10-07T00:00:00.000Z"}}
    {"restore":{"batch":"00000000-0000-0000-0000-000000000005","rows":[{"key":{"space":1,"table":"memory","key":"00000000-0000-0000-0000-000000000001"},"row":null},{"key":{"space":1,"table":"usage","key":"00000000-0000-0000-0000-000000000001"},"row":{"usage":{"space":1,"memory":"00000000-0000-0000-0000-000000000001","uses":3,"sessions":["s"],"helpful":0,"unhelpful":0,"last_used_at":"2024-10-06T00:00:00.000Z"}}}]}}
    {"unknow":{"space":1,"entity":"00000000-0000-0000-0000-000000000003"}}
    {"defer":{"id":"00000000-0000-0000-0000-000000000006","space":1,"at":"2024-10-05T00:00:00.000Z","session":"s","operation":"{\"op\":\"ponder\",\"content\":\"we moved\"}","why":"unknown operation: ponder","authority":"extracted"}}
    {"decide":{"space":1,"id":"00000000-0000-0000-0000-000000000006","ruling":"rejected"}}
    {"silence":{"stone":{"space":1,"fingerprint":"4b7907594b7948597077dae79e3565c6b07e9c6ce7613fd624d3b7e2c11305dc","memory":"00000000-0000-0000-0000-000000000004","at":"2024-10-07T00:00:00.000Z"},"quoted_by":["00000000-0000-0000-0000-000000000001"]}}
    {"unwatch":{"space":1,"memory":"00000000-0000-0000-0000-000000000001","referent":{"type":"file","path":"compose.yml","span":[3,9]}}}
    {"shelve":{"id":"00000000-0000-0000-0000-000000000007","space":1,"memory":"00000000-0000-0000-0000-000000000001","shelf":"file","name":"/memories/plan.md","order":3,"text":"Use tabs.\n","notes":["draft"],"at":"2024-10-05T00:00:00.000Z"}}
    {"unshelve":{"space":1,"memory":"00000000-0000-0000-0000-000000000001","leaf":"00000000-0000-0000-0000-000000000007"}}
    {"slept":{"space":1,"key":"github.com/acme/app","mark":{"to":"00000000-0000-0000-0000-000000000005","changes":3,"at":"2024-10-06T00:00:00.000Z"}}}
    {"redact":{"stone":{"space":1,"fingerprint":"82afd07731fab842f0838e4d0604819b3d169d71d811d127d14ded694f3b5675","memory":"82afd077-31fa-b842-f083-8e4d0604819b","at":"2024-10-07T00:00:00.000Z","trace":{"salt":"00000000000000ff","length":20,"filter":7,"hash":"0123456789abcdef0123456789abcdef","kind":"token"}},"rows":[{"key":{"space":1,"table":"memory","key":"00000000-0000-0000-0000-000000000001"},"row":{"memory":{"id":"00000000-0000-0000-0000-000000000001","space":1,"session":"s","kind":"fact","content":"Staging runs Postgres 16.","fingerprint":"1e67a2c6b8f659aba2028afd61ee0e8791a495eb13ee2d1a46e31d89b2c65fc3","label":"database","domain":"technical","importance":0.5,"slot":{"subject":"staging","predicate":"runs","object":"Postgres 16","cardinality":"one"},"authority":"user_corrected","confidence":1.0,"state":"superseded","previous":"staged","since":"2024-10-06T00:00:00.000Z","valid_from":"2024-10-05T00:00:00.000Z","valid_until":"2024-10-06T00:00:00.000Z","recorded_at":"2024-10-04T00:00:00.000Z","last_verified_at":"2024-10-05T00:00:00.000Z","superseded_by":"00000000-0000-0000-0000-000000000002","pinned":true,"cold":true,"graduated_at":"2024-10-12T00:00:00.000Z","done_at":"2024-10-13T00:00:00.000Z","triggers":["psql"]}}}]}}
    "#);
}

#[test]
fn every_change_can_be_read_back_from_the_log() {
    for change in one_of_each() {
        let line = serde_json::to_string(&change).unwrap();
        assert_eq!(serde_json::from_str::<Change>(&line).unwrap(), change, "{line}");
    }
}

#[test]
fn what_was_decided_is_written_in_one_word() {
    let words: Vec<_> = Ruling::ALL.iter().map(|ruling| ruling.as_str()).collect();
    assert_eq!(words, ["accepted", "rejected", "erased"]);
}

#[test]
fn fields_of_a_later_version_do_not_keep_a_log_from_being_read() {
    let line = r#"{"move":{"space":1,"id":"00000000-0000-0000-0000-000000000001","to":"archived","at":"2024-10-05T00:00:00.000Z","mood":"calm"}}"#;
    let expected = Change::Move { space: SPACE, id: id(1), to: State::Archived, at: day(1) };
    assert_eq!(serde_json::from_str::<Change>(line).unwrap(), expected);
}

#[test]
fn a_row_of_every_table_survives_being_written_down() {
    let rows = [
        Row::Space(space()),
        Row::Memory(Box::new(full_memory())),
        Row::Evidence(evidence()),
        Row::Watermark(watermark(file())),
        Row::Usage(Usage::none(SPACE, id(1))),
        Row::Entity(entity()),
        Row::Edge(edge()),
        Row::Episode(episode()),
        Row::Session(attended()),
        Row::Injection(injection()),
        Row::Tombstone(Tombstone::of(&full_memory(), day(3))),
        Row::Pending(pending()),
        Row::Leaf(leaf()),
    ];
    let tables: Vec<_> = rows.iter().map(|row| row.key().table).collect();
    assert_eq!(tables, Table::ALL, "one of each");
    for row in rows {
        let read = Row::from_body(row.key().table, &row.body()).unwrap();
        assert_eq!(read, row);
    }
}

#[test]
fn everything_a_memory_can_hang_on_can_be_written_down() {
    let git = Referent::Git { paths: vec!["src".to_owned(), "Cargo.toml".to_owned()] };
    let flag = Referent::Flag { name: "RUST_LOG".to_owned() };
    let written = [file(), git, flag].map(|referent| serde_json::to_string(&referent).unwrap());
    insta::assert_snapshot!(written.join("\n"), @r#"
    {"type":"file","path":"compose.yml","span":[3,9]}
    {"type":"git","paths":["src","Cargo.toml"]}
    {"type":"flag","name":"RUST_LOG"}
    "#);
}
