//! Standing rules: which statements say how things are always done, or how the user likes them.

use super::content::is_one_off;
use super::name;
use crate::speech::cue::{Cues, at_any, cues, find_any, says, starts};
use crate::speech::word::Word;
use throughline_core::Kind;

/// A rule or a preference that the sentence states.
pub(super) fn find(words: &[Word<'_>]) -> Option<Kind> {
    always(words)
        .or_else(|| from_now_on(words))
        .or_else(|| convention(words))
        .or_else(|| prefers(words))
        .or_else(|| universal(words))
        .or_else(|| we_do_not(words))
        .or_else(|| do_not(words))
        .or_else(|| use_instead(words))
        .or_else(|| none_in(words))
}

const PAST: &str = "said did got had saw went knew thought made told wrote ran gave took came found was \
    were been seen done mind again happened tried understood felt ever before once gone \
    let forget wonder know end miss hear heard see finds get gets works fails returns \
    has is a the happens happen going just mean meant thinking trying so an up good great nice fun happy glad \
    welcome count here there worth say give look wanted go quit";

/// "Always run the linter", "API handlers must never block".
fn always(words: &[Word<'_>]) -> Option<Kind> {
    let at = words.iter().position(|word| word.is("always never"))?;
    let next = words.get(at + 1)?;
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let past = next.is(PAST) || next.lower.ends_with("ed") && !next.is("need embed feed speed");
    if past
        || next.lower.ends_with("ing")
        || says(&words[at..], cues!("until, except now")) && before.is_none() && words.len() < 5
    {
        return None;
    }
    const BEFORE: &str =
        "when if for in on with before after while you make be ensure during by inside";
    let joined = before.is_some_and(|word| word.pauses() || word.is("and but please or then"));
    let begins = before.is_none_or(|word| word.mark == '.');
    let leads = begins || joined && (words[0].is(ORDERS) || words[0].is(BEFORE));
    let bound = before.is_some_and(|word| word.is("should must shall to"))
        && (!words[..at].iter().any(|word| word.is("it this that")) || leads);
    let ours = before.is_some_and(|word| word.is("we i"))
        && (at < 2
            || words[at - 2].pauses()
            || words[at - 2].is("and but so here project repo team"));
    let imperative = leads
        && before.is_none_or(|word| {
            !word.pauses()
                || find_any(&words[..at], cues!("it|this|that|they is|was|will")).is_none()
        });
    if !(imperative || bound || ours) || is_one_off(words) && !ours {
        return None;
    }
    let own_habit = before.is_some_and(|word| word.is("i"));
    Some(if own_habit { Kind::Preference } else { Kind::Principle })
}

/// "From now on, answer in German".
fn from_now_on(words: &[Word<'_>]) -> Option<Kind> {
    let place = find_any(
        words,
        cues!(
            "from now on, from here on (out), going|moving forward, in (the) future, \
        as a (general) rule, henceforth, whenever you|we, every|each time you|we, by default"
        ),
    )?;
    let shy =
        says(words, cues!("may, want, wants, will, could, need, needs, it, was, were|are|is"));
    let plain = words[place.start].is("from going moving henceforth");
    let verb = if place.start == 0 { words.get(place.end) } else { words.first() };
    let ordered = verb.is_some_and(|word| word.is(ORDERS) || word.is("please always we you all"));
    let should = says(words, cues!("should, must, please, always, never, dont"));
    if words.len() < 5 || words.len() > 40 || (shy && !plain && !should) || !(ordered || should) {
        return None;
    }
    let strict = says(words, cues!("must, never, always"));
    Some(if strict { Kind::Principle } else { Kind::Preference })
}

const ORDERS: &str = "use run write add keep make put do dont never answer reply commit push format name \
    test prefer avoid check ask call include stop start create explain skip stick \
    follow show tell update document log sign";

/// "Our convention is …", "rule: …".
fn convention(words: &[Word<'_>]) -> Option<Kind> {
    let named = starts(
        words,
        cues!(
            "our|the|my (coding|naming|team) convention|rule|policy|standard|guideline|style|principle (here) is, \
        (house|golden|hard|general|team) rule"
        ),
    )?;
    let said = words[named - 1].is("is") || words[named - 1].mark == ':';
    (said && words.len() > named + 2 && !is_one_off(words)).then_some(Kind::Principle)
}

/// "I prefer tabs", "I like small commits", "we want all errors typed".
fn prefers(words: &[Word<'_>]) -> Option<Kind> {
    static VAGUE: Cues = Cues::of(
        "if, this, that, it, option, the, these, those, your, number, approach, one, not, \
    them, you, to see|know|look",
    );
    static PREFER: Cues = Cues::of(
        "(personally) i|we (really|also|generally|strongly|usually|much|personally) prefer, prefer, \
        id|wed (really|much) prefer|rather, i|we would prefer|rather, my preference is, \
        my preferred|favorite|favourite * is",
    );
    let end = starts(words, &PREFER).or_else(|| likes(words))?;
    let vague =
        at_any(words, end, &VAGUE).is_some() && !says(words, cues!("over|instead|rather|to"));
    let vague = vague
        || words.get(end).is_some_and(|word| word.is("this that it these those if you them the"));
    (words.len() > end && !vague && !is_one_off(words)).then_some(Kind::Preference)
}

/// "I hate long functions", "we want all errors typed": where what is liked begins.
fn likes(words: &[Word<'_>]) -> Option<usize> {
    static LIKE: Cues = Cues::of(
        "i|we (really|usually|generally|also) like|love (my|our|to|when|short|small|clear), \
        i (really) hate|dislike, i|we dont like, i|we do not like, i|we dont want to|any, i cant stand, \
        im (not) a (big|huge) fan of",
    );
    let wanted = || starts(words, cues!("i|we want all|every|each|our|my"));
    let Some(end) = starts(words, &LIKE) else {
        return wanted().or_else(|| in_general(words));
    };
    let kept = says(
        words,
        cues!(
            "to be, to have, to keep, to use, my, our, when, short, small, hate, dislike, \
        dont like, dont want any|to, fan of, stand"
        ),
    );
    if kept { Some(end) } else { in_general(words) }
}

/// "I like comments in English", "I want dates as ISO dates": things in general, in one way.
fn in_general(words: &[Word<'_>]) -> Option<usize> {
    let end = starts(words, cues!("i|we (always|usually|generally) like|want"))?;
    let way = (end + 1..words.len().min(end + 4))
        .find(|at| words[*at].is("in as for on") && !words[at - 1].pauses())?;
    let general = words[end..way].iter().all(|word| {
        !word.is("the a an this that these those it to you your some more another one no")
            && !word.pauses()
    });
    let shown = words
        .get(way + 1)
        .is_some_and(|word| !word.is("the this that these those it my a an here now"));
    let short = words.len() <= way + 5 && (words[end - 1].is("like") || plural(&words[way - 1]));
    (general && shown && short).then_some(end)
}

fn plural(word: &Word<'_>) -> bool {
    word.lower.ends_with('s') && !word.lower.ends_with("ss")
}

/// "All public functions must have docs".
fn universal(words: &[Word<'_>]) -> Option<Kind> {
    let start = starts(words, cues!("all|every|each|any|no"))?;
    let of_these = at_any(
        words,
        start,
        cues!(
            "of, the, these, those, other|others, good, in, three|two|four, idea, tests pass, \
        phases|phase|steps"
        ),
    )
    .is_some();
    let bound =
        find_any(words, cues!("must, should, has|have|needs|need to, cannot, may not, shall"))?;
    (!of_these
        && bound.start <= 6
        && bound.start > 1
        && words.len() > bound.end
        && !is_one_off(words))
    .then_some(Kind::Principle)
}

/// "We don't mock the database".
fn we_do_not(words: &[Word<'_>]) -> Option<Kind> {
    const STATES: &str = "need have know see think care get understand want mind really yet even seem \
    currently actually just support handle expect do remember like own show save set \
    include pass";
    let end = starts(
        words,
        cues!(
            "(here) we dont|never (ever), we do not (ever), \
        in this|the|our project|repo|codebase|team we dont|never"
        ),
    )?;
    let verb = words.get(end)?;
    let state = verb.is(STATES) || verb.lower.ends_with("ed") || verb.is(PAST);
    (!state && words.len() > end + 1 && !is_one_off(words)).then_some(Kind::Principle)
}

/// "Don't use unwrap in library code": generic, so standing.
fn do_not(words: &[Word<'_>]) -> Option<Kind> {
    const VERBS: &str = "use add write commit push mock edit create put include import rely hardcode \
        hard-code log print merge force force-push squash amend deploy install throw catch \
        swallow skip generate assume guess apologize summarize repeat mention introduce \
        leave invent allow mix nest abbreviate ignore disable bypass touch store expose";
    let ever = starts(words, cues!("dont|do (not) ever, never ever")).is_some();
    let end = starts(words, cues!("dont|avoid (ever), do not (ever), stop"))?;
    let verb = words.get(end)?;
    let avoids = words[end - 1].is("avoid");
    let known = verb.is(VERBS)
        || (words[end - 1].is("stop avoid")) && verb.lower.ends_with("ing")
        || avoids && !verb.is("it this that");
    let object = words.get(if avoids && !verb.lower.ends_with("ing") { end } else { end + 1 })?;
    let pointed = object
        .is("the this that these those it a an them anything any me my your until yet so too to");
    let generic = ever || known && !pointed;
    let bounded = is_one_off(words) || says(words, cues!("until, before i, unless"));
    let kind = if ever { Kind::Principle } else { Kind::Preference };
    (generic && !bounded).then_some(kind)
}

/// "Use tabs, not spaces".
fn use_instead(words: &[Word<'_>]) -> Option<Kind> {
    let end = starts(words, cues!("use, stick to|with, write"))?;
    let what = words.get(end)?;
    let pointed = what.is("the this that these those it a an them your my option our for with")
        || what.text.starts_with(|c: char| c.is_ascii_digit() || c == '#');
    let over = find_any(
        words,
        cues!(
            "not, instead of, rather than, over, never, for (all|every|everything|new), \
        everywhere, in all|every|tests|commit|docs"
        ),
    )
    .filter(|place| place.start > end && place.start <= end + 5)?;
    let against =
        words.get(over.end).is_none_or(|word| !word.is("the this that these those it me now a an"));
    let weak = words[over.start].is("for") && over.len() == 1;
    let fits = !pointed
        && against
        && !is_one_off(words)
        && words.len() <= 20
        && (!weak || name::any_named(&words[end..over.start]));
    fits.then_some(Kind::Preference)
}

/// "No unwrap in library code".
fn none_in(words: &[Word<'_>]) -> Option<Kind> {
    let end = starts(words, cues!("no")).filter(|_| words[0].mark == ' ')?;
    let what = words.get(end)?;
    let fits = (what.code || what.lower.ends_with('s') || words.len() <= 8)
        && words[end..]
            .iter()
            .skip(1)
            .take(3)
            .any(|word| word.is("in without outside on allowed please ever"));
    let idle = what
        .is("one idea problem way longer more matter luck need matches files results change \
        changes errors issues such difference markdown output");
    (fits
        && !idle
        && !is_one_off(words)
        && !says(words, cues!("is, was, are, were, got, found, it")))
    .then_some(Kind::Preference)
}
