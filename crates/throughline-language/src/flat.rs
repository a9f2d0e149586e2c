//! Flat memory files: what a CLAUDE.md, an AGENTS.md or a file of rules says, line by line, and what changed in one.
//!
//! Only marks decide: bullets, headings, fences, comments. Code blocks, tables and comments say nothing here.

mod changes;

use throughline_core::{Kind, text};

pub use changes::{LineChange, line_changes};

/// Rules that one file may have.
pub const RULES_MAX: usize = 500;
/// Characters of one rule. What is longer is prose that nobody could tell in a line.
const RULE_CHARS_MAX: usize = 1_000;
/// Words that a rule has at least.
const WORDS_MIN: usize = 2;
/// What stands before the short id in the mark of a line that was written from memory.
const MARK: &str = "throughline:";

/// What a flat file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FlatFile {
    /// Its rules, in order.
    pub rules: Vec<FlatRule>,
    /// Files that it imports (`@path`), as it names them.
    pub imports: Vec<String>,
}

/// One rule of a flat file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlatRule {
    /// Its first line, counted from one.
    pub first: u32,
    /// Its last line.
    pub last: u32,
    /// What it says, in one line, without the bullet.
    pub text: String,
    /// The heading that it stands under.
    pub heading: Option<String>,
    /// The short id of the memory that it was written from.
    pub mark: Option<String>,
}

/// Reads a flat file.
pub fn read(file: &str) -> FlatFile {
    let mut reading = FlatReading::default();
    for (number, line) in (1..).zip(file.lines()) {
        reading.line(number, line);
    }
    reading.end_rule();
    let FlatReading { mut file, .. } = reading;
    file.rules.truncate(RULES_MAX);
    file.imports.dedup();
    file
}

/// What sort of claim a rule makes: what tells people and agents what to do, or how things are.
pub fn kind_of(rule: &str) -> Kind {
    const BINDING: [&str; 10] =
        ["always", "never", "must", "should", "don't", "avoid", "prefer", "only", "please", "not"];
    const DOING: [&str; 32] = [
        "use", "run", "keep", "write", "make", "add", "check", "follow", "ensure", "put", "name",
        "test", "commit", "format", "do", "call", "create", "read", "update", "remove", "delete",
        "start", "build", "ask", "document", "handle", "return", "import", "set", "see", "treat",
        "work",
    ];
    let plain = rule.to_lowercase().replace('’', "'");
    let mut words = plain.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let tells = words.clone().next().is_some_and(|first| DOING.contains(&first));
    if tells || words.any(|word| BINDING.contains(&word)) { Kind::Preference } else { Kind::Fact }
}

/// The line by which a memory stands in a flat file, recognisable by its mark.
pub fn line_of(claim: &str, handle: &str) -> String {
    format!("- {} <!-- {MARK}{handle} -->", in_one_line(claim))
}

/// Why a claim cannot stand in a flat file as one line, if that is so.
pub fn unfit_for_line(claim: &str) -> Option<&'static str> {
    const LINE_CHARS_MAX: usize = 300;
    let line = in_one_line(claim);
    if line.chars().count() > LINE_CHARS_MAX {
        return Some("it is too long for one line");
    }
    // An agent would read the named file into its context.
    if !imports_in(&line).is_empty() {
        return Some("it would import a file");
    }
    if line.contains("<!--") || line.contains("-->") || line.contains("```") {
        return Some("it holds marks that a file would read as its own");
    }
    None
}

