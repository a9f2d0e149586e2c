//! What people and agents read, on one page: whoever changes a sentence sees it beside the others.
//!
//! Help pages, settings and tools are asked of the program; messages and headings that only appear
//! when something happens are taken from the source, so that none is forgotten.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Home, bare};

#[test]
fn what_people_and_agents_read_is_on_one_page() {
    let page =
        [helps(), settings(), tools(), messages(), headings(), sentences(), web_page()].concat();
    insta::assert_snapshot!("every_word", page);
}

/// Commands that the overview does not show.
const HIDDEN: [&str; 4] = ["hook", "memory-tool", "patch", "man"];

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
    let mut open: Vec<String> = names.chain(HIDDEN).map(str::to_owned).rev().collect();
    while let Some(name) = open.pop() {
        let global = "\nGlobal options:\n";
        let help = help(&name);
        // The same below every command.
        let (above, rest) = help.split_once(global).unwrap_or((&help, ""));
        let below = rest.split_once("\n\n").map_or("", |(_, below)| below);
        write!(page, "\n## {name}\n\n{above}\n{below}").expect("a String takes it");
        open.extend(commands(above).map(|command| format!("{name} {command}")));
    }
    page
}

/// The commands that a help page lists, the last first.
fn commands(help: &str) -> impl Iterator<Item = &str> {
    let list = help.split_once("\nCommands:\n").map_or("", |(_, list)| list);
    let list = list.split("\n\n").next().unwrap_or_default();
    let lines = list.lines().rev().filter_map(|line| line.strip_prefix("  "));
    let names = lines.filter_map(|line| line.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help")
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
    files_with(folder, &["rs"])
}

fn files_with(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a file of it").path();
        if path.is_dir() {
            found.extend(files_with(&path, ends));
        } else if path.extension().is_some_and(|end| ends.iter().any(|one| end == *one)) {
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
const PAGES: [&str; 12] = [
    "throughline-core/src/page.rs",
    "throughline-core/src/page/lines.rs",
    "throughline-core/src/asking.rs",
    "throughline-attention/src/recall_gate.rs",
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
        let said = said_in(&crates().join(name));
        writeln!(page, "\n## {name}\n\n{}", said.join("\n")).expect("a String takes it");
    }
    page
}

/// What some source says: its literals of several words, each once.
fn said_in(file: &Path) -> Vec<String> {
    let mut known = BTreeSet::new();
    let all = literals(&source(file)).into_iter();
    all.filter(|text| words(text) > 1 && known.insert(text.clone())).collect()
}

fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| is_word(word)).count()
}

/// Folders whose code makes the sentences that commands and the server answer with.
const ANSWERING: [&str; 4] =
    ["throughline-engine/src", "throughline/src", "throughline-server/src", "throughline-mcp/src"];

/// Files there that say nothing new: what they have is on a page above, or is drawn.
const ABOVE: [&str; 5] = [
    "throughline/src/args",
    "help/examples.rs",
    "engine/src/error.rs",
    "mcp/src/catalog",
    "graph/draw.rs",
];

fn sentences() -> String {
    let mut page = "\n# Sentences of commands and of the server\n".to_owned();
    for folder in ANSWERING {
        for file in files(&crates().join(folder)) {
            let name = file.strip_prefix(crates()).expect("it is below the crates");
            let name = name.to_string_lossy().replace('\\', "/");
            let above = PAGES.contains(&name.as_str()) || ABOVE.iter().any(|it| name.contains(it));
            let said =
                if above || name.ends_with("/tests.rs") { Vec::new() } else { said_in(&file) };
            if !said.is_empty() {
                writeln!(page, "\n## {name}\n\n{}", said.join("\n")).expect("a String takes it");
            }
        }
    }
    page
}

/// Whether a literal is a font or a selector.
fn is_style(text: &str) -> bool {
    text.contains("px ")
        || text.starts_with('[')
        || text.split(' ').any(|word| word.starts_with('.'))
}

