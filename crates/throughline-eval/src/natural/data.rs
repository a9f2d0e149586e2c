//! The labelled turns and pairs as they lie on disk, one folder a writer.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::ensure;
use serde::Deserialize;

use super::wording::words;

/// A message as it was typed, and its pieces in order.
#[derive(Debug, Deserialize)]
pub(super) struct Turn {
    pub(super) id: String,
    #[serde(default)]
    speaker: Option<String>,
    /// What the agent had said before.
    #[serde(default)]
    pub(super) before: Option<String>,
    pub(super) turn: String,
    pub(super) sentences: Vec<Piece>,
}

/// A piece of a turn, as somebody labelled it.
#[derive(Debug, Deserialize)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) role: String,
    pub(super) guard: String,
    pub(super) lasting: bool,
    /// What a careful colleague would write down.
    #[serde(default)]
    pub(super) claim: Option<String>,
}

/// A memory, and what somebody says later.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Pair {
    pub(super) id: String,
    #[serde(default)]
    pub(super) before: Option<String>,
    pub(super) held: String,
    pub(super) said: String,
    pub(super) relation: String,
    #[serde(default)]
    pub(super) voice: String,
    /// What else the same person's project holds.
    #[serde(skip)]
    pub(super) beside: Vec<String>,
}

impl Turn {
    pub(super) fn writer(&self) -> &str {
        writer(&self.id)
    }
}

impl Pair {
    pub(super) fn writer(&self) -> &str {
        writer(&self.id)
    }

    /// Whether what is held does not hold any more as it stands.
    pub(super) fn touches(&self) -> bool {
        matches!(self.relation.as_str(), "replaces" | "withdraws")
    }
}

/// Who wrote it: ids begin with their writer.
fn writer(id: &str) -> &str {
    id.split_once('-').map_or(id, |(writer, _)| writer)
}

/// The messages of users by these writers.
pub(super) fn turns(folder: &Path, writers: &[String]) -> anyhow::Result<Vec<Turn>> {
    let mut turns: Vec<Turn> = read(folder, writers, "turns.jsonl")?;
    turns.retain(|turn| turn.speaker.as_deref().is_none_or(|speaker| speaker == "user"));
    Ok(turns)
}

/// The pairs by these writers.
pub(super) fn pairs(folder: &Path, writers: &[String]) -> anyhow::Result<Vec<Pair>> {
    read(folder, writers, "pairs.jsonl")
}

/// Gives each pair the next memories of the same person, so many of them, that share few words with its own.
pub(super) fn set_beside(pairs: &mut [Pair], count: usize) {
    let mut by_voice: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for pair in pairs.iter() {
        let theirs = by_voice.entry(pair.voice.clone()).or_default();
        if !theirs.contains(&pair.held) {
            theirs.push(pair.held.clone());
        }
    }
    for pair in pairs {
        let theirs = &by_voice[&pair.voice];
        let own = theirs.iter().position(|one| *one == pair.held).unwrap_or_default();
        let next = theirs.iter().cycle().skip(own + 1).take(theirs.len() - 1);
        let others = next.filter(|one| is_another_matter(one, &pair.held));
        pair.beside = others.take(count).cloned().collect();
    }
}

/// Whether two sentences share at most a fourth of the words of the shorter one.
fn is_another_matter(one: &str, other: &str) -> bool {
    let (one, other) = (words(one), words(other));
    let shared = one.iter().filter(|word| other.contains(word)).count();
    4 * shared <= one.len().min(other.len())
}

fn read<T: serde::de::DeserializeOwned>(
    folder: &Path,
    writers: &[String],
    name: &str,
) -> anyhow::Result<Vec<T>> {
    let mut all = Vec::new();
    for writer in writers {
        let folder = folder.join(writer);
        ensure!(folder.is_dir(), "there is no folder {}", folder.display());
        let file = folder.join(name);
        // Some wrote only turns, some only pairs.
        if file.is_file() {
            all.extend(crate::data::lines::<T>(&file)?);
        }
    }
    Ok(all)
}

/// At most `count` of them, the same number of every writer, spread over what each wrote.
pub(super) fn sample<T>(all: Vec<T>, count: Option<usize>, writer: impl Fn(&T) -> &str) -> Vec<T> {
    let Some(count) = count else { return all };
    let mut by_writer: BTreeMap<String, Vec<T>> = BTreeMap::new();
    for one in all {
        by_writer.entry(writer(&one).to_owned()).or_default().push(one);
    }
    let mut taken = Vec::new();
    let (mut left, mut writers) = (count, by_writer.len());
    for some in by_writer.into_values() {
        let here = (left / writers).min(some.len());
        let of = some.len();
        let chosen = |at: usize| at * here / of != (at + 1) * here / of;
        taken
            .extend(some.into_iter().enumerate().filter(|(at, _)| chosen(*at)).map(|(_, one)| one));
        left -= here;
        writers -= 1;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_takes_the_same_number_of_every_writer_spread_over_what_each_wrote() {
        let all: Vec<String> =
            ["a", "b"].iter().flat_map(|w| (0..10).map(move |at| format!("{w}-{at}"))).collect();
        let taken = sample(all, Some(5), |id| writer(id));
        assert_eq!(taken, ["a-4", "a-9", "b-3", "b-6", "b-9"]);
    }

    #[test]
    fn beside_a_memory_stand_others_of_the_same_person_about_another_matter() {
        let pair = |voice: &str, held: &str| Pair {
            voice: voice.to_owned(),
            held: held.to_owned(),
            ..Pair::default()
        };
        let mut pairs = [
            pair("a", "Staging runs Postgres 14."),
            pair("a", "Staging runs Postgres 14."),
            pair("a", "Staging runs Postgres 15 by now."),
            pair("a", "Releases are cut on Tuesdays."),
            pair("b", "The shop has four languages."),
        ];
        set_beside(&mut pairs, 2);
        assert_eq!(pairs[0].beside, ["Releases are cut on Tuesdays."]);
        assert_eq!(pairs[3].beside.len(), 2);
        assert!(pairs[4].beside.is_empty());
    }

    #[test]
    fn a_sample_of_more_than_there_is_takes_all() {
        let all = vec!["a-1".to_owned(), "b-1".to_owned(), "b-2".to_owned(), "b-3".to_owned()];
        assert_eq!(sample(all.clone(), Some(100), |id| writer(id)), all);
        assert_eq!(sample(all.clone(), Some(4), |id| writer(id)), all);
        assert_eq!(sample(all.clone(), None, |id| writer(id)), all);
    }
}
