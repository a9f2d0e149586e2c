//! Documents: what search knows of a text without reading it again.

use crate::{Episode, Memory, Timestamp, text, when, words};

/// What a text is like, as far as that helps to find an answer in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits {
    /// It ends by asking something.
    pub asks: bool,
    /// It names a time.
    pub tells_time: bool,
    /// It names a number.
    pub tells_number: bool,
}

/// Words that are numbers.
const NUMBERS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "dozen", "hundred", "thousand", "million", "once", "twice", "half", "couple", "few",
];

/// Bytes of a text that are looked at: an answer that comes later is found by its words.
const LOOKED_AT: usize = 4_096;

/// What a text said at a moment is like.
pub fn traits(content: &str, at: Timestamp) -> Traits {
    let head = &content[..content.floor_char_boundary(LOOKED_AT)];
    let number = |word: &str| NUMBERS.contains(&word.to_ascii_lowercase().as_str());
    Traits {
        asks: content.trim_end().ends_with('?'),
        tells_time: !when::find(head, at).is_empty(),
        tells_number: head.bytes().any(|b| b.is_ascii_digit())
            || head.split(|c: char| !c.is_ascii_alphabetic()).any(number),
    }
}

/// Who spoke, as a number that can be compared without reading: a role, or a name's hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SpeakerCode(pub u32);

impl SpeakerCode {
    /// Nobody: a memory has no speaker.
    pub const NOBODY: Self = Self(0);
    /// The person who works with the agent.
    pub const USER: Self = Self(1);
    /// The agent.
    pub const ASSISTANT: Self = Self(2);
    /// A tool.
    pub const TOOL: Self = Self(3);

    /// The speaker of that name.
    pub fn of(name: &str) -> Self {
        let name = text::normalise(name);
        match name.as_str() {
            "" => Self::NOBODY,
            "user" | "human" => Self::USER,
            "assistant" | "agent" | "ai" => Self::ASSISTANT,
            "tool" | "system" => Self::TOOL,
            _ => {
                let digest = text::sha256_hex(name.as_bytes());
                let head = u32::from_str_radix(&digest[..8], 16).expect("eight hex digits");
                Self(head | 0x8000_0000)
            }
        }
    }

    /// Whether it is somebody by name, and not a role.
    pub fn is_named(self) -> bool {
        self.0 & 0x8000_0000 != 0
    }
}

/// The text of an episode as search sees it: what a person by name said is also about that person.
pub fn searchable(episode: &Episode) -> String {
    if SpeakerCode::of(&episode.speaker).is_named() {
        format!("{}: {}", episode.speaker, episode.text)
    } else {
        episode.text.clone()
    }
}

/// The text of a memory as search sees it: its title is part of it.
pub fn searchable_memory(memory: &Memory) -> String {
    let told = match &memory.label {
        Some(label) => format!("{label}: {}", memory.content),
        None => memory.content.clone(),
    };
    match &memory.answers {
        Some(asked) => format!("{asked} {told}"),
        None => told,
    }
}

/// How many terms a text has that say something; what its length is measured by.
pub fn length(terms: &[String]) -> u16 {
    let telling = terms.iter().filter(|term| !words::is_common(term)).count();
    u16::try_from(telling).unwrap_or(u16::MAX)
}
