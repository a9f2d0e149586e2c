//! Words made into content that stands alone.

use super::name;
use crate::speech::cue::{Cues, at_any, cues, find_any, starts};
use crate::speech::word::{Word, words};

/// How many words at the beginning are courtesy: "ok so", "please", "I think".
pub(super) fn courtesies(words: &[Word<'_>]) -> usize {
    static COURTESIES: Cues = Cues::of(
        "ok|okay|k|kk|so|and|but|well|hey|hi|hello|yes|yeah|yep|yup|y|actually|also|please|alright|great|cool|nice|perfect, \
    thanks|thx|sure|hmm|hm|hmmm|uh|uhh|um|oh|ah|dude|man|btw|fyi|just|basically|honestly|sorry|oops|nope|nah|agreed|correct, \
    wait, by the way, thank you, i think|believe|feel (that), imo, in my opinion, \
    to be clear|honest|fair|precise, as i|we said, like i said, one more thing, \
    as discussed|mentioned|agreed, for the record, first of all, \
    good point|idea|catch|morning, sounds good, of course, in general, note (that), \
    remember that, important, keep|bear in mind (that), dont forget that, \
    please note|remember (that), one thing, again, quick note, heads up, \
    can|could|would|will you (please), for reference|context|future, just so you know, \
    (just) to remind you, reminder, (one|some) thing|things|something you should|must know (that), \
    you should know (that), some|a background|context (before|first), let me tell you (that), \
    before i forget, after some|a|much|long|lots (long|of|lot) discussion|discussions|debate|thought|thinking|testing, right, looks good so far, one more",
    );
    let mut skip = 0;
    loop {
        let word = words.get(skip);
        // "We'll" is no "well".
        if word.is_some_and(|word| word.is("well") && word.text.contains(['\'', '’'])) {
            return skip;
        }
        if let Some(end) = at_any(words, skip, &COURTESIES)
            && !(word.is_some_and(|word| word.is("so"))
                && at_any(words, skip, cues!("so that")).is_some())
        {
            skip = end;
        } else if word.is_some_and(|word| word.is("no") && word.mark != ' ') {
            skip += 1;
        } else if at_any(words, skip, cues!("for|on *")) == Some(skip + 2)
            && words[skip + 1].mark == ','
            && words[skip + 1].text.trim_start_matches('#').bytes().all(|b| b.is_ascii_digit())
        {
            // "For #2, …": which one that was does not matter later.
            skip += 2;
        } else {
            return skip.min(words.len());
        }
    }
}

/// Where the courtesy at the end begins: "…, please remember that".
pub(super) fn farewell(words: &[Word<'_>]) -> usize {
    static ASKED: Cues = Cues::of(
        "(please) remember|note that|this|it, (please) keep that|this|it in mind, (please) remember, \
        just so you know, fyi, by the way, btw, for the record, (please) take that|this into account, \
        (please) use that|it|this from now on",
    );
    let last = (1..words.len()).rev().find(|at| words[at - 1].pauses());
    last.filter(|at| at_any(words, *at, &ASKED) == Some(words.len())).unwrap_or(words.len())
}

/// A stretch of a turn as it is kept: on one line, without the stars that only set it in bold.
pub(super) fn plain(said: &str) -> String {
    let mut code = false;
    let mut line = String::with_capacity(said.len());
    for word in said.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().filter(|c| {
            code ^= *c == '`';
            code || *c != '*'
        }));
    }
    line
}

