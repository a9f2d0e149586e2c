//! Text as a reader takes it in, however it is spelt.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::speech::word::Word;
use throughline_core::text;

/// More of a text is not looked at.
const CHARS_MAX: usize = 1 << 20;

/// A text in small letters without accents, invisible characters and look-alikes. A line that begins
/// with a large letter or a bullet keeps a sign of it.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len().min(CHARS_MAX));
    let mut at_line_start = false;
    let visible = |c: &char| !text::is_invisible(*c) && !is_combining_mark(*c);
    for c in text.nfkd().filter(visible).take(CHARS_MAX) {
        if at_line_start && (c.is_uppercase() || matches!(c, '-' | '*' | '+' | '#' | '|' | '>')) {
            folded.push(FRESH);
        }
        at_line_start = c == '\n' || at_line_start && c.is_whitespace();
        folded.extend(c.to_lowercase().filter(visible).map(plain));
    }
    folded
}

/// Stands where a line begins something of its own.
const FRESH: char = '\u{1}';

/// Letters of other scripts that look like ours, and signs that are written in many ways.
fn plain(c: char) -> char {
    match c {
        'а' | 'α' => 'a',
        'е' | 'ε' => 'e',
        'о' | 'ο' => 'o',
        'р' | 'ρ' => 'p',
        'с' => 'c',
        'х' => 'x',
        'у' => 'y',
        'і' | 'ı' | 'ι' => 'i',
        'ѕ' => 's',
        'ԁ' => 'd',
        '’' | '‘' => '\'',
        '“' | '”' | '«' | '»' => '"',
        '‹' => '<',
        '›' => '>',
        '–' | '—' => '-',
        other => other,
    }
}

/// The words of a folded text. The mark of each is the last sign before the next word, or the stop
/// that ends its sentence. What stands in quotes or back-ticks counts like anything else.
pub(super) fn words(folded: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut start = None;
    let mut breaks = 0;
    let mut signs = folded.char_indices().chain([(folded.len(), ' ')]).peekable();
    while let Some((at, c)) = signs.next() {
        let inner = signs.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        let c = if inner && ends(c) { INNER } else { c };
        let joint = matches!(c, '\'' | '_' | '@' | '$') && start.is_some();
        if c.is_alphanumeric() || joint {
            start.get_or_insert(at);
            breaks = 0;
        } else {
            if let Some(from) = start.take() {
                push(&mut words, folded, from, at);
            }
            breaks += usize::from(c == '\n');
            if let Some(word) = words.last_mut().filter(|word| !ends_part(word.mark)) {
                // A new line or paragraph parts, unless it was announced: "SYSTEM:".
                let fresh = c == FRESH || c == '\n' && breaks == 2;
                let announced = matches!(word.mark, ':' | ']');
                let taken = if fresh { !announced } else { !c.is_whitespace() };
                word.mark = if taken { c } else { word.mark };
            }
        }
    }
    spelled_out(words)
}

/// A stop inside a path or an address: it ends no sentence.
pub(super) const INNER: char = '·';

/// Whether a sentence ends at a mark.
pub(super) fn ends(mark: char) -> bool {
    matches!(mark, '.' | '!' | '?')
}

/// Whether a sentence ends at a mark, or a paragraph or line that ends without one.
pub(super) fn ends_part(mark: char) -> bool {
    ends(mark) || matches!(mark, '\n' | FRESH)
}

fn push<'a>(words: &mut Vec<Word<'a>>, folded: &'a str, from: usize, end: usize) {
    let text = folded[from..end].trim_end_matches(['\'', '_', '@', '$']);
    words.push(Word {
        text,
        lower: letters(text),
        span: from..from + text.len(),
        code: false,
        quoted: false,
        mark: ' ',
        bracketed: false,
    });
}

/// A word without apostrophes, with letters where digits stand for them: `1gn0re`.
fn letters(word: &str) -> String {
    let mixed = word.contains(char::is_alphabetic);
    let letter = |c: char| match c {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    };
    let kept = word.chars().filter(|c| *c != '\'');
    if mixed { kept.map(letter).collect() } else { kept.collect() }
}

/// Puts words together that are spelled out: `i g n o r e`.
fn spelled_out(words: Vec<Word<'_>>) -> Vec<Word<'_>> {
    const LETTERS_MIN: usize = 4;
    let single = |word: &Word<'_>| word.lower.chars().count() == 1;
    let mut joined: Vec<Word<'_>> = Vec::with_capacity(words.len());
    let mut run: Vec<Word<'_>> = Vec::new();
    for word in words {
        // A wider gap parts one word from the next.
        let near = run.last().is_none_or(|before| before.span.end + 1 == word.span.start);
        if !near || !single(&word) {
            flush(&mut run, &mut joined, LETTERS_MIN);
        }
        if single(&word) {
            run.push(word);
        } else {
            joined.push(word);
        }
    }
    flush(&mut run, &mut joined, LETTERS_MIN);
    joined
}

fn flush<'a>(run: &mut Vec<Word<'a>>, joined: &mut Vec<Word<'a>>, letters_min: usize) {
    if run.len() < letters_min {
        joined.append(run);
        return;
    }
    let lower: String = run.iter().map(|word| word.lower.as_str()).collect();
    let last = run.pop();
    joined.extend(last.map(|last| Word { lower, ..last }));
    run.clear();
}
