//! The baseline: plain BM25 over the same turns, so that every figure has one to stand beside.

use std::collections::{BTreeMap, HashMap};

use throughline_core::words;

use crate::data::Set;
use crate::haystack::Haystack;
use crate::metrics::float;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The turns of every question's haystack, best first by BM25, in the order of the questions.
pub(crate) fn rankings(set: &Set, haystacks: &[Haystack<'_>], most: usize) -> Vec<Vec<String>> {
    let terms: BTreeMap<&str, Vec<String>> = set
        .sessions
        .values()
        .flat_map(|one| &one.turns)
        .map(|turn| (turn.id.as_str(), telling(&format!("{}: {}", turn.speaker, turn.text))))
        .collect();
    let mut rankings = vec![Vec::new(); set.questions.len()];
    for haystack in haystacks {
        let ids: Vec<&str> = haystack
            .sessions
            .iter()
            .flat_map(|session| &set.sessions[*session].turns)
            .map(|turn| turn.id.as_str())
            .collect();
        let documents: Vec<&[String]> = ids.iter().map(|id| terms[id].as_slice()).collect();
        let index = Index::of(&documents);
        for at in &haystack.questions {
            let best = index.rank(&set.questions[*at].question, most);
            rankings[*at] = best.into_iter().map(|document| ids[document].to_owned()).collect();
        }
    }
    rankings
}

fn telling(text: &str) -> Vec<String> {
    words::terms(text).into_iter().filter(|term| !words::is_common(term)).collect()
}

/// Which documents hold a term, how often, and how long documents are.
struct Index<'a> {
    holding: HashMap<&'a str, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    mean_length: f64,
}

impl<'a> Index<'a> {
    fn of(documents: &[&'a [String]]) -> Self {
        let mut holding: HashMap<&str, Vec<(usize, f64)>> = HashMap::new();
        for (number, document) in documents.iter().enumerate() {
            for term in *document {
                let held = holding.entry(term).or_default();
                match held.last_mut() {
                    Some((last, count)) if *last == number => *count += 1.0,
                    _ => held.push((number, 1.0)),
                }
            }
        }
        let lengths: Vec<f64> = documents.iter().map(|one| float(one.len())).collect();
        let mean_length = crate::metrics::average(&lengths).max(1.0);
        Self { holding, lengths, mean_length }
    }

    fn rank(&self, query: &str, most: usize) -> Vec<usize> {
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        let all = float(self.lengths.len());
        for term in words::query_terms(query) {
            let Some(held) = self.holding.get(term.as_str()) else { continue };
            let n = float(held.len());
            let rarity = (1.0 + (all - n + 0.5) / (n + 0.5)).ln();
            for (document, count) in held {
                let length = self.lengths[*document] / self.mean_length;
                let damped = count + K1 * (1.0 - B + B * length);
                *scores.entry(*document).or_default() += rarity * count * (K1 + 1.0) / damped;
            }
        }
        let mut best: Vec<(usize, f64)> = scores.into_iter().collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        best.into_iter().take(most).map(|(document, _)| document).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_in_short_texts_come_first() {
        let texts = [
            "the harbour opens at dawn and the harbour master waits",
            "walnut shelf",
            "a walnut table beside the harbour, with a long story about its maker and the sea",
            "nothing of the kind",
        ];
        let terms: Vec<Vec<String>> = texts.iter().map(|text| telling(text)).collect();
        let documents: Vec<&[String]> = terms.iter().map(Vec::as_slice).collect();
        let index = Index::of(&documents);
        assert_eq!(index.rank("where is the walnut?", 5), [1, 2]);
        assert_eq!(index.rank("harbour", 1), [0]);
        assert!(index.rank("giraffe", 5).is_empty());
    }
}
