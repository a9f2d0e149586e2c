//! Projects that look like projects: sources, manifests, settings and documentation, from a seed.

use super::dice::Dice;
use super::model::{Language, NewItem, Role, Tongue, Tree, Value};

const THINGS: [&str; 24] = [
    "retry", "batch", "cache", "queue", "page", "shard", "lease", "poll", "upload", "parser",
    "frame", "buffer", "worker", "index", "replay", "ledger", "invoice", "webhook", "digest",
    "snapshot", "cursor", "planner", "router", "sampler",
];
const SIDES: [&str; 14] = [
    "limit",
    "size",
    "window",
    "budget",
    "depth",
    "count",
    "timeout_ms",
    "ttl_seconds",
    "workers",
    "interval",
    "fanout",
    "threshold",
    "slots",
    "backlog",
];
const VERBS: [&str; 8] =
    ["load", "plan", "merge", "score", "split", "drain", "collect", "estimate"];
const FOLDERS: [&str; 6] = ["net", "store", "jobs", "billing", "ingest", "ui"];
const NUMBERS: [u32; 22] = [
    2, 3, 4, 5, 8, 10, 12, 16, 20, 25, 30, 32, 45, 50, 64, 90, 120, 250, 512, 1_500, 30_000, 86_400,
];
const CRATES: [&str; 10] =
    ["serde", "tokio", "anyhow", "clap", "regex", "uuid", "tracing", "hyper", "rayon", "bytes"];
const PACKAGES: [&str; 8] =
    ["react", "typescript", "vite", "zod", "eslint", "vitest", "date-fns", "@tanstack/react-query"];
const MODULES: [&str; 6] = ["requests", "pydantic", "numpy", "fastapi", "pytest", "httpx"];
const SECTIONS: [&str; 6] = ["http", "grpc", "jobs", "storage", "metrics", "mail"];
const KEYS: [&str; 8] = [
    "timeout",
    "pool_size",
    "retries",
    "port",
    "max_inflight",
    "batch_rows",
    "region",
    "keepalive",
];
const TOOLS: [&str; 6] = ["Node", "Python", "Postgres", "Redis", "Kafka", "Terraform"];

/// A project of 30 to 80 files.
pub(crate) fn grow(dice: &mut Dice) -> Tree {
    let mut tree = Tree::default();
    let (rust, python, typescript) = (8 + dice.below(6), 6 + dice.below(5), 6 + dice.below(5));
    for at in 0..rust {
        source(&mut tree, dice, Language::Rust, at);
    }
    for at in 0..python {
        source(&mut tree, dice, Language::Python, at);
    }
    for at in 0..typescript {
        source(&mut tree, dice, Language::TypeScript, at);
    }
    cargo(&mut tree, dice);
    package(&mut tree, dice);
    pyproject(&mut tree, dice);
    let shared = settings(&mut tree, dice, "config/staging.yaml".to_owned(), Tongue::Yaml);
    // Nobody has told them apart yet.
    tree.add_twin(shared, "config/production.yaml".to_owned());
    for name in FOLDERS.iter().take(4) {
        settings(&mut tree, dice, format!("config/{name}.yaml"), Tongue::Yaml);
        settings(&mut tree, dice, format!("deploy/{name}.ini"), Tongue::Ini);
        settings(&mut tree, dice, format!("config/{name}.json"), Tongue::Json);
    }
    for at in 0..(5 + dice.below(5)) {
        document(&mut tree, dice, at);
    }
    tree
}

fn number(dice: &mut Dice) -> Value {
    Value::Number(dice.pick(&NUMBERS))
}

fn constant_value(dice: &mut Dice) -> Value {
    match dice.below(10) {
        0 => Value::Word(dice.below(8)),
        1 => Value::Truth(dice.chance(50)),
        _ => number(dice),
    }
}

