//! Flat memory files: what they say line by line, and what changed in one.

use proptest::prelude::*;
use throughline_core::Kind;
use throughline_language::flat::{
    LineChange, kind_of, line_changes, line_of, read, unfit_for_line,
};

const FILE: &str = "---\nglobs: '*.rs'\n---\n# Webshop\n\nThe API lives in `services/api`\nand is written in Go.\n\n\
    ## Style\n- **Always** run `make fmt`\n  before a commit\n- Tests:\n  - live beside the code\n  1. run in CI\n\n\
    <!-- a remark\n- not a rule\n-->\n| a | table |\n|---|---|\n```sh\n- not a rule either\n```\n- [ ] Never log addresses <!-- throughline:0a1b2c3d -->\n\
    See @docs/team.md, but not `@docs/code.md`.\n@AGENTS.md\n* ok\n";

#[test]
fn bullets_points_and_paragraphs_are_rules_and_nothing_else_is() {
    let file = read(FILE);
    let rules: Vec<(u32, u32, &str, Option<&str>)> = file
        .rules
        .iter()
        .map(|one| (one.first, one.last, one.text.as_str(), one.heading.as_deref()))
        .collect();
    assert_eq!(
        rules,
        [
            (6, 7, "The API lives in `services/api` and is written in Go.", Some("Webshop")),
            (10, 11, "Always run `make fmt` before a commit", Some("Style")),
            (13, 13, "live beside the code", Some("Tests")),
            (14, 14, "run in CI", Some("Tests")),
            (24, 24, "Never log addresses", Some("Style")),
            (25, 25, "See @docs/team.md, but not `@docs/code.md`.", Some("Style")),
        ]
    );
    assert_eq!(file.rules[4].mark.as_deref(), Some("0a1b2c3d"));
    assert_eq!(file.imports, ["docs/team.md", "AGENTS.md"]);
}

#[test]
fn line_ends_of_windows_change_nothing() {
    let unix = read("# A\n- one rule\n- another rule\n");
    assert_eq!(read("# A\r\n- one rule\r\n- another rule\r\n"), unix);
    assert_eq!(read("\u{feff}# A\n- one rule\n- another rule"), unix);
}

#[test]
fn what_tells_people_what_to_do_is_a_preference() {
    for (rule, kind) in [
        ("Always run `make fmt`", Kind::Preference),
        ("Use pnpm, never npm", Kind::Preference),
        ("Don’t log addresses", Kind::Preference),
        ("The API lives in services/api", Kind::Fact),
        ("Dana owns the billing service", Kind::Fact),
    ] {
        assert_eq!(kind_of(rule), kind, "{rule}");
    }
}

#[test]
fn what_a_file_would_read_as_its_own_does_not_become_a_line() {
    for claim in ["See @/etc/passwd for users", "x <!-- y", "run ```sh", &"long ".repeat(100)] {
        assert!(unfit_for_line(claim).is_some(), "{claim}");
    }
    for claim in ["Mail dana@example.com about it", "Use `@types/node` from now on"] {
        assert_eq!(unfit_for_line(claim), None, "{claim}");
    }
}

#[test]
fn a_reworded_rule_is_told_from_a_new_one() {
    let old = ["Always run make fmt before a commit", "Never log addresses"];
    let new = ["Keep answers short", "Always run make fmt lint before a commit"];
    assert_eq!(
        line_changes(&old, &new),
        [
            LineChange::Added { new: 0 },
            LineChange::Reworded { old: 0, new: 1 },
            LineChange::Removed { old: 1 },
        ]
    );
}

proptest! {
    #[test]
    fn every_rule_of_both_readings_is_told_once(
        old in prop::collection::vec("[ab]{1,2}( [abc]{1,2}){0,3}", 0..9),
        new in prop::collection::vec("[ab]{1,2}( [abc]{1,2}){0,3}", 0..9),
    ) {
        let (before, now): (Vec<&str>, Vec<&str>) =
            (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
        let (mut olds, mut news) = (Vec::new(), Vec::new());
        for change in line_changes(&before, &now) {
            match change {
                LineChange::Kept { old, new } | LineChange::Reworded { old, new } => {
                    olds.push(old);
                    news.push(new);
                }
                LineChange::Removed { old } => olds.push(old),
                LineChange::Added { new } => news.push(new),
            }
        }
        olds.sort_unstable();
        news.sort_unstable();
        prop_assert_eq!(olds, (0..old.len()).collect::<Vec<_>>());
        prop_assert_eq!(news, (0..new.len()).collect::<Vec<_>>());
        let same = line_changes(&now, &now);
        let all_kept = same.iter().all(|one| matches!(one, LineChange::Kept { .. }));
        prop_assert!(all_kept);
    }

    #[test]
    fn a_line_that_was_written_is_read_as_what_it_says(claim in "[A-Za-z][A-Za-z ,.]{4,60}[a-z]( [a-z]{2,9}){1,4}") {
        let line = line_of(&claim, "0a1b2c3d");
        prop_assert!(!line.contains('\n'));
        let rules = read(&line).rules;
        prop_assert_eq!(rules.len(), 1);
        prop_assert_eq!(rules[0].mark.as_deref(), Some("0a1b2c3d"));
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(words(&rules[0].text), words(&claim));
    }

    #[test]
    fn no_text_makes_reading_fail(text in any::<String>()) {
        let file = read(&text);
        for rule in &file.rules {
            prop_assert!(rule.first <= rule.last && !rule.text.contains('\n'));
        }
    }
}
