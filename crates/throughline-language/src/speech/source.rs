//! Sources: whose words the parts of a person's turn are, by their form alone.
//!
//! People paste mail, chats, issues and pages into a prompt, and programs write prompts of their own.
//! None of that is the person's word, whatever it says. Where a paste has no end of its own, it runs to
//! the end of the turn: rather too little is the person's than too much.

use std::ops::Range;

use super::word::Word;
use super::{block, cue, form, machine, shown, tag, word};

/// Whose words a stretch of a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The person's own.
    Own,
    /// Copied in from somewhere: a mail, a chat, an issue, a page, a program's prompt.
    Pasted,
    /// Somebody's words between quotation marks or behind a mark of quoting.
    Quoted,
    /// Code, tags of a host, and what machines print.
    Code,
}

/// A stretch of a turn from one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSpan {
    /// Its bytes.
    pub range: Range<usize>,
    /// Whose words.
    pub source: Source,
}

/// Bytes of a turn that are looked at; what lies behind them was pasted.
const LOOK_BYTES_MAX: usize = 65_536;

/// A person's turn as stretches from one source each, in order, without gaps.
pub fn spans(turn: &str) -> Vec<SourceSpan> {
    let end = turn.floor_char_boundary(LOOK_BYTES_MAX);
    let text = &turn[..end];
    let lines = block::lines(text);
    let mut page = SourceLines { text, bytes: vec![Source::Own; text.len()] };
    if is_programs_prompt(text) {
        page.mark(0..text.len(), Source::Pasted);
    }
    if let Some(start) = page.task_colon() {
        page.mark(start..text.len(), Source::Pasted);
    }
    if let Some(start) = shown::begins(text, &lines) {
        page.mark(start..text.len(), Source::Pasted);
    }
    if let Some(start) = document(text, &lines) {
        page.mark(start..text.len(), Source::Pasted);
    }
    for range in form::pasted(text, &lines) {
        page.mark(range, Source::Pasted);
    }
    page.pastes(&lines);
    page.quotations();
    page.machines(&lines);
    let mut spans = page.spans();
    if end < turn.len() {
        spans.push(SourceSpan { range: end..turn.len(), source: Source::Pasted });
    }
    spans
}

/// Whether a stretch is the person's own: nothing of it was pasted, and most of it is in their words.
pub(crate) fn is_own(spans: &[SourceSpan], range: Range<usize>) -> bool {
    let share = |source: Source| -> usize {
        let first = spans.partition_point(|span| span.range.end <= range.start);
        let within = spans[first..].iter().take_while(|span| span.range.start < range.end);
        within
            .filter(|span| span.source == source)
            .map(|span| span.range.end.min(range.end) - span.range.start.max(range.start))
            .sum()
    };
    share(Source::Pasted) == 0 && share(Source::Own) * 2 > range.len()
}

struct SourceLines<'a> {
    text: &'a str,
    /// Whose word each byte is.
    bytes: Vec<Source>,
}

