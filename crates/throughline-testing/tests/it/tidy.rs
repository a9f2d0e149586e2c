//! Rules of the repository, checked as code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which crates of ours each crate may use, dev-dependencies aside. As in ARCHITECTURE.md.
pub(crate) const ARROWS: &[(&str, &[&str])] = &[
    ("throughline-core", &[]),
    ("throughline-attention", &["throughline-core"]),
    ("throughline-language", &["throughline-core"]),
    ("throughline-store", &["throughline-core"]),
    ("throughline-embed", &[]),
    ("throughline-llm", &[]),
    ("throughline-reader", &["throughline-core", "throughline-embed"]),
    ("throughline-redact", &[]),
    ("throughline-agents", &["throughline-core"]),
    ("throughline-watch", &["throughline-core"]),
    (
        "throughline-engine",
        &[
            "throughline-attention",
            "throughline-core",
            "throughline-embed",
            "throughline-language",
            "throughline-llm",
            "throughline-reader",
            "throughline-redact",
            "throughline-store",
            "throughline-watch",
        ],
    ),
    ("throughline-mcp", &["throughline-core", "throughline-engine"]),
    ("throughline-view", &["throughline-core", "throughline-engine", "throughline-language"]),
    (
        "throughline-server",
        &["throughline-core", "throughline-engine", "throughline-mcp", "throughline-view"],
    ),
    (
        "throughline",
        &[
            "throughline-agents",
            "throughline-attention",
            "throughline-core",
            "throughline-engine",
            "throughline-language",
            "throughline-mcp",
            "throughline-server",
            "throughline-view",
        ],
    ),
    ("throughline-testing", &["throughline-core", "throughline-engine", "throughline-store"]),
    (
        "throughline-bench",
        &["throughline-core", "throughline-engine", "throughline-language", "throughline-store"],
    ),
    (
        "throughline-eval",
        &[
            "throughline-attention",
            "throughline-core",
            "throughline-engine",
            "throughline-language",
        ],
    ),
];

/// The crates of pure functions.
const PURE: &[&str] = &["throughline-core", "throughline-attention", "throughline-language"];

/// Crates that must stay out of them.
const NOT_IN_PURE: &[&str] = &["rusqlite", "tokio", "fastrand", "rand", "tempfile", "anyhow"];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn metadata() -> serde_json::Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The normal dependencies of each of our crates.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap().to_owned();
    metadata()["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let normal = package["dependencies"].as_array().unwrap();
            let normal = normal.iter().filter(|one| one["kind"].is_null());
            (name(package), normal.map(name).collect())
        })
        .collect()
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

