//! A proposal of the agent's that the user says yes to.

use super::content::{self, dangles, is_one_off};
use throughline_core::Speaker;

use super::{ProbedSentence, name};
use crate::Turn;
use crate::speech::cue::{cues, starts};
use crate::speech::{self, word};
use throughline_core::Kind;
use throughline_core::patch::{Operation, Remember};

/// The decision that a bare yes makes of the agent's last question.
pub(super) fn with(it: &ProbedSentence<'_>, context: &[Turn<'_>]) -> Option<Operation> {
    const YES: &str = "yes yeah yep yup y sure agreed ok okay please sounds good perfect do it that lets \
    go ahead with great correct exactly definitely absolutely for";
    let said: Vec<_> = it.lead.iter().chain(&it.words).collect();
    let assents = (1..=6).contains(&said.len())
        && said.iter().all(|word| word.is(YES))
        && said[0].is("yes yeah yep yup y sure agreed ok okay please perfect absolutely")
        && !it.text.contains('?');
    let (turn, proposal) = context
        .iter()
        .enumerate()
        .next_back()
        .filter(|(_, last)| assents && last.speaker == Speaker::Assistant)?;
    let unit = speech::units(proposal.text).pop()?;
    let sentence = &proposal.text[unit.span];
    let words = word::words(sentence);
    let end = starts(
        &words,
        cues!(
            "should|shall we|i (just) use|adopt|keep, should|shall we|i (just) go|stick with, \
        should|shall we|i switch|move|migrate to, do you want (me) to use|adopt|keep, \
        do you want (me) to switch|move|migrate to"
        ),
    )?;
    let object = words.get(end..).filter(|object| !object.is_empty() && object.len() <= 16)?;
    if dangles(object)
        || !name::any_named(object)
        || is_one_off(object)
        || object.iter().any(|word| word.is("or"))
    {
        return None;
    }
    let verb = words[..end]
        .iter()
        .rposition(|word| word.is("we i to just"))
        .filter(|at| at + 1 < end)
        .map_or(end - 1, |at| at + 1);
    let verb = if words[end - 1].is("to with") { end - 2 } else { verb };
    let what = content::render(sentence, &words[verb..])?;
    Some(Operation::Remember(Remember {
        kind: Kind::Decision,
        content: format!("Agreed: {what}"),
        label: None,
        domain: None,
        slot: None,
        because: Vec::new(),
        triggers: Vec::new(),
        entities: name::named(object),
        confidence: 0.5,
        quote: Some(sentence.to_owned()),
        turn: Some(turn),
    }))
}
