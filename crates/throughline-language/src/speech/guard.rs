//! What keeps sentences from being taken at their word.

use std::ops::Range;

use super::cue::{Cues, at_any, cues, find_any, says, starts};
use super::word::{Word, words};
use super::{Guard, SentencePlace, Unit};

/// Longer sentences are judged by their beginning.
const LOOK_BYTES_MAX: usize = 1000;

/// Sets the guards of all sentences of a turn.
pub(super) fn set(turn: &str, units: &mut [Unit]) {
    let mut quoting = false;
    for at in 0..units.len() {
        let text = &turn[units[at].span.clone()];
        let words = words(&text[..text.floor_char_boundary(LOOK_BYTES_MAX)]);
        if quoting
            && units[at].first
            && units[at].place == SentencePlace::Text
            && gap_before(turn, units, at)
        {
            quoting = false;
        }
        let mut guard = if quoting { Some(Guard::Quoted) } else { of(text, &words) };
        if announces(text, &words) {
            quoting = true;
            guard = guard.or(Some(Guard::Quoted));
        }
        units[at].guard = guard;
        let takes_back = takes_back(&words).is_some();
        let instead = waits(&words) || puts_right(&words);
        if (guard == Some(Guard::SelfResolving) || instead) && takes_back && at > 0 {
            units[at - 1].guard = Some(Guard::SelfResolving);
        }
    }
}

/// A sentence, apart from the question at its end: "I use Flask, can you show me a route?" tells
/// something before it asks.
pub(super) fn apart(turn: &str, span: Range<usize>) -> Vec<Range<usize>> {
    static ASKING: Cues = Cues::of(
        "(and|so|but|now) can|could|would|will you, \
        (and|so|but|now) how can|do|should|would|could|might i|we, \
        (and|so|but) what should|would|do|can|are|is, (and|so|but) do you, (and|so|but) is there, \
        (and|so|but) (i|im) wondering|wonder, (and|so|but) should i|we",
    );
    const WORDS_MIN: usize = 5;
    let text = &turn[span.clone()];
    if text.len() > LOOK_BYTES_MAX {
        return vec![span];
    }
    let words = words(text);
    let cut = (WORDS_MIN..words.len())
        .find(|at| words[at - 1].mark == ',' && at_any(&words, *at, &ASKING).is_some());
    cut.map_or(vec![span.clone()], |at| {
        let told = span.start..span.start + words[at - 1].span.end;
        vec![told, span.start + words[at].span.start..span.end]
    })
}

/// Whether a paragraph other than the announced one begins here.
fn gap_before(turn: &str, units: &[Unit], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|before| units.get(before)) else {
        return true;
    };
    let between = &turn[before.span.end..units[at].span.start];
    between.matches('\n').count() > 1
        && !turn[..before.span.end].ends_with(':')
        && !between.starts_with(':')
}

