//! What the agent found out and did, as its answer at the end of a task tells it.
//!
//! It is believed little, so only sentences count that name code and say how it is: plans, offers,
//! reviews of a line and reports on the run are left alone.

use super::content::{dangles, is_one_off};
use super::{ProbedSentence, name};
use crate::speech::SentencePlace;
use crate::speech::cue::{Cues, at_any, cues, find_any, says, starts};
use crate::speech::word::Word;
use throughline_core::Kind;
use throughline_core::patch::Operation;

/// What one answer may leave behind; more would be the answer itself.
const FINDINGS_MAX: usize = 6;
const CONFIDENCE: f64 = 0.5;

/// How much a cause weighs that is called one.
const CAUSE: u32 = 10;

/// The weightiest findings of an answer, in their order. Between two tools only a cause counts.
pub(super) fn of(statements: &[ProbedSentence<'_>], last: bool) -> Vec<Operation> {
    // An answer that ends with an offer or an advice tells what is about to change.
    let offers = statements.iter().rev().take(3).any(|it| it.text.trim_end().ends_with('?'))
        || statements
            .iter()
            .rev()
            .take(8)
            .any(|it| says(&it.words, cues!("recommend, recommendation, is better")));
    let reports = statements.iter().any(|it| is_report(&it.words));
    let mut found: Vec<(usize, u32, Operation)> = statements
        .iter()
        .enumerate()
        .filter(|(_, it)| !it.guarded() && it.place != SentencePlace::Heading)
        .filter_map(|(at, it)| {
            let (kind, weight, from) =
                judge(it).filter(|(_, weight, _)| last || *weight > CAUSE)?;
            let passing = offers
                && !reports
                && !says(
                    &it.words,
                    cues!("now, by default, already skips|handles|supports|uses|works"),
                );
            if passing && kind == Kind::Fact {
                return None;
            }
            let claim = it.claim(kind, from..it.words.len(), CONFIDENCE)?;
            Some((at, weight, Operation::Remember(claim)))
        })
        .collect();
    found.sort_by_key(|(at, weight, _)| (std::cmp::Reverse(*weight), *at));
    found.truncate(FINDINGS_MAX);
    found.sort_by_key(|(at, ..)| *at);
    found.into_iter().map(|(.., operation)| operation).collect()
}

/// Whether it says that something was done: then what is told is how it is from here on.
fn is_report(words: &[Word<'_>]) -> bool {
    starts(words, cues!("done, fixed, implemented, all done|clean, both done, everything is done"))
        .is_some()
        || done(words).is_some()
        || says(
            words,
            cues!("tests|suite|linter|lint|build pass|passes|passed|passing|clean|green"),
        )
}

/// What a sentence is, how much it weighs, and where it begins.
fn judge(it: &ProbedSentence<'_>) -> Option<(Kind, u32, usize)> {
    let words = &it.words;
    if !(6..=48).contains(&words.len()) || is_talk(words) {
        return None;
    }
    let (kind, weight, from) = cause(words).or_else(|| done(words)).or_else(|| mechanism(words))?;
    let said = &words[from..];
    // What is only announced is told by the list that follows; a deed is told already.
    if kind != Kind::Event && it.text.trim_end_matches(['*', ' ']).ends_with(':') {
        return None;
    }
    let anchors = said.iter().filter(|word| anchor(word)).count();
    let flagged = said.iter().any(|word| word.text.starts_with("--") && word.text.len() > 3);
    let needed = if kind == Kind::Event && !flagged && !said[0].is("new") { 2 } else { 1 };
    let count = u32::try_from(anchors.min(4)).unwrap_or(4);
    (anchors >= needed && said.len() >= 5 && !dangles(said)).then_some((kind, weight + count, from))
}

/// Something that can be searched for: code, a path, a flag, an identifier.
fn anchor(word: &Word<'_>) -> bool {
    word.code && word.text.len() > 2
        || name::is_path(word.text)
        || word.text.starts_with("--")
        || word.is_said() && word.text.contains('_') && word.text.len() > 4
        || is_camel(word)
}

/// "processSession", in code or out of it.
fn is_camel(word: &Word<'_>) -> bool {
    word.text.len() > 4
        && word.text.starts_with(|c: char| c.is_ascii_lowercase())
        && word.text.chars().any(|c| c.is_ascii_uppercase())
        && word.text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '(' | ')'))
}

