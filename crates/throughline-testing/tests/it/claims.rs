//! docs/requirements.md, held against the tests: every one that it names is there.

use crate::tidy::root;

#[test]
fn every_test_that_the_page_of_requirements_names_is_there() {
    let page = std::fs::read_to_string(root().join("docs/requirements.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.contains("::"));
    let mut named = 0;
    for test in rows.flat_map(|row| row.split('`').skip(1).step_by(2)) {
        let (file, name) = test.split_once("::").unwrap_or_else(|| panic!("{test}"));
        let path = root().join("crates/throughline/tests/it").join(format!("{file}.rs"));
        let source = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{test}"));
        assert!(source.contains(&format!("#[test]\nfn {name}()")), "{test}");
        named += 1;
    }
    assert!(named > 100, "{named}");
}