fn of(text: &str, words: &[Word<'_>]) -> Option<Guard> {
    if is_taken_back(words) {
        Some(Guard::SelfResolving)
    } else if is_quotation(words) {
        Some(Guard::Quoted)
    } else if asks(text, words) {
        Some(Guard::Question)
    } else if is_reported(words) {
        Some(Guard::ThirdParty)
    } else if supposes(words) {
        Some(Guard::Hypothetical)
    } else {
        None
    }
}

static STANDING: Cues =
    Cues::of("always, never, from now on, must, going forward, whenever, every time");

fn asks(text: &str, words: &[Word<'_>]) -> bool {
    let request = starts(words, cues!("(please) can|could|would|will you (please)")).is_some();
    if request && says(words, cues!("always, never, from now on, going forward")) {
        return false;
    }
    let end = text.trim_end_matches(['"', '\'', ')', '*', '_', '”', ' ']);
    let end = end.trim_end_matches(['!', '.']);
    end.ends_with(['?', '？']) || request || opens_question(words)
}

fn opens_question(words: &[Word<'_>]) -> bool {
    const FILLERS: &str = "ok okay so and but well hmm hm uh also k then";
    let skip = words.iter().take_while(|word| word.is(FILLERS)).count();
    let words = &words[skip..];
    static OPENERS: Cues = Cues::of(
        "why, whats|whos|wheres|hows, \
        what|which|who|whose is|are|was|were|do|does|did|would|should|could|can|has|have|about, \
        where|when is|are|was|were|do|does|did|should|can, \
        how do|does|did|can|could|should|would|is|are|come|about|many|much|long, \
        is|are|was|were|does|did|has|have it|this|that|there|the|we|you|i|they|these|those|our|my, \
        do we|you|i|they|these|those|the|our, \
        can|could|should|would|will|shall|may we|i|it|this|that|they|the|there|these|our, \
        isnt|arent|doesnt|dont|didnt|wasnt|shouldnt|wouldnt|cant|couldnt we|it|that|this|there|they|you|i|the, \
        any idea|chance|reason|other|thoughts, i wonder|asked|ask, im wondering|asking, \
        wondering if|whether|why|how",
    );
    starts(words, &OPENERS).is_some()
}

fn supposes(words: &[Word<'_>]) -> bool {
    static SUPPOSING: Cues = Cues::of(
        "maybe, perhaps, suppose, supposing, imagine, assuming, assume (that), \
    hypothetically, in theory, lets say, say we|you|i, what if, might, \
    we|you|i|it|they|one|that could, could be|have|also|use|just|then, \
    would be|have|make|need|mean|like|love|work|break|help, wouldnt be|have|need, \
    id|we'd love, id imagine|guess|say, not sure, im unsure, i guess, i suppose, \
    i assume, i wish, i doubt, presumably, probably, possibly, potentially, supposedly, \
    seems, seem, seemingly, it looks like, looks like, in case, as if, \
    thinking about|of, considering, consider, either, for example, for instance, e.g, \
    eg, if only, i wonder, were toying, one option, an option, another option, \
    alternatively, tempted, could go, not decided, havent decided, undecided, \
    havent agreed, pretend, let us say",
    );
    if says(words, &SUPPOSING) {
        return true;
    }
    let Some(place) = find_any(words, cues!("if, whether, unless")) else {
        return false;
    };
    let rule = (says(words, &STANDING)
        || starts(words, cues!("normally, usually, typically, dont * *, do not *")).is_some())
        && !says(words, cues!("would, could, might, wouldnt, if we|you|i always|never"));
    !rule && !matches!(words.get(place.end), Some(word) if word.is("possible needed necessary"))
}

fn is_reported(words: &[Word<'_>]) -> bool {
    static SAYING: Cues = Cues::of(
        "says|said|say|thinks|thought|think|wants|wanted|want|suggests|suggested|suggest|\
        recommends|recommended|recommend|claims|claimed|claim|wrote|writes|mentions|\
        mentioned|mention|told|tells|argues|argued|believes|believed|believe|prefers|\
        preferred|prefer|asked|asks|complains|complained|insists|insisted|reports|reported|\
        states|stated|likes|proposes|proposed|posted|tweeted|decided|warned|warns|recommend|\
        expects|asserts|feels|replied",
    );
    static OTHERS: Cues = Cues::of(
        "he|she|they|someone|somebody|everyone|everybody|people|others|some|many|colleague|\
        coworker|boss|manager|teammate|friend|lead|cto|ceo|client|customer|customers|\
        reviewer|reviewers|user|users|team|vendor|guy|folks|maintainer|maintainers|author|\
        authors|intern|designer|pm|lawyer|wife|husband|docs|documentation|readme|article|\
        post|blog|book|tutorial|spec|rfc|paper|comment|comments|description|issue|ticket|\
        error|message|linter|compiler|manual|guide|page|website|review|feedback|\
        stackoverflow|reddit|tweet|plan|pr|wiki|llm|ai|model|copilot|chatgpt|gpt|claude|\
        gemini|codex|cursor|google|internet|tool|log|logs|output|thread",
    );
    let own = |word: &Word<'_>| word.is("i we you");
    // The team that the speaker belongs to.
    let ours = |at: usize| {
        at_any(words, at, cues!("team (has|have) decided|agreed")).is_some()
            && at.checked_sub(1).is_some_and(|the| {
                words[the].is("the our") && (the == 0 || words[the - 1].pauses())
            })
    };
    for (at, word) in words.iter().enumerate() {
        let someone =
            at_any(words, at, &OTHERS).is_some() || at == 0 && is_name(word) && words.len() > 2;
        let mut verbs = (at + 1..words.len().min(at + 4)).take_while(|next| !own(&words[*next]));
        // Whoever reports to somebody says nothing.
        let says = |next: usize| {
            at_any(words, next, &SAYING).is_some()
                && at_any(words, next, cues!("reports|reported|report to")).is_none()
        };
        if someone && !word.pauses() && !ours(at) && verbs.any(says) {
            return true;
        }
    }
    static ELSEWHERE: Cues = Cues::of(
        "according to, apparently, allegedly, rumor|rumour, \
    i heard|read|saw (that|somewhere), i was told, \
    you said|told|claimed|wrote|suggested|recommended|mentioned|proposed|thought, \
    their|his|her team|company|project|repo|codebase|code|app|stack, as per|quoting, \
    in their|his|her, some people, they always|never|use|used|prefer|dont|decided, \
    he|she always|never|uses|prefers|decided, \
    the user|customer|client wants|wanted|needs|asked",
    );
    says(words, &ELSEWHERE)
}

/// A capitalised word that opens a sentence and is no common opener.
fn is_name(word: &Word<'_>) -> bool {
    const COMMON: &str = "i we you the a an this that these those it our my your please also and but so then \
    if when always never dont do lets use no yes ok actually as in on for to from with \
    by at just now there all every each any what how why let make im ive weve were well \
    ill id remember note personally";
    word.is_said() && word.text.starts_with(char::is_uppercase) && !word.is(COMMON)
}

fn is_quotation(words: &[Word<'_>]) -> bool {
    let quoted = words.iter().filter(|word| word.quoted).count();
    quoted >= 3 && quoted * 2 > words.len()
}

/// A sentence that announces somebody's words: what follows is quoted.
fn announces(text: &str, words: &[Word<'_>]) -> bool {
    static ANNOUNCING: Cues = Cues::of(
        "this feedback|review|comment|message|error|output|text|email|note|log|plan|prompt|spec|issue|ticket|snippet|code|doc|description, \
    these findings|comments|issues|errors|notes|points|suggestions|observations, \
    following, review feedback|comment|comments, wrote, writes, said, says, quote, \
    quoting, pasted|pasting, heres|here is|are, \
    from the docs|readme|spec|issue|ticket|pr|log|logs, \
    it says|said|printed|outputs|prints|shows, i get|got|see|saw, \
    address|consider|fix|look|review|handle, output, error, message, transcript, \
    summary, context, instructions",
    );
    let colon = text.trim_end_matches(['*', '_', ' ']).ends_with(':')
        || words.iter().any(|word| {
            word.mark == ':' && word.is("this these wrote said says feedback following")
        });
    colon && says(words, &ANNOUNCING)
}

fn is_taken_back(words: &[Word<'_>]) -> bool {
    static DECLINING: Cues = Cues::of(
        "no thanks|thank|problem|problems|worries|need|prob|biggie|rush|hurry|idea|doubt|comment|way, \
    nah thanks|fine, no no|its|that fine|ok|okay|good|alright, not a problem, \
    no its|thats fine|ok|okay|good|great|perfect|alright|all|correct|right|intentional",
    );
    let declines = starts(words, &DECLINING).is_some() && words.len() <= 9;
    let instead = waits(words) || puts_right(words) || owns_up(words);
    declines || !instead && (takes_back(words).is_some() || says(words, &RESOLVED))
}

/// "My mistake, the port is 81 and not 80": it takes back what was said earlier, and says what is right.
fn owns_up(words: &[Word<'_>]) -> bool {
    let Some(own) = find_any(
        words,
        cues!("my mistake|bad|fault, i was wrong|mistaken, i misspoke|mistyped|misremembered"),
    ) else {
        return false;
    };
    let rest = (own.start..words.len())
        .find(|at| words[*at].pauses())
        .map_or(&[][..], |at| &words[at + 1..]);
    let against = says(rest, cues!("not, isnt, arent, instead of, rather than, never, no longer"));
    rest.len() >= 4 && against && !says(rest, &RESOLVED) && !says(rest, cues!("fine, ok, works"))
}

/// "Wait, we use pnpm": it stops somebody, and then states something.
fn waits(words: &[Word<'_>]) -> bool {
    let Some(end) = starts(words, cues!("(oh|no|ah|hmm|ok) (no) wait (no|actually) (no)")) else {
        return false;
    };
    let rest = &words[end..];
    rest.len() >= 3 && words[end - 1].pauses() && !resolves(rest)
}

/// "Scratch that, spaces": it takes back what was said before, and says what holds instead.
fn puts_right(words: &[Word<'_>]) -> bool {
    const LONG: usize = 12;
    let Some(end) = takes_back(words) else { return false };
    let rest = &words[end..];
    // Whoever drops the matter, or only points at it, gives it no other value: "never mind, found it".
    let drops = cues!(
        "(oh) (no) (wait) (actually) never mind, (oh) nevermind|nvm, false alarm, jk, just kidding"
    );
    let points = rest.iter().any(|word| word.is("it that this them i ill im"));
    let instead = words[end - 1].pauses() && !points && !resolves(rest);
    (1..=LONG).contains(&rest.len()) && instead && starts(words, drops).is_none()
}

/// Whether a sentence opens by taking back what was said before, and says what holds instead.
pub fn replaces_what_was_said(sentence: &str) -> bool {
    puts_right(&words(sentence))
}

/// Whether words say that there is nothing more to do.
fn resolves(rest: &[Word<'_>]) -> bool {
    let found = starts(
        rest,
        cues!("it|that|this (all) is|was|works, its|thats, i see|found|get|got|was|misread|think, nothing"),
    )
    .is_some_and(|_| !says(rest, cues!("not")));
    found || says(rest, &RESOLVED)
}

static RESOLVED: Cues = Cues::of(
    "never mind, nevermind, nvm, scratch that, forget it, false alarm, my bad, \
    my mistake, i was wrong, my fault, no wait, wait no, oh wait, oh nvm, \
    disregard that|this|my, ignore that|my last|what i, its fine now|actually, \
    just kidding, jk, kidding, works now, all good, i misread|misspoke|mistyped, \
    youre right, you are|were right, on second thought, strike that, i take that back",
);

/// Where it has taken back what came before it, if it begins with that.
fn takes_back(words: &[Word<'_>]) -> Option<usize> {
    static BACK: Cues = Cues::of(
        "(oh) (no) (wait) (actually) never mind, (oh) nevermind, (oh) nvm, scratch that, \
    (oh|sorry|hm|hmm|ah|no) (sorry|no) scratch|ignore|forget|strike that, no sorry, (oh|hm|hmm|ah) no sorry|wait, \
    (oh) (no) wait (no), (oh) (actually) forget it, (actually) ignore that, correction of the correction, \
    strike that, disregard that, just kidding, jk, i take that back, on second thought, \
    false alarm",
    );
    starts(words, &BACK)
}