impl SourceLines<'_> {
    fn mark(&mut self, range: Range<usize>, source: Source) {
        let end = range.end.min(self.bytes.len());
        self.bytes[range.start.min(end)..end].fill(source);
    }

    /// Where a paste behind a task and a colon begins: "fix this: …", "summarise:".
    fn task_colon(&self) -> Option<usize> {
        const LEAD_BYTES: usize = 160;
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            let head = &line[..line.floor_char_boundary(LEAD_BYTES)];
            let colon = head.match_indices(':').map(|(place, _)| place).find(|place| {
                head[place + 1..].is_empty() || head[place + 1..].starts_with(char::is_whitespace)
            });
            if let Some(colon) = colon.filter(|colon| is_task(&word::words(&head[..*colon]))) {
                return Some(at + colon + 1);
            }
            at += line.len();
        }
        None
    }

    /// Mail, chats and marked pastes.
    fn pastes(&mut self, lines: &[Range<usize>]) {
        let end = self.text.len();
        let line = |at: usize| lines.get(at).map_or("", |one| self.text[one.clone()].trim());
        let mut marks = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let whole = &self.text[lines[at].clone()];
            let start = lines[at].start + (whole.len() - whole.trim_start().len());
            let to = |last: usize| lines.get(last).map_or(end, |one| one.end);
            if let Some((place, count)) = pasted_mark(line(at)) {
                let last = count.map_or(lines.len(), |count| at.saturating_add(count));
                marks.push(start + place..to(last));
                at = last;
            } else if opens_block(line(at)) {
                let close = (at + 1..lines.len()).find(|at| closes_block(line(*at)));
                marks.push(start..to(close.unwrap_or(lines.len())));
                at = close.unwrap_or(lines.len());
            } else if is_rule(line(at)) && (at == 0 || line(at - 1).is_empty()) {
                if let Some(close) = (at + 1..lines.len()).find(|at| is_rule(line(*at))) {
                    marks.push(start..to(close));
                    at = close;
                }
            } else if is_mail(line(at), line(at + 1)) || is_chat(line(at)) || is_thread(line(at)) {
                marks.push(start..end);
                break;
            }
            at = at.saturating_add(1);
        }
        for range in marks {
            self.mark(range, Source::Pasted);
        }
    }

    /// What stands between quotation marks, where it is more than a name.
    fn quotations(&mut self) {
        const BYTES_MAX: usize = 2_000;
        const WORDS_MIN: usize = 4;
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(place) = self.text[at..].find(['"', '“', '«']) {
            let start = at + place;
            let opening = self.text[start..].chars().next().unwrap_or('"');
            let inside = start + opening.len_utf8();
            let close = match opening {
                '“' => '”',
                '«' => '»',
                _ => '"',
            };
            let window = &self.text[inside..self.text.floor_char_boundary(inside + BYTES_MAX)];
            let window = &window[..window.find("\n\n").unwrap_or(window.len())];
            let before = self.text[..start].chars().next_back();
            let opens = before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | ':' | '*'));
            let Some(length) = window.find(close).filter(|_| opens) else {
                at = inside;
                continue;
            };
            let end = inside + length + close.len_utf8();
            if window[..length].split_whitespace().count() >= WORDS_MIN {
                found.push(start..end);
            }
            at = end;
        }
        for range in found {
            self.mark(range, Source::Quoted);
        }
    }

    /// Fences, tags, quoted lines and what machines print.
    fn machines(&mut self, lines: &[Range<usize>]) {
        let fences = block::fences(self.text, lines);
        for tags in tag::regions(self.text, &block::hidden_code(self.text, &fences)) {
            self.mark(tags, Source::Code);
        }
        // What follows a command in the same paragraph is what it printed.
        let mut printed = false;
        let mut diff = false;
        for line in lines {
            let bare = self.text[line.clone()].trim();
            diff = machine::in_diff(bare, diff);
            printed = !bare.is_empty() && (printed || is_shell_prompt(bare));
            if bare.starts_with('>') {
                self.mark(line.clone(), Source::Quoted);
            } else if !bare.is_empty() && (printed || diff || machine::is_machine(bare)) {
                let noted = line.start == 0 && bare.starts_with("note:");
                self.mark(if noted { 0..0 } else { line.clone() }, Source::Code);
            }
        }
        for fence in fences {
            self.mark(fence, Source::Code);
        }
    }

    fn spans(self) -> Vec<SourceSpan> {
        let mut spans = Vec::new();
        let mut start = 0;
        for same in self.bytes.chunk_by(|a, b| a == b) {
            spans.push(SourceSpan { range: start..start + same.len(), source: same[0] });
            start += same.len();
        }
        spans
    }
}

/// A prompt that a program wrote for a model: it says who the model is, and goes on.
fn is_programs_prompt(text: &str) -> bool {
    const FORMS: &[&str] = &["You are a ", "You are an ", "You're a ", "You're an ", "Act as "];
    let first = text.trim_start();
    let role = FORMS.iter().any(|form| first.starts_with(form));
    let sentence = first.find(['.', '\n']).unwrap_or(first.len());
    role && !first[..sentence].contains(',') && first[sentence..].trim().len() > 20
}

