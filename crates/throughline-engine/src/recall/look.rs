//! Looking: every arm over every index within reach, put together into scored candidates.

use std::collections::{BTreeSet, VecDeque};
use std::sync::mpsc;
use std::thread::Scope;

use throughline_attention::relevance::{self, Background, Parts, Signals, SpokenBy, Spread, Text};
use throughline_core::document::SpeakerCode;
use throughline_core::{NodeId, SpaceId, State, words as terms};
use throughline_embed::Embedding;
use throughline_language::question::{AskKind, Question};
use throughline_store::{Document, Reader, TextOf};

use super::names::Mentioned;
use super::rank::Falling;
use super::times::{in_time, is_about_time};
use super::vectors::{self, Cosines};
use super::words::{self, DocumentScore, IndexWords, Occurrences, TermWeight, best, keep_first};
use super::{Ask, CandidateFate, RecallCandidate};
use crate::Result;
use crate::flows::Recalling;
use crate::index::{Indexes, NONE, SearchIndex};
use crate::meaning::Far;

/// The states that recall looks at; what was replaced leads to what replaced it.
pub(super) const LOOKED_AT: [State; 3] = [State::Staged, State::Confirmed, State::Superseded];

/// Of an index with no more documents than so many times the candidates, all are looked at.
pub(super) const WHOLE: usize = 3;

/// What the date of a memory counts beside that of a turn.
const MEMORY_TIME: f64 = 0.2;

/// One index within reach, with what the arms say about it.
struct ReachedIndex {
    space: SpaceId,
    of: TextOf,
    index: SearchIndex,
    words: IndexWords,
    /// The documents that the words find best.
    best: Vec<u32>,
    cosines: Option<Cosines>,
}

/// What every candidate is held against.
struct Prompt<'a> {
    question: &'a Question,
    /// Whether the time arm looks.
    time: bool,
    /// It asks about a time and nothing else.
    about_time: bool,
}

/// What the words say about the indexes of one sort.
struct WordsOfSort {
    of: TextOf,
    /// For each index what they say, and the documents that they find best.
    words: Vec<(IndexWords, Vec<u32>)>,
    /// What is usual among their scores; of cosines nothing is known yet.
    background: Background,
}

/// What one index within reach is: whose, of what, and the documents.
pub(super) type Within = (SpaceId, TextOf, SearchIndex);

/// A scan of vectors that goes on beside.
pub(super) struct Scan {
    /// What the prompt means, as soon as that is known; nothing where vectors do not look.
    pub(super) meaning: Option<mpsc::Receiver<Embedding>>,
    /// It is of a service's vectors, which are here and not in the store's records.
    is_far: bool,
    hand_over: mpsc::Sender<Vec<Within>>,
    cosines: Option<mpsc::Receiver<Vec<Cosines>>>,
}

/// What the arms say about what lies within reach: words and names by now, vectors as they come.
pub(super) struct ArmReports {
    within: Vec<Within>,
    spoken: VecDeque<WordsOfSort>,
    /// The cosines of one sort of texts after the other; nothing where vectors do not look.
    cosines: Option<mpsc::Receiver<Vec<Cosines>>>,
    /// Those that were waited for already.
    ready: VecDeque<Vec<Cosines>>,
    /// What is read is read from a server, all at once.
    pub(super) at_once: bool,
    /// What the prompt names.
    pub(super) mentioned: Mentioned,
}

impl ArmReports {
    /// Waits for the scans of all indexes. Each with what it found.
    pub(super) fn scanned(&mut self) -> impl Iterator<Item = (&Within, &Cosines)> {
        while let Some(cosines) = self.cosines.as_ref().and_then(|told| told.recv().ok()) {
            self.ready.push_back(cosines);
        }
        self.within.iter().zip(self.ready.iter().flatten())
    }

