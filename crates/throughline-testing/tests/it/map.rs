//! ARCHITECTURE.md, held against the code: every path, function and type that it names is there.
//!
//! How it is read: a *block* is a paragraph, an item of a list or a row of a table. A function is written
//! `Type::function`, `module::function` or `function()`, and stands in a file that its block names. A path starts at the
//! root or at `crates/`, or at the folder that its section says its files are in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::tidy::{ARROWS, root, sources};

/// Lines that can be looked through in a few minutes; a bigger page is a book that nobody opens.
const LINES_MAX: usize = 450;

/// One block: the folder that its files are in, and what it has in backticks.
#[derive(Debug)]
struct Block {
    line: usize,
    folder: Option<PathBuf>,
    spans: Vec<String>,
}

fn page() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

fn spans(text: &str) -> impl Iterator<Item = String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned)
}

/// The blocks of the page, without its pictures.
fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut text, mut first) = (String::new(), 0);
    let mut folder = None;
    let mut is_picture = false;
    let mut end = |text: &mut String, line: usize, folder: &mut Option<PathBuf>| {
        let spans: Vec<String> = spans(text).collect();
        let base = text.split_once("are in `").and_then(|(_, rest)| rest.split('`').next());
        if let Some(base) = base.filter(|base| base.ends_with('/')) {
            *folder = Some(root().join("crates").join(base));
        }
        blocks.push(Block { line, folder: folder.clone(), spans });
        text.clear();
    };
    for (at, line) in page.lines().enumerate() {
        if line.starts_with("```") {
            is_picture = !is_picture;
            continue;
        }
        let item = line.trim_start();
        let numbered =
            item.split_once(". ").is_some_and(|(number, _)| number.parse::<u8>().is_ok());
        let begins = item.is_empty() || item.starts_with(['|', '#']) || item.starts_with("- ");
        if begins || numbered {
            end(&mut text, first, &mut folder);
            first = at + 1;
        }
        if line.starts_with("## ") {
            folder = None;
        }
        if !is_picture {
            text.push_str(line);
            text.push(' ');
        }
    }
    end(&mut text, first, &mut folder);
    blocks
}

fn is_path(span: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let names =
        span.contains('/') || [".rs", ".md", ".sh", ".toml"].iter().any(|end| span.ends_with(end));
    names && span.chars().all(plain)
}

