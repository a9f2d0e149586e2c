//! A turn as a page: paragraphs, list items and headings, without what no person wrote.

use std::ops::Range;

use super::{SentencePlace, machine, tag};

/// A stretch of running text.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) span: Range<usize>,
    pub(super) place: SentencePlace,
}

/// The running text of a turn, in order.
pub(super) fn blocks(turn: &str) -> Vec<Block> {
    let lines = lines(turn);
    let fenced = fences(turn, &lines);
    let hidden = tag::regions(turn, &hidden_code(turn, &fenced));
    let mut page = BlockLines { turn, blocks: Vec::new(), open: false, in_list: false };
    let mut paragraph: Vec<Range<usize>> = Vec::new();
    let mut fences = fenced.iter().peekable();
    let mut diff = false;
    for line in outside(lines, &hidden) {
        while fences.peek().is_some_and(|fence| fence.end <= line.start) {
            fences.next();
        }
        let in_fence = fences.peek().is_some_and(|fence| fence.contains(&line.start));
        let text = &turn[line.clone()];
        diff = machine::in_diff(text, diff);
        if in_fence || diff || text.trim().is_empty() {
            page.paragraph(&paragraph);
            paragraph.clear();
        } else {
            paragraph.push(line);
        }
    }
    page.paragraph(&paragraph);
    page.blocks
}

pub(super) fn lines(turn: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    turn.split_inclusive('\n')
        .map(|line| {
            let span = start..start + line.trim_end().len();
            start += line.len();
            span
        })
        .collect()
}

/// What stands between fences, the fences with it. One that is left open runs to the end.
pub(super) fn fences(turn: &str, lines: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut fences = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    for line in lines {
        let text = turn[line.clone()].trim_start().trim_start_matches(['-', '*', ' ']);
        let Some(mark) = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark)) else {
            continue;
        };
        match open {
            Some((start, opening)) if opening == mark && text.trim_end().len() <= 5 => {
                fences.push(start..line.end);
                open = None;
            }
            Some(_) => {}
            None if text[3..].contains(mark) => fences.push(line.start..line.end),
            None => open = Some((line.start, mark)),
        }
    }
    fences.extend(open.map(|(start, _)| start..turn.len()));
    fences
}

/// Fences and code within lines: no tag in there is one.
pub(super) fn hidden_code(turn: &str, fences: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut code: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    let mut fences = fences.iter().peekable();
    while let Some(place) = turn[at..].find('`') {
        let start = at + place;
        if let Some(fence) = fences.next_if(|fence| fence.start <= start) {
            code.push(fence.clone());
            at = turn.floor_char_boundary(fence.end.max(at).min(turn.len()));
            continue;
        }
        let line_end = turn[start..].find('\n').map_or(turn.len(), |end| start + end);
        match turn[start + 1..line_end].find('`') {
            Some(end) => {
                code.push(start..start + 1 + end + 1);
                at = start + 1 + end + 1;
            }
            None => at = line_end,
        }
    }
    code.extend(fences.cloned());
    code
}

/// The parts of the lines that are not hidden.
fn outside(lines: Vec<Range<usize>>, hidden: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut hidden = hidden.iter().peekable();
    for line in lines {
        let mut start = line.start;
        while let Some(cut) = hidden.peek().filter(|cut| cut.start < line.end.max(start + 1)) {
            if start < cut.start {
                parts.push(start..cut.start);
            }
            start = start.max(cut.end);
            if cut.end > line.end {
                break;
            }
            hidden.next();
        }
        if start <= line.end {
            parts.push(start..line.end);
        }
    }
    parts
}

struct BlockLines<'a> {
    turn: &'a str,
    blocks: Vec<Block>,
    /// Whether the next line may go on with the last block.
    open: bool,
    in_list: bool,
}

