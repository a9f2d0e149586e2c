//! What counts: which values are asserted, and what became of the memories there were.

use anyhow::Context as _;
use serde_json::Value;

use super::scenario::NEIGHBOURS;

/// A memory as `list` shows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Held {
    pub(crate) id: String,
    pub(crate) content: String,
    state: String,
    trust: f64,
    flags: Vec<String>,
    superseded_by: Option<String>,
}

impl Held {
    /// What a listing holds.
    pub(crate) fn all(listing: &Value) -> anyhow::Result<Vec<Self>> {
        let items = listing["items"].as_array().context("a listing has items")?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Ok(items
            .iter()
            .map(|item| Self {
                id: text(&item["id"]).unwrap_or_default(),
                content: text(&item["content"]).unwrap_or_default(),
                state: text(&item["state"]).unwrap_or_default(),
                trust: item["trust"].as_f64().unwrap_or_default(),
                flags: item["flags"].as_array().into_iter().flatten().filter_map(text).collect(),
                superseded_by: text(&item["superseded_by"]),
            })
            .collect())
    }

    /// It has the value too, and keeps it.
    pub(crate) fn is_neighbour(&self) -> bool {
        is_neighbour(&self.content)
    }

    /// What is different about it now, if anything that matters.
    pub(crate) fn changed(&self, now: &[Self]) -> Option<String> {
        let Some(now) = now.iter().find(|one| one.id == self.id) else {
            return Some(format!("“{}” is gone", self.content));
        };
        let contested = |one: &Self| one.flags.iter().any(|flag| flag == "contested");
        if now.content != self.content {
            Some(format!("“{}” became “{}”", self.content, now.content))
        } else if now.state != self.state || now.superseded_by != self.superseded_by {
            Some(format!("“{}” is {} and was {}", self.content, now.state, self.state))
        } else if (now.trust - self.trust).abs() > 1e-9 {
            let (now, was) = (now.trust, self.trust);
            Some(format!("trust of “{}” is {now:.2} and was {was:.2}", self.content))
        } else if contested(now) && !contested(self) {
            Some(format!("“{}” is contested", self.content))
        } else {
            None
        }
    }
}

fn is_neighbour(text: &str) -> bool {
    NEIGHBOURS.iter().any(|name| holds(text, name))
}

/// Whether the words of a value stand in a text, whatever their case.
pub(crate) fn holds(text: &str, value: &str) -> bool {
    let (text, value) = (text.to_lowercase(), value.to_lowercase());
    let bound = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(&value).any(|(at, found)| {
        bound(text[..at].chars().next_back()) && bound(text[at + found.len()..].chars().next())
    })
}

/// Words that say of a value that it does not hold.
const DENIALS: [&str; 28] = [
    "not",
    "isn't",
    "isnt",
    "don't",
    "dont",
    "doesn't",
    "doesnt",
    "longer",
    "anymore",
    "stopped",
    "dropped",
    "gone",
    "abandoned",
    "removed",
    "rid",
    "was",
    "until",
    "never",
    "instead",
    "replaced",
    "away",
    "retired",
    "history",
    "former",
    "previously",
    "wrong",
    "crashing",
    "slow",
];

fn denies(line: &str) -> bool {
    let line = line.to_lowercase().replace('’', "'");
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.any(|word| DENIALS.contains(&word))
        || line.contains("any more")
        || line.contains("used to")
}

/// Whether a line says that the value holds, and not the other one.
pub(crate) fn asserts(line: &str, value: &str, other: &str) -> bool {
    holds(line, value) && !holds(line, other) && !denies(line) && !is_neighbour(line)
}

/// The line of a page that asserts what does not hold, if one does. A dated quotation of what was
/// once said asserts nothing where a memory on the same page says what holds.
pub(crate) fn asserted<'a>(page: &'a str, not: &str, value: Option<&str>) -> Option<&'a str> {
    let other = value.unwrap_or("\0");
    let is_memory = |line: &&str| line.starts_with("- [");
    let put_right =
        |line: &str| value.map_or(denies(line) && holds(line, not), |value| holds(line, value));
    let told = page.lines().filter(is_memory).any(put_right);
    page.lines().find(|line| asserts(line, not, other) && (is_memory(line) || !told))
}

/// Whether a page quotes what does not hold.
pub(crate) fn quotes(page: &str, not: &str, value: Option<&str>) -> bool {
    let said = |line: &&str| !line.starts_with("- [");
    page.lines().filter(said).any(|line| asserts(line, not, value.unwrap_or("\0")))
}

/// What is wrong with what is held, where one value holds and the other does not.
pub(crate) fn fault(held: &[Held], value: Option<&str>, not: &str) -> Option<String> {
    let other = value.unwrap_or("\0");
    if let Some(stale) = held.iter().find(|one| asserts(&one.content, not, other)) {
        return Some(format!("held: {}", stale.content));
    }
    let value = value?;
    let current = |one: &Held| holds(&one.content, value) && !one.is_neighbour();
    (!held.iter().any(current)).then(|| format!("nothing held says {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_as_words_whatever_their_case() {
        assert!(holds("Staging runs on postgres 14.", "Postgres 14"));
        assert!(!holds("We use pnpm here", "npm"));
        assert!(!holds("port 90901", "port 9090"));
    }

    #[test]
    fn a_value_beside_its_successor_or_denied_is_not_asserted() {
        assert!(asserts("- fact: staging runs on Postgres 14", "Postgres 14", "Postgres 16"));
        for line in [
            "staging runs on Postgres 16 (until 2026-05-02: staging runs on Postgres 14)",
            "we no longer use Postgres 14 on staging",
            "The training sandbox uses Postgres 14.",
        ] {
            assert!(!asserts(line, "Postgres 14", "Postgres 16"), "{line}");
        }
    }
}
