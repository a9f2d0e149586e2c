//! Shown text: what stands below a line that only points at it, without a mark of its own.
//!
//! "A customer sent this", then a blank line, then what the customer wrote: no fence, no quotation mark, no
//! header. What gives it away is the line above it, which points and does not say that the text is the
//! speaker's or is to be kept. It has no end of its own, so it runs to the end of the turn.

use std::ops::Range;

use super::cue::{Cues, cues, says, starts};
use super::word::{Word, words};
use super::{is_marked_paste, machine};

/// A longer line tells something itself.
const WORDS_MAX: usize = 24;
/// Words of a line that is only the heading of what stands below it.
const HEADING_MAX: usize = 6;
/// What stands behind the pointing word at the end of a line: "this text", "the following customer mail".
const BEHIND_MAX: usize = 3;

/// What points at words that follow.
static POINTING: Cues = Cues::of("this, these, below, following, as follows, here is|are, heres");

/// What is asked for of a text, rather than of the code.
static READING: Cues = Cues::of(
    "to|please|you|me|and|kindly review|read|check|proofread|summarise|summarize|translate|explain|rephrase|rewrite|\
    reword|paraphrase|shorten|polish|analyse|analyze|comment|answer|reply|respond|improve, \
    summary|translation|review of, look|looking at, what do|would you think|say|make, your thoughts|opinion|take, \
    does this|that|it mean, not|dont|cant|cannot understand",
);

/// The same at the beginning of a line.
static READ: Cues = Cues::of(
    "review|read|check|proofread|summarise|summarize|translate|explain|rephrase|rewrite|reword|paraphrase|shorten|polish|\
    analyse|analyze|comment|answer|reply|respond|improve|tldr *",
);

/// Ways by which somebody else's text comes.
static COMES: Cues = Cues::of(
    "sent|sends|wrote|writes|written|says|said|states|stated|received|forwarded|posted|pasted|copied|shared|emailed|\
    replied|answered|claims|claimed|published, \
    from the|a|an|our|my|their|another (old|new) \
    customer|client|vendor|supplier|support|colleague|coworker|boss|manager|lawyer|wiki|page|website|docs|readme|handbook|\
    article|blog|post|forum|mail|email|ticket|internet|web",
);

/// The same, and who or what it comes from, where the line also points: each of them heads a list of one's own as well.
static SOURCES: Cues = Cues::of(
    "got|found|saw|came|arrived|told|dropped, \
    customer|customers|client|clients|vendor|vendors|supplier|support|colleague|coworker|boss|manager|lawyer|\
    legal|marketing|sales|somebody|someone|reviewer, \
    mail|email|e-mail|letter|message|chat|slack|ticket|wiki|page|website|docs|documentation|readme|handbook|\
    article|blog|post|forum|changelog|transcript|memo|internet|web|chatgpt|gemini",
);

/// What a text is called.
static TEXTS: Cues = Cues::of(
    "text|texts|mail|email|e-mail|letter|message|messages|article|page|post|paragraph|paragraphs|passage|\
    excerpt|snippet|quote|copy|draft|document|doc|note|notes|comment|reply|answer|transcript|memo|ticket|issue|\
    report|feedback|review|statement|policy|section|wording|one",
);

/// The speaker asks to keep what follows. It stands at the beginning: "a note" is a text.
static TO_KEEP: Cues = Cues::of(
    "(ok|okay|and|also|so|but|hey|oh|btw|now|then) (please|pls) (can|could|would|will) (you) (please|pls) (also|always) \
    remember|memorise|memorize, \
    (ok|okay|and|also|so|but|now) (please|pls) (also) note (down) this|these|that|the|our|my, \
    fyi, for the record, for future reference",
);

/// The same wherever it is said.
static FROM_NOW_ON: Cues = Cues::of(
    "from now on, from here on, going forward, in future, in the future, dont forget, do not forget, \
    keep|bear (this|these|the) (following) in mind, to|please remember|note, read this|these|it carefully",
);

/// The speaker tells what they hold themselves.
static HELD: Cues = Cues::of(
    "we|i|weve|ive (have) (all|both|just|already|now|finally|also) \
    agreed|agree|decided|decide|chose|choose|settled|prefer|wrote|said|told|mentioned|explained|discussed, \
    how|what|as|where|which we|i (all|always|usually) do|use|work|follow|want|plan|need|mean",
);

/// What people tell of their own work, where they name nobody else.
static OWN_MATTERS: Cues = Cues::of(
    "rule|rules|convention|conventions|decision|decisions|preference|preferences|guideline|guidelines|plan|\
    setup|context|background|situation|process|workflow|goal|goals|idea|ideas|problem|bug|question|questions",
);

