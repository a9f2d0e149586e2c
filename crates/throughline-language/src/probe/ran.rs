//! Commands that failed: with what words, and what made them work.
//!
//! A failure is told by its host, never by what was printed. What is kept is one memory for each sort
//! of command and line of error. Where the output points into a file of code, the code was wrong and
//! not the command: such a failure is kept where the line says which place it means, so that it hangs
//! on that file, or with its remedy. A remedy is what was run or changed between the failure and the first time
//! the same command worked, or before it in the same line. A change is one only of a failure that was kept before:
//! what fails and is mended while code is written leaves nothing behind.

use super::PatchSoFar;
use crate::Turn;
use throughline_core::Kind;
use throughline_core::event::ToolRun;
use throughline_core::patch::{Operation, Remember, Settle};
use throughline_core::text;

/// How sure it is that the line says why.
const CONFIDENCE: f64 = 0.5;
/// Lines of the output that are looked at, from its end.
const LINES_MAX: usize = 60;
/// Commands that a remedy names at most, the last ones.
const REMEDY_MAX: usize = 2;

/// What stands between a failure and its remedy.
const HELPED: &str = "; what helped: ";

/// What a run teaches: that its command fails, or what made it work again. What came before the turn `first` was
/// looked at before.
pub(super) fn of_run(
    turn: usize,
    run: &ToolRun,
    context: &[Turn<'_>],
    first: usize,
    found: &mut PatchSoFar<'_>,
) {
    let Some(command) = run.call.command.as_deref() else { return };
    let shape = shape(command);
    if shape.is_empty() {
        return;
    }
    if did_fail(run) {
        let why = why(run).filter(|why| points(&why.says) || !is_codes_fault(&run.output));
        let remembered = why.map(|why| failure(&shape, &why, &[], turn));
        found.extend(remembered.map(Operation::Remember));
        return;
    }
    let Some((at, failed)) = last_failure(&shape, context) else { return };
    let Some(why) = why(failed) else { return };
    let between: Vec<&ToolRun> = context[at + 1..].iter().filter_map(|said| said.run).collect();
    let failed_line = failed.call.command.as_deref().unwrap_or_default();
    let set_up = set_up(command, failed_line);
    let may_change = at < first && !is_codes_fault(&failed.output);
    let remedy = remedy(&shape, &between, &set_up, may_change);
    let before = failure(&shape, &why, &[], at);
    let now = (!remedy.is_empty()).then(|| failure(&shape, &why, &remedy, at));
    found.settle(&before.content);
    found.extend(now.clone().map(Operation::Remember));
    found.push(Operation::Settle(Settle {
        failed: before.content,
        by: now.map(|now| now.content),
        turn: Some(turn),
    }));
}

pub(super) fn did_fail(run: &ToolRun) -> bool {
    run.failed || run.exit.is_some_and(|code| code != 0)
}

/// The command that says how a run ended, without where it ran and what was done with its output.
pub(crate) fn command(run: &ToolRun) -> Option<String> {
    run.call.command.as_deref().map(ending).filter(|command| !command.is_empty())
}

/// The command of a run that failed, and what its output says about why.
pub(crate) fn failed_command(run: &ToolRun) -> Option<(String, Option<String>)> {
    let command = command(run).filter(|_| did_fail(run))?;
    Some((command, why(run).map(|why| why.says)))
}

/// The sort of command that a run is of, as failures name it, and whether it worked.
pub fn outcome(run: &ToolRun) -> Option<(String, bool)> {
    let shape = shape(run.call.command.as_deref()?);
    (!shape.is_empty()).then(|| (shape, !did_fail(run)))
}

/// Whether a memory tells that this sort of command failed.
pub fn tells_of_failed(content: &str, shape: &str) -> bool {
    let rest = content.strip_prefix('`').and_then(|rest| rest.strip_prefix(shape));
    rest.is_some_and(|rest| rest.starts_with("` failed: "))
}

/// Whether a run is what a memory says helped against a failure.
pub fn is_remedy(content: &str, run: &ToolRun) -> bool {
    let Some((_, helped)) = content.rsplit_once(HELPED) else { return false };
    let changed = |path: &String| helped.contains(&format!("a change in `{}`", place(path)));
    let ran = |command: &str| {
        let steps = parts(first_line(command), "&&");
        steps.iter().any(|step| helped.contains(&ticked(&bare(step))))
    };
    !did_fail(run)
        && (writes(run) && run.call.files.iter().any(changed)
            || run.call.command.as_deref().is_some_and(ran))
}

/// The last time the same sort of command ran, if it failed then.
fn last_failure<'a>(shape: &str, context: &[Turn<'a>]) -> Option<(usize, &'a ToolRun)> {
    let same =
        |run: &&ToolRun| run.call.command.as_deref().is_some_and(|one| self::shape(one) == shape);
    let (at, run) = context
        .iter()
        .enumerate()
        .rev()
        .find_map(|(at, said)| Some((at, said.run.filter(same)?)))?;
    did_fail(run).then_some((at, run))
}

