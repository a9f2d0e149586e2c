//! What is promised, and what has happened.

use super::content::{dangles, is_one_off};
use super::{Statement, name};
use crate::Kind;
use crate::patch::Operation;
use crate::speech::cue::{Cues, cues, find_any, says, starts};

/// Words that put something off.
static LATER: Cues = Cues::of(
    "tomorrow, \
    next week|month|sprint|year|quarter|monday|tuesday|wednesday|thursday|friday|release, \
    later (today|this), \
    before|until|by the|we|our (next|first) release|launch|demo|deadline|ship|merge|freeze|ga, \
    before release|launch|shipping|releasing|merging|v1|ga, \
    by (next|end) monday|tuesday|wednesday|thursday|friday|saturday|sunday|of|eod|eow, \
    on monday|tuesday|wednesday|thursday|friday, in a follow-up|followup, \
    in a separate pr, \
    once|after|when * is|are|has|have merged|released|shipped|done|landed|out|live|approved, \
    this|over weekend, the weekend, eventually, someday, at some point, down the road, \
    before the, after the release|launch",
);

/// "Remind me to rotate the keys", "I'll migrate the staging database tomorrow".
pub(super) fn commitment(it: &Statement<'_>) -> Option<Operation> {
    static REMIND: Cues = Cues::of("remind me|us to|about|that, (please) dont let me|us forget to");
    static TODO: Cues = Cues::of("todo, to-do, action item, follow-up, followup, fixme");
    static WILL: Cues = Cues::of(
        "ill|well, im|were going|planning to, \
    i|we (still|also) will|must|should, i|we (still|also) need|have|plan to, \
    i|we (am|are) going|planning to, i|we promise|promised to, \
    we still need|have to",
    );
    let words = &it.words;
    if let Some(end) = starts(words, &REMIND) {
        let plain = words.len() > end + 1 && !dangles(&words[end..]);
        return plain.then(|| it.whole(Kind::Commitment, 0.9)).flatten().map(Operation::Remember);
    }
    if let Some(end) = starts(words, &TODO).filter(|end| matches!(words[end - 1].mark, ':' | '—'))
    {
        let plain = words.len() > end + 2 && !is_one_off(&words[end..]);
        return plain
            .then(|| it.claim(Kind::Commitment, end..words.len(), 0.7))
            .flatten()
            .map(Operation::Remember);
    }
    let end = starts(words, &WILL)?;
    let later = find_any(words, &LATER)?;
    let past = words.iter().any(|word| word.is("now first"));
    let plain = later.start >= end
        && words.len() >= end + 3
        && !past
        && !says(words, cues!("have to say, need to know, want to see"));
    plain.then(|| it.whole(Kind::Commitment, 0.75)).flatten().map(Operation::Remember)
}

/// "We shipped 2.0 yesterday".
pub(super) fn event(it: &Statement<'_>) -> Option<Operation> {
    static HAPPENED: Cues = Cues::of(
        "(yesterday|today) we|i (just|finally|already) shipped|released|deployed|launched|published|migrated|upgraded|renamed|retired|rolled|cut|open-sourced|acquired|moved, \
    weve|ive (just|finally|already) shipped|released|deployed|launched|published|migrated|upgraded|renamed|retired|open-sourced|moved",
    );
    static PASSIVE: Cues = Cues::of(
        "was|were|got|has (been) shipped|released|deployed|launched|published|migrated|renamed|retired|open-sourced|discontinued|acquired (on|yesterday|last|in|today)",
    );
    let words = &it.words;
    let active = starts(words, &HAPPENED);
    let passive = find_any(words, &PASSIVE).filter(|place| (1..=5).contains(&place.start));
    let (object, end) = match (active, passive) {
        (Some(end), _) => (words.get(end..)?, end),
        (None, Some(place)) => (&words[..place.start], place.end),
        (None, None) => return None,
    };
    let dated = says(
        words,
        cues!(
            "yesterday, today, last *, on monday|tuesday|wednesday|thursday|friday|the, \
        this week|month|morning, \
        in january|february|march|april|may|june|july|august|september|october|november|december"
        ),
    );
    let versioned = object
        .iter()
        .any(|word| word.text.contains('.') && word.text.bytes().any(|b| b.is_ascii_digit()));
    let fits = words.len() > end.min(words.len().saturating_sub(1))
        && (dated || versioned || name::any_named(object))
        && !object.is_empty();
    let back = says(words, cues!("rolled|moved it, but, and then, as part of"));
    (fits && !back && !dangles(object))
        .then(|| it.whole(Kind::Event, 0.7))
        .flatten()
        .map(Operation::Remember)
}
