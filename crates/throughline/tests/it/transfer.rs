//! Export and import: everything leaves and comes back, to the byte, and nothing comes back twice.

use std::path::Path;

use crate::harness::{Home, batches, id_of, strings};

/// A home with every sort of past: said twice, tagged, linked, edited, corrected, undone, archived,
/// forgotten, erased, global and of one session.
fn lived_in(home: &Home) -> String {
    let id = home.remember_with(&[
        "Staging runs Postgres 14",
        "--tag",
        "infra",
        "--slot",
        "staging|runs|Postgres 14|one",
    ]);
    home.json(&["remember", "staging runs postgres 14."]);
    home.json(&["remember", "Staging runs Postgres 16", "--slot", "staging|runs|Postgres 16|one"]);
    let decision = home.remember_with(&[
        "Sessions live in Postgres",
        "--kind",
        "decision",
        "--because",
        "Redis lost sessions",
    ]);
    home.json(&["tag", &decision, "sessions", "ünï ☕"]);
    home.json(&[
        "edit",
        &decision,
        "Sessions are kept in Postgres",
        "--label",
        "Where sessions live",
    ]);
    let port = home.remember("Port is 80");
    home.json(&["correct", &port, "Port is 8080"]);
    home.json(&["forget", &decision, "--reason", "too early"]);
    home.json(&["undo"]);
    let plans = home.remember("Summer plans");
    home.json(&["archive", &plans]);
    let office = home.remember("The office is in Basel");
    home.json(&["forget", &office, "--reason", "moved"]);
    let secret = home.remember_with(&["The passphrase is tulip", "--tag", "keys"]);
    home.json(&["purge", &secret, "--yes"]);
    home.json(&["--scope", "global", "remember", "Speak plainly", "--kind", "principle"]);
    home.session("s1").json(&["--scope", "session", "remember", "Only for now"]);
    id
}

fn export(home: &Home, name: &str) -> Vec<u8> {
    let file = home.arg(name);
    home.json(&["export", "-o", &file]);
    std::fs::read(file).expect("the export is there")
}

#[test]
fn export_wipe_import_export_gives_the_same_bytes() {
    let home = Home::new();
    let id = lived_in(&home);
    let first = export(&home, "one.jsonl");
    let before = (home.everything(), home.json(&["history", &id]), batches(&home));
    let found = home.json(&["search", "postgres", "--all"]);
    // What is recalled and why, at one moment.
    let recalled = || {
        ["postgres", "where do sessions live?", "who decided that?"].map(|query| {
            let mut command = home.command();
            command.env("THROUGHLINE_NOW", "2026-06-01T12:00:00Z");
            let run = command.args(["--json", "recall", query, "--explain"]).output();
            String::from_utf8(run.expect("the program starts").stdout).expect("UTF-8")
        })
    };
    let told = recalled();
    assert!(told[0].contains("ostgres"), "{}", told[0]);
    home.wipe();
    let done = home.json(&["import", &home.arg("one.jsonl")]);
    // The log as seen from here leaves out what only session s1 may see.
    assert_eq!(done["batches"], before.2.len() + 1, "{done}");
    assert_eq!(export(&home, "two.jsonl"), first);
    assert_eq!((home.everything(), home.json(&["history", &id]), batches(&home)), before);
    assert_eq!(home.json(&["search", "postgres", "--all"]), found);
    assert_eq!(recalled(), told);
    assert_eq!(home.session("s1").texts(&["search", "only for now"]), ["Only for now"]);
    home.assert_sound();
    let (_, error) = home.error(&["remember", "The passphrase is tulip"]);
    assert_eq!(error["code"], "erased", "what was erased stays erased after the journey");
}

#[test]
fn what_goes_to_standard_output_is_what_goes_to_a_file() {
    let home = Home::new();
    lived_in(&home);
    let file = export(&home, "one.jsonl");
    assert_eq!(home.page(&["export"]).into_bytes(), file);
    let text = String::from_utf8(file).unwrap();
    assert!(!text.to_lowercase().contains("tulip"));
    assert!(text.starts_with("{\"format\":\"throughline-log\",\"version\":1,\"home\":\""));
}

