//! What failed, and the cause. Without a cause there is nothing to learn.

use super::content::{self, dangles, is_one_off};
use super::{ProbePolicy, Said, Statement, Voice, name};
use crate::Kind;
use crate::event::ToolRun;
use crate::patch::{Operation, Remember};
use crate::speech::cue::{Cues, cues, find_any, says, starts};
use crate::speech::word::{Word, words};

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

/// "X fails because Y", said outright.
pub(super) fn said(it: &Statement<'_>) -> Option<Operation> {
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
    let sure = it.speaker == Voice::User;
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
        || (!sure && (told || says(words, &LOCAL) || !says(cause, &DURABLE) || dangles(what)))
        || says(what, cues!("i|you|my|your|user|users"))
    {
        return None;
    }
    let mut claim = it.whole(Kind::Negative, if sure { 0.8 } else { 0.45 })?;
    claim.triggers = triggers(words);
    Some(Operation::Remember(claim))
}

/// "The root cause is that `rename` does not work across devices".
fn root_cause(it: &Statement<'_>) -> Option<Operation> {
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
    let confidence = if it.speaker == Voice::User { 0.7 } else { 0.45 };
    let mut claim = it.claim(Kind::Negative, end..it.words.len(), confidence)?;
    claim.content = format!("Root cause of a failure: {}", claim.content);
    claim.triggers = triggers(cause);
    Some(Operation::Remember(claim))
}

/// A cause named in the turns after a command failed.
pub(super) fn explained(
    it: &Statement<'_>,
    context: &[Said<'_>],
    policy: &ProbePolicy,
) -> Option<Operation> {
    static CAUSES: Cues = Cues::of(
        "the (root|real|actual|underlying) cause|reason|culprit (here) is|was (that), \
    (it|this|that) (command|build) failed|fails|happens|happened because (of), \
    (it|this|that) failed|fails due to, thats|its|this (is) because, because",
    );
    let run = context
        .iter()
        .rev()
        .take(policy.cause_turns_max)
        .take_while(|said| said.speaker != it.speaker || said.speaker == Voice::Assistant)
        .find_map(|said| said.run)?;
    let command = run.call.command.as_deref().filter(|_| did_fail(run))?;
    let end = starts(&it.words, &CAUSES)?;
    let cause = it.words.get(end..).filter(|cause| cause.len() >= 4)?;
    if dangles(cause) || !says(cause, &DURABLE) || !name::any_named(cause) {
        return None;
    }
    let cause = content::render(it.text, cause, it.speaker)?;
    let confidence = if it.speaker == Voice::User { 0.7 } else { 0.45 };
    Some(failure(command, &lowered(&cause), "because", it.turn, it.text, confidence, &it.words))
}

/// A tool that fails and says plainly why.
pub(super) fn of_run(turn: usize, run: &ToolRun) -> Option<Operation> {
    let command = run.call.command.as_deref().filter(|_| did_fail(run))?;
    let line = run.output.lines().take(400).map(str::trim).find(|line| is_cause(line))?;
    let cause =
        line.split_once(": ").filter(|(head, _)| head.len() <= 24).map_or(line, |(_, cause)| cause);
    let cause = cause.trim_end_matches('.');
    Some(failure(command, cause, "with", turn, line, 0.5, &[]))
}

fn did_fail(run: &ToolRun) -> bool {
    run.failed || run.exit.is_some_and(|code| code != 0)
}

/// Whether a line of a tool names a cause that is no slip in the code at hand.
fn is_cause(line: &str) -> bool {
    static PLAIN: Cues = Cues::of(
        "requires|require, not|isnt supported|installed|allowed, unsupported, \
    permission denied, command not found, incompatible with, no longer supported, \
    only available|supported, rate limit, must be run|installed|enabled|set, \
    unknown flag|option|argument|command, unrecognized option|argument|command, \
    address already in use, authentication required|failed, terminal prompts disabled, \
    no space left, cannot be used with, is deprecated, needs to be",
    );
    let said = words(line.get(..line.floor_char_boundary(240)).unwrap_or_default());
    let marked = said.iter().take(3).any(|word| {
        word.is("error fatal err failed err! bash zsh sh cannot unable")
            || word.lower.contains("error")
            || word.lower.ends_with("fatal")
    });
    let code = line.contains("(\"") || line.contains('%') || line.ends_with([';', '{', ')']);
    (20..=200).contains(&line.len()) && !code && marked && says(&said, &PLAIN)
}

fn failure(
    command: &str,
    cause: &str,
    how: &str,
    turn: usize,
    quote: &str,
    confidence: f64,
    said: &[Word<'_>],
) -> Operation {
    let short = shortened(command);
    let mut triggers = vec![pattern(&short)];
    triggers.extend(self::triggers(said));
    triggers.dedup();
    triggers.retain(|one| !one.trim().is_empty());
    Operation::Remember(Remember {
        kind: Kind::Negative,
        content: format!(
            "`{short}` failed {how} {}",
            if how == "with" { format!("\"{cause}\"") } else { cause.to_owned() }
        ),
        label: None,
        domain: None,
        slot: None,
        because: vec![cause.to_owned()],
        triggers,
        entities: name::named(said),
        confidence,
        quote: Some(quote.to_owned()),
        turn: Some(turn),
    })
}

/// A command line without where it ran and what was done with its output.
pub(super) fn shortened(command: &str) -> String {
    let line = command
        .lines()
        .find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .unwrap_or_default();
    let last = line.rsplit("&&").find(|part| !part.trim().is_empty()).unwrap_or(line);
    let bare =
        last.split(" | ").next().unwrap_or(last).replace(" 2>&1", "").replace(['`', '\\'], "");
    crate::text::headline(bare.trim(), 80)
}

/// What of a command would bring the memory up: the program and what it is told to do.
fn pattern(command: &str) -> String {
    let plain =
        |word: &&str| !word.contains(['/', '=', '"', '\'', '$', '*', '…']) && word.len() <= 30;
    let mut words = command.split_whitespace();
    let Some(program) = words.next() else {
        return String::new();
    };
    let rest: Vec<&str> = words.take_while(plain).take(2).collect();
    std::iter::once(program).chain(rest).collect::<Vec<_>>().join(" ")
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

fn lowered(cause: &str) -> String {
    let second_small = cause.chars().nth(1).is_some_and(char::is_lowercase);
    let mut chars = cause.chars();
    match chars.next() {
        Some(first)
            if second_small
                && !cause.split(' ').next().is_some_and(|word| word.contains(['_', '.', '/'])) =>
        {
            first.to_lowercase().chain(chars).collect()
        }
        _ => cause.to_owned(),
    }
}
