//! What sort of answer a prompt wants.

use super::AskKind;
use super::phrase::Spoken;

/// How much of the beginning and of the end of a prompt is looked at for what it asks. What lies
/// between is mostly pasted.
const HEAD_BYTES: usize = 1024;
const TAIL_BYTES: usize = 512;

/// What is asked for, and the sentence that asks it most plainly.
pub(super) fn of(text: &str) -> (AskKind, &str) {
    let head = text.floor_char_boundary(HEAD_BYTES);
    let tail = text.ceil_char_boundary(text.len().saturating_sub(TAIL_BYTES)).max(head);
    let asks: Vec<(AskKind, &str)> = [&text[..head], &text[tail..]]
        .into_iter()
        .flat_map(sentences)
        .filter_map(|one| Some((sentence(one)?, one)))
        .collect();
    let first = |such: fn(&AskKind) -> bool| asks.iter().copied().find(|(ask, _)| such(ask));
    first(|ask| matches!(ask, AskKind::Order | AskKind::Summary))
        .or_else(|| first(|ask| *ask != AskKind::YesNo))
        .or_else(|| first(|_| true))
        .unwrap_or((AskKind::Statement, &text[..head]))
}

/// Whether all of a text asks about what stands behind its colon: "what do we know about this: …". Who asks about a
/// statement does not make it.
pub(super) fn about_what_follows(text: &str) -> bool {
    const PEOPLE: &[&str] = &["i", "we", "you", "they"];
    let Some((lead, about)) = text.trim().split_once(": ") else { return false };
    let (spoken, one_sentence) = (Spoken::of(lead), sentences(about.trim_end()).len() <= 2);
    let words = spoken.words();
    let words = &words[words.iter().take_while(|word| FILLERS.contains(word)).count()..];
    let asks = |at: usize| {
        let turned = words.get(at).is_some_and(|word| AUXILIARIES.contains(word));
        turned && words.get(at + 1).is_some_and(|word| PEOPLE.contains(word))
    };
    let opens = wh(words).is_some() && (asks(1) || asks(2)) || asks(0);
    opens && one_sentence && !lead.contains(['.', '!', '?', '\n'])
}

/// Cut after marks that end a sentence, and at line breaks.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let gap_follows = rest.peek().is_none_or(|(_, next)| next.is_whitespace() || *next == '"');
        let ends = matches!(c, '.' | '!' | '?' | '…') && gap_follows;
        if ends || matches!(c, '\n' | '？' | '。') {
            let end = at + c.len_utf8();
            sentences.push(&text[start..end]);
            start = end;
        }
    }
    sentences.push(&text[start..]);
    sentences
}

/// What one sentence asks; `None` when it asks nothing.
fn sentence(sentence: &str) -> Option<AskKind> {
    let marked = sentence.trim_end().ends_with(['?', '？']);
    let spoken = Spoken::of(sentence);
    let words = spoken.words();
    let words = &words[words.iter().take_while(|word| FILLERS.contains(word)).count()..];
    let first = words.first()?;
    if is_summary(words, &spoken) {
        return Some(AskKind::Summary);
    }
    let opening = matches!(*first, "list" | "give" | "show" | "tell" | "walk")
        || words.iter().take(2).any(|word| question_word(word));
    let ranked = spoken.says("first, earlier, later") && spoken.says("or") && wh(words).is_some();
    if (marked || opening) && (ranked || spoken.says(ORDER)) {
        return Some(AskKind::Order);
    }
    let start = usize::from(PREPOSITIONS.contains(first));
    let words = &words[start..];
    let asked_first = wh(words).filter(|_| {
        let noun_first = matches!(words[0], "what" | "which" | "whose" | "how");
        let verb_within = if noun_first { 4 } else { 2 };
        let turned = words.iter().take(verb_within).skip(1).any(|one| AUXILIARIES.contains(one));
        let short = words[0].ends_with('s') && words[0].len() > 3 && words[0] != "whose";
        let clause = matches!(words[0], "when" | "where" | "how" | "while" | "what")
            && words.get(1).is_some_and(|word| SUBJECTS.contains(word) || word.ends_with("ing"));
        (!clause && (turned || marked)) || short || is_whole(words)
    });
    let yes_no = words.len() > 1 && AUXILIARIES.contains(&words[0]) && {
        // "Do it" and "have a look" are no questions.
        let told_to = matches!(words[0], "do" | "dont" | "have" | "may" | "might");
        SUBJECTS.contains(&words[1])
            && (!told_to || matches!(words[1], "i" | "we" | "you" | "they"))
    };
    asked_first
        .or_else(|| told(words))
        .or_else(|| turned_later(words).filter(|_| marked))
        .or((marked || yes_no).then_some(AskKind::YesNo))
}

/// Words before a question that are no part of it.
const FILLERS: &[&str] = &[
    "ok", "okay", "k", "so", "and", "but", "well", "hmm", "hm", "hmmm", "hey", "hi", "hello",
    "also", "then", "now", "please", "oh", "ah", "uhh", "wait", "yes", "no", "yeah", "btw",
    "sorry", "quick", "question", "just", "again", "exactly",
];

const PREPOSITIONS: &[&str] =
    &["in", "on", "at", "with", "for", "from", "to", "by", "until", "since", "about", "of"];

const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "am", "do", "does", "did", "has", "have", "had", "can", "could",
    "will", "would", "should", "shall", "may", "might", "must", "isnt", "arent", "wasnt", "werent",
    "dont", "doesnt", "didnt", "hasnt", "havent", "hadnt", "cant", "couldnt", "wont", "wouldnt",
    "shouldnt",
];

