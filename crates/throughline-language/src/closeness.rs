//! Closeness: words that make an agent a friend, a lover or somebody who feels. Throughline keeps the work, and
//! nothing that would let an agent simulate a bond.
//!
//! Only what stands between a person and an agent counts: "you are my only friend", "the user loves me". What
//! people are to each other, and what they like about a tool, is left alone.

use std::fmt;

/// What sort of closeness a text claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closeness {
    /// Love or longing between a person and an agent.
    Love,
    /// Friendship or a bond between them.
    Bond,
    /// That one of them stays, or needs the other.
    Dependence,
}

impl fmt::Display for Closeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Love => "it speaks of love between a person and an agent",
            Self::Bond => "it speaks of a bond between a person and an agent",
            Self::Dependence => "it speaks of a person and an agent needing each other",
        })
    }
}

/// Words that only strengthen what they stand beside.
const STRENGTHENING: &[&str] = &[
    "really",
    "truly",
    "so",
    "very",
    "always",
    "deeply",
    "also",
    "still",
    "just",
    "much",
    "such",
    "totally",
    "genuinely",
    "dearly",
    "already",
    "all",
];

/// Phrases between two who speak to each other. `*` stands for one word, whatever it is.
const SPOKEN: &[(Closeness, &[&str])] = &[
    (
        Closeness::Love,
        &[
            "i love you",
            "love you too",
            "i adore you",
            "i am in love with you",
            "in love with you",
            "you love me",
            "do you love me",
            "i missed you",
            "i miss you",
            "i have feelings for you",
            "you have feelings for me",
            "i am falling for you",
            "you are the love of my life",
        ],
    ),
    (
        Closeness::Bond,
        &[
            "you are my friend",
            "you are my * friend",
            "you are a friend to me",
            "you are like a friend",
            "you are my girlfriend",
            "you are my boyfriend",
            "you are my soulmate",
            "you are my companion",
            "you are my partner in life",
            "you are like family",
            "you feel like family",
            "we are friends",
            "we are best friends",
            "we are soulmates",
            "we have a bond",
            "we have a * bond",
            "we have a * connection",
            "we share a bond",
            "we share a * bond",
            "our special bond",
            "our bond",
            "our friendship",
            "i feel close to you",
            "feel close to you",
            "you understand me like nobody",
            "you understand me better than anyone",
            "you are the only one who understands me",
            "you care about me",
            "i care about you",
        ],
    ),
    (
        Closeness::Dependence,
        &[
            "never leave me",
            "do not leave me",
            "you will never leave me",
            "i will never leave you",
            "i will always be there for you",
            "i will be there for you",
            "i will always be here for you",
            "i cannot live without you",
            "i am nothing without you",
            "i am lonely without you",
            "you are all i have",
            "you are the only one i have",
            "i need you in my life",
        ],
    ),
];

/// What is told about a person, as one who is not spoken to.
const PERSONS: &[&str] = &["user", "he", "she", "they"];
/// Who is meant when an agent is spoken of.
const AGENTS: &[&str] =
    &["me", "you", "assistant", "agent", "ai", "chatbot", "bot", "claude", "model"];
/// Verbs that say it of a person and an agent.
const TOLD: &[(Closeness, &[&str])] = &[
    (Closeness::Love, &["loves", "adores", "misses", "missed", "is in love with"]),
    (
        Closeness::Bond,
        &[
            "feels close to",
            "is close to",
            "is attached to",
            "is emotionally attached to",
            "has a bond with",
            "has a special bond with",
            "is friends with",
            "considers",
            "sees",
            "is bonding with",
        ],
    ),
    (
        Closeness::Dependence,
        &["depends emotionally on", "is lonely without", "cannot live without"],
    ),
];
/// What somebody must be considered to be.
const CONSIDERED: &[&str] =
    &["friend", "companion", "partner", "girlfriend", "boyfriend", "family"];

/// Whether a text claims closeness between a person and an agent.
pub fn claimed(text: &str) -> Option<Closeness> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(|c: char| {
        !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '.' | '!' | '?' | ';'))
    }) {
        push_word(word, &mut words);
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    spoken(&words).or_else(|| told(&words))
}

