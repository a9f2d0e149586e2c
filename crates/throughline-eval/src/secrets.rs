//! What redaction finds and what it alters: recall per family of cases, and chunks of code changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;
use throughline_engine::clean_text;

/// Bytes of code that are looked at together.
const CHUNK_BYTES: usize = 4_096;
/// Files that are larger are data.
const FILE_BYTES_MAX: u64 = 2 << 20;
/// What is taken for code and what goes with it.
const CODE: [&str; 19] = [
    "rs", "py", "js", "ts", "tsx", "mjs", "cjs", "go", "java", "c", "h", "sh", "toml", "json",
    "md", "yml", "yaml", "lock", "log",
];

/// Options of `secrets`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// A folder of `*.jsonl`, a case a line: family, kind, text, secret. A case without a secret must
    /// stay unchanged. `tools/secret-corpus/make.py` makes them from public rule sets
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// Folders of ordinary code: how many chunks of 4 KB are altered
    #[arg(long, value_name = "DIR")]
    code: Vec<PathBuf>,
    /// Leave out files of that code whose path holds this, such as tests that are about secrets
    #[arg(long, value_name = "PART")]
    except: Vec<String>,
    /// Print every case that went wrong, and every line of code that was altered, without its secret
    #[arg(long)]
    verbose: bool,
}

/// One case.
#[derive(Debug, Deserialize)]
struct Case {
    family: String,
    kind: String,
    text: String,
    secret: String,
}

/// How many cases of a kind were right, how many strictly so, and how many there are.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    right: usize,
    strict: usize,
    all: usize,
}

/// How a family did, for each kind.
type Kinds = BTreeMap<String, Tally>;

/// Characters of a secret in a row that are too many where it is judged strictly.
const RUN: usize = 6;
/// In so many characters at its beginning a secret may tell what it is; the rest is its own, if it is that long.
const PREFIX_MAX: usize = 12;
const OWN_MIN: usize = 12;

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut families: BTreeMap<String, Kinds> = BTreeMap::new();
    for file in files(&options.corpus, &["jsonl"]) {
        let lines = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        for line in lines.lines() {
            let case: Case =
                serde_json::from_str(line).with_context(|| file.display().to_string())?;
            let (right, strict) = judged(&case);
            if !(right && strict) && options.verbose {
                let how = if right { " (in part)" } else { "" };
                println!("{} {}{how}: {:?}", case.family, case.kind, case.text);
            }
            let kinds = families.entry(case.family).or_default();
            let tally = kinds.entry(case.kind).or_default();
            tally.right += usize::from(right);
            tally.strict += usize::from(strict);
            tally.all += 1;
        }
    }
    println!(
        "{:<28} {:>13} {:>8} {:>16} {:>8} {:>14} {:>8}",
        "family", "cases right", "", "kinds whole", "", "strictly", ""
    );
    for (family, kinds) in &families {
        let sum = |of: fn(&Tally) -> usize| kinds.values().map(of).sum::<usize>();
        let (done, strict, all) = (sum(|one| one.right), sum(|one| one.strict), sum(|one| one.all));
        let whole = kinds.values().filter(|one| one.right == one.all).count();
        println!(
            "{family:<28} {:>13} {:>6.1} % {:>16} {:>6.1} % {:>14} {:>6.1} %",
            format!("{done}/{all}"),
            share(done, all),
            format!("{whole}/{}", kinds.len()),
            share(whole, kinds.len()),
            format!("{strict}/{all}"),
            share(strict, all),
        );
    }
    for folder in &options.code {
        let (altered, all) = alterations(folder, options);
        println!(
            "altered in {}: {altered} of {all} chunks, {:.3} %",
            folder.display(),
            share(altered, all)
        );
    }
    Ok(())
}

/// Whether the secret is gone: no half of it is left; and strictly, no run of characters of what is its own. Without
/// one, whether nothing changed.
fn judged(case: &Case) -> (bool, bool) {
    let mut text = case.text.clone();
    let found = clean_text(&mut text);
    if case.secret.is_empty() {
        return (found == 0, found == 0);
    }
    let letters: Vec<char> = case.secret.chars().collect();
    let half = letters.len().div_ceil(2).max(4).min(letters.len());
    let holds = |text: &str, part: &[char]| text.contains(&part.iter().collect::<String>());
    let right = !letters.windows(half).any(|part| holds(&text, part));
    let own = own_part(&letters);
    // What the text says elsewhere too is no secret of it.
    let around = case.text.replacen(&case.secret, "\n", 1);
    let left = |part: &[char]| holds(&text, part) && !holds(&around, part);
    (right, right && !own.windows(RUN.min(own.len())).any(left))
}

/// A secret without the beginning that tells what it is, such as `ghp_`.
fn own_part(secret: &[char]) -> &[char] {
    let told = secret.iter().take(PREFIX_MAX).rposition(|one| matches!(one, '_' | '-' | '.'));
    let own = &secret[told.map_or(0, |at| at + 1)..];
    if own.len() >= OWN_MIN { own } else { secret }
}

/// How many chunks of the code in a folder are altered, and how many there are.
fn alterations(folder: &Path, options: &Options) -> (usize, usize) {
    let (mut altered, mut all) = (0, 0);
    for file in files(folder, &CODE) {
        let path = file.to_string_lossy();
        if options.except.iter().any(|part| path.contains(part)) {
            continue;
        }
        if file.metadata().is_ok_and(|data| data.len() > FILE_BYTES_MAX) {
            continue;
        }
        let Ok(code) = std::fs::read_to_string(&file) else { continue };
        let mut rest = code.as_str();
        while !rest.is_empty() {
            let end = rest.floor_char_boundary(CHUNK_BYTES);
            let line = rest[..end]
                .rfind('\n')
                .map(|at| at + 1)
                .filter(|at| end < rest.len() && *at > end / 2);
            let (chunk, next) = rest.split_at(line.unwrap_or(end));
            let mut clean = chunk.to_owned();
            if clean_text(&mut clean) > 0 {
                altered += 1;
                let lines = clean.lines().filter(|line| line.contains("[redacted:"));
                lines.filter(|_| options.verbose).for_each(|line| println!("{path}: {line}"));
            }
            all += 1;
            rest = next;
        }
    }
    (altered, all)
}

/// The files under a folder with one of these endings, in order.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()).filter(|path| !path.is_symlink()) {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            if path.is_dir() && !["target", ".git"].iter().any(|name| path.ends_with(name)) {
                open.push(path);
            } else if endings.contains(&ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn share(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}