#[test]
fn importing_ones_own_export_adds_nothing() {
    let home = Home::new();
    lived_in(&home);
    let first = export(&home, "one.jsonl");
    for _ in 0..2 {
        let done = home.json(&["import", &home.arg("one.jsonl")]);
        assert_eq!((done["memories"].as_u64(), done["links"].as_u64()), (Some(0), Some(0)));
    }
    assert_eq!(export(&home, "two.jsonl"), first);
}

#[test]
fn import_into_a_home_with_memories_joins_what_is_known() {
    let (there, here) = (Home::new(), Home::new());
    // The same project on two machines: one origin.
    for home in [&there, &here] {
        clone_of(&home.project(), "https://example.com/acme/webshop.git");
    }
    there.remember_with(&["Staging runs Postgres", "--tag", "infra"]);
    let reason = there.remember("Redis lost sessions");
    there.remember_with(&["Sessions live in Postgres", "--because", &reason]);
    export(&there, "theirs.jsonl");
    here.travel("2026-03-03");
    let ours = here.remember("staging runs postgres!");
    here.remember("Only here");

    let done = here.json(&["import", &there.arg("theirs.jsonl"), "--trust"]);
    assert_eq!((done["memories"].as_u64(), done["known"].as_u64()), (Some(2), Some(1)), "{done}");
    let mut texts = here.texts(&["list"]);
    texts.sort();
    assert_eq!(
        texts,
        ["Only here", "Redis lost sessions", "Sessions live in Postgres", "staging runs postgres!"]
    );
    let joined = here.show(&ours);
    assert_eq!(strings(&joined["tags"]), ["infra"], "their label comes along");
    assert_eq!(joined["evidence"].as_array().unwrap().len(), 2, "and so does their evidence");
    let found = here.json(&["search", "sessions live"]);
    let why = here.json(&["why", &id_of(&found["items"][0])]);
    assert_eq!(id_of(&why["because"][0]), reason);
    here.assert_sound();

    let after = here.everything();
    here.json(&["import", &there.arg("theirs.jsonl"), "--trust"]);
    assert_eq!(here.everything(), after, "a second import changes nothing that is held");
}

#[test]
fn import_does_not_bring_back_what_was_erased_or_forgotten_here() {
    let home = Home::new();
    home.remember("Something to stay");
    let secret = home.remember_with(&["The passphrase is tulip", "--tag", "vaultword"]);
    let dropped = home.remember("The office is in Basel");
    export(&home, "before.jsonl");
    home.json(&["purge", &secret, "--yes"]);
    home.json(&["forget", &dropped]);
    let done = home.json(&["import", &home.arg("before.jsonl")]);
    assert_eq!(done["blocked"], 1, "{done}");
    assert_eq!(home.texts(&["list"]), ["Something to stay"]);
    assert_eq!(home.json(&["list", "--all"])["total"], 2);
    for word in ["tulip", "passphrase", "vaultword"] {
        assert_eq!(home.files_holding(word), Vec::<std::path::PathBuf>::new(), "{word}");
    }
    home.assert_sound();
}

#[test]
fn files_that_are_not_exports_are_refused_and_change_nothing() {
    let home = Home::new();
    lived_in(&home);
    let good = String::from_utf8(export(&home, "good.jsonl")).unwrap();
    let newer = good.replacen("\"version\":1", "\"version\":99", 1);
    let torn = &good[..good.len() - 40];
    let headless: String = good.lines().skip(1).flat_map(|line| [line, "\n"]).collect();
    let gap: String = good
        .lines()
        .enumerate()
        .filter(|(at, _)| *at != 1)
        .flat_map(|(_, line)| [line, "\n"])
        .collect();
    let cases: [(&str, &[u8], &str); 7] = [
        ("shopping list", b"eggs\nmilk\n", "not an export"),
        ("empty object", b"{}\n", "not an export"),
        ("other format", b"{\"format\":\"diary\",\"version\":1}\n", "diary"),
        ("newer version", newer.as_bytes(), "99"),
        ("torn line", torn.as_bytes(), "EOF"),
        ("no header", headless.as_bytes(), "not an export"),
        ("a batch is missing", gap.as_bytes(), "do not follow"),
    ];
    let fresh = Home::new();
    fresh.json(&["list"]);
    for home in [&home, &fresh] {
        let before = home.everything();
        for (name, bytes, words) in &cases {
            let file = home.outside("bad.jsonl");
            std::fs::write(&file, bytes).unwrap();
            let (code, error) = home.error(&["import", file.to_str().unwrap()]);
            assert_eq!((code, error["code"].as_str()), (1, Some("bad_file")), "{name}: {error}");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(words) && message.contains("line "), "{name}: {message}");
        }
        let (code, error) = home.error(&["import", &home.arg("missing.jsonl")]);
        assert_eq!((code, error["code"].as_str()), (1, Some("file")));
        assert!(error["message"].as_str().unwrap().contains("missing.jsonl"));
        assert_eq!(home.everything(), before);
    }
    home.assert_sound();
}