/// Names of things, none of them twice.
fn names(dice: &mut Dice, count: usize) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    while all.len() < count {
        let name = format!("{}_{}", dice.pick(&THINGS), dice.pick(&SIDES));
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

fn source(tree: &mut Tree, dice: &mut Dice, language: Language, at: usize) {
    let (folder, thing) = (FOLDERS[at % FOLDERS.len()], THINGS[(at * 5 + 3) % THINGS.len()]);
    let path = match language {
        Language::Rust if at == 0 => "src/main.rs".to_owned(),
        Language::Rust => format!("src/{folder}/{thing}.rs"),
        Language::Python => format!("tools/{folder}/{thing}.py"),
        Language::TypeScript if at.is_multiple_of(3) => format!("web/src/{thing}.ts"),
        Language::TypeScript => format!("web/src/{folder}/{thing}.ts"),
    };
    let file = tree.add_file(path, Tongue::Source(language));
    let top = match language {
        Language::Rust => ["use std::collections::BTreeMap;", "use std::time::Duration;", ""],
        Language::Python => ["import logging", "from pathlib import Path", ""],
        Language::TypeScript => {
            ["import { join } from \"node:path\";", "import { logger } from \"./log\";", ""]
        }
    };
    for line in top {
        tree.text(file, 0, line);
    }
    let all = names(dice, 7);
    for name in &all[..3] {
        constant(tree, dice, Block { file, block: 1, language }, name);
    }
    tree.text(file, 1, "");
    for (at, name) in all[3..].iter().enumerate() {
        let used = dice.chance(40).then(|| all[at % 3].as_str());
        function(tree, dice, Block { file, block: at + 2, language }, name, used);
    }
}

/// The name as the language writes constants.
fn constant_name(language: Language, name: &str) -> String {
    if language == Language::TypeScript { camel(name) } else { name.to_uppercase() }
}

fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| {
        let (head, tail) = part.split_at(1);
        whole + &head.to_uppercase() + tail
    })
}

fn constant(tree: &mut Tree, dice: &mut Dice, at: Block, name: &str) {
    let Block { file, block, language } = at;
    let value = constant_value(dice);
    let template = match (language, &value) {
        (Language::Rust, Value::Number(_)) if dice.chance(25) => {
            "pub const {name}: Duration = Duration::from_secs({value});"
        }
        (Language::Rust, Value::Number(_)) => "pub const {name}: u32 = {value};",
        (Language::Rust, Value::Truth(_)) => "pub const {name}: bool = {value};",
        (Language::Rust, _) => "pub const {name}: &str = \"{value}\";",
        (Language::Python, Value::Truth(_)) => "{name}: bool = bool(\"{value}\")",
        (Language::Python, Value::Number(_)) => "{name} = {value}",
        (Language::Python, _) => "{name} = \"{value}\"",
        (_, Value::Number(_) | Value::Truth(_)) => "export const {name} = {value};",
        (_, _) => "export const {name} = \"{value}\";",
    };
    let grouped = language != Language::TypeScript && dice.chance(60);
    let name = constant_name(language, name);
    let new =
        NewItem { name: &name, dotted: &name, role: Role::Constant, value, template, grouped };
    tree.item(file, block, new);
}

#[derive(Debug, Clone, Copy)]
struct Block {
    file: usize,
    block: usize,
    language: Language,
}