/// Whether the words before a colon set a task on a text: "please summarise this", "fix".
fn is_task(words: &[Word<'_>]) -> bool {
    const LEAD_WORDS_MAX: usize = 9;
    let asked = cue::starts(
        words,
        cue::cues!(
            "(ok|okay|hey|now|so) (please|pls) (can|could|would) (you|u) (please|pls) (help) (me) (to) \
            fix|summarise|summarize|translate|rewrite|rephrase|reword|paraphrase|explain|review|proofread|\
            shorten|analyse|analyze|reformat|polish|tldr|debug|check|answer|reply"
        ),
    );
    asked.is_some() && words.len() <= LEAD_WORDS_MAX
}

/// Where a document begins: from the first of two headings on.
fn document(text: &str, lines: &[Range<usize>]) -> Option<usize> {
    let mut headings = lines.iter().filter(|line| is_heading(&text[(*line).clone()]));
    let first = headings.next()?;
    headings.next().map(|_| first.start)
}

/// `# Title`, `**Title**`, `== Title ==`.
fn is_heading(line: &str) -> bool {
    let line = line.trim();
    let hashes = line.len() - line.trim_start_matches('#').len();
    let starred = |mark: &str| {
        let inside = line.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        inside.is_some_and(|inside| !inside.contains(mark) && (2..=60).contains(&inside.len()))
    };
    (1..=6).contains(&hashes) && line[hashes..].starts_with(' ') || starred("**") || starred("==")
}

/// Whether a line opens a paste that is marked: such a paste says where it ends.
pub(super) fn is_marked_paste(line: &str) -> bool {
    pasted_mark(line).is_some() || opens_block(line) || is_rule(line)
}

/// "[Pasted text #1 +12 lines]": where it stands, and how many lines follow, where it says so.
fn pasted_mark(line: &str) -> Option<(usize, Option<usize>)> {
    let place = line.find("[Pasted text")?;
    let inside = &line[place..];
    let inside = &inside[..inside.find(']')?];
    let count = inside.split_once('+').map(|(_, rest)| rest);
    let count = count.and_then(|rest| rest.split(' ').next()?.parse().ok());
    Some((place, count))
}

/// `--- begin`, `-----Original Message-----`, `=== START OF LOG ===`.
fn opens_block(line: &str) -> bool {
    let inside = line.trim_matches(['-', '=', '*', '<', '>', '_', ' ']);
    let first = inside.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    is_ruled(line)
        && matches!(first.as_str(), "begin" | "start" | "original" | "forwarded" | "paste")
}

fn closes_block(line: &str) -> bool {
    let inside = line.trim_matches(['-', '=', '*', '<', '>', '_', ' ']).to_ascii_lowercase();
    is_ruled(line) && (inside.is_empty() || inside.starts_with("end"))
}

fn is_ruled(line: &str) -> bool {
    ["---", "===", "***", "<<<", ">>>", "___"].iter().any(|rule| line.starts_with(rule))
}

/// A line of nothing but dashes.
fn is_rule(line: &str) -> bool {
    line.len() >= 3
        && ["-", "=", "*", "_", "~"].iter().any(|mark| line.replace(mark, "").is_empty())
}

/// Two header lines, or the line that mail programs write above an answer.
fn is_mail(line: &str, next: &str) -> bool {
    const HEADERS: &[&str] =
        &["from", "to", "cc", "bcc", "subject", "date", "sent", "reply-to", "received"];
    let header = |line: &str| {
        let name = line
            .trim_start_matches('*')
            .split_once(':')
            .map(|(name, _)| name.trim_end_matches('*'));
        name.is_some_and(|name| HEADERS.contains(&name.to_ascii_lowercase().as_str()))
    };
    let wrote = line.starts_with("On ") && line.ends_with("wrote:");
    header(line) && header(next) || wrote || line.starts_with("Begin forwarded message")
}

/// `[10:32] ada: …`, `ada  10:32 AM`, `10:32 ada: …`, `<ada> …`, `ada [10:32]: …`.
fn is_chat(line: &str) -> bool {
    const NAME_WORDS_MAX: usize = 4;
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let half = |word: &str| {
        matches!(word.trim_matches(['[', ']', '(', ')', ',', ':']), "AM" | "PM" | "am" | "pm")
    };
    if let Some(last) = words.last()
        && half(last)
        && words.len() > 1
    {
        words.pop();
    }
    let name = |word: &str| word.chars().any(char::is_alphabetic);
    let timed_first = words.first().is_some_and(|word| is_clock(word));
    let labelled = words
        .iter()
        .skip(1)
        .take(NAME_WORDS_MAX)
        .any(|word| word.ends_with(':') && name(word) || word.starts_with('<'));
    let header = (2..=NAME_WORDS_MAX + 1).contains(&words.len())
        && words.last().is_some_and(|word| is_clock(word))
        && words[..words.len() - 1]
            .iter()
            .all(|word| name(word) && !word.ends_with([',', '.', '?']))
        && words[0].starts_with(|c: char| c.is_uppercase() || c == '@' || words.len() == 2);
    let bracketed = words
        .iter()
        .take(NAME_WORDS_MAX)
        .skip(1)
        .any(|word| word.starts_with('[') && word.ends_with("]:") && is_clock(word));
    let irc = words.first().is_some_and(|word| {
        word.len() > 2
            && word.starts_with('<')
            && word.ends_with('>')
            && !word.starts_with("</")
            && words.len() > 2
    }) && !line.contains("</");
    timed_first && labelled || header || bracketed || irc
}

/// `10:32`, `[10:32:07]`.
fn is_clock(word: &str) -> bool {
    let bare = word.trim_matches(['[', ']', '(', ')', ',', ':', '-']);
    let mut parts = bare.split(':');
    let number = |part: Option<&str>| {
        part.is_some_and(|part| {
            (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
        })
    };
    number(parts.next())
        && number(parts.next())
        && parts.next().is_none_or(|rest| number(Some(rest)))
}

/// "ada commented 2 days ago", "ada opened this issue on 3 Mar".
fn is_thread(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let did = words.get(1).is_some_and(|word| {
        matches!(*word, "commented" | "opened" | "wrote" | "posted" | "asked" | "replied" | "said")
    });
    did && (4..=12).contains(&words.len())
        && (line.ends_with(" ago")
            || line.ends_with(" ago:")
            || words.get(2) == Some(&"this")
            || words.contains(&"at") && line.ends_with(':'))
}

/// `$ make deploy`, `❯ npm test`, `me@host:~$ ls`.
fn is_shell_prompt(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let rest = line[first.len()..].trim_start();
    let mark = matches!(first, "$" | "%" | "❯" | "➜" | "λ")
        || first.contains('@') && first.ends_with(['$', '#', '%']);
    mark && !rest.is_empty()
}

#[cfg(test)]
mod tests;
