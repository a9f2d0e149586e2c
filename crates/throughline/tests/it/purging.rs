//! Purging: what a user erases is gone from every file, and does not come back by itself.

use std::path::PathBuf;

use serde_json::json;

use crate::harness::{Home, batches, id_of, strings};
use crate::settling::patch;

/// Words that stand nowhere but in what is to be erased: text, earlier wordings, label, area,
/// labels, slot, trigger, and the reasons given for what was done to it.
const WORDS: &[&str] = &[
    "quixotic",
    "zebra",
    "giraffe",
    "hippo",
    "labelword",
    "domainword",
    "tagword",
    "secondtag",
    "subjectword",
    "predicateword",
    "objectword",
    "triggerword",
    "archivereason",
    "linkreason",
    "forgetreason",
    "snippetword",
];

/// A memory that has been through everything.
fn lived(home: &Home) -> String {
    let other = home.remember("An ordinary neighbour");
    let id = home.remember_with(&[
        "Quixotic zebra",
        "--tag",
        "tagword",
        "--label",
        "Labelword",
        "--domain",
        "domainword",
        "--slot",
        "subjectword|predicateword|objectword",
    ]);
    home.json(&["archive", &id, "--reason", "archivereason"]);
    home.json(&["unarchive", &id]);
    home.json(&["link", &other, "relates_to", &id, "--reason", "linkreason"]);
    home.json(&["edit", &id, "Quixotic giraffe", "--trigger", "triggerword"]);
    home.json(&["edit", &id, "Quixotic hippo"]);
    home.json(&["tag", &id, "secondtag"]);
    let slot = "subjectword|predicateword|objectword";
    home.json(&["remember", "Snippetword: quixotic hippo", "--slot", slot]);
    home.json(&["forget", &id, "--reason", "forgetreason"]);
    home.json(&["undo"]);
    home.json(&["recall", "quixotic hippo"]);
    id
}

fn assert_gone(home: &Home, words: &[&str]) {
    for word in words {
        assert_eq!(home.files_holding(word), Vec::<PathBuf>::new(), "{word}");
    }
}

#[test]
fn no_byte_of_an_erased_memory_stays_in_any_file() {
    let home = Home::new();
    let id = lived(&home);
    for word in WORDS {
        assert!(!home.files_holding(word).is_empty(), "{word} must be there before");
    }
    let answer = home.json(&["purge", &id, "--yes"]);
    assert_eq!((answer["purged"].as_u64(), answer["pending"].as_bool()), (Some(1), Some(false)));
    assert_eq!(id_of(&serde_json::json!({"id": answer["tombstones"][0]["memory"]})), id);
    assert_gone(&home, WORDS);
    home.assert_sound();
    assert_eq!(home.texts(&["list", "--all"]), ["An ordinary neighbour"]);
}

#[test]
fn no_command_tells_of_an_erased_memory() {
    let home = Home::new();
    let id = lived(&home);
    home.json(&["purge", &id, "--yes"]);
    for command in ["show", "history", "why"] {
        let (code, error) = home.error(&[command, &id]);
        assert_eq!((code, error["code"].as_str()), (3, Some("not_found")), "{command}");
    }
    let pages: [&[&str]; 8] = [
        &["search", "quixotic hippo subjectword", "--all"],
        &["recall", "quixotic hippo", "--include-superseded"],
        &["list", "--all"],
        &["log", "--limit", "1000"],
        &["log", "--limit", "1000", "--json"],
        &["graph"],
        &["export"],
        &["stats"],
    ];
    for args in pages {
        let page = home.page(args).to_lowercase();
        for word in WORDS {
            assert!(!page.contains(word), "{args:?} tells {word}");
        }
    }
    assert!(home.page(&["log"]).contains("erased"), "that something was erased is on record");
}

#[test]
fn purge_asks_and_without_a_terminal_it_needs_yes() {
    let home = Home::new();
    let id = home.remember("Keep me");
    let (code, error) = home.error(&["purge", &id]);
    assert_eq!((code, error["code"].as_str()), (2, Some("bad_input")));
    assert!(error["message"].as_str().unwrap().contains("--yes"), "{error}");
    assert_eq!(home.texts(&["list"]), ["Keep me"]);
    assert_eq!(home.error(&["purge"]).0, 2);
}