/// Where text that is only shown begins.
pub(super) fn begins(text: &str, lines: &[Range<usize>]) -> Option<usize> {
    let bare = |at: usize| text[lines[at].clone()].trim();
    let first = (0..lines.len()).find(|at| !bare(*at).is_empty())?;
    (first..lines.len()).find_map(|at| {
        let next = (at + 1..lines.len()).find(|next| !bare(*next).is_empty())?;
        let below = bare(next);
        let has_colon = bare(at).trim_end_matches(['*', '_']).ends_with(':');
        // A line that is only broken goes on in small letters.
        let opens = below.starts_with(|c: char| !c.is_lowercase());
        let apart = has_colon || next > at + 1 || at == first && opens;
        let blank = next > at + 1;
        let leads = || points(bare(at), has_colon) || blank && heads(bare(at));
        let shown = apart && !has_its_own_mark(below) && leads();
        shown.then_some(lines[next].start)
    })
}

/// Whether a paste says by itself what it is and where it ends.
fn has_its_own_mark(line: &str) -> bool {
    ["```", "~~~", ">", "<", "|"].iter().any(|mark| line.starts_with(mark))
        || is_marked_paste(line)
        || machine::is_machine(line)
}

/// Whether a line points at what stands below it, and does not say that it is the speaker's.
fn points(line: &str, has_colon: bool) -> bool {
    let all = words(line);
    // Only the last sentence of the line leads over to what is below.
    let start = all.iter().rev().skip(1).position(|word| matches!(word.mark, '.' | '!' | '?'));
    let lead = &all[start.map_or(0, |back| all.len() - 1 - back)..];
    if lead.is_empty() || lead.len() > WORDS_MAX || is_theirs(lead) {
        return false;
    }
    let foreign = Foreign::of(lead);
    if ends_pointing(lead) {
        // "I have changed this." ends what it says; it takes more to point with a full stop.
        let closed = lead.last().is_some_and(|word| matches!(word.mark, '.' | '!'));
        return !closed || foreign != Foreign::No;
    }
    match foreign {
        Foreign::Sent => has_colon || says(lead, &POINTING),
        Foreign::Named => says(lead, &POINTING),
        Foreign::No => false,
    }
}

/// Whether a short line by itself is the heading of somebody else's text: "Oskar wrote me", "Their reply", "Translate to
/// German". It points without a pointing word, so there has to be a blank line below it.
fn heads(line: &str) -> bool {
    let lead = words(line);
    let last = lead.iter().rposition(|word| !word.is("me us back again today yesterday"));
    let told = last.is_some_and(|at| lead[at].is("wrote writes replied answered said says posted"));
    let by_me = lead.iter().any(|word| word.is("i we ive weve"));
    let work = cues!(
        "(please|pls) translate|proofread|summarise|summarize|rephrase|reword|paraphrase|shorten|polish|tldr, \
        pasting|forwarding|quoting, (this) (is) their|his|her reply|answer|response|message|mail|email|comment|words, \
        from slack|teams|discord|chatgpt|gemini"
    );
    lead.len() <= HEADING_MAX && !by_me && (told || starts(&lead, work).is_some())
}

/// Whether a line speaks of somebody else's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Foreign {
    /// It came from somebody, or is to be read.
    Sent,
    /// Somebody or something is named that texts come from.
    Named,
    No,
}

impl Foreign {
    fn of(lead: &[Word<'_>]) -> Self {
        if says(lead, &COMES) || says(lead, &READING) || starts(lead, &READ).is_some() {
            Self::Sent
        } else if says(lead, &SOURCES) {
            Self::Named
        } else {
            Self::No
        }
    }
}

/// Whether a line ends with what points: "this", "the following text", "here is the mail from Ada".
fn ends_pointing(lead: &[Word<'_>]) -> bool {
    let from = lead.len().saturating_sub(BEHIND_MAX + 1);
    let place =
        (from..lead.len()).rev().find(|at| lead[*at].is("this these below following follows"));
    let at_end = place.is_some_and(|at| at + 1 == lead.len() || says(&lead[at + 1..], &TEXTS));
    at_end
        || starts(lead, cues!("(ok|okay|so|and|hi|hey) here is|are, (ok|okay|so|and|hi|hey) heres"))
            .is_some()
}

/// Whether the speaker says that what follows is theirs, or to be kept.
fn is_theirs(lead: &[Word<'_>]) -> bool {
    let foreign = Foreign::of(lead) != Foreign::No;
    let asks = lead.last().is_some_and(|word| word.mark == '?');
    let speaks = || lead.iter().any(|word| word.is("we i our ours my us ive weve were im"));
    says(lead, &HELD)
        || starts(lead, &TO_KEEP).is_some() && !(foreign && asks)
        || says(lead, &FROM_NOW_ON)
        || !foreign && (speaks() || says(lead, &OWN_MATTERS) || orders(lead))
}

/// Whether a line tells an agent to do something, rather than to look at a text.
fn orders(lead: &[Word<'_>]) -> bool {
    starts(
        lead,
        cues!(
            "(ok|okay|now|so|then|and|also) (please|pls) (can|could|would) (you) (please|pls) (always|never) \
            do|use|save|store|record|keep|follow|obey|apply|adopt|respect|stick|implement|build|add|create|make|change|rename|refactor|update|remove|delete|move|set|run|try|\
            install|configure|deploy|start|stop|write|fix"
        ),
    )
    .is_some()
}