    /// The cosines of the next sort of texts.
    fn next_cosines(&mut self) -> Vec<Cosines> {
        let ready = self.ready.pop_front();
        let wait = || self.cosines.as_ref().map(|told| told.recv().expect("scans do not panic"));
        ready.or_else(wait).unwrap_or_default()
    }
}

/// The order in which the arms look: memories first, because more is read about them.
pub(super) const SORTS: [TextOf; 2] = [TextOf::Memories, TextOf::Episodes];

impl Recalling<'_> {
    /// Begins to scan vectors beside everything else: with the prompt, while the indexes are still
    /// being read.
    pub(super) fn scan_beside<'scope, 'engine: 'scope>(
        &'engine self,
        beside: &'scope Scope<'scope, 'engine>,
        ask: &'engine Ask<'_>,
        far: Option<Far>,
    ) -> Scan {
        let (hand_over, handed) = mpsc::channel::<Vec<Within>>();
        let (tell, told) = mpsc::channel();
        let (say, meaning) = mpsc::channel();
        let is_far = far.is_some();
        if ask.arms.vectors {
            beside.spawn(move || {
                let meaning = self.engine.meaning.of_query(ask.query);
                say.send(meaning).ok();
                // Whoever asked may have gone, over an error of its own.
                let within = handed.recv().unwrap_or_default();
                for sort in SORTS {
                    let these = within.iter().filter(|(_, of, _)| *of == sort);
                    let scan = |one: &Within| match &far {
                        Some(far) => vectors::scan_far(&one.2, far, &meaning, &LOOKED_AT),
                        None => vectors::scan(&one.2, &meaning, &LOOKED_AT),
                    };
                    tell.send(these.map(scan).collect()).ok();
                }
            });
        }
        let looks = ask.arms.vectors;
        let (cosines, meaning) = (looks.then_some(told), looks.then_some(meaning));
        Scan { meaning, is_far, hand_over, cosines }
    }

    /// Lets the arms look at every index: words and names here, vectors where they are scanned.
    pub(super) fn look(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        question: &Question,
        scan: Scan,
    ) -> Result<ArmReports> {
        let within = self.within(reader, ask, question, &scan)?;
        scan.hand_over.send(within.clone()).ok();
        let spoken = self.ask_words(reader, ask, &within)?;
        let memories = within.iter().filter(|(_, of, _)| *of == TextOf::Memories);
        let spaces = memories.map(|(space, _, _)| *space).collect();
        let mut mentioned = self.mentioned(reader, spaces, question, ask.query)?;
        mentioned.memories.extend(&ask.rules);
        let at_once = self.engine.store.server().is_some() && ask.as_of.is_none();
        let ready = VecDeque::new();
        let mut heard =
            ArmReports { within, spoken, cosines: scan.cosines, ready, at_once, mentioned };
        let is_held = heard.within.iter().any(|(_, _, index)| index.found().is_none());
        if at_once && !scan.is_far && is_held {
            self.vectors_ahead(reader, &mut heard)?;
        }
        Ok(heard)
    }

    /// Adds the memories that some arm finds, best first.
    pub(super) fn find_memories(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        question: &Question,
        heard: &mut ArmReports,
        candidates: &mut Vec<RecallCandidate>,
    ) -> Result<()> {
        self.find(TextOf::Memories, reader, ask, question, heard, candidates)
    }

    /// Adds the turns that some arm finds, best first. Their vectors were scanned while memories were read.
    pub(super) fn find_turns(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        question: &Question,
        heard: &mut ArmReports,
        candidates: &mut Vec<RecallCandidate>,
    ) -> Result<()> {
        self.find(TextOf::Episodes, reader, ask, question, heard, candidates)
    }

    fn find(
        &self,
        sort: TextOf,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        question: &Question,
        heard: &mut ArmReports,
        candidates: &mut Vec<RecallCandidate>,
    ) -> Result<()> {
        let Some(WordsOfSort { of, words, mut background }) = heard.spoken.pop_front() else {
            return Ok(());
        };
        debug_assert_eq!(of, sort, "memories are found first");
        let mut cosines = heard.next_cosines().into_iter();
        let these = heard.within.iter().filter(|(_, sort, _)| *sort == of);
        let mut collections: Vec<ReachedIndex> = these
            .zip(words)
            .map(|((space, of, index), (words, best))| {
                let cosines = cosines.next();
                let index = index.clone();
                let (space, of) = (*space, *of);
                ReachedIndex { space, of, index, words, best, cosines }
            })
            .collect();
        background.cosine = self.usual_cosine(&collections);
        let about_time = ask.arms.time && is_about_time(ask.query, question);
        let prompt = Prompt { question, time: ask.arms.time, about_time };
        let first = candidates.len();
        for collection in &mut collections {
            let numbers = self.shortlist(collection);
            if let Some(cosines) = &mut collection.cosines {
                cosines.settle(reader, collection.space, &collection.index, &numbers)?;
            }
            let looked_at = numbers.into_iter();
            candidates.extend(
                looked_at.filter_map(|at| self.candidate(collection, at, &prompt, &background)),
            );
        }
        for collection in collections {
            self.engine.words_pool.keep(collection.words);
        }
        candidates[first..].sort_by_cached_key(|one| (Falling(one.parts.sum()), one.node));
        Ok(())
    }

    /// What the words say about every index, memories first, and how much the words of the query
    /// tell there.
    fn ask_words(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        within: &[Within],
    ) -> Result<VecDeque<WordsOfSort>> {
        let (policy, relevance) = (&self.engine.policy.words, &self.engine.policy.relevance);
        let asked_for = if ask.arms.words { terms::query_terms(ask.query) } else { Vec::new() };
        let mut spoken = VecDeque::new();
        for of in SORTS {
            let mut found: Vec<(&SearchIndex, Occurrences)> = Vec::new();
            for (space, sort, index) in within.iter().filter(|(_, sort, _)| *sort == of) {
                let occurrences =
                    words::occurrences(reader, *space, *sort, index, &asked_for, policy)?;
                found.push((index, occurrences));
            }
            let telling = TermWeight::of(asked_for.len(), &found);
            let mut scored: Vec<(&SearchIndex, IndexWords)> = Vec::new();
            for (index, one) in found {
                let clear = self.engine.words_pool.clear_words();
                let words = words::score(clear, index, &one, &telling, policy, relevance);
                scored.push((index, words));
            }
            let background = self.background(&scored, telling.asked);
            let words = scored
                .into_iter()
                .map(|(index, words)| {
                    let best = self.best_by_words(index, &words);
                    (words, best)
                })
                .collect();
            spoken.push_back(WordsOfSort { of, words, background });
        }
        Ok(spoken)
    }

    /// The indexes within reach that hold something, memories first.
    fn within(
        &self,
        reader: &dyn Reader,
        ask: &Ask<'_>,
        question: &Question,
        scan: &Scan,
    ) -> Result<Vec<Within>> {
        if ask.as_of.is_none()
            && !scan.is_far
            && let Some(found) = self.found_by_store(reader, ask, question, scan)?
        {
            return Ok(found);
        }
        let wanted = self.wanted(ask);
        let indexes = match ask.as_of {
            None => self.engine.indexes.all_present(reader, &wanted)?,
            Some(_) => {
                let past = wanted.iter().map(|(space, of)| Indexes::past(reader, *space, *of));
                past.collect::<Result<_>>()?
            }
        };
        let all = wanted
            .into_iter()
            .zip(indexes)
            .map(|((space, of), index)| (space, of, SearchIndex::All(index)));
        Ok(all.filter(|(_, _, index)| index.documents() > 0).collect())
    }

    /// What is usual among the candidates that the words of this query find.
    fn background(&self, scored: &[(&SearchIndex, IndexWords)], asked: f64) -> Background {
        let policy = &self.engine.policy.relevance;
        let documents: usize = scored.iter().map(|(index, _)| index.documents()).sum();
        let padded = |mut scores: Vec<f64>, of: usize| {
            let wanted = policy.background.min(of);
            if scores.len() < wanted {
                scores.resize(wanted, 0.0);
            }
            scores
        };
        let column = |of: fn(&DocumentScore) -> f32| {
            let told = scored.iter().flat_map(|(_, words)| &words.told);
            let scores = told.map(|(_, said)| of(said)).filter(|score| *score > 0.0);
            let mut scores: Vec<f32> = scores.collect();
            keep_first(&mut scores, policy.background, |a, b| b.total_cmp(a));
            padded(scores.into_iter().map(f64::from).collect(), documents)
        };
        let share_of_asked =
            |usual: Spread| Spread { mean: usual.mean * asked, deviation: usual.deviation * asked };
        let usual_words = share_of_asked(relevance::USUAL_WORDS);
        let sessions: usize = scored.iter().map(|(index, _)| index.sessions()).sum();
        let session_scores = scored
            .iter()
            .flat_map(|(index, words)| words.session_scores(index).map(f64::from))
            .filter(|score| *score > 0.0);
        Background {
            words: Spread::of(column(|said| said.own), usual_words, policy),
            around: Spread::of(column(|said| said.around), usual_words, policy),
            cosine: relevance::USUAL_COSINE,
            session_words: Spread::of(
                padded(session_scores.collect(), sessions),
                share_of_asked(relevance::USUAL_SESSION_WORDS),
                policy,
            ),
        }
    }

    fn usual_cosine(&self, collections: &[ReachedIndex]) -> Spread {
        let cosines = collections.iter().filter_map(|one| one.cosines.as_ref());
        let cosines = cosines.flat_map(|one| one.best.iter().map(|(_, cosine)| f64::from(*cosine)));
        Spread::of(cosines.collect(), relevance::USUAL_COSINE, &self.engine.policy.relevance)
    }

    /// The documents of a large index that words find best, alone or with those beside them.
    fn best_by_words(&self, index: &SearchIndex, words: &IndexWords) -> Vec<u32> {
        let most = self.engine.policy.relevance.candidates;
        let by = |column: fn(&DocumentScore) -> f32| {
            let told = words.told.iter();
            let fits = told.filter(|(number, _)| index.is_in(*number as usize, &LOOKED_AT));
            best(fits.map(|(number, said)| (*number, column(said))).collect(), most)
        };
        by(|said| said.own).chain(by(|said| said.around)).collect()
    }

    /// The documents for which everything is computed: all of a small index, the best by each arm
    /// of a large one.
    fn shortlist(&self, collection: &ReachedIndex) -> Vec<u32> {
        let index = &collection.index;
        let most = self.engine.policy.relevance.candidates;
        let fits = |number: &u32| index.is_in(*number as usize, &LOOKED_AT);
        if index.documents() <= most * WHOLE {
            return (0..u32::try_from(index.len()).unwrap_or(NONE)).filter(fits).collect();
        }
        let mut numbers: BTreeSet<u32> = collection.best.iter().copied().collect();
        if let Some(cosines) = &collection.cosines {
            numbers.extend(best(cosines.best.clone(), most));
        }
        numbers.into_iter().collect()
    }

    fn candidate(
        &self,
        collection: &ReachedIndex,
        number: u32,
        prompt: &Prompt<'_>,
        background: &Background,
    ) -> Option<RecallCandidate> {
        let policy = &self.engine.policy.relevance;
        let document = collection.index.document(number)?;
        let signals = signals(collection, number, &document, prompt);
        let features = relevance::features(&signals, background, policy);
        let parts = relevance::parts(&features, &signals, policy);
        let fits = relevance::relevance(&parts, &signals, sort(collection.of), policy);
        // Where nothing but a time is asked about, the time is what fits.
        let in_time = if prompt.about_time { in_time(document.at, prompt.question) } else { 0.0 };
        Some(RecallCandidate {
            space: collection.space,
            node: document.node(collection.of),
            features,
            relevance: fits.max(policy.covered * in_time),
            signals,
            parts,
            path: Vec::new(),
            salience: None,
            trust: None,
            score: 0.0,
            fate: CandidateFate::Considered,
        })
    }
}

