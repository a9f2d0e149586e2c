//! What redaction finds and what it alters, on a small corpus that is put together here: below these floors the
//! figures of the public rule sets have fallen too.

use std::fmt::Write as _;
use std::path::Path;

use crate::secret_cases::cases;
use crate::{eval, printed};

/// Writes the cases of a folder, a line each.
fn write_corpus(folder: &Path) {
    let mut lines = String::new();
    let mut case = |family: &str, kind: &str, text: &str, secret: &str| {
        let case =
            serde_json::json!({ "family": family, "kind": kind, "text": text, "secret": secret });
        writeln!(lines, "{case}").expect("writing to a String cannot fail");
    };
    for one in cases() {
        case(one.family, &one.kind, &one.text, &one.secret);
    }
    for harmless in [
        "let token = lexer.next_token()?;",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "The password field is required and must have eight letters.",
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    ] {
        case("harmless", harmless, harmless, "");
    }
    std::fs::write(folder.join("own.jsonl"), lines).expect("a folder to write to");
}

/// The share that stands in a line, in per cent: the first one.
fn share(said: &str, beginning: &str) -> f64 {
    shares(said, beginning)[0]
}

/// The shares that stand in a line, in per cent.
fn shares(said: &str, beginning: &str) -> Vec<f64> {
    let line = said.lines().find(|line| line.starts_with(beginning) && line.ends_with('%'));
    let line = line.unwrap_or_else(|| panic!("{beginning} is printed: {said}"));
    let words: Vec<&str> = line.split_whitespace().collect();
    let before = words.windows(2).filter(|two| two[1] == "%").map(|two| two[0]);
    before.map(|share| share.parse().expect("a number")).collect()
}

#[test]
fn every_family_stays_above_its_floor_and_ordinary_code_is_left_alone() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let corpus = home.path().join("corpus");
    std::fs::create_dir(&corpus).expect("a folder can be made");
    write_corpus(&corpus);
    let corpus = corpus.to_str().expect("temporary folders have plain names");
    let code = concat!(env!("CARGO_MANIFEST_DIR"), "/../throughline-core/src");
    let said =
        printed(&eval(home.path(), &["secrets", "--corpus", corpus, "--code", code, "--verbose"]));
    assert!(share(&said, "prefixes ") >= 95.0, "{said}");
    assert!(share(&said, "templates ") >= 90.0, "{said}");
    for family in ["prefixes ", "templates "] {
        assert!(shares(&said, family)[2] >= 90.0, "strictly: {said}");
    }
    assert!(share(&said, "harmless ") >= 100.0, "{said}");
    assert!(share(&said, "altered in ") <= 0.2, "{said}");
}
