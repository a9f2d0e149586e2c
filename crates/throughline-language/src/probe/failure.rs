//! What the agent says has failed, and the cause. Without a cause there is nothing to learn.

use super::content::{dangles, is_one_off};
use super::{ProbedSentence, gives_reason, name};
use crate::speech::cue::{Cues, cues, find_any, says, starts};
use crate::speech::word::{Word, words};
use throughline_core::Kind;
use throughline_core::patch::Operation;

/// How sure it is: the agent is believed little.
const CONFIDENCE: f64 = 0.45;

static FAILED: Cues = Cues::of(
    "doesnt|dont|didnt|does|wont|cant|cannot (not) work|build|compile|run|start|link|install|deploy|load|scale|support, \
    failed|fails|fail|broke|breaks|crashed|crashes|hangs|deadlocks|panics|timed, \
    is|are not possible|supported|available|usable|compatible, \
    isnt|arent possible|supported|available|usable|compatible, \
    is|are broken|incompatible|unusable|unsupported, \
    cannot|cant be used|combined|mixed|mocked|shared|cached",
);

/// Anything that is denied, where code is spoken of.
static DENIED: Cues = Cues::of(
    "isnt|arent|doesnt|dont|didnt|cant|cannot|wont|never *, is|are|does|do|did|can|will not *",
);

/// Words that tie a cause to the work at hand.
static LOCAL: Cues = Cues::of(
    "i|my|me|user|users|yet|hadnt|havent|we|you|your|now|currently|line|lines|this|these, \
    branch|pr|commit|old|new|test|tests|edit|finding|conflict|plan",
);

/// Causes that will still hold tomorrow: of the world around the code rather than of a line in it.
static DURABLE: Cues = Cues::of(
    "requires|require|required|requiring, needs|need a|an|the|to, \
    not|isnt|arent supported|available|installed|allowed|compatible|permitted|thread-safe|reentrant|idempotent, \
    unsupported, incompatible, unavailable, deprecated, permission|permissions, denied, \
    private, rate limit|limited|limits, timeout|timeouts|timed, nightly, \
    version|versions, \
    doesnt|does|dont|cannot|cant (not) support|allow|exist|handle|have|work|see|run|expose|implement, \
    only supports|works|available|runs|allows|accepts, sandbox|sandboxed, proxy, \
    firewall, credentials|authentication|authenticated|auth|login|token, \
    not found in path, out of memory|disk|space, memory, locked, read-only, \
    case-sensitive|case-insensitive, single-threaded, circular|cycle|cyclic, \
    conflicts|conflict with, network|offline|internet, experimental, \
    limit|limits|limited to, race|deadlock|deadlocks, blocks the|until, by design, \
    always|never",
);

/// Whether a text about a failure gives its cause: behind "because" and its like, behind a colon or a
/// dash, or by saying what it breaks.
pub fn tells_why(text: &str) -> bool {
    let words = words(text);
    let apart = |word: &Word<'_>| matches!(word.mark, ':' | '—' | '→');
    let marked = words.iter().position(apart).is_some_and(|at| words.len() - at > 2);
    let harm = find_any(&words, &FAILED).is_some_and(|failed| {
        let mut rest = words[failed.end..].iter().skip_while(|word| word.is("the a an our"));
        let what = rest.next();
        what.is_some_and(|word| word.code || !throughline_core::words::is_common(&word.lower))
    });
    marked || harm || gives_reason(text)
}

/// "X fails because Y", said outright.
pub(super) fn said(it: &ProbedSentence<'_>) -> Option<Operation> {
    if let Some(found) = root_cause(it) {
        return Some(found);
    }
    let words = &it.words;
    let because = find_any(words, cues!("because, since, due to, as it|they"))?;
    let before = &words[..because.start];
    let failed = find_any(before, &FAILED).or_else(|| {
        find_any(before, &DENIED)
            .filter(|_| words[because.start].is("because") && !is_one_off(words))
    })?;
    let what = &words[..failed.start];
    let cause = words.get(because.end..).filter(|cause| cause.len() >= 3)?;
    let named = what
        .iter()
        .enumerate()
        .any(|(at, word)| if at == 0 { name::is_named(word) } else { name::is_named_inside(word) });
    let narrow = what.len() > 10
        || words[because.start].is("since")
            && says(cause, cues!("yesterday|last|the upgrade|update"));
    let told = starts(
        words,
        cues!("wait|let|now|so|but|the test|tests|build|edit|hook|one|two|first|second"),
    )
    .is_some();
    if !named
        || narrow
        || told
        || says(words, &LOCAL)
        || !says(cause, &DURABLE)
        || dangles(what)
        || says(what, cues!("i|you|my|your|user|users"))
    {
        return None;
    }
    let mut claim = it.whole(Kind::Negative, CONFIDENCE)?;
    claim.triggers = triggers(words);
    Some(Operation::Remember(claim))
}

/// "The root cause is that `rename` does not work across devices".
fn root_cause(it: &ProbedSentence<'_>) -> Option<Operation> {
    let end = starts(
        &it.words,
        cues!("(the) (real|actual) root cause (here) is|was (that), (the) root cause"),
    )?;
    let told = it.words[end - 1].is("is was that") || it.words[end - 1].mark == ':';
    let cause = it.words.get(end..).filter(|cause| cause.len() >= 6 && told)?;
    let coded = cause.iter().take(8).any(|word| word.code);
    if !coded || !says(cause, &DURABLE) || says(cause, &LOCAL) {
        return None;
    }
    let mut claim = it.claim(Kind::Negative, end..it.words.len(), CONFIDENCE)?;
    claim.triggers = triggers(cause);
    Some(Operation::Remember(claim))
}

/// Code and files that a sentence names.
fn triggers(words: &[Word<'_>]) -> Vec<String> {
    let mut triggers: Vec<String> = Vec::new();
    for word in words
        .iter()
        .filter(|word| word.code || name::is_path(word.text) || word.text.starts_with("--"))
    {
        if (2..=120).contains(&word.text.len())
            && !triggers.iter().any(|one| one == word.text)
            && triggers.len() < 8
        {
            triggers.push(word.text.to_owned());
        }
    }
    triggers
}