pub(crate) fn sources() -> Vec<(String, String)> {
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    files
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

#[test]
fn crates_use_only_the_crates_below_them() {
    let found = dependencies();
    let known: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    assert_eq!(known, found.keys().map(String::as_str).collect(), "a crate is missing in ARROWS");
    for (name, allowed) in ARROWS {
        for used in &found[*name] {
            let ours = known.contains(used.as_str());
            assert!(!ours || allowed.contains(&used.as_str()), "{name} must not use {used}");
        }
    }
}

#[test]
fn the_rules_and_the_forms_stay_free_of_anything_that_acts() {
    let found = dependencies();
    for (pure, unwanted) in
        PURE.iter().flat_map(|pure| NOT_IN_PURE.iter().map(move |it| (pure, it)))
    {
        assert!(!found[*pure].contains(*unwanted), "{unwanted} in {pure}");
    }
    for (name, text) in sources() {
        let tests = name.contains("/tests/") || name.ends_with("/tests.rs");
        let pure = PURE.iter().any(|pure| name.starts_with(&format!("crates/{pure}/src")));
        if !pure || tests {
            continue;
        }
        for word in [
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "SystemTime",
            "Instant::now",
            "async fn",
        ] {
            assert!(!text.contains(word), "{name} has {word}");
        }
    }
}

#[test]
fn sql_stands_only_in_the_store() {
    for (name, text) in sources() {
        let allowed = name.starts_with("crates/throughline-store/")
            || name.starts_with("crates/throughline-bench/")
            // It tells pasted SQL from speech.
            || name == "crates/throughline-language/src/speech/machine.rs"
            || name.contains("/tests/");
        for word in ["rusqlite", "SELECT ", "INSERT INTO ", "PRAGMA "] {
            assert!(allowed || !text.contains(word), "{name} has {word}");
        }
    }
}

#[test]
fn only_one_file_of_the_program_prints() {
    for (name, text) in sources() {
        let program = name.starts_with("crates/throughline/src");
        if !program || name.ends_with("/ui.rs") {
            continue;
        }
        for word in ["println!", "eprintln!", "print!(", "anstream::"] {
            assert!(!text.contains(word), "{name} has {word}");
        }
    }
}

#[test]
fn files_stay_short_and_say_what_they_are() {
    for (name, text) in sources() {
        let lines = lines_without_tests(&text);
        assert!(lines <= 500, "{name} has {lines} lines; split it by noun");
        let opens = text.lines().next().unwrap_or_default();
        assert!(opens.starts_with("//!"), "{name} does not open with what it is");
    }
}

#[test]
fn the_core_stays_small() {
    let of_core = |(name, _): &(String, String)| {
        name.starts_with("crates/throughline-core/src") && !name.ends_with("/tests.rs")
    };
    let lines: usize = sources()
        .iter()
        .filter(|one| of_core(one))
        .map(|(_, text)| lines_without_tests(text))
        .sum();
    assert!(lines <= 12_000, "throughline-core has {lines} lines without tests");
}

#[test]
fn the_engine_hands_out_flows_and_does_little_itself() {
    let of_engine =
        |(name, _): &(String, String)| name.starts_with("crates/throughline-engine/src");
    let mut methods = 0;
    for (name, text) in sources().iter().filter(|one| of_engine(one)) {
        for block in text.split("\nimpl Engine {\n").skip(1) {
            let block = block.split("\n}\n").next().unwrap_or_default();
            let begins = |line: &&str| line.starts_with("    ") && !line.starts_with("     ");
            methods += block.lines().filter(begins).filter(|line| line.contains("fn ")).count();
        }
        // One that hands out each flow of the table.
        methods +=
            text.lines().filter(|line| line.contains(" by ") && line.ends_with("ing,")).count();
        if !name.ends_with("/tests.rs") {
            methods += free_functions_over_engine(text);
        }
    }
    assert!((20..=40).contains(&methods), "Engine has {methods} methods");
}

/// Functions outside of every block that take the engine or make one: methods by another name.
fn free_functions_over_engine(text: &str) -> usize {
    let begins = |line: &str| !line.starts_with([' ', '/']) && line.contains("fn ");
    let mut lines = text.lines();
    let mut count = 0;
    while let Some(first) = lines.by_ref().find(|line| begins(line)) {
        let mut signature = first.to_owned();
        while !signature.ends_with('{') {
            let Some(line) = lines.next() else { break };
            signature.push_str(line);
        }
        let words = signature.split(|c: char| !c.is_alphanumeric() && c != '_');
        count += usize::from(words.into_iter().any(|word| word == "Engine"));
    }
    count
}

#[test]
fn a_function_over_the_engine_counts_as_one_of_its_methods() {
    let one = "pub fn a(engine: &Engine) -> u64 {\n}\n";
    let two = "fn b<'a>(\n    engine: &'a Engine,\n    c: u8,\n) {\n}\nfn open() -> Result<Engine> {\n}\n";
    let none = "fn c(engine: &EngineName) {\n    let d: Engine;\n}\n    fn e(engine: &Engine) {\n";
    assert_eq!([one, two, none].map(free_functions_over_engine), [1, 2, 0]);
}

/// What writes to a store, and the files of the engine that may call it. Memory changes only through `Engine::write`; the
/// others replay a log, replace a database, or write what is derived.
const WRITERS: &[(&str, &[&str])] = &[
    (".store.transact(", &["engine.rs"]),
    (".store.transact_in(", &["engine.rs"]),
    (".store.apply(", &["import.rs"]),
    (".put_vectors(", &["meaning.rs", "meaning/elsewhere.rs", "sleep/deep/pass.rs", "team.rs"]),
    (".replace_with(", &["backup.rs", "backup/mend.rs"]),
    (".reindex()", &["doctor.rs"]),
    (".finish_erasure()", &["purge.rs", "team.rs"]),
];

#[test]
fn only_the_files_that_are_listed_write_to_a_store() {
    let folder = "crates/throughline-engine/src/";
    for (call, allowed) in WRITERS {
        let sources = sources();
        let calls = sources.iter().filter(|(_, text)| text.contains(call));
        let found: BTreeSet<&str> =
            calls.filter_map(|(name, _)| name.strip_prefix(folder)).collect();
        assert_eq!(found, allowed.iter().copied().collect(), "{call}");
    }
}

/// Lines of a source file without its inline test modules, wherever they stand.
fn lines_without_tests(text: &str) -> usize {
    let mut count = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line != "#[cfg(test)]" {
            count += 1;
            continue;
        }
        // An inline module of the outermost level ends with a brace that is not indented.
        let item = lines.by_ref().find(|line| !line.starts_with("#[")).unwrap_or_default();
        if item.ends_with('{') {
            lines.by_ref().find(|line| line.starts_with('}'));
        }
    }
    count
}

#[test]
fn lines_after_an_early_test_module_count_too() {
    let text = "a\n#[cfg(test)]\nmod tests {\n    b\n}\nc\n#[cfg(test)]\nmod more;\nd\n";
    assert_eq!(lines_without_tests(text), 3);
}

#[test]
fn every_crate_has_a_readme() {
    for (name, _) in ARROWS {
        let readme = root().join("crates").join(name).join("README.md");
        assert!(readme.exists(), "{name} has no README.md");
    }
}

#[test]
fn migrations_are_numbered_without_gaps() {
    // A step that only one of the stores needs is left out by the other; one that both need has one name.
    let names: std::collections::BTreeSet<String> = ["sqlite", "postgres"]
        .iter()
        .flat_map(|store| {
            let folder = root().join("crates/throughline-store/migrations").join(store);
            std::fs::read_dir(folder).unwrap()
        })
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    for (at, name) in names.iter().enumerate() {
        assert!(name.starts_with(&format!("{:04}_", at + 1)), "{name} is out of order");
    }
}