/// A function with a few lines, one of which returns a value.
fn function(tree: &mut Tree, dice: &mut Dice, at: Block, name: &str, used: Option<&str>) {
    let Block { file, block, language } = at;
    let verb = dice.pick(&VERBS);
    let plain = format!("{verb}_{name}");
    let name = if language == Language::TypeScript { camel(&plain) } else { plain };
    let used = used.map(|name| constant_name(language, name));
    let steps = 1 + dice.below(4);
    let (doc, head, tail) = match language {
        Language::Rust => {
            ("/// How much at once.", format!("pub fn {name}(rows: u32) -> u32 {{"), "}")
        }
        Language::Python => ("", format!("def {name}(rows: int) -> int:"), ""),
        Language::TypeScript => {
            ("", format!("export function {name}(rows: number): number {{"), "}")
        }
    };
    if !doc.is_empty() {
        tree.text(file, block, doc);
    }
    tree.text(file, block, &head);
    for step in 0..steps {
        let count = 100 + dice.below(800);
        let line = match language {
            Language::Rust => format!("    let step_{step} = rows.saturating_sub({count});"),
            Language::Python => format!("    step_{step} = rows - {count}"),
            Language::TypeScript => format!("  const step{step} = rows - {count};"),
        };
        tree.text(file, block, &line);
    }
    if let Some(used) = used {
        let line = match language {
            Language::Rust => format!("    debug_assert!(rows < {used}.into());"),
            Language::Python => format!("    assert rows < {used}"),
            Language::TypeScript => format!("  if (rows > {used}) logger.warn(\"many\");"),
        };
        tree.text(file, block, &line);
    }
    let template = match language {
        Language::Rust => "    rows.min({value})",
        Language::Python => "    return min(rows, {value})",
        Language::TypeScript => "  return Math.min(rows, {value});",
    };
    let value = number(dice);
    let new = NewItem {
        name: &name,
        dotted: &name,
        role: Role::Returned,
        value,
        template,
        grouped: false,
    };
    tree.item(file, block, new);
    for line in [tail, ""] {
        tree.text(file, block, line);
    }
}

fn version(dice: &mut Dice) -> Value {
    let part = |dice: &mut Dice, end| u32::try_from(dice.below(end)).unwrap_or(0);
    Value::Version(part(dice, 19), part(dice, 40), part(dice, 220))
}

/// Several different ones.
fn some<'a>(dice: &mut Dice, all: &[&'a str], count: usize) -> Vec<&'a str> {
    let mut all = all.to_vec();
    dice.shuffle(&mut all);
    all.truncate(count);
    all
}

struct Keyed<'a> {
    block: usize,
    role: Role,
    section: &'a str,
    template: &'a str,
}

fn keyed(tree: &mut Tree, file: usize, keyed: &Keyed<'_>, name: &str, value: Value) {
    let dotted = match keyed.section {
        "" => name.to_owned(),
        section => format!("{section}.{name}"),
    };
    let Keyed { block, role, template, .. } = *keyed;
    let new = NewItem { name, dotted: &dotted, role, value, template, grouped: false };
    tree.item(file, block, new);
}

fn cargo(tree: &mut Tree, dice: &mut Dice) {
    let file = tree.add_file("Cargo.toml".to_owned(), Tongue::Toml);
    let plain = "{name} = \"{value}\"";
    tree.text(file, 1, "[package]");
    tree.text(file, 1, "name = \"depot\"");
    let package = Keyed { block: 1, role: Role::Release, section: "package", template: plain };
    keyed(tree, file, &package, "version", Value::Version(0, 3, 7));
    keyed(tree, file, &package, "rust-version", Value::Version(1, 85, 0));
    tree.text(file, 1, "");
    tree.text(file, 2, "[dependencies]");
    for name in some(dice, &CRATES, 6) {
        let template = if dice.chance(40) {
            "{name} = { version = \"{value}\", features = [\"std\"] }"
        } else {
            plain
        };
        let role = Keyed { block: 2, role: Role::Dependency, section: "dependencies", template };
        keyed(tree, file, &role, name, version(dice));
    }
}

fn package(tree: &mut Tree, dice: &mut Dice) {
    let file = tree.add_file("package.json".to_owned(), Tongue::Json);
    tree.text(file, 1, "{");
    tree.text(file, 1, "  \"name\": \"depot-web\"");
    let top =
        Keyed { block: 1, role: Role::Release, section: "", template: "  \"{name}\": \"{value}\"" };
    keyed(tree, file, &top, "version", Value::Version(2, 14, 3));
    let deep = "    \"{name}\": \"{value}\"";
    tree.text(file, 2, "  \"engines\": {");
    let engine = Keyed { block: 2, role: Role::Release, section: "engines", template: deep };
    keyed(tree, file, &engine, "node", Value::Version(20, 11, 1));
    tree.text(file, 2, "  }");
    tree.text(file, 3, "  \"dependencies\": {");
    let role = Keyed { block: 3, role: Role::Dependency, section: "dependencies", template: deep };
    for name in some(dice, &PACKAGES, 5) {
        keyed(tree, file, &role, name, version(dice));
    }
    tree.text(file, 3, "  }");
    tree.text(file, 3, "}");
}

