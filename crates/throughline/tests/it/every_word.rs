//! What people and agents read, on one page: whoever changes a sentence sees it beside the others.
//!
//! Help pages, settings and tools are asked of the program; messages and headings that only appear
//! when something happens are taken from the source, so that none is forgotten.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Home, bare};

#[test]
fn what_people_and_agents_read_is_on_one_page() {
    let page = [helps(), settings(), tools(), messages(), headings()].concat();
    insta::assert_snapshot!("every_word", page);
}

/// Commands that the overview does not show.
const HIDDEN: [&str; 4] = ["hook", "memory-tool", "patch", "man"];

/// Commands below others.
const BELOW: [&str; 8] = [
    "project list",
    "project join",
    "project leave",
    "config get",
    "config set",
    "config unset",
    "llm test",
    "llm key",
];

fn help(words: &str) -> String {
    let run =
        bare().args(words.split_whitespace()).arg("--help").output().expect("the program starts");
    assert!(run.status.success(), "{words}");
    String::from_utf8(run.stdout).expect("help is UTF-8")
}

fn helps() -> String {
    let overview = help("");
    let names = overview.lines().filter_map(|line| {
        let name = line.strip_prefix("  ").filter(|rest| rest.starts_with(char::is_alphabetic))?;
        name.split_once("  ").map(|(name, _)| name).filter(|name| *name != "help")
    });
    let mut page = format!("# Help\n\n{overview}");
    for name in names.chain(HIDDEN).chain(BELOW) {
        let global = "\nGlobal options:\n";
        let help = help(name);
        // The same below every command.
        let (above, rest) = help.split_once(global).unwrap_or((&help, ""));
        let below = rest.split_once("\n\n").map_or("", |(_, below)| below);
        write!(page, "\n## {name}\n\n{above}\n{below}").expect("a String takes it");
    }
    page
}

fn settings() -> String {
    format!("\n# Settings\n\n{}", Home::new().page(&["config"]))
}

/// Names and descriptions, wherever they stand in an answer.
fn descriptions(value: &Value, path: &str, page: &mut String) {
    match value {
        Value::Object(fields) => {
            for (name, below) in fields {
                match below.as_str().filter(|_| ["description", "title"].contains(&name.as_str())) {
                    Some(text) => {
                        writeln!(page, "{}: {text}", path.trim_start()).expect("a String takes it");
                    }
                    None => {
                        let named = ["properties", "inputSchema", "tools", "items"];
                        let step = if named.contains(&name.as_str()) { "" } else { name };
                        let path = format!("{path} {step}").trim_end().to_owned();
                        descriptions(below, &path, page);
                    }
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                let name = item["name"].as_str().unwrap_or_default();
                descriptions(item, &format!("{path} {name}"), page);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn tools() -> String {
    let home = Home::new();
    let mut page = "\n# Tools for agents\n\n".to_owned();
    let mut client = home.mcp();
    for list in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        writeln!(page, "## {list}\n").expect("a String takes it");
        descriptions(&client.get(list, json!({})), "", &mut page);
        page.push('\n');
    }
    writeln!(page, "## memory tool\n").expect("a String takes it");
    let list = home.mcp_profile("memory-tool").get("tools/list", json!({}));
    descriptions(&list, "", &mut page);
    page
}

/// The text literals of some source, as they are when the program runs.
fn literals(source: &str) -> Vec<String> {
    let code: String = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//") && !line.contains("expect("))
        .map(|line| format!("{line}\n"))
        .collect();
    let mut found = Vec::new();
    let mut rest = code.chars().peekable();
    while let Some(c) = rest.next() {
        // A character literal may be a quotation mark.
        if c == '\'' && rest.peek() == Some(&'"') {
            rest.next();
        }
        if c != '"' {
            continue;
        }
        let mut text = String::new();
        while let Some(c) = rest.next().filter(|c| *c != '"') {
            match (c, rest.peek()) {
                ('\\', Some('\n')) => while rest.next_if(|c| c.is_whitespace()).is_some() {},
                ('\\', Some('n')) => {
                    rest.next();
                    text.push('⏎');
                }
                ('\\', Some(_)) => text.extend(rest.next()),
                (c, _) => text.push(c),
            }
        }
        found.push(text);
    }
    found
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The source of a file without its tests.
fn source(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_else(|why| panic!("{file:?}: {why}"));
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..end].to_owned()
}

/// Every source file below a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a file of it").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The crates whose errors somebody reads.
const SPEAKING: [&str; 7] = ["core", "language", "store", "llm", "watch", "agents", "engine"];

fn messages() -> String {
    let mut page = "\n# Errors\n\n".to_owned();
    for name in SPEAKING {
        let mut said = Vec::new();
        for file in files(&crates().join(format!("throughline-{name}/src"))) {
            for part in source(&file).split("#[error(").skip(1) {
                said.extend(literals(part).into_iter().next());
            }
        }
        said.retain(|text| text.contains(' '));
        writeln!(page, "## {name}\n\n{}\n", said.join("\n")).expect("a String takes it");
    }
    let errors = source(&crates().join("throughline-engine/src/error.rs"));
    let hints = errors.split("pub fn hint").nth(1).expect("errors have hints");
    let hints: Vec<String> =
        literals(hints).into_iter().filter(|text| text.contains(' ')).collect();
    writeln!(page, "## hints\n\n{}", hints.join("\n")).expect("a String takes it");
    page
}

/// Where the sentences stand that an agent reads among its memories, and why something was left out.
const PAGES: [&str; 11] = [
    "throughline-core/src/page.rs",
    "throughline-core/src/page/lines.rs",
    "throughline-core/src/asking.rs",
    "throughline-language/src/instruction.rs",
    "throughline-core/src/permission.rs",
    "throughline-engine/src/brief.rs",
    "throughline-engine/src/conversation.rs",
    "throughline-engine/src/recall.rs",
    "throughline-engine/src/told.rs",
    "throughline-engine/src/verify.rs",
    "throughline-engine/src/warn.rs",
];

fn headings() -> String {
    let mut page = "\n# Pages for agents\n".to_owned();
    for name in PAGES {
        let said: Vec<String> = literals(&source(&crates().join(name)))
            .into_iter()
            .filter(|text| text.split_whitespace().filter(|word| is_word(word)).count() > 1)
            .collect();
        writeln!(page, "\n## {name}\n\n{}", said.join("\n")).expect("a String takes it");
    }
    page
}

/// Whether something is a word, and no place for one.
fn is_word(word: &str) -> bool {
    word.chars().all(|c| c.is_alphabetic() || ",.:;-'".contains(c))
        && word.chars().any(char::is_alphabetic)
}
