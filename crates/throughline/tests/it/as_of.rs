//! Asking as of an earlier time gives the answer that was given then.

use crate::harness::{Home, id_of};

/// Postgres 14 in March, 16 since May, and a note that was forgotten in June.
fn timeline(home: &Home) -> [String; 2] {
    home.travel("2026-03-02");
    let old = home.remember("Staging runs Postgres 14");
    home.travel("2026-05-11");
    home.json(&["correct", &old, "Staging runs Postgres 16"]);
    let note = home.remember("Staging is being moved");
    home.travel("2026-06-20");
    home.json(&["forget", &note]);
    home.travel("2026-07-01");
    [old, note]
}

#[test]
fn search_list_recall_and_show_answer_as_they_did_then() {
    let home = Home::new();
    let [old, note] = timeline(&home);
    let then: [(&str, &[&str]); 4] = [
        ("2026-01-01", &[]),
        ("2026-04-01", &["Staging runs Postgres 14"]),
        ("2026-06-01", &["Staging is being moved", "Staging runs Postgres 16"]),
        ("2026-06-30", &["Staging runs Postgres 16"]),
    ];
    for (day, expected) in then {
        for args in [&["list"][..], &["search", "staging"], &["recall", "staging"]] {
            let mut texts = home.texts(&[args, &["--as-of", day]].concat());
            texts.sort();
            assert_eq!(texts, expected, "{args:?} as of {day}");
        }
    }
    let shown = |id: &str, day: &str| home.json(&["show", id, "--as-of", day])["state"].clone();
    assert_eq!(shown(&old, "2026-04-01"), "confirmed");
    assert_eq!(shown(&old, "2026-06-01"), "superseded");
    assert_eq!(shown(&note, "2026-06-01"), "confirmed");
    assert_eq!(shown(&note, "2026-06-30"), "retracted");
    assert_eq!(home.error(&["show", &note, "--as-of", "2026-04-01"]).0, 3);
}

#[test]
fn a_moment_can_be_a_day_an_instant_or_an_age() {
    let home = Home::new();
    timeline(&home);
    for moment in ["2026-05-11", "2026-05-11T08:59:59Z", "60d"] {
        assert_eq!(
            home.texts(&["list", "--as-of", moment]),
            ["Staging runs Postgres 14"],
            "{moment}"
        );
    }
    let at = ["list", "--as-of", "2026-05-11T09:00:00Z"];
    assert_eq!(home.texts(&at), ["Staging runs Postgres 16"], "the moment itself counts");
    let (code, error) = home.error(&["list", "--as-of", "last Tuesday"]);
    assert_eq!((code, error["code"].as_str()), (2, Some("bad_input")));
}

#[test]
fn what_was_erased_is_not_in_the_past_either() {
    let home = Home::new();
    let [_, note] = timeline(&home);
    home.json(&["purge", &note, "--yes"]);
    for args in [&["list", "--all"][..], &["search", "moved", "--all"], &["recall", "moved"]] {
        let page = home.page(&[args, &["--as-of", "2026-06-01"]].concat());
        assert!(!page.contains("being moved"), "{args:?}: {page}");
    }
}

#[test]
fn trust_does_not_change_with_time() {
    let home = Home::new();
    let id = home.remember_with(&["The cache holds 100 entries", "--authority", "extracted"]);
    let now = home.show(&id);
    home.travel("2028-03-02");
    assert_eq!(home.show(&id)["trust"], now["trust"]);
    assert_eq!(home.show(&id)["last_verified_at"], now["last_verified_at"]);
}

#[test]
fn the_log_can_start_at_a_moment() {
    let home = Home::new();
    timeline(&home);
    let since = |moment: &str| {
        let log = home.json(&["log", "--since", moment]);
        log["batches"].as_array().unwrap().len()
    };
    assert_eq!((since("2026-03-01"), since("2026-05-11"), since("2026-06-19")), (4, 3, 1));
    assert_eq!(home.json(&["log", "--limit", "2"])["batches"].as_array().unwrap().len(), 2);
}

#[test]
fn what_was_erased_is_not_shown_at_any_moment_before() {
    let home = Home::new();
    let [old, note] = timeline(&home);
    let moments = ["2026-05-12", "2026-06-01", "2026-06-30"];
    for moment in moments {
        assert_eq!(id_of(&home.json(&["show", &note, "--as-of", moment])), note);
    }
    home.json(&["purge", &note, "--yes"]);
    for moment in moments {
        let (code, error) = home.error(&["show", &note, "--as-of", moment]);
        assert_eq!((code, error["code"].as_str()), (3, Some("not_found")), "{moment}");
        let found = home.texts(&["search", "staging moved", "--all", "--as-of", moment]);
        assert!(!found.is_empty() && !found.iter().any(|text| text.contains("moved")), "{found:?}");
        assert_eq!(home.texts(&["list", "--all", "--as-of", moment]).len(), 2, "{moment}");
    }
    assert_eq!(home.json(&["show", &old, "--as-of", "2026-04-01"])["state"], "confirmed");
}
