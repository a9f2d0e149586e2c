//! What redaction finds and what it alters, on a small corpus that is put together here: below these floors the
//! figures of the public rule sets have fallen too.

use std::fmt::Write as _;
use std::path::Path;

use crate::{eval, printed};

/// Letters that look like chance, the same in every run.
struct Chance(u64);

impl Chance {
    fn of(&mut self, letters: &str, length: usize) -> String {
        let letters: Vec<char> = letters.chars().collect();
        let one = |_| {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            letters[(self.0 >> 33) as usize % letters.len()]
        };
        (0..length).map(one).collect()
    }

    fn mixed(&mut self, length: usize) -> String {
        self.of("ABCDEFGHIJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789", length)
    }
}

/// How tokens of vendors begin, in two parts so that no token stands here, and how long the rest is.
const PREFIXES: [(&str, &str, usize); 24] = [
    ("gh", "p_", 36),
    ("gh", "o_", 36),
    ("gh", "s_", 36),
    ("github", "_pat_", 82),
    ("gl", "pat-", 20),
    ("sk", "_live_", 24),
    ("rk", "_live_", 24),
    ("xo", "xb-123456789012-", 24),
    ("xo", "xp-123456789012-", 24),
    ("AI", "za", 35),
    ("np", "m_", 36),
    ("h", "f_", 34),
    ("dop", "_v1_", 64),
    ("shp", "at_", 32),
    ("pyp", "i-AgEIcHlwaS5vcmc", 60),
    ("S", "G.abcdefghijklmnopqrstuv.", 43),
    ("lin", "_api_", 40),
    ("sk", "-ant-api03-", 93),
    ("sk", "-proj-", 48),
    ("glsa", "_", 32),
    ("hvs", ".", 90),
    ("pul", "-", 40),
    ("dckr", "_pat_", 27),
    ("figd", "_", 40),
];

/// What stands around a secret in code and settings.
const TEMPLATES: [(&str, &str); 16] = [
    ("var acmeToken string = \"", "\""),
    ("ACME_TOKEN ?= \"", "\""),
    ("ACME_TOKEN ::= \"", "\""),
    ("$acmeToken .= \"", "\";"),
    ("acmeToken := `", "`"),
    ("  \"acmeToken\" => \"", "\""),
    ("<acmeToken>\n    ", "\n</acmeToken>"),
    ("acme_token = '", "'"),
    ("acme_token: ", ""),
    ("\"acme_token\": \"", "\""),
    ("System.setProperty(\"ACME_TOKEN\", \"", "\")"),
    ("export ACME_TOKEN=", ""),
    ("ACME_TOKEN := ", ""),
    ("acmeToken = '''", "'''"),
    ("#define ACME_TOKEN \"", "\""),
    ("https://example.com/?token=", "&v=1"),
];

/// Writes the cases of a folder, a line each.
fn write_corpus(folder: &Path) {
    let mut chance = Chance(42);
    let mut lines = String::new();
    let mut case = |family: &str, kind: &str, text: &str, secret: &str| {
        let case =
            serde_json::json!({ "family": family, "kind": kind, "text": text, "secret": secret });
        writeln!(lines, "{case}").expect("writing to a String cannot fail");
    };
    for (one, other, length) in PREFIXES {
        let kind = format!("{one}{other}");
        for around in ["use {} for the bot", "TOKEN={}\n", "curl -H 'Authorization: Bearer {}' x"] {
            let hex = ["dop_v1_", "shpat_"].contains(&kind.as_str());
            let rest =
                if hex { chance.of("0123456789abcdef", length) } else { chance.mixed(length) };
            let secret = format!("{kind}{rest}");
            case("prefixes", &kind, &around.replace("{}", &secret), &secret);
        }
    }
    for (before, after) in TEMPLATES {
        for length in [20, 32, 40] {
            let secret = chance.mixed(length);
            case("templates", before, &format!("{before}{secret}{after}"), &secret);
        }
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
    let line = said.lines().find(|line| line.starts_with(beginning) && line.ends_with('%'));
    let line = line.unwrap_or_else(|| panic!("{beginning} is printed: {said}"));
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "%").expect("a share");
    words[at - 1].parse().expect("a number")
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
    assert!(share(&said, "harmless ") >= 100.0, "{said}");
    assert!(share(&said, "altered in ") <= 0.2, "{said}");
}
