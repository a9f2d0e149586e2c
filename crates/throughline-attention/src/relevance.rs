//! Relevance: how well a text fits a query, from everything that words, vectors, neighbours,
//! sessions, speakers and dates say about it.
//!
//! No arm is right everywhere: words lead in chat, vectors in long technical text, the turns around
//! a short turn say what it is about, and around a long one they only blur it. So each arm is put
//! on the same scale first, by how far it stands out from the other candidates of this query, and
//! then they are added with fixed weights. The weights were fitted on public development data, on
//! three sets at once; how well they hold on what was left out is in docs/quality.md.

use throughline_core::policy::RelevancePolicy;

/// What the arms say about one candidate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Signals {
    /// BM25 of its own words.
    pub words: f64,
    /// BM25 of its words and, for less, those of the turns beside it.
    pub around: f64,
    /// The cosine of its vector; `None` without one of this model.
    pub cosine: Option<f64>,
    /// The cosine of the turn after it.
    pub next_cosine: Option<f64>,
    /// BM25 of the whole session it belongs to, for a turn.
    pub session_words: Option<f64>,
    /// The best cosine in that session; its own for a text that belongs to none.
    pub session_cosine: Option<f64>,
    /// Telling terms.
    pub length: f64,
    /// `around` of the turn before it, if that one asked something.
    pub asked_before: Option<f64>,
    /// It asks something itself.
    pub asks: bool,
    /// A time was asked for and it tells one.
    pub tells_time: bool,
    /// A number was asked for and it tells one.
    pub tells_number: bool,
    /// Who spoke, as far as the query speaks of them.
    pub voice: SpokenBy,
    /// It falls into the time that the query speaks of, in 0..=1; 0 where it speaks of none.
    pub in_time: f64,
    /// What share of what the query's words tell it holds, in 0..=1.
    pub covers: f64,
    /// The query names it: an entity it is about, its title, an identifier in it.
    pub named: bool,
}

/// Who spoke, as far as the query speaks of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpokenBy {
    /// Nobody the query speaks of.
    #[default]
    Other,
    /// Somebody the query names.
    Named,
    /// The asker, who asks about what is theirs.
    Asker,
    /// The agent, whose words are asked for.
    Agent,
}

/// How the scores of one arm are spread over the candidates of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Their mean.
    pub mean: f64,
    /// How far they usually lie from it.
    pub deviation: f64,
}

/// How words are usually spread: shares of all that the words of a query tell. Like the next two,
/// what the development sets have on average.
pub const USUAL_WORDS: Spread = Spread { mean: 0.05, deviation: 0.09 };
/// The same for the words of whole sessions.
pub const USUAL_SESSION_WORDS: Spread = Spread { mean: 0.2, deviation: 0.2 };
/// How cosines are usually spread.
pub const USUAL_COSINE: Spread = Spread { mean: 0.15, deviation: 0.1 };

impl Spread {
    /// The spread of the best `policy.background` scores, leaning on `usual` where there are few:
    /// three memories say nothing about what is usual.
    pub fn of(mut scores: Vec<f64>, usual: Self, policy: &RelevancePolicy) -> Self {
        let kept = policy.background.min(scores.len());
        if kept < scores.len() {
            scores.select_nth_unstable_by(kept, |a, b| b.total_cmp(a));
            scores.truncate(kept);
        }
        scores.sort_unstable_by(f64::total_cmp);
        #[expect(clippy::cast_precision_loss, reason = "candidates are few")]
        let (n, lean) = (scores.len() as f64, policy.lean as f64);
        let mean = (scores.iter().sum::<f64>() + lean * usual.mean) / (n + lean);
        let square = |score: &f64| (score - mean) * (score - mean);
        let usual_square = usual.deviation * usual.deviation + square(&usual.mean);
        let variance = (scores.iter().map(square).sum::<f64>() + lean * usual_square) / (n + lean);
        Self { mean, deviation: variance.sqrt().max(1e-9) }
    }

    /// How many deviations above the mean a score stands.
    pub fn stands_out(&self, score: f64) -> f64 {
        (score - self.mean) / self.deviation
    }
}