/// A text in one line, as files and pages hold it.
fn in_one_line(claim: &str) -> String {
    text::printable(claim).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[derive(Default)]
struct FlatReading {
    file: FlatFile,
    heading: Option<String>,
    /// What a bullet said that only introduces those below it, and how far they are indented.
    intro: Option<(usize, String)>,
    /// The fence that a code block ends with.
    fence: Option<String>,
    in_comment: bool,
    in_front_matter: bool,
    rule: Option<OpenRule>,
}

/// A rule that may go on.
struct OpenRule {
    first: u32,
    last: u32,
    indent: usize,
    is_bullet: bool,
    text: String,
}

impl FlatReading {
    fn line(&mut self, number: u32, line: &str) {
        let line = line.trim_end();
        let trimmed = line.trim_start_matches(['\u{feff}', ' ', '\t']);
        if self.is_hidden(number, trimmed) {
            return;
        }
        let indent = line.len() - line.trim_start().len();
        self.file.imports.extend(imports_in(trimmed));
        if trimmed.is_empty() || is_rule_off(trimmed) || trimmed.starts_with('|') {
            self.end_rule();
        } else if let Some(heading) = trimmed.strip_prefix('#') {
            self.end_rule();
            (self.heading, self.intro) = (in_words(heading.trim_start_matches('#')), None);
        } else if let Some(text) = bullet(trimmed) {
            self.end_rule();
            self.intro.take_if(|(at, _)| *at >= indent);
            let text = text.to_owned();
            self.rule =
                Some(OpenRule { first: number, last: number, indent, is_bullet: true, text });
        } else if trimmed.split_whitespace().all(|word| word.starts_with('@')) {
            self.end_rule();
        } else {
            self.go_on(number, indent, trimmed);
        }
    }

    /// A line without a mark goes on with what stands before it.
    fn go_on(&mut self, number: u32, indent: usize, line: &str) {
        match &mut self.rule {
            Some(rule) if !rule.is_bullet || indent > rule.indent => {
                rule.last = number;
                rule.text.push(' ');
                rule.text.push_str(line);
            }
            _ => {
                self.end_rule();
                let text = line.to_owned();
                self.rule =
                    Some(OpenRule { first: number, last: number, indent, is_bullet: false, text });
            }
        }
    }

    /// Whether a line is front matter, code or a comment.
    fn is_hidden(&mut self, number: u32, line: &str) -> bool {
        if number == 1 && line == "---" {
            self.in_front_matter = true;
            return true;
        }
        if self.in_front_matter {
            self.in_front_matter = line != "---";
            return true;
        }
        if let Some(fence) = &self.fence {
            if line.starts_with(fence.as_str()) {
                self.fence = None;
            }
            return true;
        }
        if self.in_comment {
            self.in_comment = !line.contains("-->");
            return true;
        }
        for fence in ["```", "~~~"] {
            if line.starts_with(fence) {
                self.end_rule();
                self.fence = Some(fence.to_owned());
                return true;
            }
        }
        if line.starts_with("<!--") {
            self.end_rule();
            self.in_comment = !line.contains("-->");
            return true;
        }
        false
    }

    fn end_rule(&mut self) {
        let Some(rule) = self.rule.take() else { return };
        let (said, mark) = without_mark(&rule.text);
        let Some(text) = in_words(&said) else { return };
        if rule.is_bullet && text.ends_with(':') {
            self.intro = Some((rule.indent, text));
            return;
        }
        let only_imports = text.split_whitespace().all(|word| word.starts_with('@'));
        let words = text.split_whitespace().count();
        if only_imports || words < WORDS_MIN || text.chars().count() > RULE_CHARS_MAX {
            return;
        }
        let intro = self.intro.as_ref().filter(|(at, _)| *at < rule.indent);
        let heading = intro.map(|(_, text)| text.trim_end_matches(':').to_owned());
        let heading = heading.or_else(|| self.heading.clone());
        let OpenRule { first, last, .. } = rule;
        self.file.rules.push(FlatRule { first, last, text, heading, mark });
    }
}

/// What a bullet or a numbered point says.
fn bullet(line: &str) -> Option<&str> {
    let after = |mark: char| line.strip_prefix(mark).filter(|rest| rest.starts_with([' ', '\t']));
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = line.len() - rest.len();
        let rest = rest.strip_prefix(['.', ')']).filter(|rest| rest.starts_with(' '))?;
        (1..=3).contains(&digits).then_some(rest)
    };
    let said = after('-').or_else(|| after('*')).or_else(|| after('+')).or_else(numbered)?.trim();
    let boxed = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| said.strip_prefix(mark));
    Some(boxed.unwrap_or(said))
}

/// A line of dashes, stars or equals signs that only separates.
fn is_rule_off(line: &str) -> bool {
    line.len() >= 3 && ['-', '*', '_', '='].iter().any(|mark| line.chars().all(|c| c == *mark))
}

/// A text without its emphasis; nothing if nothing is left.
fn in_words(said: &str) -> Option<String> {
    let plain = in_one_line(&said.replace("**", "").replace("__", ""));
    (!plain.is_empty()).then_some(plain)
}

/// A text without the mark of a memory and without other comments, and the short id in the mark.
fn without_mark(said: &str) -> (String, Option<String>) {
    let (mut rest, mut mark, mut kept) = (said, None, String::new());
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        let (comment, after) = after.split_once("-->").unwrap_or((after, ""));
        let handle = comment.trim().strip_prefix(MARK).map(str::trim);
        let is_id = |one: &&str| one.len() == 8 && one.bytes().all(|b| b.is_ascii_hexdigit());
        mark = mark.or_else(|| handle.filter(is_id).map(str::to_owned));
        rest = after;
    }
    kept.push_str(rest);
    (kept, mark)
}

/// The files that a line imports: words such as `@docs/style.md`, not in code.
fn imports_in(line: &str) -> Vec<String> {
    let outside_code = line.split('`').step_by(2);
    let words = outside_code.flat_map(str::split_whitespace);
    let named = words.filter_map(|word| word.strip_prefix('@'));
    let named = named.map(|path| path.trim_end_matches([',', '.', ';', ':', ')', '!', '?']));
    named.filter(|path| path.contains(['.', '/'])).map(str::to_owned).collect()
}
