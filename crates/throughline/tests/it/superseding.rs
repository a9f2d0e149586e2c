//! Superseding: one memory takes another's place, in a line that never closes to a circle.

use crate::harness::{Home, strings};

/// Three memories of which each replaced the one before.
fn chain(home: &Home) -> [String; 3] {
    let ids = ["Deploys on Monday", "Deploys on Tuesday", "Deploys on Friday"]
        .map(|text| home.remember(text));
    home.json(&["supersede", &ids[0], &ids[1]]);
    home.json(&["supersede", &ids[1], &ids[2]]);
    ids
}

#[test]
fn only_the_end_of_a_chain_is_found() {
    let home = Home::new();
    let [a, b, c] = chain(&home);
    for args in [&["list"][..], &["search", "deploys"], &["recall", "deploys"]] {
        assert_eq!(home.texts(args), ["Deploys on Friday"], "{args:?}");
    }
    assert_eq!(home.texts(&["recall", "deploys monday"]), ["Deploys on Friday"]);
    assert_eq!(home.texts(&["recall", "deploys", "--include-superseded"]).len(), 3);
    assert_eq!(home.texts(&["list", "--state", "superseded"]).len(), 2);
    assert_eq!(home.show(&a)["superseded_by"], b.as_str());
    assert_eq!(strings(&home.show(&c)["supersedes"]), [&b]);
    assert!(home.show(&a)["valid_until"].is_string(), "it held until it was replaced");
}

#[test]
fn a_circle_is_refused() {
    let home = Home::new();
    let [a, b, c] = chain(&home);
    for (old, new) in [(&c, &a), (&c, &b), (&b, &a), (&c, &c)] {
        let (code, error) = home.error(&["supersede", old, new]);
        assert_eq!((code, error["code"].as_str()), (1, Some("circle")), "{error}");
    }
    assert_eq!(home.texts(&["list"]), ["Deploys on Friday"]);
    home.assert_sound();
}

#[test]
fn what_is_not_current_neither_replaces_nor_is_replaced() {
    let home = Home::new();
    let [a, ..] = chain(&home);
    let (gone, held) = (home.remember("Deploys on Sunday"), home.remember("Deploys at noon"));
    home.json(&["forget", &gone]);
    for (old, new) in [(&gone, &held), (&held, &gone), (&a, &held), (&held, &a)] {
        let (code, error) = home.error(&["supersede", old, new]);
        assert_eq!((code, error["code"].as_str()), (1, Some("not_current")), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("history"), "{error}");
    }
    assert_eq!(home.show(&held)["state"], "confirmed");
}

#[test]
fn unsupersede_makes_the_old_one_current_again_beside_the_new_one() {
    let home = Home::new();
    let [a, b, _] = chain(&home);
    let answer = home.json(&["unsupersede", &b]);
    assert_eq!(answer["memory"]["state"], "confirmed");
    assert!(answer["memory"]["superseded_by"].is_null());
    assert!(answer["memory"]["valid_until"].is_null());
    assert_eq!(home.texts(&["list"]), ["Deploys on Friday", "Deploys on Tuesday"]);
    assert_eq!(home.show(&a)["state"], "superseded", "the one further back stays replaced");
    let (code, error) = home.error(&["unsupersede", &b]);
    assert_eq!((code, error["code"].as_str()), (1, Some("not_possible")));
    home.assert_sound();
}

#[test]
fn a_replacement_is_not_made_or_undone_as_a_plain_link() {
    let home = Home::new();
    let (a, b) = (home.remember("One"), home.remember("Two"));
    for command in ["link", "unlink"] {
        let (code, error) = home.error(&[command, &a, "supersedes", &b]);
        assert_eq!(code, 2, "{error}");
        assert!(error["message"].as_str().unwrap().contains("supersede"), "{error}");
    }
}