fn found(block: &Block, path: &str) -> Option<PathBuf> {
    let folders = [Some(root()), Some(root().join("crates")), block.folder.clone()];
    folders.into_iter().flatten().map(|folder| folder.join(path)).find(|path| path.exists())
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What a span says is a function: whose it is, if it says so, and its name.
fn function(span: &str) -> Option<(Option<&str>, &str)> {
    if let Some((of, name)) = span.split_once("::") {
        return (is_name(of) && is_name(name)).then_some((Some(of), name));
    }
    span.strip_suffix("()").filter(|name| is_name(name)).map(|name| (None, name))
}

/// Whether a source has a word, not as a part of another one, behind another text.
fn has_behind(text: &str, before: &str, word: &str) -> bool {
    text.match_indices(&format!("{before}{word}")).any(|(at, all)| {
        let next = text[at + all.len()..].chars().next();
        !next.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Whether a source has a function, in a type or module of that name.
fn has_function(path: &Path, of: Option<&str>, name: &str) -> bool {
    let Ok(text) = std::fs::read_to_string(path) else { return false };
    let is_there = has_behind(&text, "fn ", name);
    let is_its = of.is_none_or(|of| {
        let is_module = path.file_stem().is_some_and(|stem| stem == of);
        let opens = |line: &&str| line.starts_with("impl") || line.contains("trait ");
        is_module || text.lines().filter(opens).any(|line| has_behind(line, " ", of))
    });
    is_there && is_its
}

fn declares(text: &str, name: &str) -> bool {
    let keywords = ["struct ", "enum ", "trait ", "type "];
    keywords.iter().any(|keyword| has_behind(text, keyword, name))
        // The flows are declared by a macro.
        || text.contains(&format!("    {name} by "))
}

#[test]
fn every_path_of_the_map_leads_somewhere() {
    let (mut paths, mut wrong) = (0, Vec::new());
    for block in blocks(&page()) {
        for path in block.spans.iter().filter(|span| is_path(span)) {
            paths += 1;
            if found(&block, path).is_none() {
                wrong.push(format!("line {}: there is no {path}", block.line));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(paths > 200, "only {paths} paths were recognised");
}

#[test]
fn every_function_of_the_map_stands_in_a_file_that_is_named_with_it() {
    let (mut functions, mut wrong) = (0, Vec::new());
    for block in blocks(&page()) {
        let paths = block.spans.iter().filter(|span| is_path(span));
        let files: Vec<PathBuf> = paths.filter_map(|path| found(&block, path)).collect();
        for span in &block.spans {
            let Some((of, name)) = function(span) else { continue };
            // How a function is written is explained with these.
            if span == "Type::function" || span == "function()" {
                continue;
            }
            functions += 1;
            if !files.iter().any(|file| has_function(file, of, name)) {
                wrong.push(format!("line {}: {span} is in no file named there", block.line));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(functions > 100, "only {functions} functions were recognised");
}

#[test]
fn every_type_and_flow_of_the_map_is_declared() {
    let sources = sources();
    let flows = std::fs::read_to_string(root().join("crates/throughline-engine/src/flows.rs"));
    let flows = flows.unwrap();
    let mut wrong = Vec::new();
    for block in blocks(&page()) {
        for span in &block.spans {
            let call = span.strip_prefix("engine.").and_then(|call| call.split_once('('));
            if let Some((flow, _)) = call
                && !["by ", "fn "].iter().any(|before| has_behind(&flows, before, flow))
            {
                wrong.push(format!("line {}: the engine hands out no {flow}", block.line));
            }
            let capital = span.starts_with(|c: char| c.is_ascii_uppercase());
            // Constants, and an event of another program, are no types.
            let is_type = capital && is_name(span) && span.chars().any(|c| c.is_ascii_lowercase());
            if is_type
                && span != "UserPromptSubmit"
                && !sources.iter().any(|(_, text)| declares(text, span))
            {
                wrong.push(format!("line {}: there is no type {span}", block.line));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_map_shows_the_same_arrows_as_the_rules() {
    let page = page();
    let section = page.split("\n## ").find(|section| section.starts_with("The crates\n")).unwrap();
    let mut shown: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let used = cells[3].split(", ").filter(|name| *name != "–");
        let used = used.map(|name| format!("throughline-{name}")).collect();
        shown.insert(cells[1].trim_matches('`').to_owned(), used);
    }
    let rules = ARROWS.iter().map(|(name, used)| {
        ((*name).to_owned(), used.iter().map(|used| (*used).to_owned()).collect())
    });
    assert_eq!(shown, rules.collect());
}

#[test]
fn the_map_speaks_of_every_crate_and_stays_short() {
    let page = page();
    for (name, _) in ARROWS {
        assert!(page.contains(&format!("**`{name}`**")), "What may be touched in {name}?");
    }
    let lines = page.lines().count();
    assert!(lines <= LINES_MAX, "{lines} lines are too many for five minutes");
}

#[test]
fn a_function_is_looked_for_where_it_is_said_to_be() {
    let tidy = root().join("crates/throughline-testing/tests/it/tidy.rs");
    assert!(has_function(&tidy, None, "root"));
    assert!(has_function(&tidy, Some("tidy"), "sources"));
    assert!(!has_function(&tidy, None, "roo"));
    assert!(!has_function(&tidy, Some("Engine"), "root"));
    assert_eq!(function("Engine::write"), Some((Some("Engine"), "write")));
    assert_eq!(function("take_in()"), Some((None, "take_in")));
    assert_eq!(function("purge"), None);
}