impl BlockLines<'_> {
    /// Takes the lines between two gaps. Mostly machine text is machine text throughout.
    fn paragraph(&mut self, lines: &[Range<usize>]) {
        self.open = false;
        if lines.is_empty() {
            return;
        }
        let foreign: Vec<bool> = lines.iter().map(|line| self.is_foreign(line)).collect();
        let count = foreign.iter().filter(|one| **one).count();
        if count >= 2 && count * 2 >= lines.len() {
            return;
        }
        for (line, foreign) in lines.iter().zip(foreign) {
            if foreign {
                self.open = false;
            } else {
                self.line(line.clone());
            }
        }
    }

    fn is_foreign(&self, line: &Range<usize>) -> bool {
        let text = &self.turn[line.clone()];
        let indent = text.len() - text.trim_start_matches(' ').len();
        let indented = text.starts_with('\t') || indent >= 4;
        let bare = text.trim_start();
        // Who begins with "note:" notes something; a compiler has complained before.
        let noted = line.start == 0 && bare.starts_with("note:");
        bare.starts_with('>')
            || machine::is_machine(bare) && !noted
            || (indented && !self.in_list && marker(bare).is_none())
    }

    fn line(&mut self, line: Range<usize>) {
        let text = &self.turn[line.clone()];
        let lead = text.len() - text.trim_start().len();
        let bare = &text[lead..];
        let start = line.start + lead;
        if bare.starts_with('#') && bare.trim_start_matches('#').starts_with(' ') {
            let skip = bare.len() - bare.trim_start_matches(['#', ' ']).len();
            self.in_list = false;
            self.push(start + skip..line.end, SentencePlace::Heading);
            self.open = false;
        } else if let Some((skip, numbered)) = marker(bare) {
            self.in_list = true;
            self.push(start + skip..line.end, SentencePlace::Item { numbered });
        } else if self.open && self.continues(bare) {
            if let Some(last) = self.blocks.last_mut() {
                last.span.end = line.end;
            }
        } else {
            let place = if self.in_list && lead >= 2 {
                SentencePlace::Item { numbered: false }
            } else {
                SentencePlace::Text
            };
            self.in_list &= lead >= 2;
            self.push(start..line.end, place);
        }
    }

    fn push(&mut self, span: Range<usize>, place: SentencePlace) {
        if !span.is_empty() {
            self.blocks.push(Block { span, place });
            self.open = true;
        }
    }

    /// Whether a line goes on with the sentence before it: that one was wrapped, not ended.
    fn continues(&self, line: &str) -> bool {
        let Some(last) = self.blocks.last() else {
            return false;
        };
        let so_far = &self.turn[last.span.clone()];
        let width = so_far.rsplit('\n').next().unwrap_or_default().chars().count();
        let ended = so_far.ends_with(['.', '!', '?', ':', ';']);
        let small = line.starts_with(|c: char| c.is_lowercase() || c == '(');
        (50..=130).contains(&width) && (!ended || width >= 60) || (small && !ended && width >= 25)
    }
}

/// The length of a list marker, and whether it counts.
fn marker(line: &str) -> Option<(usize, bool)> {
    let mut chars = line.chars();
    let first = chars.next()?;
    if matches!(first, '-' | '*' | '+' | '•' | '–') {
        let skip = first.len_utf8();
        let gap = line[skip..].len() - line[skip..].trim_start().len();
        let boxed = ["[ ] ", "[x] "].iter().any(|mark| line[skip + gap..].starts_with(mark));
        return (gap > 0).then_some((skip + gap + if boxed { 4 } else { 0 }, false));
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let letter = digits == 0 && first.is_ascii_alphabetic() && line[1..].starts_with(')');
    let length = if letter { 1 } else { digits };
    if length == 0 || length > 3 || !line[length..].starts_with(['.', ')']) {
        return None;
    }
    let rest = &line[length + 1..];
    let gap = rest.len() - rest.trim_start().len();
    (gap > 0).then_some((length + 1 + gap, true))
}