/// What a line of the web page's source shows: quoted text that names no class, and text between elements.
fn shown_by(line: &str) -> Vec<String> {
    let (mut shown, mut code, mut from) = (Vec::new(), String::new(), 0);
    while let Some(at) = line[from..].find(['\'', '"', '`']).map(|at| from + at) {
        let quote = &line[at..=at];
        let before = &line[..at];
        // An apostrophe within a word.
        let within = before.ends_with(char::is_alphanumeric);
        let Some(length) = line[at + 1..].find(quote).filter(|_| !within) else {
            code.push_str(&line[from..=at]);
            from = at + 1;
            continue;
        };
        let text = &line[at + 1..][..length];
        let is_class =
            ["class=", "class={", "d=", "viewBox=", "from "].iter().any(|it| before.ends_with(it));
        if !is_class && words(text) > 1 && !is_style(text) {
            shown.push(text.to_owned());
        }
        code.push_str(&line[from..at]);
        code.push('…');
        from = at + length + 2;
    }
    code.push_str(&line[from..]);
    let is_text = |text: &str| {
        let plain = !text.contains(['=', ';', '|', '[', ']', '&', '*', '…'])
            && !text.starts_with([')', ',', '.', ':', '?', '(']);
        let whole = text.matches('(').count() == text.matches(')').count();
        plain && whole && !text.starts_with("extends ") && text.chars().any(char::is_alphabetic)
    };
    let alone = code.trim();
    if !alone.contains(['<', '>', '{', '}', '=', ';', '(', ':', '…'])
        && words(alone) > 2
        && !alone.ends_with(',')
    {
        shown.push(alone.to_owned());
    }
    for part in code.split(['>', '}']).skip(1) {
        let Some((text, _)) = part.split_once(['<', '{']) else { continue };
        if is_text(text) && (words(text) > 1 || text.starts_with(char::is_uppercase)) {
            shown.push(text.trim().to_owned());
        }
    }
    shown
}

fn web_page() -> String {
    let folder = crates().join("throughline-server/page/src");
    let mut page = "\n# The web page\n".to_owned();
    for file in files_with(&folder, &["tsx", "ts"]) {
        let text = std::fs::read_to_string(&file).expect("a file of the page");
        let lines = text.lines().map(str::trim);
        let code = lines
            .filter(|line| !["//", "*", "/*", "import "].iter().any(|it| line.starts_with(it)));
        let shown: Vec<String> = code.flat_map(shown_by).collect();
        if !shown.is_empty() {
            let name = file.strip_prefix(&folder).expect("it is below the folder");
            let name = name.to_string_lossy().replace('\\', "/");
            writeln!(page, "\n## {name}\n\n{}", shown.join("\n")).expect("a String takes it");
        }
    }
    page
}

#[test]
fn what_the_web_page_shows_is_told_from_its_code() {
    for (line, shown) in [
        (r#"<PageHead title="All is well" sub={' '}>"#, vec!["All is well"]),
        (
            r#"<button class="button plain" onClick={again}>Check again</button>"#,
            vec!["Check again"],
        ),
        (
            "<dt class=\"small quiet\">{name}</dt><dd>worth the agent's attention</dd>",
            vec!["worth the agent's attention"],
        ),
        (
            "const a = one === 2 ? 'all is well' : `${left} wait for you`;",
            vec!["all is well", "${left} wait for you"],
        ),
        ("if (one.gone) { return null; }", vec![]),
        ("which agents were told.", vec!["which agents were told."]),
    ] {
        assert_eq!(shown_by(line), shown, "{line}");
    }
}

/// Whether something is a word, and no place for one.
fn is_word(word: &str) -> bool {
    word.chars().all(|c| c.is_alphabetic() || ",.:;-'".contains(c))
        && word.chars().any(char::is_alphabetic)
}
