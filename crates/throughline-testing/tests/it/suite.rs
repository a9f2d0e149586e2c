//! Every function of the suite is a case, and every case has a name of its own.

use std::collections::BTreeSet;
use std::path::Path;

use throughline_testing::conformance::cases;

/// The functions under `src/conformance` that take a factory and nothing else.
fn written() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/conformance");
    let mut names = BTreeSet::new();
    for file in std::fs::read_dir(folder).expect("the suite is there") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("source");
        let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for piece in text.split("pub(super) fn ").skip(1) {
            let (name, rest) = piece.split_once('(').expect("a signature");
            let (taken, rest) = rest.split_once(')').expect("a signature");
            let taken = taken.trim().trim_end_matches(',');
            if taken == "factory: &dyn Factory" && rest.trim_start().starts_with('{') {
                names.insert(name.to_owned());
            }
        }
    }
    names
}

#[test]
fn every_promise_that_was_written_down_is_tried() {
    let tried: BTreeSet<String> = cases().iter().map(|case| case.name.to_owned()).collect();
    assert_eq!(written(), tried);
}

#[test]
fn no_two_cases_share_a_name() {
    let names: BTreeSet<_> = cases().iter().map(|case| case.name).collect();
    assert_eq!(names.len(), cases().len());
}