/// What stands before a command in the line that worked, and not in the line that failed:
/// `export REGION=eu && …`, `REGION=eu …`.
fn set_up(works: &str, failed: &str) -> Vec<String> {
    let before = |command: &str| {
        let mut steps = parts(first_line(command), "&&");
        let last = steps.pop().unwrap_or_default();
        let given: Vec<&str> =
            last.split_whitespace().take_while(|word| word.contains('=')).collect();
        let steps = steps.into_iter().filter(|step| !crate::gate::only_shows(step)).map(bare);
        let given = (!given.is_empty()).then(|| bare(&given.join(" ")));
        steps.chain(given).collect::<Vec<String>>()
    };
    let known = before(failed);
    before(works).into_iter().filter(|one| !one.is_empty() && !known.contains(one)).collect()
}

/// What was run in between and worked, what was changed, and what the last one was run with. Where a change is no
/// remedy, whatever was run beside it is none either.
fn remedy(shape: &str, between: &[&ToolRun], set_up: &[String], may_change: bool) -> Vec<String> {
    if !may_change && between.iter().any(|run| writes(run)) {
        return Vec::new();
    }
    let ran = between.iter().filter(|run| !did_fail(run)).filter_map(|run| {
        if writes(run) {
            return run.call.files.first().map(|path| format!("a change in `{}`", place(path)));
        }
        let command = run.call.command.as_deref()?;
        let telling = !crate::gate::only_shows(command) && self::shape(command) != shape;
        Some(shortened(command)).filter(|short| telling && !short.is_empty()).map(|it| ticked(&it))
    });
    let mut steps: Vec<String> = Vec::new();
    for step in ran.chain(set_up.iter().map(|step| ticked(step))) {
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    steps.split_off(steps.len().saturating_sub(REMEDY_MAX))
}

fn ticked(command: &str) -> String {
    format!("`{command}`")
}

/// The end of a path: enough to know the file by.
fn place(path: &str) -> String {
    const PARTS: usize = 2;
    let parts: Vec<&str> = path.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    bare(&parts[parts.len().saturating_sub(PARTS)..].join("/"))
}

/// Whether a tool wrote a file.
fn writes(run: &ToolRun) -> bool {
    !run.call.files.is_empty() && run.call.text.is_some()
}

fn failure(shape: &str, why: &FailureCause<'_>, remedy: &[String], turn: usize) -> Remember {
    let helped = match remedy {
        [] => String::new(),
        steps => format!("{HELPED}{}", steps.join(", then ")),
    };
    Remember {
        kind: Kind::Negative,
        content: format!("`{shape}` failed: {}{helped}", why.says),
        label: None,
        domain: None,
        slot: None,
        because: vec![why.says.clone()],
        triggers: vec![shape.to_owned()],
        entities: Vec::new(),
        confidence: CONFIDENCE,
        quote: Some(why.line.to_owned()),
        turn: Some(turn),
    }
}

/// Why something failed.
struct FailureCause<'a> {
    /// The line as it was printed.
    line: &'a str,
    /// What it says.
    says: String,
}

