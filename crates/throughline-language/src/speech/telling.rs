//! Whether a turn tells something: a statement that stands by itself, and no question, order,
//! supposition or nod.

use super::cue::{Cues, at_any, cues};
use super::word::{Word, words};
use super::{Guard, SentencePlace, Unit, own_units, units};

/// Fewer words say nothing without what was said before: "ok", "Got it.", "sounds good to me".
const WORDS_MIN: usize = 4;
/// Where a verb must have come that is none of an order.
const VERB_WITHIN: usize = 5;
/// The same where what stands around it comes first.
const AROUND_WITHIN: usize = 12;
/// Bytes of a turn that are looked at.
const LOOK_BYTES_MAX: usize = 8_192;

/// The statements of a turn in its speaker's own words, in their order; see [`tells`].
pub fn told(turn: &str, by_person: bool) -> Vec<&str> {
    let turn = &turn[..turn.floor_char_boundary(LOOK_BYTES_MAX)];
    let units = if by_person { own_units(turn) } else { units(turn) };
    units.iter().filter(|unit| states(turn, unit)).map(|unit| &turn[unit.span.clone()]).collect()
}

/// Whether a turn states anything in its speaker's own words. `by_person` says whether what is pasted
/// is left out: an agent's answer is its own throughout.
pub fn tells(turn: &str, by_person: bool) -> bool {
    !told(turn, by_person).is_empty()
}

fn states(turn: &str, unit: &Unit) -> bool {
    let text = &turn[unit.span.clone()];
    let words = words(text);
    let plain = matches!(unit.guard, None | Some(Guard::ThirdParty));
    plain
        && unit.place != SentencePlace::Heading
        && words.len() >= WORDS_MIN
        && !text.ends_with(':')
        && has_subject(&words)
}

/// Whether somebody or something is spoken of before the verb: an order begins with its verb.
fn has_subject(words: &[Word<'_>]) -> bool {
    static FILLERS: Cues = Cues::of(
        "ok|okay|k|so|and|but|well|hey|hi|hello|yes|yeah|yep|no|actually|also|please|alright|great|cool|right|\
        thanks|thx|sure|hmm|hm|oh|ah|btw|fyi|just|sorry|then|now|understood|done|noted, by the way",
    );
    static AROUND: Cues =
        Cues::of("in|on|at|for|with|from|by|since|after|before|when|while|because|as|until|during");
    static SUBJECT: Cues = Cues::of(
        "i|we|he|she|they|it|there|im|ive|ill|id|weve|were|well|its|thats|theres|the|a|an|our|my|his|her|their|\
        this|that|these|those|all|every|each|both|most|many|some|any|nobody|everybody|everyone|today|yesterday",
    );
    static VERB: Cues = Cues::of(
        "is|are|was|were|has|have|had|will|must|should|can|cannot|cant|isnt|arent|wasnt|wont|does|doesnt|did|\
        didnt|would|could|may|never|always",
    );
    let mut skip = 0;
    while let Some(end) = at_any(words, skip, &FILLERS) {
        skip = end;
    }
    let Some(said) = words.get(skip..).filter(|said| !said.is_empty()) else { return false };
    // "On staging, the port is …": what stands around it comes first.
    if at_any(said, 0, &AROUND).is_some() {
        let pause = said.iter().take(AROUND_WITHIN).position(|word| word.mark == ',');
        return pause.is_some_and(|at| has_subject(&said[at + 1..]))
            || (1..said.len().min(AROUND_WITHIN)).any(|at| at_any(said, at, &VERB).is_some());
    }
    // "I want you to …", "we need to …" are orders too.
    let ordered =
        at_any(said, 0, cues!("i|we want|need|would|d (like) you to, i want|need to, lets|let"))
            .is_some();
    let named = said[0].code || said[0].text.starts_with(char::is_uppercase) && skip > 0;
    let verb = (1..said.len().min(VERB_WITHIN)).any(|at| at_any(said, at, &VERB).is_some());
    !ordered && (at_any(said, 0, &SUBJECT).is_some() || named || verb)
}

#[cfg(test)]
mod tests {
    use super::tells;

    #[test]
    fn statements_tell() {
        for turn in [
            "The staging database runs on Postgres 14.",
            "We went with ulids because they sort.",
            "I moved the session table into Postgres.",
            "Understood. I moved the session table into Postgres.",
            "Postgres is what staging runs on.",
            "Can you look? The build has been red since Monday.",
            "By the way, the export is what Dana's team waits for, so it must be there by six.",
            "On staging, the port of the gateway is closed",
            "`tl sync` is slow on Windows machines",
        ] {
            assert!(tells(turn, true), "{turn}");
        }
    }

    #[test]
    fn questions_orders_suppositions_and_nods_do_not() {
        for turn in [
            "remind me, why did we go with ulids again?",
            "why did we go with ulids",
            "ok ship it, deploy to production",
            "Fix the login bug and run the tests.",
            "please add a flag for that to the importer",
            "Run the whole suite.",
            "ok",
            "Got it.",
            "sounds good, thanks",
            "Maybe we should move to Kafka.",
            "what if we used SQLite for that",
            "If we moved to Bonn, rents would be lower.",
            "I want you to deploy the branch now",
            "let's see what the tests say",
            "",
        ] {
            assert!(!tells(turn, true), "{turn}");
        }
    }

    #[test]
    fn what_was_pasted_tells_nothing_of_the_person() {
        let turn = "summarise:\nThe office is closed on Friday.";
        assert!(!tells(turn, true));
        assert!(tells(turn, false));
    }
}
