//! Trained reader: turns in, pieces out; a memory and a message in, their relation out.

use std::ops::Range;
use std::sync::LazyLock;

use throughline_core::Speaker;
use throughline_core::reading::{Judged, Piece};
use throughline_embed::{
    CLOSING, Encoder, Kernel, OPENING, POSITIONS, PieceState, Unusable, tokens,
};

use crate::heads::{Heads, mean};
use crate::spans::{PieceSpan, spans};
use crate::turn::{TurnText, last_tokens};
use crate::windows::{WINDOW_TOKENS, clearest, windows};

/// SHA-256 of the weights. A test compares it; nothing is hashed at start.
pub const WEIGHTS_SHA256: &str = "73ac053d05bd135c3ff4cec8e98adb3b416af50c386298dd2acccbc326f1c02b";

/// Cut threshold: a piece begins at a word where the probability of that is at least this.
pub const CUT_FROM: f32 = 0.5;
/// The same where a sentence begins.
pub(crate) const CUT_AT_SENTENCE_FROM: f32 = 0.05;

/// Tokens at the end of the message before that are read along.
const BEFORE_TOKENS_MAX: usize = 48;
/// Tokens of a memory that are compared, from its start.
const HELD_TOKENS_MAX: usize = 64;
/// Tokens of a message that are compared, from its start.
const SAID_TOKENS_MAX: usize = 128;

const MAGIC: [u8; 8] = *b"TLREAD01";

/// Two tokens name the speaker, and three marks stand around the texts.
const _: () = assert!(2 + 3 + BEFORE_TOKENS_MAX + WINDOW_TOKENS <= POSITIONS, "a window fits");
const _: () =
    assert!(4 + HELD_TOKENS_MAX + BEFORE_TOKENS_MAX + SAID_TOKENS_MAX <= POSITIONS, "a pair fits");

/// Weights that kernels load in whole registers, so they start at a cache line.
#[repr(C, align(64))]
struct Aligned<Bytes: ?Sized>(Bytes);

static FILE: &Aligned<[u8]> = &Aligned(*include_bytes!("../model/reader-int8.bin"));

/// Trained reader: the model that judges turns and pairs. Shared freely between threads.
///
/// The same words get the same judgement to the bit, on every kernel and every machine.
#[derive(Clone)]
pub struct TrainedReader {
    encoder: Encoder,
    heads: Heads,
}

