//! The X-ray: every candidate of a recall with what decided about it.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use throughline_core::text;
use throughline_engine::{CandidateFate, Recall, RecallCandidate};
use throughline_language::question::{AskKind, Question};
use throughline_view::fate;

use crate::commands::recall_handle as handle;
use crate::ui::{BOLD, DIM, GOOD, ID, paint, safe, width};

/// Candidates in a table for people; JSON has them all.
const SHOWN: usize = 20;
/// Below this many columns a table of a dozen columns cannot be read.
const TABLE_COLUMNS: u16 = 132;
/// Where the lines of a candidate begin that stand under its first one.
const INDENT: usize = 13;

/// The candidates as a table, with what the question was understood to ask.
pub(crate) fn page(recall: &Recall, titles: &[String]) -> String {
    let mut page = understood(&recall.question);
    if recall.candidates.is_empty() {
        page.push_str("\nno candidates");
        return page;
    }
    let shown = recall.candidates.iter().zip(titles).take(SHOWN);
    let narrow = width().is_some_and(|columns| columns < TABLE_COLUMNS);
    let lines = if narrow {
        let lines = shown.enumerate().map(|(at, (one, title))| in_lines(at + 1, one, title));
        lines.collect::<Vec<_>>().join("\n")
    } else {
        table(shown)
    };
    write!(page, "\n{lines}").expect("writing to a String cannot fail");
    let rest = recall.candidates.len().saturating_sub(SHOWN);
    if rest > 0 {
        write!(page, "\n{}", paint(DIM, format!("and {rest} more; --json has them all")))
            .expect("writing to a String cannot fail");
    }
    let reached = recall.candidates.iter().filter(|one| !one.path.is_empty()).take(SHOWN);
    for (at, one) in reached.enumerate() {
        let apart = if at == 0 { "\n" } else { "" };
        write!(page, "{apart}\n{}  {}", paint(ID, handle(one.node)), path(one))
            .expect("writing to a String cannot fail");
    }
    page
}