fn pyproject(tree: &mut Tree, dice: &mut Dice) {
    let file = tree.add_file("tools/pyproject.toml".to_owned(), Tongue::Toml);
    tree.text(file, 1, "[project]");
    tree.text(file, 1, "name = \"depot-tools\"");
    let plain = "{name} = \"{value}\"";
    let project = Keyed { block: 1, role: Role::Release, section: "project", template: plain };
    keyed(tree, file, &project, "version", Value::Version(1, 9, 2));
    tree.text(file, 1, "");
    tree.text(file, 2, "[tool.poetry.dependencies]");
    let section = "tool.poetry.dependencies";
    let role = Keyed { block: 2, role: Role::Dependency, section, template: plain };
    for name in some(dice, &MODULES, 4) {
        keyed(tree, file, &role, name, version(dice));
    }
}

/// Sections of keys. The same key stands in several sections, often with the same value.
fn settings(tree: &mut Tree, dice: &mut Dice, path: String, tongue: Tongue) -> usize {
    let file = tree.add_file(path, tongue);
    if tongue == Tongue::Json {
        tree.text(file, 0, "{");
    }
    for (at, section) in some(dice, &SECTIONS, 4).into_iter().enumerate() {
        let block = at + 1;
        let (head, template, tail) = match tongue {
            Tongue::Json => {
                (format!("  \"{section}\": {{"), "    \"{name}\": {value}", Some("  }"))
            }
            Tongue::Ini => (format!("[{section}]"), "{name}={value}", Some("")),
            Tongue::Yaml | Tongue::Source(_) | Tongue::Toml | Tongue::Markdown => {
                (format!("{section}:"), "  {name}: {value}", None)
            }
        };
        tree.text(file, block, &head);
        for name in some(dice, &KEYS, 4) {
            let value = match name {
                "region" => Value::Word(dice.below(4)),
                "timeout" => Value::Number(dice.pick(&[15, 30, 30, 60])),
                _ => number(dice),
            };
            let quoted = tongue == Tongue::Json && matches!(value, Value::Word(_));
            let template = if quoted { "    \"{name}\": \"{value}\"" } else { template };
            keyed(tree, file, &Keyed { block, role: Role::Key, section, template }, name, value);
        }
        if let Some(tail) = tail {
            tree.text(file, block, tail);
        }
    }
    if tongue == Tongue::Json {
        tree.text(file, 0, "}");
    }
    file
}

fn document(tree: &mut Tree, dice: &mut Dice, at: usize) {
    let path = match at {
        0 => "README.md".to_owned(),
        _ => format!("docs/{}.md", THINGS[(at * 7) % THINGS.len()]),
    };
    let file = tree.add_file(path, Tongue::Markdown);
    for line in ["# Notes", "", "How this part works, and what it needs.", ""] {
        tree.text(file, 0, line);
    }
    for (at, tool) in some(dice, &TOOLS, 2).into_iter().enumerate() {
        tree.text(file, at + 1, &format!("## Setting up {tool}"));
        tree.text(file, at + 1, "");
        let value = Value::Version(u32::try_from(9 + dice.below(14)).unwrap_or(9), 2, 1);
        let template = "Needs {name} {value} or later.";
        let said = Keyed { block: at + 1, role: Role::Said, section: "", template };
        keyed(tree, file, &said, tool, value);
        tree.text(file, at + 1, "Ask in the channel when it does not start.");
        tree.text(file, at + 1, "");
    }
}
