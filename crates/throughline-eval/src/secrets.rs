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

/// How a family did: right and all cases, for each kind.
type Kinds = BTreeMap<String, (usize, usize)>;

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut families: BTreeMap<String, Kinds> = BTreeMap::new();
    for file in files(&options.corpus, &["jsonl"]) {
        let lines = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        for line in lines.lines() {
            let case: Case =
                serde_json::from_str(line).with_context(|| file.display().to_string())?;
            let right = is_right(&case);
            if !right && options.verbose {
                println!("{} {}: {:?}", case.family, case.kind, case.text);
            }
            let kinds = families.entry(case.family).or_default();
            let (done, all) = kinds.entry(case.kind).or_default();
            (*done, *all) = (*done + usize::from(right), *all + 1);
        }
    }
    println!("{:<28} {:>13} {:>8} {:>16} {:>8}", "family", "cases right", "", "kinds whole", "");
    for (family, kinds) in &families {
        let (done, all) = kinds.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let whole = kinds.values().filter(|(done, all)| done == all).count();
        println!(
            "{family:<28} {:>13} {:>6.1} % {:>16} {:>6.1} %",
            format!("{done}/{all}"),
            share(done, all),
            format!("{whole}/{}", kinds.len()),
            share(whole, kinds.len()),
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

/// Whether the secret is gone: no half of it is left. Without one, whether nothing changed.
fn is_right(case: &Case) -> bool {
    let mut text = case.text.clone();
    let found = clean_text(&mut text);
    if case.secret.is_empty() {
        return found == 0;
    }
    let letters: Vec<char> = case.secret.chars().collect();
    let half = letters.len().div_ceil(2).max(4).min(letters.len());
    !letters.windows(half).any(|part| text.contains(&part.iter().collect::<String>()))
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
