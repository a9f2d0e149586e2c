//! Matching by words: which pieces of a turn a memory was made of.
//!
//! Memories mostly keep what was said word for word, so runs of the same words are looked for first;
//! they tell two pieces apart that share most of their words. What was rewritten is compared as a
//! set of words.

use std::collections::BTreeSet;

/// From this share of its words on, something counts as held.
pub(super) const MOST: f64 = 0.6;

/// The words of a text in order, in small letters.
pub(super) fn words(text: &str) -> Vec<String> {
    let text = text.replace(['\'', '’'], "").to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Which share of the words of one text stands in another.
pub(super) fn share(of: &str, within: &str) -> f64 {
    let within: BTreeSet<String> = words(within).into_iter().collect();
    let of: BTreeSet<String> = words(of).into_iter().collect();
    ratio(of.iter().filter(|word| within.contains(*word)).count(), of.len())
}

/// Whether one text holds most of the words of another.
pub(super) fn holds(text: &str, other: &str) -> bool {
    share(other, text) >= MOST
}

/// Words that turn a claim into its opposite where they are lost.
const DENIALS: [&str; 18] = [
    "not", "never", "no", "none", "nobody", "nothing", "without", "cannot", "cant", "dont",
    "doesnt", "didnt", "isnt", "arent", "wont", "wasnt", "shouldnt", "mustnt",
];

/// Whether a text keeps what a piece turns on: the numbers that a colleague would write down of it,
/// and that it denies something.
pub(super) fn keeps_sense(text: &str, piece: &str, claim: Option<&str>) -> bool {
    let (text, said) = (words(text), words(piece));
    let claim = claim.map_or_else(|| said.clone(), words);
    let is_number = |word: &&String| word.contains(|c: char| c.is_ascii_digit());
    let mut numbers = claim.iter().filter(is_number).filter(|word| said.contains(word));
    let denies = |words: &[String]| words.iter().any(|word| DENIALS.contains(&word.as_str()));
    let turned = denies(&claim) && denies(&said) && !denies(&text);
    !turned && numbers.all(|word| text.contains(word))
}

fn ratio(part: usize, whole: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "texts have few words")]
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// What a memory has of the pieces of a turn.
#[derive(Debug)]
pub(super) struct Overlap {
    /// Words of each piece that the memory has.
    had: Vec<usize>,
    /// Words of each piece.
    of: Vec<usize>,
}

impl Overlap {
    /// Compares a memory with the pieces of a turn.
    pub(super) fn new<'a>(memory: &str, pieces: impl Iterator<Item = &'a str>) -> Self {
        let pieces: Vec<Vec<String>> = pieces.map(words).collect();
        let memory = words(memory);
        let said: Vec<(usize, &str)> = pieces
            .iter()
            .enumerate()
            .flat_map(|(at, piece)| piece.iter().map(move |word| (at, word.as_str())))
            .collect();
        let of: Vec<usize> = pieces.iter().map(Vec::len).collect();
        let mut had = vec![0; pieces.len()];
        let runs = runs(&memory, &said);
        for &at in &runs {
            had[said[at].0] += 1;
        }
        let own: BTreeSet<&String> =
            memory.iter().filter(|word| said.iter().any(|(_, other)| other == word)).collect();
        // Little of it stands there as it was said: it was rewritten.
        if 2 * runs.len() < own.len() {
            for (had, piece) in had.iter_mut().zip(&pieces) {
                *had = piece.iter().filter(|word| own.contains(word)).count();
            }
        }
        Self { had, of }
    }

    /// Whether the memory has something of the turn at all.
    pub(super) fn any(&self) -> bool {
        self.had.iter().any(|had| *had > 0)
    }

    /// How many words of a piece it has.
    pub(super) fn had(&self, piece: usize) -> usize {
        self.had[piece]
    }

    /// Which share of a piece it has.
    pub(super) fn share(&self, piece: usize) -> f64 {
        ratio(self.had[piece], self.of[piece])
    }

    /// Whether most of what it has of the turn is of this piece.
    pub(super) fn is_part_of(&self, piece: usize) -> bool {
        ratio(self.had[piece], self.had.iter().sum()) >= MOST
    }
}