#[test]
fn what_was_erased_is_refused_until_it_is_asked_for() {
    let home = Home::new();
    let id = home.remember("Quixotic zebra");
    home.json(&["purge", &id, "--yes"]);
    for text in ["Quixotic zebra", "quixotic ZEBRA!"] {
        let (code, error) = home.error(&["remember", text]);
        assert_eq!((code, error["code"].as_str()), (1, Some("erased")), "{text}");
        assert!(error["hint"].as_str().unwrap().contains("--revive"), "{error}");
        assert_eq!(home.error(&["remember", "New claim", "--because", text]).1["code"], "erased");
    }
    assert_eq!(home.json(&["list", "--all"])["total"], 0);
    let back = home.json(&["remember", "Quixotic zebra", "--revive"]);
    assert_eq!(back["deduped"], false);
    assert_ne!(back["memory"]["id"], id.as_str());
    assert_eq!(home.texts(&["search", "zebra"]), ["Quixotic zebra"]);
    home.assert_sound();
}

#[test]
fn what_was_erased_does_not_come_back_as_something_that_happened() {
    let home = Home::new();
    let id = home.remember("We decided to use pnpm");
    home.json(&["purge", &id, "--yes"]);
    let content = "We decided today to use pnpm";
    let told = json!([{ "op": "remember", "kind": "decision", "content": content }]);
    for voice in ["user", "assistant"] {
        patch(&home, voice, &told);
        assert_eq!(home.json(&["list", "--all"])["total"], 0, "{voice}");
    }
}

#[test]
fn a_chain_is_erased_whole_only_when_asked() {
    let chained = |home: &Home| {
        let a = home.remember("Quixotic zebra");
        let b = id_of(&home.json(&["correct", &a, "Quixotic giraffe"])["memory"]);
        [a, id_of(&home.json(&["correct", &b, "Quixotic hippo"])["memory"])]
    };
    let home = Home::new();
    let [a, c] = chained(&home);
    let answer = home.json(&["purge", &c, "--yes"]);
    assert_eq!(answer["purged"], 1);
    assert_eq!(answer["related"].as_array().unwrap().len(), 2, "it says what it left");
    assert_gone(&home, &["hippo"]);
    assert!(strings(&answer["related"]).contains(&a.as_str()));
    assert_eq!(home.texts(&["list"]), Vec::<String>::new(), "what was replaced stays out of view");
    home.assert_sound();

    let home = Home::new();
    let [a, _] = chained(&home);
    assert_eq!(home.json(&["purge", &a, "--yes", "--chain"])["purged"], 3);
    assert_gone(&home, &["quixotic", "zebra", "giraffe", "hippo"]);
    home.assert_sound();
}

#[test]
fn several_memories_are_erased_at_once_or_none() {
    let home = Home::new();
    let ids = ["Zebra", "Giraffe", "Hippo"].map(|text| home.remember(text));
    let before = home.everything();
    assert_eq!(home.error(&["purge", &ids[0], "00000000", "--yes"]).0, 3);
    assert_eq!(home.everything(), before, "one unknown id, and nothing is erased");
    assert_eq!(home.json(&["purge", &ids[0], &ids[1], "--yes"])["purged"], 2);
    assert_eq!(home.texts(&["list"]), ["Hippo"]);
    assert_gone(&home, &["zebra", "giraffe"]);
}

#[test]
fn a_label_that_others_carry_stays_with_them() {
    let home = Home::new();
    let id = home.remember_with(&["Quixotic zebra", "--tag", "animals"]);
    home.remember_with(&["An ordinary cow", "--tag", "Animals"]);
    home.json(&["purge", &id, "--yes"]);
    assert_eq!(home.texts(&["list", "--tag", "animals"]), ["An ordinary cow"]);
    assert_gone(&home, &["zebra"]);
    home.assert_sound();
}

