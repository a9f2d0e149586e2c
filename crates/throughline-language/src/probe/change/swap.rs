//! One thing in another's place: moved from it, replaced it, took over, or simply stopped.

use super::shape::{area, has, subject, uses};
use super::{ProbedSentence, at_any, content, cues, find_any, says, value};
use crate::speech::cue::Cues;

/// "We moved from npm to pnpm", "the limit went from 5 to 8", "I bumped the limit from 5 to 8".
pub(super) fn moved(it: &ProbedSentence<'_>, from: usize) -> Option<String> {
    static VERBS: Cues = Cues::of(
        "(have|has|just|recently|finally|weve|ive|was|were|been|got) (been) (just|recently) switched|moved|migrated|changed|went|gone|\
        bumped|raised|lowered|increased|decreased|reduced|updated|upgraded|downgraded|converted|transitioned|\
        extended|shortened|cut|jumped|grew|shrank|ported (over|away|back|all) (over|back)",
    );
    let words = &it.words;
    let verb =
        find_any(words.get(from..)?, &VERBS).map(|verb| from + verb.start..from + verb.end)?;
    let source = (verb.end..words.len().min(verb.end + 9)).find(|at| words[*at].is("from"))?;
    let old = value(words, source + 1)?;
    let to = old.end;
    words.get(to).filter(|word| word.is("to"))?;
    let new = value(words, to + 1)?;
    let opens = &words[from.min(verb.start)];
    let ours = opens.is("we i weve ive im were");
    if ours && source == verb.end {
        // Without what it is for, the whole sentence says more.
        if area(words, new.end).is_empty() {
            return None;
        }
        return uses(it, opens, new);
    }
    // "This service moved from … to … for jobs".
    if source == verb.end
        && at_any(words, from, cues!("this|our service|project|repo|repository|app|codebase"))
            == Some(verb.start)
    {
        return uses(it, opens, new);
    }
    let about =
        if ours { subject(words, verb.end..source)? } else { subject(words, from..verb.start)? };
    // Whoever has a name of their own is somebody else.
    let owned =
        words[about.start].is("the our my") || words[about.start].text.contains(['\'', '’']);
    let plain = ours || source == verb.end && owned;
    plain.then(|| has(it, about, new))?
}

/// "Bo took over from Ada as release manager".
pub(super) fn took_over(it: &ProbedSentence<'_>, from: usize) -> Option<String> {
    let words = &it.words;
    let place = find_any(
        words.get(from..)?,
        cues!(
            "took|takes|has over from, took over from, takes over from, replaces, replaced, succeeds, succeeded"
        ),
    )?;
    let new = from..from + place.start;
    let old = value(words, from + place.end)?;
    words.get(old.end).filter(|word| word.is("as"))?;
    let end =
        (old.end + 1..words.len()).find(|at| words[*at].pauses()).map_or(words.len(), |at| at + 1);
    let about = old.end + 1..end;
    let plain = (1..=3).contains(&new.len())
        && !words[new.start].is("we i it they he she")
        && (1..=7).contains(&about.len());
    plain.then(|| has(it, about, new))?
}

/// "We replaced Redux with Zustand", "we dropped Redux and use Zustand now".
pub(super) fn replaced(it: &ProbedSentence<'_>, from: usize) -> Option<String> {
    let words = &it.words;
    let who = words.get(from).filter(|word| word.is("we i weve ive"))?;
    if let Some(verb) = at_any(
        words,
        from + 1,
        cues!(
            "(have|just|finally|decided|agreed) (to) replaced|replace|swapped|swap|exchanged|traded (out)"
        ),
    ) {
        let old = value(words, verb)?;
        let with =
            words.get(old.end).is_some_and(|word| word.is("with by for")).then_some(old.end + 1)?;
        let new = value(words, with)?;
        return uses(it, who, new);
    }
    let verb = at_any(
        words,
        from + 1,
        cues!("(have|just|finally) dropped|ditched|abandoned|removed|retired|left"),
    )?;
    let old = value(words, verb)?;
    let now = at_any(
        words,
        old.end,
        cues!("and|for (now) (we) use|using, in favor|favour of, and went with, for"),
    )?;
    let new = value(words, now)?;
    uses(it, who, new)
}

/// "We stopped using Redux for client state", "we no longer use Redux, it's Zustand now".
pub(super) fn gone(it: &ProbedSentence<'_>, from: usize) -> Option<String> {
    static ENDS: Cues = Cues::of(
        "(have) stopped using, got rid of, (have) dropped|ditched|abandoned|removed|retired, (have) moved away|off (from|of), \
        no longer use|want|like|have|need|prefer, dont use|want|like|need|prefer, do not use|want|like|need|prefer, \
        are|were not using, arent using, not using",
    );
    let words = &it.words;
    let who = words.get(from).filter(|word| word.is("we i weve ive were im"))?;
    let end = at_any(words, from + 1, &ENDS)
        .or_else(|| at_any(words, from, cues!("were|im not using")))?;
    let old = value(words, end)?;
    let place = area(words, old.end);
    let rest = place.end.max(old.end);
    let more = at_any(words, rest, cues!("anymore, any more, any longer"));
    let open = says(&words[from..end], cues!("dont, do not, not, arent"));
    if open && more.is_none() || content::is_one_off(&words[old.start..rest]) {
        return None;
    }
    let after = more.unwrap_or(rest);
    let new = at_any(
        words,
        after,
        cues!("(but) its, (but) it is, (but|now) use, (but|now) we (now) use, but"),
    )
    .and_then(|end| value(words, end))
    .or_else(|| {
        let took = find_any(
            words.get(after..)?,
            cues!("took its|over place, took over, replaced it, is used now|instead"),
        )?;
        (1..=3).contains(&took.start).then_some(after..after + took.start)
    });
    let verb = if who.is("i ive im") { "The user uses" } else { "We use" };
    let tail =
        if place.is_empty() { String::new() } else { format!(" {}", it.phrase(place.clone())?) };
    if let Some(new) = new {
        return Some(format!("{verb} {}{tail}", it.phrase(new)?));
    }
    // Without what it was for, it is simply taken back.
    if place.is_empty() {
        return None;
    }
    let verb = if who.is("i ive im") { "The user no longer uses" } else { "We no longer use" };
    Some(format!("{verb} {}{tail}", it.phrase(old)?))
}
