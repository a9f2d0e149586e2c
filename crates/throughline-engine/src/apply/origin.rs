//! Origin: how a claim came in, kept with its evidence. Which signal fired, which files were at hand, and between which
//! turns it was said.

use serde_json::{Value, json};
use throughline_core::patch::Remember;
use throughline_core::row::Extra;
use throughline_core::{Speaker, text};
use throughline_language::gate::{self, GatePolicy, Watch};
use throughline_language::probe;
use throughline_language::referent::{self, NamedPlace, PlaceMention};

use super::PatchGround;
use crate::capture::before;

/// Characters of the words that a signal was found in.
const WORDS_CHARS: usize = 80;
/// Files that are noted.
const FILES_MAX: usize = 8;
/// Turns before a claim whose tools may have touched what it is about.
const TURNS_BEFORE: usize = 8;

/// Characters of what a claim answers.
const ANSWERED_CHARS: usize = 66;

/// What a claim answers, where its own words do not tell what they speak of.
pub(super) fn answered(claim: &Remember, ground: &PatchGround<'_>) -> Option<String> {
    let before = before(ground.turns, claim.turn?)?;
    let needs = probe::hangs(&claim.content) && probe::says_enough(before);
    needs.then(|| text::headline(probe::what_is_asked(before), ANSWERED_CHARS))
}

/// What is known of how a claim came in.
pub(super) fn of(claim: &Remember, ground: &PatchGround<'_>) -> Extra {
    let mut extra = Extra::new();
    let Some(turn) = claim.turn else { return extra };
    let Some(said) = ground.turns.get(turn) else { return extra };
    extra.insert("signal".to_owned(), signal(turn, ground).into());
    let first = turn.saturating_sub(TURNS_BEFORE);
    let lately = ground.turns[first..=turn].iter().rev();
    // What tools touched since the person last spoke, and what this turn's own tool did.
    let own = lately
        .enumerate()
        .take_while(|(at, one)| *at == 0 || one.speaker != Speaker::User)
        .filter_map(|(_, one)| one.run.as_ref());
    let mut files: Vec<String> = own.flat_map(|run| run.call.files.iter().cloned()).collect();
    files.extend(files_in(claim.quote.as_deref().unwrap_or(&claim.content)));
    files.sort();
    files.dedup();
    files.truncate(FILES_MAX);
    if !files.is_empty() {
        extra.insert("files".to_owned(), files.into());
    }
    if let Some(range) = range(turn, said.speaker, ground) {
        extra.insert("range".to_owned(), range);
    }
    extra
}

/// The files that a text names by their form.
pub(super) fn files_in(text: &str) -> Vec<String> {
    let named = referent::mentions(text).into_iter();
    let file = |one: PlaceMention| match one.place {
        NamedPlace::File { path, .. } => Some(path),
        NamedPlace::Folder { .. } | NamedPlace::Flag { .. } | NamedPlace::Commit { .. } => None,
    };
    named.filter_map(file).collect()
}

/// What made the turn worth reading: the signals of the gate, or the reader alone.
fn signal(turn: usize, ground: &PatchGround<'_>) -> String {
    let by = if ground.by_model { "a model" } else { "the reader" };
    let said = &ground.turns[turn];
    let (verdict, _) = gate::judge(&Watch::default(), &said.as_turn(), &GatePolicy::default());
    let fired: Vec<String> = verdict
        .fired
        .iter()
        .map(|one| format!("{}: “{}”", one.signal, text::headline(&one.words, WORDS_CHARS)))
        .collect();
    if fired.is_empty() { by.to_owned() } else { fired.join("; ") }
}

/// The turns that a claim was said in: with what the agent said before it, where a person answers that.
fn range(turn: usize, speaker: Speaker, ground: &PatchGround<'_>) -> Option<Value> {
    let id = |at: usize| Some(ground.sources.get(at)?.episode?.to_string());
    let answers = speaker == Speaker::User
        && turn
            .checked_sub(1)
            .and_then(|before| ground.turns.get(before))
            .is_some_and(|before| before.speaker == Speaker::Assistant);
    let first = if answers { turn - 1 } else { turn };
    Some(json!({ "from": id(first)?, "to": id(turn)? }))
}
