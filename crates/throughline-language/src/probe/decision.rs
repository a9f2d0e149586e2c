//! Decisions: which statements are one, and what is chosen of what the agent has put forward.

use super::content::{self, is_one_off};
use throughline_core::Speaker;

use super::{ProbedSentence, name};
use crate::Turn;
use crate::speech::cue::{Cues, at_any, cues, find_any, says, starts};
use crate::speech::word::Word;
use crate::speech::{self, word};
use throughline_core::Kind;
use throughline_core::patch::{Operation, Remember};

/// Words that say that something was decided.
static DECIDED: Cues = Cues::of(
    "(today|yesterday) we|i (have|finally|just|all|already) decided|agreed|settled|opted|resolved (on|to|that|for|against|not), \
    weve|ive (finally|just|all) decided|agreed|settled|opted|chosen|picked (on|to|that|for|against|not), \
    we|i (finally) chose|picked, we|i went with, \
    the|our|final (final) decision is|was (to|that), decision, \
    it was|is decided (that|to), the|our team (has|have) decided|agreed|settled (on|to|that|for)",
);

/// Words that choose.
static CHOOSING: Cues = Cues::of(
    "lets|let (us) (just) go|stick|stay|roll with, \
    lets (just) use|adopt|standardize|standardise (on), \
    lets (just) switch|move|migrate to, lets keep using, \
    well|we (will) (just) go|stick with, \
    well use|adopt|keep|support|target|switch|move|standardize|host|store|deploy (to|on), \
    we will use|adopt|keep|support|target|switch|move|standardize|go|stick|host|store|deploy (to|on|with), \
    were|we|im (are|am) going|sticking|staying with, \
    were|we (are) going to use|adopt|support|target|switch|move|standardize|go|stick|host|store|deploy (to|on|with), \
    the|our (current) plan|approach|strategy is (to|that), \
    we wont|will (not) use|support|adopt|target|do|ship, \
    were|we (are) not going to use|support|adopt|target|ship, go|going with",
);

/// Whether a statement says what was decided.
pub(super) fn is_made(text: &str, words: &[Word<'_>]) -> bool {
    let made = match starts(words, &DECIDED) {
        Some(end) => words.get(end).is_some_and(|object| {
            let bare = words[end - 1].is("decision") && words[end - 1].mark != ':';
            !object.is("this that it yet") && !bare
        }),
        None => starts(words, &CHOOSING).is_some_and(|end| chooses(text, words, end)),
    };
    made && !content::dangles(words)
}

/// Whether what is chosen, from a word on, is more than the next step of the task at hand.
fn chooses(text: &str, words: &[Word<'_>], end: usize) -> bool {
    let object = &words[end..];
    let Some(first) = object.first() else { return false };
    let counted = first.text.starts_with(|c: char| c.is_ascii_digit() || c == '#')
        || first.is("option this that it them those these your one what");
    let plan = words[..end].iter().any(|word| word.is("plan approach strategy"));
    let core = object
        .iter()
        .take_while(|word| !word.is("instead over rather for in as because since and to on"))
        .count();
    let weighty = name::any_named(object)
        || !content::reasons(text, words).is_empty()
        || plan && object.len() >= 4
        || core <= 3
            && first.lower.len() > 2
            && !first.lower.ends_with("ing")
            && !first.is("the a an some");
    !counted
        && weighty
        && !is_one_off(words)
        && !says(words, cues!("then move on, and see, lets see"))
}

/// "Option B", where an earlier turn says what that is.
pub(super) fn option(it: &ProbedSentence<'_>, context: &[Turn<'_>]) -> Option<Remember> {
    static PICKS: Cues = Cues::of(
        "(lets|well|ill|we|i) (will) (go|do|take|choose|pick|want|use|like|prefer) (with|for) option|approach|variant|alternative|choice",
    );
    static BARE: Cues = Cues::of("(lets|ill) (go|do|take|pick) (with) (for) *");
    let words = &it.words;
    let (sort, which, confidence) = if let Some(end) = starts(words, &PICKS) {
        (words[end - 1].lower.as_str(), words.get(end)?, 0.6)
    } else {
        let end = starts(words, &BARE).filter(|end| *end == words.len())?;
        ("", &words[end - 1], 0.5)
    };
    if which.text.len() > 2 || which.code {
        return None;
    }
    let (turn, meant) = context
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, said)| said.speaker == Speaker::Assistant)
        .take(if sort.is_empty() { 1 } else { 2 })
        .find_map(|(turn, said)| Some((turn, described(said.text, sort, &which.lower)?)))?;
    let mut claim = it.claim(Kind::Decision, 0..words.len().min(6), confidence)?;
    claim.content = format!("Chosen: {meant}");
    claim.entities = name::named(&word::words(&meant));
    claim.turn = Some(turn.max(it.turn));
    Some(claim)
}

/// The line in which an option is described: "Option B: …", or an item of a list of options.
fn described(text: &str, sort: &str, which: &str) -> Option<String> {
    static OFFERS: Cues = Cues::of(
        "options, option, approaches, alternatives, choices, ways, which one|approach|would|do, \
        prefer, two|three|four|several ways",
    );
    let units = speech::units(text);
    let offers = units.iter().any(|unit| says(&word::words(&text[unit.span.clone()]), &OFFERS));
    let mut meant = units.into_iter().filter(|unit| unit.guard.is_none()).filter_map(|unit| {
        let sentence = &text[unit.span.clone()];
        let words = word::words(sentence);
        let labelled = words.len() > 3
            && (words[0].lower == sort || sort.is_empty() && words[0].is("option approach"))
            && words[1].lower == which
            && words[1].mark != ' ';
        let counted = offers && unit.first && marker(&text[..unit.span.start]) == which;
        let rest = words.get(if labelled { 2 } else { 0 }..).filter(|_| labelled || counted)?;
        (rest.len() >= 2 && !content::dangles(rest))
            .then(|| content::render(sentence, rest))
            .flatten()
    });
    let one = meant.next()?;
    // Two lists that count alike leave open which was meant.
    (!sort.is_empty() || meant.next().is_none()).then_some(one)
}

/// What an item is counted by: "2" of "2. ".
fn marker(before: &str) -> String {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let plain = line.trim().trim_end_matches('*').trim_end();
    plain.strip_suffix(['.', ')']).unwrap_or_default().to_lowercase()
}

/// A decision that the assistant says was agreed on.
pub(super) fn agreed(it: &ProbedSentence<'_>) -> Option<Operation> {
    static AGREED: Cues = Cues::of(
        "as agreed, as we agreed|decided, we (have) agreed|decided to|on|that, \
    you (have) decided|chose|confirmed to|on|that, per your decision",
    );
    let place = find_any(&it.words, &AGREED).or_else(|| find_any(&it.lead, &AGREED))?;
    let object = it.words.get(place.end.min(it.words.len())..)?;
    let fits = name::any_named(object)
        && !is_one_off(&it.words)
        && at_any(&it.words, 0, cues!("since|now|before|when|after")).is_none()
        && !says(&it.words, cues!("review, summary"));
    fits.then(|| it.whole(Kind::Decision, 0.45)).flatten().map(Operation::Remember)
}