/// How every arm is spread over the candidates of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Background {
    /// Of [`Signals::words`].
    pub words: Spread,
    /// Of [`Signals::around`].
    pub around: Spread,
    /// Of cosines.
    pub cosine: Spread,
    /// Of [`Signals::session_words`], over sessions.
    pub session_words: Spread,
}

/// What each arm adds to the relevance of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Parts {
    /// Its words, and those around it.
    pub words: f64,
    /// Its vector, and its neighbour's.
    pub vector: f64,
    /// Its session.
    pub session: f64,
    /// Who spoke.
    pub voice: f64,
    /// Whether it answers rather than asks.
    pub answer: f64,
    /// Its time.
    pub time: f64,
    /// Being named.
    pub named: f64,
}

impl Parts {
    /// All of it: the more, the better it fits. Comparable between queries.
    pub fn sum(&self) -> f64 {
        self.words + self.vector + self.session + self.voice + self.answer + self.time + self.named
    }
}

/// How fitting a text is, in 0..=1, by which memories and turns are compared.
///
/// A memory that holds nearly all a prompt says fits, even where nothing stands out because many
/// hold it.
pub fn relevance(parts: &Parts, signals: &Signals, of: Text, policy: &RelevancePolicy) -> f64 {
    let logistic =
        |even_at: f64| 1.0 / (1.0 + (-(parts.sum() - even_at) / policy.even_width).exp());
    match of {
        Text::Memory => logistic(policy.even_at).max(policy.covered * signals.covers.powi(2)),
        Text::Turn => logistic(policy.even_at_turn),
    }
}

/// What sort of text is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// A claim.
    Memory,
    /// Something said.
    Turn,
}

/// How many weights there are.
pub const WEIGHTS: usize = 15;

/// The inputs of the sum, one for each weight, in the order of [`weights`].
pub fn features(
    signals: &Signals,
    background: &Background,
    policy: &RelevancePolicy,
) -> [f64; WEIGHTS] {
    let flag = |set: bool| if set { 1.0 } else { 0.0 };
    let short = 1.0 / (1.0 + (signals.length / policy.short_terms).powi(2));
    let words = background.words.stands_out(signals.words);
    let around = background.around.stands_out(signals.around);
    let cosine = |value: Option<f64>| value.map_or(0.0, |one| background.cosine.stands_out(one));
    let asked = signals.asked_before.map_or(0.0, |one| background.around.stands_out(one).max(0.0));
    [
        words,
        short * (around - words),
        cosine(signals.cosine),
        short * cosine(signals.next_cosine),
        signals.session_words.map_or(0.0, |one| background.session_words.stands_out(one)),
        cosine(signals.session_cosine),
        flag(signals.voice == SpokenBy::Named),
        flag(signals.voice == SpokenBy::Asker),
        flag(signals.voice == SpokenBy::Agent),
        flag(signals.asks),
        short * asked,
        flag(signals.tells_time),
        flag(signals.tells_number),
        signals.in_time,
        flag(signals.named),
    ]
}

/// The weights in the order of [`features`].
pub fn weights(policy: &RelevancePolicy) -> [f64; WEIGHTS] {
    [
        policy.words,
        policy.around,
        policy.cosine,
        policy.next_cosine,
        policy.session_words,
        policy.session_cosine,
        policy.named_voice,
        policy.asker_voice,
        policy.agent_voice,
        policy.asks,
        policy.asked_before,
        policy.tells_time,
        policy.tells_number,
        policy.in_time,
        policy.named,
    ]
}

/// What each arm adds, given the [`features`] of the same signals.
pub fn parts(features: &[f64; WEIGHTS], signals: &Signals, policy: &RelevancePolicy) -> Parts {
    let weights = weights(policy);
    let part = |at: usize| features[at] * weights[at];
    let session = signals.session_words.is_some();
    Parts {
        words: part(0) + part(1),
        vector: part(2) + part(3) + if session { 0.0 } else { part(5) },
        session: if session { part(4) + part(5) } else { 0.0 },
        voice: part(6) + part(7) + part(8),
        answer: part(9) + part(10) + part(11) + part(12),
        time: part(13),
        named: part(14),
    }
}