/// Why a run failed: the last line that is marked as an error, else the first that points into a file,
/// else the last that says something. `None` where nothing does, as for a search without a hit, and
/// for a look at something that is not there.
fn why(run: &ToolRun) -> Option<FailureCause<'_>> {
    let command = run.call.command.as_deref().unwrap_or_default();
    let looks = crate::gate::only_shows(command);
    if looks && run.exit == Some(1) {
        return None;
    }
    let lines: Vec<(&str, String)> = run
        .output
        .lines()
        .rev()
        .take(LINES_MAX)
        .map(|line| (line.trim(), unstamped(&without_colours(line)).to_owned()))
        .collect();
    let telling: Vec<&(&str, String)> = lines.iter().filter(|(_, says)| !is_noise(says)).collect();
    let marked = telling.iter().find(|(_, says)| is_marked(says));
    let pointing = telling.iter().rev().find(|(_, says)| points(says));
    // How the process ended is told where nothing else is, if the line says what ended.
    let ended = || lines.iter().find(|(_, says)| is_marked(says) && says.len() <= 600);
    let best = marked.or(pointing).or(telling.first()).copied();
    let (line, says) = best.or_else(ended)?;
    if looks && names_an_operand(says, command) {
        return None;
    }
    let says = text::headline(unprefixed(says).trim_end_matches(['.', ':']), 200);
    Some(FailureCause { line, says })
}

/// Whether a line of error names what the command was to look at.
fn names_an_operand(line: &str, command: &str) -> bool {
    let operands = command.split_whitespace().skip(1).filter(|word| !word.starts_with('-'));
    let mut bare = operands.map(|word| word.trim_matches(['"', '\'', '|', ';', '&']));
    bare.any(|word| word.len() > 1 && line.contains(word))
}

/// Whether a line begins with a place in a file.
fn points(line: &str) -> bool {
    line.split_whitespace().next().is_some_and(is_place)
}

/// A text without the escape sequences that colour it.
fn without_colours(output: &str) -> String {
    let mut plain = String::with_capacity(output.len());
    let mut parts = output.split("\u{1b}[");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|c: char| c.is_ascii_alphabetic()).map_or(part.len(), |at| at + 1);
        plain.push_str(&part[end..]);
    }
    plain
}

/// Whether a line is marked as an error.
fn is_marked(line: &str) -> bool {
    let head = line.split_once(':').map(|(head, _)| head).unwrap_or_default().to_ascii_lowercase();
    head.len() <= 40 && (head.contains("error") || head.contains("fatal") || head.contains("err!"))
}

/// A line without the mark before what it says: "error: ", "npm ERR! ".
fn unprefixed(line: &str) -> &str {
    let line = line.strip_prefix("npm ERR! ").unwrap_or(line);
    match line.split_once(": ") {
        Some((head, rest)) if head.len() <= 24 && is_marked(line) && !rest.trim().is_empty() => {
            rest.trim()
        }
        _ => line,
    }
}

/// A line without the time or the level at its beginning.
fn unstamped(line: &str) -> &str {
    let line = line.trim();
    let stamp = |word: &str| {
        let bare = word.trim_matches(['[', ']', '(', ')', ',']);
        let digits = bare.bytes().filter(u8::is_ascii_digit).count();
        let timed = digits >= 4 && bare.contains([':', '-', '/']);
        timed && bare.bytes().all(|b| b.is_ascii_digit() || b":-/.,TZ+".contains(&b))
    };
    let mut rest = line;
    while let Some((first, after)) =
        rest.split_once(char::is_whitespace).filter(|(one, _)| stamp(one))
    {
        debug_assert!(!first.is_empty(), "a stamp has digits");
        rest = after.trim_start();
    }
    rest
}

/// Lines that say nothing about the cause: rulers, progress, frames of a stack, how the process ended,
/// what was left out, where a log lies.
fn is_noise(line: &str) -> bool {
    const ENDED: &[&str] = &[
        "exit code",
        "exit status",
        "exited with",
        "complete log of this run",
        "rust_backtrace",
        "characters left out",
        "elifecycle",
        "could not compile",
        "didn't exit successfully",
        "for more information",
        "build failed, waiting",
    ];
    let lower = line.to_ascii_lowercase();
    let words =
        line.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    let frame = line.starts_with("at ") || line.starts_with("File \"") || line.starts_with("-->");
    let ruled = line.chars().filter(|c| c.is_alphanumeric()).count() * 2 < line.chars().count();
    let moving =
        line.ends_with("...") || line.ends_with('…') || line.contains("% ") || line.ends_with('%');
    // Of what make says, only what it could not do by itself tells why.
    let made = (line.starts_with("make:") || line.starts_with("make["))
        && (!line.contains("***") || line.contains("] Error "));
    words < 2
        || line.len() > 600
        || frame
        || ruled
        || moving
        || made
        || ENDED.iter().any(|end| lower.contains(end))
}