impl TrainedReader {
    /// The built-in reader, with the fastest kernel of this machine. The first call copies the
    /// small tables.
    pub fn builtin() -> Result<&'static Self, Unusable> {
        static BUILTIN: LazyLock<Result<TrainedReader, Unusable>> =
            LazyLock::new(|| TrainedReader::from_file(&FILE.0));
        BUILTIN.as_ref().map_err(|unusable| *unusable)
    }

    /// Makes a reader from a file of weights.
    pub fn from_file(file: &'static [u8]) -> Result<Self, Unusable> {
        let (encoder, numbers) = Encoder::read(file, MAGIC)?;
        Ok(Self { encoder, heads: Heads::read(&numbers)? })
    }

    /// The same reader with a given kernel; `None` where this machine lacks it.
    pub fn with_kernel(&self, kernel: Kernel) -> Option<Self> {
        let encoder = self.encoder.with_kernel(kernel)?;
        Some(Self { encoder, heads: self.heads.clone() })
    }

    /// Reads a turn: its pieces in order, given who said it and the message before it.
    ///
    /// Pieces do not overlap and together hold everything but white space of what is read: at most
    /// [`WINDOWS_MAX`](crate::WINDOWS_MAX) windows and [`PIECES_MAX`](crate::PIECES_MAX) pieces.
    pub fn read(&self, speaker: Speaker, before: Option<&str>, turn: &str) -> Vec<Piece> {
        let turn = TurnText::of(turn);
        let states = self.states(&Script::of(speaker, before, &turn));
        let cuts = |token: usize, begins_sentence: bool| {
            let from = if begins_sentence { CUT_AT_SENTENCE_FROM } else { CUT_FROM };
            self.heads.cut(&states[token]) >= from
        };
        let spans = spans(&turn, turn.whole(states.len()), cuts);
        spans.into_iter().map(|span| self.judge(span, &states)).collect()
    }

    /// Relates a message to a memory: judges what the message does to it, given what the agent said
    /// before.
    pub fn relate(&self, held: &str, before: Option<&str>, said: &str) -> Judged {
        let Pair { ids, held, said } = Pair::of(held, before, said);
        let states = self.encoder.states(&ids);
        let (held, said) = (mean(&states[held]), mean(&states[said]));
        Judged { shares: self.heads.bearings(&held, &said) }
    }

    /// The numbers of the word pieces that [`Self::read`] gives to the model, window by window.
    pub fn turn_ids(&self, speaker: Speaker, before: Option<&str>, turn: &str) -> Vec<Vec<u16>> {
        Script::of(speaker, before, &TurnText::of(turn)).windows
    }

    /// The numbers of the word pieces that [`Self::relate`] gives to the model.
    pub fn pair_ids(&self, held: &str, before: Option<&str>, said: &str) -> Vec<u16> {
        Pair::of(held, before, said).ids
    }

    /// The state of each token of a turn that is read.
    fn states(&self, script: &Script) -> Vec<PieceState> {
        let by_window: Vec<Vec<PieceState>> =
            script.windows.iter().map(|ids| self.encoder.states(ids)).collect();
        script.places.iter().map(|(window, at)| by_window[*window][*at]).collect()
    }

    fn judge(&self, span: PieceSpan, states: &[PieceState]) -> Piece {
        let mean = mean(&states[span.tokens]);
        Piece {
            span: span.bytes,
            lasting: self.heads.lasting(&mean),
            roles: self.heads.roles(&mean),
            cautions: self.heads.cautions(&mean),
        }
    }
}

/// What the model is given for a turn.
struct Script {
    windows: Vec<Vec<u16>>,
    /// For each token of the turn that is read, the window to take its state from, and where in
    /// that window it stands.
    places: Vec<(usize, usize)>,
}

impl Script {
    fn of(speaker: Speaker, before: Option<&str>, turn: &TurnText) -> Self {
        let mut opening = vec![OPENING];
        opening.extend(tokens(name_of(speaker), 1).ids);
        opening.extend(tokens(":", 1).ids);
        opening.extend(last_tokens(before.unwrap_or_default(), BEFORE_TOKENS_MAX));
        opening.push(CLOSING);

        let word_starts: Vec<usize> = turn.words.iter().map(|word| word.tokens.start).collect();
        let ranges = windows(&word_starts, turn.ids.len());
        let places = clearest(&ranges)
            .into_iter()
            .enumerate()
            .map(|(token, window)| (window, opening.len() + token - ranges[window].start))
            .collect();
        let windows = ranges
            .into_iter()
            .map(|range| [opening.as_slice(), &turn.ids[range], &[CLOSING]].concat())
            .collect();
        Self { windows, places }
    }
}

/// What the model is given for a memory and a message, and where the two stand in it.
struct Pair {
    ids: Vec<u16>,
    held: Range<usize>,
    said: Range<usize>,
}

impl Pair {
    fn of(held: &str, before: Option<&str>, said: &str) -> Self {
        let held = tokens(held, HELD_TOKENS_MAX).ids;
        let said = tokens(said, SAID_TOKENS_MAX).ids;
        let mut before =
            before.map_or_else(Vec::new, |before| last_tokens(before, BEFORE_TOKENS_MAX));
        if !before.is_empty() {
            before.extend(tokens("|", 1).ids);
        }
        let [first, last] = [1, 2 + held.len() + before.len()];
        let places = (first..first + held.len(), last..last + said.len());
        let ids = [&[OPENING], &*held, &[CLOSING], &*before, &*said, &[CLOSING]].concat();
        Self { ids, held: places.0, said: places.1 }
    }
}

/// Name of a speaker in the input of the model.
pub fn name_of(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::User => "user",
        Speaker::Assistant => "agent",
        Speaker::Tool => "tool",
    }
}