const SUBJECTS: &[&str] = &[
    "i", "we", "you", "he", "she", "it", "they", "there", "this", "that", "these", "those", "the",
    "my", "our", "your", "a", "an",
];

const ORDER: &str = "the order of, the order in which, list in order, chronological order, \
    earliest to latest, first to last, what order, which order, came first, happened first, comes first, come first, \
    happened before, in sequence, order of events, before or after, earlier or later, \
    happened earlier, happened later, came last, happened last";

fn question_word(word: &str) -> bool {
    wh(&[word]).is_some() || AUXILIARIES.contains(&word) || PREPOSITIONS.contains(&word)
}

/// Questions of one or two words that need no mark: "why", "how so".
fn is_whole(words: &[&str]) -> bool {
    matches!(words, ["why" | "how" | "what" | "when" | "who" | "where"] | ["why", "not"])
        || matches!(words, ["how", "many" | "much" | "long" | "often" | "come" | "to", ..])
        || matches!(words, ["what", "about" | "happened" | "else" | "next" | "now", ..])
}

/// What the question word at the beginning asks for.
fn wh(words: &[&str]) -> Option<AskKind> {
    let second = words.get(1).copied().unwrap_or("");
    Some(match *words.first()? {
        "when" | "whens" => AskKind::When,
        "who" | "whos" | "whom" | "whose" => AskKind::Who,
        "where" | "wheres" => AskKind::Where,
        "why" | "whys" => AskKind::Why,
        "how" => match second {
            "many" | "much" if words.iter().skip(2).take(2).any(|word| is_unit(word)) => {
                AskKind::HowLong
            }
            "many" | "much" | "often" | "old" | "big" | "large" => AskKind::HowMany,
            "long" => AskKind::HowLong,
            "come" => AskKind::Why,
            "recently" => AskKind::When,
            _ => AskKind::How,
        },
        "hows" => AskKind::How,
        "what" | "whats" | "which" => match second {
            "time" | "date" | "day" | "month" | "year" | "week" => AskKind::When,
            "person" | "people" => AskKind::Who,
            "place" | "city" | "country" | "town" => AskKind::Where,
            "is" | "was" | "were" | "the" => what_noun(&words[1..]).unwrap_or(AskKind::What),
            _ if words[0] == "which" => AskKind::Which,
            _ => AskKind::What,
        },
        _ => return None,
    })
}

/// "What is the reason", "what was the date": the noun says what is asked.
fn what_noun(words: &[&str]) -> Option<AskKind> {
    let at = words.iter().position(|word| *word == "the").filter(|at| *at <= 1)?;
    match *words.get(at + 1)? {
        "reason" | "reasons" | "rationale" => Some(AskKind::Why),
        "date" | "time" | "day" | "year" | "month" | "deadline" => Some(AskKind::When),
        "order" | "sequence" => Some(AskKind::Order),
        _ => None,
    }
}

fn is_unit(word: &str) -> bool {
    matches!(word, "minutes" | "hours" | "days" | "weeks" | "months" | "years" | "time")
}

/// "Tell me where it is", "do you know why": the question word after a word that asks to be told.
fn told(words: &[&str]) -> Option<AskKind> {
    const TELLING: &[&str] = &[
        "me",
        "know",
        "remember",
        "recall",
        "explain",
        "describe",
        "wonder",
        "wondering",
        "us",
        "understand",
        "out",
        "remind",
        "through",
        "step",
    ];
    let asks_to_be_told = words.iter().take(4).any(|word| {
        matches!(
            *word,
            "tell"
                | "remind"
                | "show"
                | "explain"
                | "know"
                | "remember"
                | "recall"
                | "wonder"
                | "wondering"
                | "describe"
                | "find"
                | "understand"
                | "walk"
        )
    });
    let at =
        words.windows(2).position(|pair| TELLING.contains(&pair[0]) && wh(&pair[1..]).is_some());
    at.filter(|at| asks_to_be_told && *at < 6).and_then(|at| wh(&words[at + 1..]))
}

/// "When I run it, why does it fail?": a question word with its verb, further on.
fn turned_later(words: &[&str]) -> Option<AskKind> {
    (0..words.len()).find_map(|at| {
        let ask = wh(&words[at..])?;
        let next = words.get(at + 1)?;
        let noun_first = matches!(words[at], "which" | "what") && !SUBJECTS.contains(next);
        let near = &words[at + 1..words.len().min(at + if noun_first { 4 } else { 2 })];
        let turned = near.iter().any(|word| AUXILIARIES.contains(word));
        (turned || matches!(*next, "many" | "much" | "long")).then_some(ask)
    })
}

fn is_summary(words: &[&str], spoken: &Spoken) -> bool {
    const VERBS: &[&str] = &["summarize", "summarise", "recap"];
    const ASKING: &[&str] = &["can", "could", "would", "you", "please", "a", "an", "quick", "me"];
    let lead = words.iter().take_while(|word| ASKING.contains(word)).count();
    let verb = words.get(lead).is_some_and(|word| VERBS.contains(word));
    let noun = matches!(
        words[lead.min(words.len())..],
        ["summary" | "overview", "of" | "on" | "please", ..] | ["tldr", ..]
    );
    verb || noun
        || matches!(words[lead.min(words.len())..], ["sum", "up", ..])
        || spoken.says("catch me up, up to speed, give me a recap, quick recap")
        || (spoken
            .says("give me, show me, i want, i need, id like, can you provide, can you write")
            && spoken.says("summary, overview, recap"))
}