#[test]
fn an_export_that_cannot_be_written_leaves_no_half_file() {
    let home = Home::new();
    home.remember("Something");
    let (code, _) = home.error(&["export", "-o", &home.arg("no/such/folder/out.jsonl")]);
    assert_eq!(code, 1);
    home.json(&["export", "-o", &home.arg("old.jsonl")]);
    home.remember("Something newer");
    home.json(&["export", "-o", &home.arg("old.jsonl")]);
    assert!(std::fs::read_to_string(home.outside("old.jsonl")).unwrap().contains("newer"));
}

/// Makes a folder look like a clone.
pub(crate) fn clone_of(folder: &Path, origin: &str) {
    std::fs::create_dir_all(folder.join(".git")).expect("a folder can be filled");
    std::fs::write(folder.join(".git/config"), format!("[remote \"origin\"]\n\turl = {origin}\n"))
        .expect("a folder can be filled");
}

#[test]
fn a_second_import_of_the_same_file_is_not_even_logged() {
    let (there, here) = (Home::new(), Home::new());
    for home in [&there, &here] {
        clone_of(&home.project(), "https://example.com/acme/webshop.git");
    }
    lived_in(&there);
    export(&there, "theirs.jsonl");
    here.remember("Only here");
    here.json(&["import", &there.arg("theirs.jsonl"), "--trust"]);
    let first = export(&here, "one.jsonl");
    assert!(batches(&here).len() > 1, "the first one is");
    here.json(&["import", &there.arg("theirs.jsonl"), "--trust"]);
    assert_eq!(export(&here, "two.jsonl"), first);
}

#[test]
fn a_later_export_of_the_same_memory_brings_its_corrections() {
    let (here, there, apart) = (Home::new(), Home::new(), Home::new());
    for home in [&here, &there, &apart] {
        clone_of(&home.project(), "https://example.com/acme/webshop.git");
    }
    let id = there.remember("The port is 8080");
    export(&there, "one.jsonl");
    here.json(&["import", &there.arg("one.jsonl"), "--trust"]);
    there.json(&["correct", &id, "The port is 9090"]);
    export(&there, "two.jsonl");
    here.json(&["import", &there.arg("two.jsonl"), "--trust"]);
    assert_eq!(export(&here, "again.jsonl"), export(&there, "two.jsonl"));

    // The same with a memory of its own in between, so that histories differ.
    apart.remember("Something of its own");
    apart.json(&["import", &there.arg("one.jsonl"), "--trust"]);
    apart.json(&["import", &there.arg("two.jsonl"), "--trust"]);
    let mut held = apart.texts(&["list"]);
    held.sort();
    assert_eq!(held, ["Something of its own", "The port is 9090"]);
    apart.assert_sound();
}

