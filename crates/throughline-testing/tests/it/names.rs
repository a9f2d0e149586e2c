//! Names of types: whoever follows a flow meets each name with one meaning.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::{ARROWS, sources};

/// Crates that are not shipped.
const NOT_SHIPPED: &[&str] = &["throughline-testing", "throughline-bench", "throughline-eval"];

/// Names that several types have, and why that confuses nobody.
const ALLOWED: &[(&str, &str)] = &[
    ("Error", "each crate has its own, and says so where it is used: `StoreError`"),
    ("Result", "a result with the crate's own error"),
    ("Ground", "one for Unix and one for other systems; only one of them is compiled"),
];

/// One definition of a type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Defined {
    krate: String,
    file: String,
    /// Whether other crates can see it.
    public: bool,
}

/// The name that a line defines a type by, and whether other crates can see the type.
fn defined_by(line: &str) -> Option<(&str, bool)> {
    let item = line.trim_start();
    let public = item.starts_with("pub ");
    let item = match item.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => item,
    };
    let (sort, rest) = item.split_once(' ')?;
    // A type that is indented is what a trait calls it.
    let is_type = matches!(sort, "struct" | "enum" | "trait") || sort == "type" && item == line;
    let is_alias = sort == "type" && line.starts_with("pub");
    let name = rest.split(|c: char| !c.is_alphanumeric()).next()?;
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase());
    ((is_type || is_alias) && is_name).then_some((name, public))
}

/// The types of the crates that are shipped, by name.
fn types() -> BTreeMap<String, BTreeSet<Defined>> {
    let mut found: BTreeMap<String, BTreeSet<Defined>> = BTreeMap::new();
    for (file, text) in sources() {
        let krate = file.split('/').nth(1).unwrap_or_default().to_owned();
        let source =
            file.starts_with(&format!("crates/{krate}/src/")) && !file.ends_with("/tests.rs");
        // The arguments of a command are called as the command is.
        let arguments = file.starts_with("crates/throughline/src/args");
        if !source || arguments || NOT_SHIPPED.contains(&krate.as_str()) {
            continue;
        }
        for (name, public) in text.lines().filter_map(defined_by) {
            let defined = Defined { krate: krate.clone(), file: file.clone(), public };
            found.entry(name.to_owned()).or_default().insert(defined);
        }
    }
    found
}

/// The crates that a crate uses, directly or by others.
fn below(krate: &str) -> BTreeSet<&'static str> {
    let used_by = |krate: &str| {
        let row = ARROWS.iter().find(|(name, _)| *name == krate);
        row.map_or(&[][..], |(_, used)| used)
    };
    let mut found = BTreeSet::new();
    let mut open = used_by(krate).to_vec();
    while let Some(one) = open.pop() {
        if found.insert(one) {
            open.extend(used_by(one));
        }
    }
    found
}

/// Whether a flow goes through both: they are in one crate, the one can see the other, or a third crate sees both.
fn meet(one: &Defined, other: &Defined) -> bool {
    let sees = |above: &Defined, lower: &Defined| {
        lower.public && below(&above.krate).contains(lower.krate.as_str())
    };
    let by_third = || {
        let uses = |krate: &str| {
            let used = below(krate);
            used.contains(one.krate.as_str()) && used.contains(other.krate.as_str())
        };
        let mut shipped = ARROWS.iter().filter(|(name, _)| !NOT_SHIPPED.contains(name));
        one.public && other.public && shipped.any(|(name, _)| uses(name))
    };
    one.krate == other.krate || sees(one, other) || sees(other, one) || by_third()
}

#[test]
fn no_flow_meets_two_types_of_one_name() {
    let types = types();
    assert!(types.len() > 1_000, "only {} types were found", types.len());
    let mut twice = BTreeMap::new();
    for (name, defined) in &types {
        let pairs = defined.iter().flat_map(|one| defined.iter().map(move |other| (one, other)));
        let met = pairs.filter(|(one, other)| one != other && meet(one, other));
        let files: BTreeSet<&str> = met.map(|(one, _)| one.file.as_str()).collect();
        if !files.is_empty() {
            twice.insert(name.as_str(), files);
        }
    }
    for (name, why) in ALLOWED {
        assert!(twice.remove(name).is_some(), "{name} is there once: take it off the list ({why})");
    }
    assert!(twice.is_empty(), "rename all but one of each: {twice:#?}");
}

#[test]
fn every_way_to_define_a_type_is_seen() {
    for (line, defined) in [
        ("pub struct Card {", Some(("Card", true))),
        ("pub(crate) enum Fate {", Some(("Fate", false))),
        ("pub(in crate::sleep) struct Ground {", Some(("Ground", false))),
        ("    pub enum Kind (\"kind\") {", Some(("Kind", true))),
        ("type Judge<'a> = &'a mut dyn FnMut();", Some(("Judge", false))),
        ("pub type Result<T> = std::result::Result<T, Error>;", Some(("Result", true))),
        ("    type Error = Infallible;", None),
        ("    pub struct_name: String,", None),
        ("// struct Card", None),
    ] {
        assert_eq!(defined_by(line), defined, "{line}");
    }
}