/// Whether the output points into code, or counts failed tests: what was run is then at fault, and
/// not how it was run.
fn is_codes_fault(output: &str) -> bool {
    output.lines().any(|line| {
        let mut words =
            line.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '"'));
        words.any(is_place) || line.trim_start().starts_with("File \"") || counts_failures(line)
    })
}

/// `src/a.rs:12`, `a.js:3:7`.
fn is_place(word: &str) -> bool {
    let Some((path, rest)) = word.split_once(':') else { return false };
    let number = rest.split(':').next().unwrap_or_default();
    let extension = path.rsplit_once('.').map(|(_, end)| end).unwrap_or_default();
    !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
        && (1..=5).contains(&extension.len())
        && extension.bytes().all(|b| b.is_ascii_alphanumeric())
        && extension.bytes().any(|b| b.is_ascii_alphabetic())
        // `db.internal:5432` is a host.
        && !(number.len() > 3 && !rest.contains(':') && !path.contains('/'))
}

/// "3 failed", "failures=2".
fn counts_failures(line: &str) -> bool {
    let words: Vec<&str> =
        line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.windows(2).any(|pair| {
        let number = |word: &str| word.bytes().all(|b| b.is_ascii_digit()) && word != "0";
        let failed = |word: &str| matches!(word, "failed" | "failures" | "failing" | "errors");
        number(pair[0]) && failed(pair[1]) || matches!(pair[0], "failures") && number(pair[1])
    })
}

/// A command line without where it ran and what was done with its output.
pub(super) fn shortened(command: &str) -> String {
    let step = last_step(command);
    bare(parts(step, "|").first().copied().unwrap_or(step))
}

/// The part of a command line that says how it ended: of a pipe the last one, unless that only shows
/// or keeps what came before it.
fn ending(command: &str) -> String {
    let step = last_step(command);
    let last = parts(step, "|").last().copied().unwrap_or(step);
    let passes_on = crate::gate::only_shows(last) || last.trim_start().starts_with("tee ");
    if passes_on || last.trim().is_empty() { shortened(command) } else { bare(last) }
}

fn first_line(command: &str) -> &str {
    let told = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    command.lines().find(told).unwrap_or_default()
}

fn last_step(command: &str) -> &str {
    let line = first_line(command);
    parts(line, "&&").into_iter().rfind(|part| !part.trim().is_empty()).unwrap_or(line)
}

fn bare(part: &str) -> String {
    text::headline(part.replace(" 2>&1", "").replace(['`', '\\'], "").trim(), 80)
}

/// A line cut at a mark, where that does not stand between quotation marks.
fn parts<'a>(line: &'a str, mark: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None if at >= start && line[at..].starts_with(mark) => {
                parts.push(&line[start..at]);
                start = at + mark.len();
            }
            None => {}
        }
    }
    parts.push(&line[start.min(line.len())..]);
    parts
}

/// Programs that run the script they are given.
const SCRIPT_RUNNERS: &[&str] =
    &["python", "python3", "node", "bash", "sh", "ruby", "php", "perl", "deno", "bun", "tsx"];

/// The sort of a command: the program and what it is told to do. Empty where no program is named.
fn shape(command: &str) -> String {
    let plain = |word: &&str| {
        !word.contains(['/', '=', '"', '\'', '$', '*', '…', '<', '>', '(', '{']) && word.len() <= 30
    };
    let short = ending(command);
    let mut words = short.split_whitespace().skip_while(|word| word.contains('='));
    let named = |word: &&str| {
        word.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '~' | '_'))
            && word.chars().all(|c| c.is_alphanumeric() || "._/-+@~".contains(c))
    };
    let Some(program) = words.next().filter(named) else {
        return String::new();
    };
    // What runs a script does what the script does.
    let mut words = words.peekable();
    let script = words.next_if(|word| SCRIPT_RUNNERS.contains(&program) && named(word));
    let rest: Vec<&str> = words.take_while(plain).take(2 - usize::from(script.is_some())).collect();
    std::iter::once(program).chain(script).chain(rest).collect::<Vec<_>>().join(" ")
}