#[test]
fn an_export_cannot_smuggle_in_what_was_erased() {
    let (home, other) = (Home::new(), Home::new());
    for home in [&home, &other] {
        clone_of(&home.project(), "https://example.com/acme/webshop.git");
    }
    let slot = "door|code|tulip";
    let id = home.remember_with(&["The door code is tulip", "--slot", slot]);
    home.json(&["purge", &id, "--yes"]);
    other.remember_with(&["Say tulip at the door", "--slot", slot]);
    export(&other, "other.jsonl");
    assert_eq!(home.json(&["import", &other.arg("other.jsonl"), "--trust"])["blocked"], 1);

    let text = String::from_utf8(export(&other, "forged.jsonl")).unwrap();
    let at = text.find("\"fingerprint\":\"").unwrap() + 15;
    let forged = [&text[..at], &"0".repeat(64), &text[at + 64..]].concat();
    std::fs::write(home.outside("forged.jsonl"), forged).unwrap();
    let (code, error) = home.error(&["import", &home.arg("forged.jsonl")]);
    assert_eq!((code, error["code"].as_str()), (1, Some("bad_file")), "{error}");
    assert_eq!(home.json(&["list", "--all"])["total"], 0);
}

#[test]
fn what_many_imported_texts_say_is_found_at_once_and_their_vectors_come_with_sleep() {
    let home = Home::new();
    let told: Vec<String> = (0..140).map(|n| format!("Station {n} measures rainfall")).collect();
    let graph = serde_json::json!({
        "type": "entity", "name": "Weather", "entityType": "network", "observations": told,
    });
    let file = home.arg("graph.jsonl");
    std::fs::write(&file, graph.to_string()).expect("the file can be written");
    home.json(&["--scope", "project", "import", &file, "--format", "server-memory"]);
    export(&home, "all.jsonl");
    home.wipe();
    let done = home.json(&["import", &home.arg("all.jsonl"), "--trust"]);
    // The network itself is one of them.
    assert_eq!(done["memories"], 141, "{done}");
    let waits = done["without_vector"].as_u64().expect("a number");
    assert!(waits > 0, "an import makes a few vectors only: {done}");
    assert_eq!(home.json(&["status"])["without_vector"], waits);
    for n in [0, 139] {
        let found = home.texts(&["search", &format!("station {n} rainfall")]);
        assert_eq!(found.first(), Some(&format!("Weather: Station {n} measures rainfall")));
    }
    home.json(&["sleep"]);
    assert_eq!(home.json(&["status"])["without_vector"], 0);
    home.assert_sound();
}

#[test]
fn many_observations_that_are_nearly_alike_are_imported_in_a_time_that_grows_with_their_number() {
    let took = |entities: usize| {
        let home = Home::new();
        let observed = |of: usize, one: usize| {
            let station = of * 20 + one;
            format!("Station {station} of region {of} measures rainfall with gauge {one}")
        };
        let entity = |of: usize| {
            let all: Vec<String> = (0..20).map(|one| observed(of, one)).collect();
            let name = format!("Region {of}");
            let entity = serde_json::json!({ "type": "entity", "name": name,
                "entityType": "region", "observations": all });
            format!("{entity}\n")
        };
        let lines: String = (0..entities).map(entity).collect();
        std::fs::write(home.outside("memory.jsonl"), lines).expect("a file can be written");
        let began = std::time::Instant::now();
        home.json(&["import", "--format", "server-memory", &home.arg("memory.jsonl")]);
        let took = began.elapsed();
        let total = home.json(&["list", "--limit", "1"])["total"].as_u64();
        assert!(total >= Some(entities as u64 * 20), "{total:?}");
        took
    };
    let (few, many) = (took(8), took(32));
    // Four times as many took sixteen times as long when each was compared with all others.
    assert!(many < few * 9 + std::time::Duration::from_secs(2), "{few:?}, then {many:?}");
}

#[test]
fn a_file_of_the_official_memory_server_is_known_however_it_is_spaced() {
    for (name, head) in [("spaced", ""), ("marked", "\u{feff}")] {
        let home = Home::new();
        let line = r#"{ "type": "entity", "name": "Kestrel", "entityType": "service", "observations": ["runs on port 7001"] }"#;
        let file = home.outside(name);
        std::fs::write(&file, format!("{head}{line}\n")).expect("the disk does as it is told");
        home.json(&["import", file.to_str().expect("a path")]);
        let found = home.texts(&["search", "port 7001"]);
        assert!(found.iter().any(|text| text.contains("7001")), "{name}: {found:?}");
    }
}