/// Plans, offers, politeness, praise, the run at hand, places that move.
fn is_talk(words: &[Word<'_>]) -> bool {
    static TALK: Cues = Cues::of(
        "ill, lets, let me|us, i will|can|could|would|should|think|need|want|believe|was|am, im, \
        want me, shall|should i|we, we should|could|can|need|might, you, your, youre, youll, youd, \
        next, next step, now i|let|we, going to, would, could, should, might, may, perhaps, maybe, \
        finding|findings|observation|observations|obs|mip|mii|recommendation, \
        pr|commit|diff|review|reviewer|copilot|feedback, above, below, earlier, again, yet, so far, \
        good, great, nice, fine, clean, correctly, properly, \
        test|tests|package|suite|suites|all (now) pass|passes|passed|passing, green, verified, 0 issues, \
        consider, suggest, recommend, option|options|alternative, plan, proposal, proposed, propose, \
        if we|i, sorry, i|we|ive havent|didnt, todo, question, still, everything, these, those, \
        example, pre-existing, unrelated, conflict|conflicts, stale, here, branch, worktree, me, my, \
        either, trade-off|tradeoff|pros|cons, step *, phase *, as before, comment|comments|typo",
    );
    let counted = words.first().is_some_and(|word| {
        word.text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'.' | b'#'))
            || word.text.starts_with(['L', '#'])
                && word.text[1..].starts_with(|c: char| c.is_ascii_digit())
    });
    let lined = says(words, cues!("line|lines *"))
        && !says(words, cues!("at|on line|lines *"))
        && !words.iter().any(|word| word.bracketed && word.is("line lines"));
    let marked = words.first().is_some_and(|word| {
        word.is("pro con pros cons count keeping using adding note")
            || word.lower.starts_with(|c: char| {
                !c.is_alphanumeric() && !matches!(c, '-' | '/' | '.' | '_' | '~' | '@' | '$')
            })
    });
    counted || marked || lined || says(words, &TALK)
}