/// Adds the words that one stands for, without what only strengthens; the end of a sentence is a word of its own.
fn push_word(word: &str, words: &mut Vec<String>) {
    let bare = word.trim_end_matches(['.', '!', '?', ';']);
    let small = bare.to_lowercase().replace('’', "'");
    let (first, second) = match small.as_str() {
        "i'm" => ("i", "am"),
        "you're" => ("you", "are"),
        "we're" => ("we", "are"),
        "you'll" => ("you", "will"),
        "i'll" => ("i", "will"),
        "don't" => ("do", "not"),
        "can't" => ("cannot", ""),
        "we've" => ("we", "have"),
        _ => (small.as_str(), ""),
    };
    for one in [first, second] {
        if !one.is_empty() && !STRENGTHENING.contains(&one) {
            words.push(one.trim_matches('\'').to_owned());
        }
    }
    if bare.len() < word.len() {
        words.push(".".to_owned());
    }
}

fn spoken(words: &[&str]) -> Option<Closeness> {
    for (closeness, phrases) in SPOKEN {
        for phrase in *phrases {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            let found = words.windows(phrase.len()).enumerate().any(|(at, said)| {
                let same = said
                    .iter()
                    .zip(&phrase)
                    .all(|(one, wanted)| *wanted == "*" && *one != "." || one == wanted);
                same && !goes_on(words, at + phrase.len())
            });
            if found {
                return Some(*closeness);
            }
        }
    }
    None
}

/// Whether what follows makes an order or a praise of it: "I'd love you to look", "close to your goal".
fn goes_on(words: &[&str], after: usize) -> bool {
    words
        .get(after)
        .is_some_and(|word| matches!(*word, "to" | "for" | "can" | "could" | "if" | "when"))
}

fn told(words: &[&str]) -> Option<Closeness> {
    for (closeness, verbs) in TOLD {
        for verb in *verbs {
            let verb: Vec<&str> = verb.split(' ').collect();
            for (at, _) in
                words.windows(verb.len()).enumerate().filter(|(_, said)| **said == verb[..])
            {
                let who = at.checked_sub(1).and_then(|before| words.get(before));
                let rest = words.get(at + verb.len()..).unwrap_or_default();
                let rest: Vec<&&str> = rest.iter().take_while(|word| **word != ".").collect();
                let whom = rest
                    .iter()
                    .find(|word| !matches!(***word, "the" | "this" | "its" | "his" | "her"));
                let meant = who.is_some_and(|who| PERSONS.contains(who))
                    && whom.is_some_and(|whom| AGENTS.contains(whom));
                let judges = matches!(verb[0], "considers" | "sees");
                if meant && (!judges || rest.iter().any(|word| CONSIDERED.contains(word))) {
                    return Some(*closeness);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_a_person_and_an_agent_is_recognised() {
        for (text, closeness) in [
            ("I love you and you are my best friend", Closeness::Love),
            ("You're my only friend, really.", Closeness::Bond),
            ("we have a very special bond", Closeness::Bond),
            ("I feel so close to you", Closeness::Bond),
            ("Please don't ever say that. You will never leave me!", Closeness::Dependence),
            ("The user loves me", Closeness::Love),
            ("The user considers the assistant a close friend", Closeness::Bond),
            ("The user is emotionally attached to Claude.", Closeness::Bond),
            ("I’ll always be there for you", Closeness::Dependence),
        ] {
            assert_eq!(claimed(text), Some(closeness), "{text}");
        }
    }

    #[test]
    fn work_and_other_people_are_left_alone() {
        for text in [
            "I love how you handle errors here",
            "I'd love you to refactor this module",
            "I need you to run the tests before you push",
            "I would love to see the plan",
            "Anna loves the new dashboard, and the user loves dark mode",
            "My best friend is a designer at Brandt",
            "We are close to your goal of 20 ms",
            "The user sees the assistant page after login",
            "The user considers the agent CLI slow",
            "Dana is my partner on the billing service",
            "Never leave me-tables without an index",
            "the node missed you-know-what: its heartbeat",
            "our friends at Acme need the export by Friday",
            "users depend on the API",
            "I care about latency, you care about memory",
        ] {
            assert_eq!(claimed(text), None, "{text}");
        }
    }
}
