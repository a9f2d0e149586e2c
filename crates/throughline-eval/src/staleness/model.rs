//! A project as a model: files of lines, some of which hold a value. What the files say is written from
//! it, so it always knows which values changed, whatever was done to the files.

use std::collections::BTreeMap;

/// A value as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Number(u32),
    /// One of a few names.
    Word(usize),
    Version(u32, u32, u32),
    Truth(bool),
}

/// Names that settings take.
const WORDS: [&str; 8] = [
    "eu-west-1",
    "eu-west-2",
    "us-east-1",
    "us-east-2",
    "round-robin",
    "least-used",
    "write-back",
    "read-through",
];

impl Value {
    /// As people write it.
    pub(crate) fn said(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Word(at) => WORDS[at % WORDS.len()].to_owned(),
            Self::Version(major, minor, patch) => format!("{major}.{minor}.{patch}"),
            Self::Truth(truth) => truth.to_string(),
        }
    }

    /// Another value. With `alike`, of the same length where there is one.
    pub(crate) fn other(&self, throw: usize, alike: bool) -> Self {
        let throw = u32::try_from(throw % 1_000).unwrap_or(0);
        match self {
            Self::Number(number) if alike => {
                let last = number % 10;
                Self::Number(number - last + (last + 1 + throw % 8) % 10)
            }
            Self::Number(number) => match throw % 4 {
                0 => Self::Number(number * 2 + 1),
                1 => Self::Number(number + 1 + throw % 7),
                2 if *number > 3 => Self::Number(number / 2),
                _ => Self::Number(number + 10),
            },
            Self::Word(at) => Self::Word(if at % 2 == 0 { at + 1 } else { at - 1 }),
            Self::Version(major, minor, patch) if alike || throw.is_multiple_of(2) => {
                Self::Version(*major, *minor, if patch % 10 == 9 { patch - 4 } else { patch + 1 })
            }
            Self::Version(major, minor, _) => Self::Version(*major, minor + 1, 0),
            Self::Truth(truth) => Self::Truth(!truth),
        }
    }
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tongue {
    Source(Language),
    Toml,
    Json,
    Yaml,
    Ini,
    Markdown,
}

/// What a source is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    Python,
    TypeScript,
}

impl Tongue {
    pub(crate) fn is_source(self) -> bool {
        matches!(self, Self::Source(_))
    }

    pub(crate) fn comment(self, words: &str) -> Option<String> {
        match self {
            Self::Source(Language::Rust | Language::TypeScript) => Some(format!("// {words}")),
            Self::Source(Language::Python) | Self::Toml | Self::Yaml | Self::Ini => {
                Some(format!("# {words}"))
            }
            Self::Markdown => Some(words.to_owned()),
            Self::Json => None,
        }
    }
}

/// What an item is, which decides how people speak of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Constant,
    /// What a function returns: its name stands lines above.
    Returned,
    /// A key of a config file.
    Key,
    Dependency,
    /// The version of the project, its edition, the engine it runs on.
    Release,
    /// Something that documentation says.
    Said,
}

/// A value that somebody may state.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) file: usize,
    pub(crate) name: String,
    /// The key with its sections, where there are any.
    pub(crate) dotted: String,
    pub(crate) role: Role,
    pub(crate) value: Value,
    /// The line, with `{name}` and `{value}`.
    template: String,
    /// Thousands are written `30_000`.
    grouped: bool,
    /// Written with other spaces.
    pub(crate) restyled: bool,
}

impl Item {
    fn line(&self) -> String {
        let said = self.value.said();
        let value = if self.grouped { grouped(&said) } else { said };
        let template = if self.restyled { restyled(&self.template) } else { self.template.clone() };
        template.replace("{name}", &self.name).replace("{value}", &value)
    }
}

fn grouped(digits: &str) -> String {
    match digits.len().checked_sub(3) {
        Some(at) if at > 1 => format!("{}_{}", &digits[..at], &digits[at..]),
        Some(_) | None => digits.to_owned(),
    }
}

/// Other spaces, the same meaning.
fn restyled(template: &str) -> String {
    for (from, to) in [(" = ", "   = "), (": {value}", ":  {value}"), ("={value}", " = {value}")] {
        if template.contains(from) {
            return template.replacen(from, to, 1);
        }
    }
    format!("{template} ")
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Text(String),
    Item(usize),
}

#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) what: What,
    /// Which function or section it belongs to; 0 is the top of the file.
    pub(crate) block: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) tongue: Tongue,
    pub(crate) lines: Vec<Line>,
    /// Lines end as Windows ends them.
    pub(crate) crlf: bool,
    pub(crate) is_there: bool,
}

impl File {
    pub(crate) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    pub(crate) fn blocks(&self) -> usize {
        self.lines.iter().map(|line| line.block).max().unwrap_or(0)
    }
}

/// All files of a project. Files and items keep their place for good, so that two states of a project
/// can be compared.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
    pub(crate) items: Vec<Item>,
}

