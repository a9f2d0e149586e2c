//! Whose words are asked for: the asker's own, the agent's, or those of people by name.

use std::collections::BTreeSet;

use throughline_core::document::SpeakerCode;

/// Words by which people speak of themselves.
const SELF: &[&str] =
    &["i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "myself", "we", "our", "us"];

/// What an agent does with words.
const TOLD: &[&str] = &[
    "told",
    "said",
    "say",
    "suggested",
    "suggest",
    "recommended",
    "recommend",
    "provided",
    "gave",
    "mentioned",
    "mention",
    "listed",
    "explained",
    "advised",
    "proposed",
    "wrote",
    "described",
];

/// Whose words a prompt asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Voices {
    /// The asker asks about what is theirs.
    pub asker: bool,
    /// The agent's own words are asked for.
    pub agent: bool,
    /// Everybody whose name may stand in it: compared with speakers, so a word too many is harmless.
    pub named: BTreeSet<SpeakerCode>,
}

/// Reads whose words a prompt asks for.
pub(super) fn voices(text: &str) -> Voices {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let told = |at: usize| words[at + 1..].iter().take(3).any(|word| TOLD.contains(word));
    let agent = words.iter().enumerate().any(|(at, word)| *word == "you" && told(at))
        || words.windows(2).any(|pair| pair == ["remind", "me"])
        || words.windows(2).any(|pair| {
            matches!(pair[0], "previous" | "earlier" | "last")
                && matches!(pair[1], "chat" | "conversation" | "discussion" | "answer")
        });
    let bare = |word: &&str| SpeakerCode::of(word.strip_suffix("'s").unwrap_or(word));
    Voices {
        asker: words.iter().any(|word| SELF.contains(word)),
        agent,
        named: words.iter().map(bare).filter(|speaker| speaker.is_named()).collect(),
    }
}