#[test]
fn copies_that_the_program_made_itself_are_cleaned_too() {
    let home = Home::new();
    let id = lived(&home);
    let copy = home.arg("copy.db");
    home.json(&["backup", &copy]);
    home.json(&["restore", &copy]);
    home.json(&["restore", &copy]);
    let held = home.files_holding("zebra");
    assert!(held.iter().filter(|file| file.parent().unwrap().ends_with("backups")).count() == 2);
    let answer = home.json(&["purge", &id, "--yes"]);
    assert_eq!(answer["copies_left"], serde_json::json!([]));
    assert_gone(&home, WORDS);
    home.assert_sound();
}

#[test]
fn a_copy_that_cannot_be_opened_is_named() {
    let home = Home::new();
    let id = home.remember("Quixotic zebra");
    let folder = home.path().join("backups");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("broken.db"), [7; 9_000]).unwrap();
    let answer = home.json(&["purge", &id, "--yes"]);
    assert_eq!(answer["purged"], 1);
    let left = strings(&answer["copies_left"]);
    assert!(left.len() == 1 && left[0].ends_with("broken.db"), "{answer}");
}

#[test]
fn an_undo_from_before_the_erasure_does_not_bring_it_back() {
    let home = Home::new();
    let id = home.remember("Quixotic zebra");
    home.json(&["forget", &id]);
    let forgetting = id_of(&batches(&home)[0]);
    home.json(&["purge", &id, "--yes"]);
    let (code, error) = home.error(&["undo", &forgetting]);
    assert_eq!((code, error["code"].as_str()), (1, Some("undo_refused")));
    assert_eq!(home.json(&["list", "--all"])["total"], 0);
    assert_gone(&home, &["zebra"]);
}

#[test]
fn a_damaged_database_that_was_put_aside_is_named() {
    let home = Home::new();
    let id = home.remember("Quixotic zebra");
    let copy = home.arg("copy.db");
    home.json(&["backup", &copy]);
    home.wipe();
    std::fs::create_dir(home.path()).unwrap();
    std::fs::write(home.database(), [0x5a; 20_000]).unwrap();
    let kept = home.json(&["restore", &copy])["kept"].clone();
    let answer = home.json(&["purge", &id, "--yes"]);
    assert_eq!(strings(&answer["copies_left"]), [kept.as_str().unwrap()], "{answer}");
    assert!(home.page(&["list", "--all"]).lines().all(|line| !line.contains("zebra")));
}

#[test]
fn an_edit_does_not_bring_erased_words_back() {
    let home = Home::new();
    let id = home.remember("Quixotic zebra");
    let other = home.remember("Ordinary cow");
    home.json(&["purge", &id, "--yes"]);
    for text in ["Quixotic zebra", "quixotic ZEBRA!"] {
        let (code, error) = home.error(&["edit", &other, text]);
        assert_eq!((code, error["code"].as_str()), (1, Some("erased")), "{text}");
    }
    assert_eq!(home.show(&other)["content"], "Ordinary cow");
    assert_gone(&home, &["zebra"]);
}

#[test]
fn what_an_undo_took_away_can_still_be_erased() {
    let home = Home::new();
    home.remember("Something to stay");
    let id = home.remember("Quixotic zebra");
    home.json(&["undo"]);
    assert_ne!(home.files_holding("zebra"), Vec::<std::path::PathBuf>::new(), "undo keeps its log");
    assert_eq!(home.json(&["purge", &id, "--yes"])["purged"], 1);
    assert_gone(&home, &["zebra", "quixotic"]);
    let (_, error) = home.error(&["remember", "Quixotic zebra"]);
    assert_eq!(error["code"], "erased");
    home.assert_sound();
}