fn sort(of: TextOf) -> Text {
    match of {
        TextOf::Memories => Text::Memory,
        TextOf::Episodes => Text::Turn,
    }
}

fn signals(
    collection: &ReachedIndex,
    number: u32,
    document: &Document,
    prompt: &Prompt<'_>,
) -> Signals {
    let question = prompt.question;
    let (index, words) = (&collection.index, &collection.words);
    let standing = index.place(number);
    let beside = |number: u32| (number != NONE).then_some(number);
    let cosine = |number: u32| collection.cosines.as_ref()?.of(index, number);
    let before = beside(standing.before);
    let asked_before = before
        .filter(|before| index.document(*before).is_some_and(|one| one.traits.asks))
        .map(|before| f64::from(words.of(index, before).around));
    let session = standing.session;
    let episode = collection.of == TextOf::Episodes;
    let best_in_session = || collection.cosines.as_ref()?.best_of_session(session);
    let said = words.of(index, number);
    let asks_time = matches!(question.ask, AskKind::When | AskKind::HowLong);
    let asks_number = matches!(question.ask, AskKind::HowMany | AskKind::HowLong);
    Signals {
        words: f64::from(said.own),
        around: f64::from(said.around),
        covers: f64::from(said.covers),
        cosine: cosine(number),
        next_cosine: beside(standing.next).and_then(cosine),
        session_words: episode.then(|| f64::from(words.of_session(index, session))),
        // A memory is a session of one: what is said of meaning elsewhere twice is said of it twice.
        session_cosine: if episode { best_in_session() } else { cosine(number) },
        length: f64::from(document.length),
        asked_before,
        asks: document.traits.asks,
        tells_time: asks_time && document.traits.tells_time,
        tells_number: asks_number && document.traits.tells_number,
        voice: voice(document.speaker, question),
        in_time: match (prompt.time, episode) {
            (false, _) => 0.0,
            (true, true) => in_time(document.at, question),
            // When a memory was written down says little about when it holds.
            (true, false) => MEMORY_TIME * in_time(document.at, question),
        },
        named: false,
    }
}

fn voice(speaker: SpeakerCode, question: &Question) -> SpokenBy {
    let voices = &question.voices;
    if speaker == SpeakerCode::USER && voices.asker {
        SpokenBy::Asker
    } else if speaker == SpeakerCode::ASSISTANT && voices.agent {
        SpokenBy::Agent
    } else if speaker.is_named() && voices.named.contains(&speaker) {
        SpokenBy::Named
    } else {
        SpokenBy::Other
    }
}

impl RecallCandidate {
    /// Computes its parts anew after a signal changed.
    pub(super) fn name(&mut self, policy: &throughline_core::policy::RelevancePolicy) {
        if !self.signals.named {
            self.signals.named = true;
            self.parts.named = policy.named;
            self.relevance = relevance::relevance(&self.parts, &self.signals, Text::Memory, policy);
        }
    }

    /// A memory that only the graph came to.
    pub(super) fn reached(space: SpaceId, node: NodeId) -> Self {
        Self {
            space,
            node,
            features: [0.0; relevance::WEIGHTS],
            signals: Signals::default(),
            parts: Parts::default(),
            relevance: 0.0,
            path: Vec::new(),
            salience: None,
            trust: None,
            score: 0.0,
            fate: CandidateFate::Considered,
        }
    }
}
