//! docs/requirements.md and docs/trial.md, held against the tests: every one that they name is there, and no acceptance test
//! and no finding is left out.

use std::path::Path;

use crate::tidy::root;

fn rows(page: &str) -> Vec<String> {
    let page = std::fs::read_to_string(root().join("docs").join(page)).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.contains("::"));
    rows.map(str::to_owned).collect()
}

/// Whether a source file under a folder has a test of that name.
fn is_below(folder: &Path, name: &str) -> bool {
    std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()).any(|path| {
        let is_source = path.extension().is_some_and(|ending| ending == "rs");
        let holds = || std::fs::read_to_string(&path).unwrap().contains(&format!("fn {name}("));
        path.is_dir() && is_below(&path, name) || is_source && holds()
    })
}

/// Checks that every test that a page names is there. Returns how many it names.
fn named_by(page: &str) -> usize {
    let mut named = 0;
    for test in rows(page).iter().flat_map(|row| row.split('`').skip(1).step_by(2)) {
        let (file, name) = test.rsplit_once("::").unwrap_or_else(|| panic!("{test}"));
        if let Some((member, _)) = file.split_once(": ") {
            assert!(is_below(&root().join("crates").join(member), name), "{test}");
        } else {
            let path = root().join("crates/throughline/tests/it").join(format!("{file}.rs"));
            let source = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{test}"));
            assert!(source.contains(&format!("#[test]\nfn {name}()")), "{test}");
        }
        named += 1;
    }
    named
}

#[test]
fn every_test_that_the_page_of_requirements_names_is_there() {
    let named = named_by("requirements.md");
    assert!(named > 200, "{named}");
}

#[test]
fn every_test_that_the_page_of_the_trial_names_is_there_and_no_finding_is_left_out() {
    let named = named_by("trial.md");
    assert!(named > 200, "{named}");
    let parts = [('A', 12), ('B', 8), ('C', 6), ('D', 12), ('E', 10), ('F', 7)];
    for (part, last) in parts {
        for number in 1..=last {
            let row = format!("| {part}{number} |");
            assert!(rows("trial.md").iter().any(|one| one.starts_with(&row)), "{row}");
        }
    }
}

#[test]
fn every_acceptance_test_has_a_row() {
    for number in 1..=48 {
        let row = format!("| T{number:02} |");
        assert!(rows("requirements.md").iter().any(|one| one.starts_with(&row)), "{row}");
    }
}