#[test]
fn names_that_only_an_erased_memory_was_known_by_are_erased_too() {
    let home = Home::new();
    home.remember_with(&["Something to stay", "--tag", "staying"]);
    let slot = "okapisubject|likes|numbatobject";
    let undone = home.remember_with(&["The hidden thing", "--tag", "quaggatag", "--slot", slot]);
    home.json(&["undo"]);
    let id = home.remember_with(&["Gnu text", "--tag", "zorilla"]);
    home.json(&["tag", &id, "--remove", "zorilla"]);
    home.json(&["purge", &undone, &id, "--yes"]);
    assert_gone(&home, &["quaggatag", "okapisubject", "numbatobject", "zorilla", "gnu"]);
    assert_eq!(home.texts(&["list", "--tag", "staying"]), ["Something to stay"]);
    home.assert_sound();
}

/// Runs a command whose input is a terminal on which somebody types this.
#[cfg(unix)]
fn typed(home: &Home, args: &[&str], keys: &[u8]) -> crate::harness::Run {
    use std::io::Write as _;

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are terminals");
    grantpt(&keyboard).and_then(|()| unlockpt(&keyboard)).expect("a terminal can be had");
    let name = ptsname(&keyboard, Vec::new()).expect("a terminal has a name");
    let name = name.to_str().expect("a terminal has a plain name");
    let terminal = std::fs::File::open(name).expect("a terminal can be opened");
    let mut keyboard = std::fs::File::from(keyboard);
    keyboard.write_all(keys).expect("a terminal takes what is typed");
    let mut command = home.command();
    command.args(args).stdin(terminal);
    command.output().expect("the program starts").into()
}

#[cfg(unix)]
#[test]
fn whoever_does_not_say_yes_to_the_question_erases_nothing() {
    /// What a terminal sends for the end of input.
    const END: &[u8] = b"\x04";
    let home = Home::new();
    let id = home.remember("Quixotic zebra");
    let before = home.everything();
    for keys in [b"n\n", b"\n", END, b"no\n", b"N\n", b"yesterday\n", b"purge\n"] as [&[u8]; 7] {
        let run = typed(&home, &["purge", &id], keys);
        assert_eq!(run.code, 0, "{keys:?} is an answer: {}", run.stderr);
        assert!(run.stderr.contains("Quixotic zebra"), "it says what would go: {}", run.stderr);
        assert!(run.stdout.contains("Nothing was erased"), "{keys:?}: {}", run.stdout);
        assert_eq!(home.everything(), before, "{keys:?}");
    }
    let run = typed(&home, &["--json", "purge", &id], b"n\n");
    let told: serde_json::Value = serde_json::from_str(&run.stdout).expect("one JSON document");
    assert_eq!((run.code, &told["purged"]), (0, &serde_json::json!(0)), "{told}");
    assert_eq!(home.everything(), before);
    let run = typed(&home, &["purge", &id], b"y\n");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(home.everything()["total"], 0, "who says yes erases");
    assert_eq!(home.files_holding("zebra"), Vec::<PathBuf>::new());
}

#[test]
fn what_an_agent_asked_about_it_goes_too_in_whatever_words() {
    let home = Home::new();
    let id = home.remember("The vault code is lilac");
    let reason = "the purple thing is out of date since pangolin";
    let args = ["archive", &id, "--reason", reason];
    let asked = home.command().env("CLAUDECODE", "1").args(args).output();
    assert_eq!(asked.expect("the program starts").status.code(), Some(1), "it waits");
    assert!(!home.files_holding("pangolin").is_empty());
    home.json(&["purge", &id, "--yes"]);
    assert_gone(&home, &["lilac", "pangolin"]);
    assert_eq!(home.json(&["review"])["pending"], serde_json::json!([]));
}

#[test]
fn what_may_be_left_in_other_words_is_said() {
    use crate::hooking::Agent;
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("Remember that the vault code is lilac.");
    agent.answers("Noted: it opens with the colour of spring.");
    let id = id_of(&home.json(&["search", "vault"])["items"][0]);
    let told = home.page(&["purge", &id, "--yes"]);
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("in other words is not recognised") && told.contains("march"), "{told}");
    let none = home.remember("The queue has 4 workers");
    let purged = home.json(&["purge", &none, "--yes"]);
    assert_eq!(purged["sessions"], serde_json::json!([]), "nobody was told: {purged}");
}