/// Some words of a sentence, as they stand there.
pub(super) fn render(sentence: &str, words: &[Word<'_>]) -> Option<String> {
    let (first, last) = (words.first()?, words.last()?);
    let said = &sentence[first.span.start..last.span.end];
    let rest = &sentence[last.span.end..];
    let closes = rest.starts_with(')') && said.matches('(').count() > said.matches(')').count();
    Some(plain(&said.replace("__", "")) + if closes { ")" } else { "" })
}

/// The reasons given: what follows "because".
pub(super) fn reasons(sentence: &str, words: &[Word<'_>]) -> Vec<String> {
    static BECAUSE: Cues = Cues::of(
        "because (of), due to, since, so that, given that, on the grounds that, \
    the reason is|being (that), as it|they|this",
    );
    let Some(place) = find_any(words, &BECAUSE).filter(|place| place.start > 1) else {
        return Vec::new();
    };
    let since = words[place.start].is("since");
    let dated = since
        && words.get(place.end).is_some_and(|word| {
            word.text.starts_with(|c: char| c.is_ascii_digit())
                || at_any(
                    words,
                    place.start,
                    cues!("since yesterday|last|then|the|version|v1|v2|january|monday"),
                )
                .is_some()
        });
    let from = if words[place.start].is("as") { place.start + 1 } else { place.end };
    let reason = words.get(from..).filter(|rest| rest.len() >= 2 && !dated);
    reason.and_then(|rest| render(sentence, rest)).into_iter().collect()
}

/// Whether a statement gives its own reason.
pub fn gives_reason(sentence: &str) -> bool {
    !reasons(sentence, &words(sentence)).is_empty()
}

/// Sentences about the project as a whole, which a memory belongs to anyway.
static WHOLE: Cues = Cues::of(
    "this is a|an|our (*) (*) \
    repo|repository|project|codebase|monorepo|library|app|service|cli|crate|package",
);

/// Whether the words point to something that they do not name.
pub(super) fn dangles(words: &[Word<'_>]) -> bool {
    /// Words before a reason that say what it is the reason of.
    const REASONED_FROM: usize = 3;
    const POINTING: &str = "it its them they theyre their itll itd";
    const SHOWING: &str = "this that these those thats thatll";
    const AFTER_SHOWING: &str = "is are was were has have will would should can must to in for on and or with from \
    instead too as at now again then but isnt doesnt does means here file function line \
    test change pr commit branch bug issue code one thing way part error approach \
    method field comment section case stuff two three four by because purpose variable flag \
    class step phase fix idea problem message output value plan list table";
    let verb_before = |at: usize| {
        words[..at].last().is_some_and(|word| {
            word.is(
                "do use like of with for want keep make on to about is than as from fix at in not \
        doing using change remove by",
            )
        })
    };
    let mut named = false;
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1);
        if word.is(POINTING) && !named {
            return true;
        }
        if word.is(SHOWING) {
            let bare = next.is_none()
                || word.mark != ' '
                || next.is_some_and(|next| next.is(AFTER_SHOWING));
            let relative = word.is("that") && at > 0 && !verb_before(at) && next.is_some();
            let explains =
                word.is("thats") && at > 2 && at_any(words, at, cues!("thats what|why")).is_some();
            let whole = at == 0 && at_any(words, 0, &WHOLE).is_some();
            if !whole && !explains && (bare && !relative || word.is("thats thatll")) {
                return true;
            }
        }
        if word.is("above below former latter previous aforementioned")
            && next.is_none_or(|next| {
                !name::is_named(next) && !next.text.starts_with(|c: char| c.is_ascii_digit())
            })
        {
            return true;
        }
        // "We chose playwright for tests because it is simple": what was spoken of is meant.
        named |= at >= REASONED_FROM && word.is("because since");
        named |= name::is_named(word)
            || at > 0 && (name::is_named_inside(word) || names_thing(words, at));
    }
    starts(
        words,
        cues!(
            "same, one|ones, others, there, he|she|him|her, which|who|where|whatever, then, than"
        ),
    )
    .is_some()
}

/// A noun behind an article, so that "it" can mean it.
fn names_thing(words: &[Word<'_>], at: usize) -> bool {
    words[at - 1]
        .is("the a an our my your all every each any no use uses using with against adopt over")
        && words[at].lower.len() > 2
}

/// Whether it speaks of the task at hand: "now", "here", "for issue 17".
pub(super) fn is_one_off(words: &[Word<'_>]) -> bool {
    static HERE: Cues = Cues::of(
        "now, for now, right now, here, again, yet, this time, today, tonight, \
    for the moment, at the moment, first, this|these, \
    next, above, below, \
    the file|function|bug|error|comment|pr|commit|change|changes|line|fix|diff|output|message, \
    for me, temporarily, both, in there, there, at this point, so far, meantime, \
    the following, as well, instead then",
    );
    static ALL_THE_SAME: Cues = Cues::of(
        "first party|class|person, \
        this|the project|repo|repository|codebase|workspace|team|company|monorepo|org",
    );
    // "Issue 17", "line 40", "option B".
    let numbered = |at: usize| {
        words[at].is(
            "issue issues finding findings item items line lines step phase point option comment",
        ) && words[at].mark == ' '
            && words.get(at + 1).is_some_and(|next| {
                next.text.len() == 1
                    || next.text.trim_start_matches('#').starts_with(|c: char| c.is_ascii_digit())
                    || next.code
            })
    };
    // "The message broker" is no message.
    const GOES_ON: &str = "is are was were has have had in on at of for to from with that which who should must does do did \
        will would can could and or but as by not it i we you so again first before after when if because \
        needs shows says looks seems";
    let compound = |at: usize, end: usize| {
        words[at].is("the")
            && words[end - 1].mark == ' '
            && words.get(end).is_some_and(|next| {
                next.is_said()
                    && !next.is(GOES_ON)
                    && !next.lower.ends_with("ed")
                    && !next.lower.ends_with('s')
            })
    };
    (0..words.len()).any(|at| {
        // "From now on" is the opposite.
        let standing = at > 0 && words[at - 1].is("from by");
        numbered(at)
            || !standing
                && at_any(words, at, &HERE).is_some_and(|end| !compound(at, end))
                && at_any(words, at, &ALL_THE_SAME).is_none()
    })
}