/// "The root cause was that …", "`x` fails when …".
fn cause(words: &[Word<'_>]) -> Option<(Kind, u32, usize)> {
    let named = starts(
        words,
        cues!(
            "the (root|real|actual|underlying|core|key|main) cause|issue|problem|bug|culprit|reason is|was (that), \
            (the) root cause (is|was) (that), the bug, the problem, the issue"
        ),
    );
    if let Some(end) = named {
        let told = words[end - 1].is("is was that") || words[end - 1].mark == ':';
        let whole = words[end - 1].is("that") || words[end - 1].mark == ':';
        let from = if whole && words.len() >= end + 6 { end } else { 0 };
        return (told && words.len() >= 6).then_some((Kind::Negative, CAUSE, from));
    }
    let failed = find_any(
        words,
        cues!(
            "fails|breaks|crashes|hangs|panics|deadlocks|errors (out) when|because|if|since|on|for, \
            doesnt|does|cannot|cant (not) respect|support|work|handle|match|honor|see|propagate *, \
            wont|will (not) run|match|fire|work *, silently *, is|are ignored|swallowed|shadowed *"
        ),
    )?;
    (failed.start >= 1 && failed.start <= 8 && subject_fits(&words[..failed.start])).then_some((
        Kind::Negative,
        6,
        0,
    ))
}

/// "Added `--json` to `watch`", "I've moved `x` to `y`".
fn done(words: &[Word<'_>]) -> Option<(Kind, u32, usize)> {
    const DEEDS: &str = "added implemented moved renamed removed replaced extracted created deleted introduced \
        switched converted changed dropped made merged split exported wired refactored registered fixed";
    if let Some(found) = renamed(words) {
        return Some(found);
    }
    if let Some(found) = new(words) {
        return Some(found);
    }
    // "`types.go`: added …"
    let label = words.iter().take(3).position(|word| matches!(word.mark, ':' | '—')).filter(|at| {
        words[..=*at].iter().any(anchor) && words[..=*at].iter().all(|word| !word.is(DEEDS))
    });
    if let Some(at) = label
        && let Some((kind, weight, _)) = done(&words[at + 1..])
    {
        return Some((kind, weight, 0));
    }
    let from = starts(words, cues!("i|ive|we|weve (have) (also|now|just)")).unwrap_or(0);
    let verb = words.get(from).filter(|verb| verb.is(DEEDS))?;
    // What was moved, renamed or put in the place of something is looked for later.
    let lasting = match verb.lower.as_str() {
        "moved" | "renamed" | "replaced" | "switched" | "converted" | "extracted" => {
            says(&words[from..], cues!("to, with, into, from"))
        }
        "added" | "implemented" | "created" | "introduced" | "exported" | "wired" => {
            !says(&words[from..], cues!("test|tests|case|cases|import|imports|nil|list"))
        }
        "fixed" => says(&words[from..], cues!("where, by, when, so, in")),
        "registered" | "refactored" => true,
        "removed" | "deleted" | "dropped" => !says(
            &words[from..],
            cues!("unused|import|imports|dead|test|tests|duplicate|redundant|log"),
        ),
        _ => says(&words[from..], cues!("to, so, from")),
    };
    // Where it stands is left out anyway.
    let end = words.iter().position(|word| word.bracketed && word.is("line lines"));
    let object = &words[from + 1..end.unwrap_or(words.len()).max(from + 1)];
    (lasting && !is_one_off(object)).then_some((Kind::Event, 3, from))
}

/// "New file `autosave.rs`: the one home of …".
fn new(words: &[Word<'_>]) -> Option<(Kind, u32, usize)> {
    let end = starts(
        words,
        cues!(
            "(a) new (shared|optional|exported|internal|cli) \
            file|function|method|flag|package|command|column|field|type|struct|index|option|module|table|setting|endpoint|interface"
        ),
    )?;
    let named = words.get(end).is_some_and(anchor);
    (named && words.len() >= end + 4).then_some((Kind::Event, 3, 0))
}

/// "`x` moved to `y.rs`", "`old` → `new`, which …".
fn renamed(words: &[Word<'_>]) -> Option<(Kind, u32, usize)> {
    let [first, second, ..] = words else {
        return None;
    };
    let arrow =
        anchor(first) && first.mark == '→' && anchor(second) && second.code && second.pauses();
    let moved = find_any(
        words,
        cues!(
            "(was|were|is|are|has|have) (now) (been) moved|renamed|extracted|deleted|replaced|merged|folded to|with|into|from|by|in, was|were (also) removed|deleted"
        ),
    )
    .is_some_and(|place| {
        (1..=6).contains(&place.start)
            && subject_fits(&words[..place.start])
            && words[..place.start].iter().any(anchor)
            && words[place.end..].iter().take(4).any(anchor)
    });
    (arrow || moved).then_some((Kind::Event, 4, 0))
}

/// "`requiresSync` makes the HEAD request", "tokens are stored in `auth.json`".
fn mechanism(words: &[Word<'_>]) -> Option<(Kind, u32, usize)> {
    static ACTS: Cues = Cues::of(
        "(now|only|also|always|never|already|just|simply|currently) \
        writes|reads|calls|returns|checks|uses|handles|skips|stores|creates|tracks|matches|drops|ignores|\
        reports|requires|expects|holds|keeps|loads|parses|watches|emits|sends|fires|runs|wraps|falls|resolves|\
        defaults|depends|accepts|takes|treats|converts|renders|maps|filters|sorts|deduplicates|dedups|strips|\
        validates|respects|overrides|exposes|provides|supports|produces|generates|caches|sets|includes|excludes|\
        hides|removes|deletes|adds|updates|computes|builds|opens|closes|blocks|waits|polls|retries|prints|logs|\
        records|lives|contains|assumes|guards|walks|scans|detects|extracts|fetches|delegates|registers|bypasses|\
        subsumes|surfaces|applies|bounds|gets|prevents|ensures|needs|makes|gives|picks|prefers|enforces|decides|\
        controls|triggers|replaces|collapses|carries|finds|looks|points|compares|counts|normalizes|hashes|copies|\
        syncs|reuses|allows|disables|enables|appends|escapes|joins|ends|hits|serializes|persists|survives|restores|\
        reloads|rejects|reconstructs|appears|happens|receives|passes|preserves|discards|flushes|initializes|starts|stops|covers|means *, \
        (now|only|also|never) does|do not *, doesnt|dont *, \
        is|are (now|only|always|never|already|also) \
        stored|made|called|defined|set|handled|done|written|determined|configured|used|created|read|computed|\
        generated|derived|passed|registered|guarded|skipped|populated|loaded|resolved|shared|exposed|cached|\
        triggered|built|kept|ignored|required|limited|wired|implemented|emitted|injected|sorted|keyed|indexed \
        in|by|via|at|on|from|with|when|as|only|for|to|through|under|once|after|before|if|inside|during",
    );
    static BEING: Cues =
        Cues::of("is|are (now|already|only) a|an|the|guaranteed|never|always|not|available *");
    let place = (1..words.len().min(9)).find_map(|at| {
        let coded = at <= 3 && words[..at].iter().any(anchor);
        let end =
            at_any(words, at, &ACTS).or_else(|| at_any(words, at, &BEING).filter(|_| coded))?;
        Some(at..end)
    })?;
    let subject = &words[..place.start];
    let coded = subject.iter().any(anchor);
    let pointing =
        words[place.end - 1..].iter().take(2).any(|word| word.is("it them this that these those"));
    let shortened =
        words[place.start].bracketed || subject[0].is_said() && subject[0].lower.ends_with("ed");
    if pointing
        || shortened
        || subject.iter().any(|word| word.code && word.text.starts_with("Test"))
    {
        return None;
    }
    let telling = coded
        || (subject.len() >= 2 || words[place.start].is("is are"))
            && words[place.end..].iter().any(anchor);
    (telling && subject_fits(subject)).then_some((Kind::Fact, if coded { 5 } else { 4 }, 0))
}

fn subject_fits(words: &[Word<'_>]) -> bool {
    const NONE: &str = "it its this that they them which what who where when how if i ive we one ones same both each \
        there then but or because since so and not changes change fix linter build tests test all now neither \
        result output only everything nothing";
    (1..=8).contains(&words.len())
        && !words.iter().any(|word| word.is(NONE))
        && words
            .iter()
            .take(words.len() - 1)
            .all(|word| !matches!(word.mark, '.' | ';' | '!' | '—' | '→'))
        && (!words[words.len() - 1].pauses()
            || matches!(words[words.len() - 1].mark, ':' | '—') && words.iter().any(anchor))
}
