//! Topic: which names a turn brings, which ground it is on, and whether that changed.

use std::collections::{HashSet, VecDeque};

use throughline_core::Speaker;

use super::{Domain, watch::hash};
use crate::question;
use throughline_core::{Timestamp, words};

/// How much of a turn is looked at.
const LOOK_BYTES_MAX: usize = 1024;
const TERMS_MAX: usize = 64;

/// What a turn is about.
#[derive(Debug, Default)]
pub(super) struct About {
    /// The first of the names, as written, with their hashes: identifiers, paths, proper names.
    pub(super) names: Vec<(String, u32)>,
    /// Its telling terms, hashed, each once.
    pub(super) terms: Vec<u32>,
    /// The ground it is clearly on.
    pub(super) domain: Option<Domain>,
}

pub(super) fn about(speaker: Speaker, text: &str, at: Timestamp) -> About {
    let head = &text[..text.floor_char_boundary(LOOK_BYTES_MAX)];
    let asked = question::understand(head, at);
    let names = asked
        .names
        .iter()
        .chain(&asked.identifiers)
        .filter(|name| name.chars().filter(|c| c.is_alphabetic()).count() >= 2)
        .map(|name| (name.clone(), hash(&name.to_lowercase())))
        .collect();
    if speaker != Speaker::User {
        return About { names, ..About::default() };
    }
    let mut seen = HashSet::new();
    let terms: Vec<String> = words::terms(head)
        .into_iter()
        .filter(|term| term.len() > 2 && !words::is_common(term) && seen.insert(term.clone()))
        .take(TERMS_MAX)
        .collect();
    let domain = domain(&terms);
    About { names, terms: terms.iter().map(|term| hash(term)).collect(), domain }
}

/// The share of `terms` that were said lately.
#[expect(clippy::cast_precision_loss, reason = "at most 64 terms")]
pub(super) fn overlap(terms: &[u32], lately: &VecDeque<u32>) -> f64 {
    let known = terms.iter().filter(|term| lately.contains(term)).count();
    known as f64 / terms.len().max(1) as f64
}

/// The ground with two words or more and more than any other.
fn domain(terms: &[String]) -> Option<Domain> {
    let count = |list: &str| {
        let list: Vec<&str> = list.split_whitespace().collect();
        terms.iter().filter(|term| list.contains(&term.as_str())).count()
    };
    let mut counts: Vec<(usize, Domain)> =
        WORDS.iter().map(|(domain, list)| (count(list), *domain)).collect();
    counts.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    (counts[0].0 >= 2 && counts[0].0 > counts[1].0).then_some(counts[0].1)
}

/// The words of each ground, stemmed as terms are.
const WORDS: [(Domain, &str); 4] = [
    (
        Domain::Relationship,
        "friend wife husband partner colleagu boss mother father mom dad brother sister son \
         daughter girlfriend boyfriend marriag date trust argument feel apolog relationship \
         friendship coupl fianc roommat neighbor neighbour uncl aunt cousin togeth listen",
    ),
    (
        Domain::Project,
        "deadlin mileston roadmap sprint stakehold custom budget launch scope prioriti backlog \
         quarter ticket hire meet standup client contract market price competitor strategi \
         kickoff estim demo owner team manag schedul plan releas product feedback",
    ),
    (
        Domain::Technical,
        "code function test compil error bug api databas server refactor file class method modul \
         packag deploy branch commit lint type interfac struct queri schema migrat cach thread \
         log debug flag cli json http endpoint librari depend build script parser repo merg \
         variabl config docker sql regex async callback provid command output line markdown",
    ),
    (
        Domain::Personal,
        "health doctor sleep famili vacat birthday hobbi home weekend gym tire kid holiday diet \
         medic weight cook recip dog cat hous apart travel trip flight pain stress music guitar \
         garden marathon yoga therapi school rent mortgag",
    ),
];