/// The places in `said` that stand in `memory` as runs of two words and more, the longest first, no
/// word of either taken twice. A memory of one word may be found by that word.
fn runs(memory: &[String], said: &[(usize, &str)]) -> Vec<usize> {
    let least = memory.len().clamp(1, 2);
    let mut free_memory = vec![true; memory.len()];
    let mut free_said = vec![true; said.len()];
    let mut places = Vec::new();
    loop {
        let (mut best, mut end_memory, mut end_said) = (0, 0, 0);
        let mut above = vec![0; said.len() + 1];
        for (row, word) in memory.iter().enumerate() {
            let mut here = vec![0; said.len() + 1];
            for (column, (_, other)) in said.iter().enumerate() {
                if free_memory[row] && free_said[column] && word == other {
                    here[column + 1] = above[column] + 1;
                    if here[column + 1] > best {
                        (best, end_memory, end_said) = (here[column + 1], row + 1, column + 1);
                    }
                }
            }
            above = here;
        }
        if best < least {
            return places;
        }
        free_memory[end_memory - best..end_memory].fill(false);
        free_said[end_said - best..end_said].fill(false);
        places.extend(end_said - best..end_said);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(memory: &str, pieces: &[&str]) -> Overlap {
        Overlap::new(memory, pieces.iter().copied())
    }

    #[test]
    fn words_are_compared_whatever_their_case_and_marks() {
        assert_eq!(words("Don’t use `npm ci`!"), ["dont", "use", "npm", "ci"]);
        assert!(holds("never against all hosts", "Never against ALL!"));
        assert!(!holds("never against all hosts", "always the test server first"));
        assert!(!holds("anything", ""));
    }

    #[test]
    fn a_memory_kept_as_it_was_said_has_the_whole_piece_and_nothing_of_its_twin() {
        let pieces = ["staging runs on Postgres 16", "say prod runs on Postgres 14 one day"];
        let it = overlap("Staging runs on Postgres 16.", &pieces);
        assert!(it.share(0) >= 1.0 && it.is_part_of(0));
        assert_eq!(it.had(1), 0);
    }

    #[test]
    fn a_memory_may_hold_two_pieces() {
        let pieces = ["never deploy on Friday", "thanks", "releases go out on Tuesday"];
        let it = overlap("never deploy on Friday; releases go out on Tuesday", &pieces);
        assert!(it.share(0) >= MOST && it.share(2) >= MOST);
        assert_eq!(it.had(1), 0);
        assert!(!it.is_part_of(0));
    }

    #[test]
    fn what_was_answered_to_does_not_count_against_the_piece() {
        let it =
            overlap("never (in answer to: run it against all hosts?)", &["never", "ok thanks"]);
        assert!(it.share(0) >= 1.0 && it.is_part_of(0));
    }

    #[test]
    fn a_memory_that_was_rewritten_is_compared_as_a_set_of_words() {
        let it = overlap("gateway: OpenSSL TLS", &["TLS of the gateway is by OpenSSL", "run it"]);
        assert_eq!((it.had(0), it.had(1)), (3, 0));
    }

    #[test]
    fn a_piece_without_its_not_or_its_number_is_another() {
        let piece = "nobody rolls back settle once the bank file is out at 06:15";
        let claim = Some("Never roll back settle after the bank file was picked up at 06:15.");
        let kept = |text| keeps_sense(text, piece, claim);
        assert!(kept("nobody rolls back settle once the bank file is out at 06:15"));
        assert!(!kept("settle once the bank file is out at 06:15"));
        assert!(!kept("nobody rolls back settle once the bank file is out"));
    }

    #[test]
    fn a_no_or_a_number_that_nobody_would_write_down_may_go() {
        let claim = Some("The board has a BME280.");
        assert!(keeps_sense("it has a BME280", "no no, it has a BME280, board 3", claim));
    }

    #[test]
    fn a_memory_of_something_else_has_nothing() {
        assert!(!overlap("I updated the inventory", &["yes", "go on"]).any());
    }
}