impl Tree {
    pub(crate) fn add_file(&mut self, path: String, tongue: Tongue) -> usize {
        self.files.push(File { path, tongue, lines: Vec::new(), crlf: false, is_there: true });
        self.files.len() - 1
    }

    pub(crate) fn text(&mut self, file: usize, block: usize, text: &str) {
        self.files[file].lines.push(Line { what: What::Text(text.to_owned()), block });
    }

    pub(crate) fn item(&mut self, file: usize, block: usize, new: NewItem<'_>) -> usize {
        let NewItem { name, dotted, role, value, template, grouped } = new;
        self.items.push(Item {
            file,
            name: name.to_owned(),
            dotted: dotted.to_owned(),
            role,
            value,
            template: template.to_owned(),
            grouped,
            restyled: false,
        });
        let item = self.items.len() - 1;
        self.files[file].lines.push(Line { what: What::Item(item), block });
        item
    }

    /// A second file that says the same.
    pub(crate) fn add_twin(&mut self, file: usize, path: String) {
        let twin = self.add_file(path, self.files[file].tongue);
        for mut line in self.files[file].lines.clone() {
            if let What::Item(item) = line.what {
                self.items.push(Item { file: twin, ..self.items[item].clone() });
                line.what = What::Item(self.items.len() - 1);
            }
            self.files[twin].lines.push(line);
        }
    }

    /// Where an item stands, counted from 0.
    pub(crate) fn place(&self, item: usize) -> Option<usize> {
        let file = &self.files[self.items[item].file];
        let found = file.lines.iter().position(|line| line.what == What::Item(item));
        found.filter(|_| file.is_there)
    }

    /// The value of an item, while it is there.
    pub(crate) fn value(&self, item: usize) -> Option<&Value> {
        self.place(item).map(|_| &self.items[item].value)
    }

    /// The line of an item as it is written, while it is there.
    pub(crate) fn line_of(&self, item: usize) -> Option<String> {
        let at = self.place(item)?;
        self.written(self.items[item].file).into_iter().nth(at)
    }

    /// The lines of a block, while the file is there.
    pub(crate) fn block_of(&self, file: usize, block: usize) -> Vec<String> {
        let of_block = self.files[file]
            .lines
            .iter()
            .map(|line| line.block == block && self.files[file].is_there);
        let written = self.written(file).into_iter().zip(of_block);
        written.filter_map(|(line, inside)| inside.then_some(line)).collect()
    }

    /// The lines of a file, without their ends.
    pub(crate) fn written(&self, file: usize) -> Vec<String> {
        let file = &self.files[file];
        let text = |line: &Line| match &line.what {
            What::Text(text) => text.clone(),
            What::Item(item) => self.items[*item].line(),
        };
        let mut lines: Vec<String> = file.lines.iter().map(text).collect();
        if file.tongue == Tongue::Json {
            add_commas(&mut lines);
        }
        lines
    }

    /// What a file says, to the byte.
    pub(crate) fn content(&self, file: usize) -> String {
        let end = if self.files[file].crlf { "\r\n" } else { "\n" };
        self.written(file).into_iter().map(|line| line + end).collect()
    }

    /// All files by path.
    pub(crate) fn on_disk(&self) -> BTreeMap<&str, String> {
        let there = self.files.iter().enumerate().filter(|(_, file)| file.is_there);
        there.map(|(at, file)| (file.path.as_str(), self.content(at))).collect()
    }
}

/// What is known of an item when it is written.
#[derive(Debug)]
pub(crate) struct NewItem<'a> {
    pub(crate) name: &'a str,
    pub(crate) dotted: &'a str,
    pub(crate) role: Role,
    pub(crate) value: Value,
    pub(crate) template: &'a str,
    pub(crate) grouped: bool,
}

/// JSON puts a comma behind everything that something follows.
fn add_commas(lines: &mut [String]) {
    let opens = |line: &str| line.ends_with(['{', '[']);
    let closes = |line: &str| line.trim_start().starts_with(['}', ']']);
    for at in 1..lines.len() {
        if !opens(&lines[at - 1]) && !closes(&lines[at]) {
            lines[at - 1].push(',');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_value_is_always_another() {
        let values = [
            Value::Number(0),
            Value::Number(3),
            Value::Number(30_000),
            Value::Word(3),
            Value::Version(1, 2, 9),
            Value::Truth(true),
        ];
        for value in values {
            for throw in 0..100 {
                for alike in [false, true] {
                    assert_ne!(value.other(throw, alike), value);
                }
                let length = value.other(throw, true).said().len();
                let is_truth = matches!(value, Value::Truth(_));
                assert!(is_truth || length == value.said().len(), "{value:?}");
            }
        }
    }

    #[test]
    fn json_has_commas_where_something_follows() {
        let mut lines = ["{", "\"a\": 1", "\"b\": {", "\"c\": 2", "}", "}"].map(str::to_owned);
        add_commas(&mut lines);
        assert_eq!(lines, ["{", "\"a\": 1,", "\"b\": {", "\"c\": 2", "}", "}"]);
    }
}