fn table<'a>(shown: impl Iterator<Item = (&'a RecallCandidate, &'a String)>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    if let Some(width) = width() {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table.set_header([
        "", "ID", "SCORE", "FITS", "SALIENCE", "TRUST", "WORDS", "VECTOR", "SESSION", "OTHER",
        "WHAT", "FATE",
    ]);
    for (at, (one, title)) in shown.enumerate() {
        table.add_row(row(at + 1, one, title));
    }
    for at in 1..10 {
        if let Some(column) = table.column_mut(at) {
            column.set_constraint(ColumnConstraint::ContentWidth);
            if at > 1 {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    if let Some(column) = table.column_mut(10) {
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(24)));
    }
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// A candidate where a table has no room: what became of it, what it says, what decided.
fn in_lines(rank: usize, one: &RecallCandidate, title: &str) -> String {
    let signed =
        |name: &str, value: f64| (value.abs() >= 0.005).then(|| format!("{name} {value:+.1}"));
    let number = |name: &str, value: Option<f64>| value.map(|value| format!("{name} {value:.2}"));
    let parts = [
        number("score", Some(one.score)),
        number("fits", Some(one.relevance)),
        number("salience", one.salience),
        number("trust", one.trust),
        signed("words", one.parts.words),
        signed("vector", one.parts.vector),
        signed("session", one.parts.session),
        signed("other", other(one)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!(
        "{rank:>2} {}  {}\n{:INDENT$}{}\n{:INDENT$}{}",
        paint(ID, handle(one.node)),
        verdict(one),
        "",
        safe(&text::headline(title, 120)),
        "",
        paint(DIM, beside(&parts, INDENT))
    )
}

/// Numbers with their names beside each other, a name never apart from its number.
fn beside(parts: &[String], indent: usize) -> String {
    let columns = width().map_or(usize::MAX, usize::from);
    let mut lines = String::new();
    let mut used = indent;
    for (at, part) in parts.iter().enumerate() {
        let long = part.chars().count();
        // A mark that more follows stands at the end of the line.
        if at > 0 && used + 3 + long + 2 > columns {
            write!(lines, " ·\n{}", " ".repeat(indent)).expect("writing to a String cannot fail");
            used = indent;
        } else if at > 0 {
            lines.push_str(" · ");
            used += 3;
        }
        lines.push_str(part);
        used += long;
    }
    lines
}

fn verdict(one: &RecallCandidate) -> String {
    let (fate, reason) = fate(one);
    let words = reason.map_or_else(|| fate.to_owned(), |why| format!("{fate}: {why}"));
    let style = if matches!(one.fate, CandidateFate::Shown(_)) { GOOD } else { DIM };
    paint(style, words)
}

/// What the smaller parts of a score come to together.
fn other(one: &RecallCandidate) -> f64 {
    one.parts.voice + one.parts.answer + one.parts.time + one.parts.named
}

fn row(rank: usize, one: &RecallCandidate, title: &str) -> Vec<String> {
    let number = |value: f64| format!("{value:.2}");
    let maybe = |value: Option<f64>| value.map_or_else(|| "·".to_owned(), number);
    let signed =
        |value: f64| if value.abs() < 0.005 { "·".to_owned() } else { format!("{value:+.1}") };
    vec![
        format!("{rank}"),
        // Unpainted: a table counts what paints a word as part of its width.
        handle(one.node),
        number(one.score),
        number(one.relevance),
        maybe(one.salience),
        maybe(one.trust),
        signed(one.parts.words),
        signed(one.parts.vector),
        signed(one.parts.session),
        signed(other(one)),
        safe(&text::headline(title, 60)),
        verdict(one),
    ]
}

/// What was understood, on one line.
fn understood(question: &Question) -> String {
    let mut said = vec![format!("asks: {}", asked(question.ask))];
    if question.small_talk {
        said.push("small talk".to_owned());
    }
    if !question.names.is_empty() {
        said.push(format!("names: {}", question.names.join(", ")));
    }
    if !question.identifiers.is_empty() {
        said.push(format!("identifiers: {}", question.identifiers.join(", ")));
    }
    for time in &question.times {
        let end =
            |at: Option<throughline_core::Timestamp>| at.map_or("…".to_owned(), |at| at.date());
        said.push(format!("time: {} to {}", end(time.span.from), end(time.span.until)));
    }
    if question.recalls {
        said.push("speaks of past work".to_owned());
    }
    paint(DIM, safe(&said.join(" · ")))
}

fn asked(ask: AskKind) -> &'static str {
    match ask {
        AskKind::When => "when",
        AskKind::Who => "who",
        AskKind::Where => "where",
        AskKind::HowMany => "how many",
        AskKind::HowLong => "how long",
        AskKind::Why => "why",
        AskKind::How => "how",
        AskKind::Which => "which",
        AskKind::What => "what",
        AskKind::YesNo => "yes or no",
        AskKind::Order => "in what order",
        AskKind::Summary => "a summary",
        AskKind::Statement => "nothing",
    }
}

/// A path through edges, in words.
fn path(one: &RecallCandidate) -> String {
    let mut words = String::from("reached");
    for step in &one.path {
        // Where the last step leads stands at the beginning of the line.
        let arrow = if step.forward { "→" } else { "←" };
        let relation = step.relation.as_str().replace('_', " ");
        write!(
            words,
            " from {} {arrow} {relation} (prior {:.2}, strength {:.2}, conf {:.2})",
            handle(step.from),
            step.prior,
            step.strength,
            step.confidence,
        )
        .expect("writing to a String cannot fail");
    }
    paint(DIM, words)
}

/// The parts of one candidate, one to a line, with what this question takes to be answered.
pub(crate) fn parts(one: &RecallCandidate, enough: f64) -> String {
    let parts = &one.parts;
    let mut page = String::new();
    for (name, value, what) in [
        ("words", parts.words, "words in common"),
        ("vector", parts.vector, "nearness in meaning"),
        ("session", parts.session, "the session it was said in"),
        ("voice", parts.voice, "who said it"),
        ("answer", parts.answer, "whether it can answer"),
        ("time", parts.time, "the time asked about"),
        ("named", parts.named, "being named"),
    ] {
        if value.abs() > 0.005 || matches!(name, "words" | "vector") {
            writeln!(page, "{value:>+7.2}  {name:8} {}", paint(DIM, what))
                .expect("writing to a String cannot fail");
        }
    }
    let salience = one.salience.map_or_else(|| "·".to_owned(), |value| format!("{value:.2}"));
    let trust = one.trust.map_or_else(|| "·".to_owned(), |value| format!("{value:.2}"));
    write!(
        page,
        "{} relevance {:.2} (enough from {enough:.2} on), salience {salience}, trust {trust}, score {:.2}",
        paint(BOLD, "="),
        one.relevance,
        one.score
    )
    .expect("writing to a String cannot fail");
    page
}
