//! docs/requirements.md, held against the tests: every one that it names is there, and no acceptance test is left out.

use std::path::Path;

use crate::tidy::root;

fn rows() -> Vec<String> {
    let page = std::fs::read_to_string(root().join("docs/requirements.md")).unwrap();
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

#[test]
fn every_test_that_the_page_of_requirements_names_is_there() {
    let mut named = 0;
    for test in rows().iter().flat_map(|row| row.split('`').skip(1).step_by(2)) {
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
    assert!(named > 200, "{named}");
}

#[test]
fn every_acceptance_test_has_a_row() {
    for number in 1..=48 {
        let row = format!("| T{number:02} |");
        assert!(rows().iter().any(|one| one.starts_with(&row)), "{row}");
    }
}
