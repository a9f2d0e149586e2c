//! The weights as they lie in the program: read in place, checked for shape, never repacked.
//!
//! `tools/convert-model/convert.py` writes the file and describes its layout.

use std::fmt;
use std::sync::LazyLock;

use crate::DIMENSIONS;
use crate::windows::WINDOW_TOKENS;

/// SHA-256 of the model file. A test compares it; nothing is hashed at start.
pub const MODEL_SHA256: &str = "898653c4450958894cf4571d65f56063288bda37cab0c24c0c6cf1b7a3087cf8";

pub(crate) const INNER: usize = 1536;
pub(crate) const LAYERS: usize = 6;
pub(crate) const HEADS: usize = 12;
pub(crate) const HEAD: usize = DIMENSIONS / HEADS;
pub(crate) const PIECES: usize = 30_522;
/// The most word pieces that one forward pass reads, the model's own marks included.
pub const POSITIONS: usize = 256;
const SLOTS: usize = 65_536;
const HEADER_BYTES: usize = 64;

const _: () = assert!(WINDOW_TOKENS + 2 <= POSITIONS, "a window must fit the model");

/// Weights that kernels load in whole registers, so they start at a cache line.
#[repr(C, align(64))]
struct Aligned<Bytes: ?Sized>(Bytes);

static FILE: &Aligned<[u8]> = &Aligned(*include_bytes!("../model/minilm-l6-int8.bin"));

/// Four weights of each of sixteen output channels: one register of the widest kernel.
pub(crate) type Block = [u8; 64];

/// A little-endian `f32` in the file.
type Number = [u8; 4];

/// Unusable weights: why a file cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unusable {
    /// The file is empty.
    Empty,
    /// The file does not begin with the mark of its kind.
    Foreign,
    /// The file is of the right kind, for a network of another size.
    OtherShape,
    /// The file ends before everything it lists.
    CutShort,
}

impl fmt::Display for Unusable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Empty => "the file of weights is empty",
            Self::Foreign => "the file of weights is of another kind",
            Self::OtherShape => "the weights have another shape than this program reads",
            Self::CutShort => "the file of weights ends too early",
        })
    }
}

impl std::error::Error for Unusable {}

/// Everything the forward pass multiplies by.
pub(crate) struct Model {
    pub(crate) vocabulary: Vocabulary,
    pub(crate) norm: Norm,
    pub(crate) layers: Vec<Layer>,
    words: &'static [[u8; DIMENSIONS]],
    word_scales: &'static [Number],
    positions: &'static [[Number; DIMENSIONS]],
}

/// The word pieces, found by hash.
pub(crate) struct Vocabulary {
    slots: &'static [[u8; 2]],
    starts: &'static [[u8; 4]],
    pieces: &'static [u8],
}

/// One encoder layer: attention, then two linears around a bend.
#[derive(Clone)]
pub(crate) struct Layer {
    /// Queries, keys and values side by side; the queries are already scaled for attention.
    pub(crate) attention_in: Linear,
    pub(crate) attention_out: Linear,
    pub(crate) inner: Linear,
    pub(crate) outer: Linear,
    pub(crate) attention_norm: Norm,
    pub(crate) norm: Norm,
}

/// A matrix of int8 weights and what turns its whole-number sums back into real ones.
#[derive(Clone)]
pub(crate) struct Linear {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// Per sixteen outputs, one block per four inputs.
    pub(crate) blocks: &'static [Block],
    pub(crate) scales: Vec<f32>,
    /// The sum of a channel's weights: what a constant input of one would give.
    pub(crate) sums: Vec<f32>,
    pub(crate) biases: Vec<f32>,
}

/// Gain and shift after a vector was brought to mean zero and spread one.
#[derive(Clone)]
pub(crate) struct Norm {
    pub(crate) gains: Vec<f32>,
    pub(crate) shifts: Vec<f32>,
}

impl Model {
    /// The model inside this program. The first call copies the small tables, in microseconds.
    pub(crate) fn builtin() -> &'static Self {
        static BUILTIN: LazyLock<Model> = LazyLock::new(|| {
            Model::read(&FILE.0).expect("the model file of this program is the pinned one")
        });
        &BUILTIN
    }

    fn read(file: &'static [u8]) -> Result<Self, Unusable> {
        let mut sections = Sections::open(file, *b"TLEMBED1")?;
        let vocabulary = Vocabulary::read(&mut sections)?;
        let (words, _) = sections.next()?.as_chunks();
        let (word_scales, _) = sections.next()?.as_chunks();
        let (numbers, _) = sections.next()?.as_chunks::<4>();
        let (positions, _) = numbers.as_chunks();
        expect_shape(
            &[words.len(), word_scales.len(), positions.len()],
            &[PIECES, PIECES, POSITIONS],
        )?;
        let norm = Norm::read(&mut sections.numbers()?.into_iter())?;
        let layers = Layer::read_all(&mut sections)?;
        Ok(Self { vocabulary, norm, layers, words, word_scales, positions })
    }

    /// Writes what a piece at a position starts out as, before the first norm.
    #[inline(always)]
    pub(crate) fn start(&self, piece: u16, position: usize, into: &mut [f32; DIMENSIONS]) {
        let scale = f32::from_le_bytes(self.word_scales[usize::from(piece)]);
        let word = &self.words[usize::from(piece)];
        let place = &self.positions[position];
        for ((into, weight), place) in into.iter_mut().zip(word).zip(place) {
            *into = f32::from(weight.cast_signed()) * scale + f32::from_le_bytes(*place);
        }
    }
}

impl Vocabulary {
    fn read(sections: &mut Sections) -> Result<Self, Unusable> {
        let (slots, _) = sections.next()?.as_chunks();
        let (starts, _) = sections.next()?.as_chunks();
        let pieces = sections.next()?;
        expect_shape(&[slots.len(), starts.len()], &[SLOTS, PIECES + 1])?;
        Ok(Self { slots, starts, pieces })
    }

    /// The piece `prefix` + `rest`, given the hash of both together.
    pub(crate) fn find(&self, hash: u32, prefix: &[u8], rest: &[u8]) -> Option<u16> {
        let [low, high, ..] = (hash ^ (hash >> 16)).to_le_bytes();
        let mut slot = usize::from(u16::from_le_bytes([low, high]));
        loop {
            let piece = u16::from_le_bytes(self.slots[slot]);
            // The table is half empty, so this loop always ends.
            if piece == u16::MAX {
                return None;
            }
            if self.piece(piece).strip_prefix(prefix) == Some(rest) {
                return Some(piece);
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    fn piece(&self, piece: u16) -> &'static [u8] {
        let at = usize::from(piece);
        let [start, end] =
            [self.starts[at], self.starts[at + 1]].map(|at| u32::from_le_bytes(at) as usize);
        &self.pieces[start..end]
    }
}

impl Layer {
    /// The layers of a file, which come next in it.
    pub(crate) fn read_all(sections: &mut Sections) -> Result<Vec<Self>, Unusable> {
        (0..LAYERS).map(|_| Self::read(sections)).collect()
    }

    fn read(sections: &mut Sections) -> Result<Self, Unusable> {
        let attention_in = Linear::read(sections, DIMENSIONS, 3 * DIMENSIONS)?;
        let attention_out = Linear::read(sections, DIMENSIONS, DIMENSIONS)?;
        let inner = Linear::read(sections, DIMENSIONS, INNER)?;
        let outer = Linear::read(sections, INNER, DIMENSIONS)?;
        let mut norms = sections.numbers()?.into_iter();
        let attention_norm = Norm::read(&mut norms)?;
        let norm = Norm::read(&mut norms)?;
        Ok(Self { attention_in, attention_out, inner, outer, attention_norm, norm })
    }
}

impl Linear {
    fn read(sections: &mut Sections, inputs: usize, outputs: usize) -> Result<Self, Unusable> {
        let (blocks, _): (&[Block], _) = sections.next()?.as_chunks();
        let mut scales = sections.numbers()?;
        expect_shape(&[size_of_val(blocks), scales.len()], &[inputs * outputs, 3 * outputs])?;
        let biases = scales.split_off(2 * outputs);
        let sums = scales.split_off(outputs);
        Ok(Self { inputs, outputs, blocks, scales, sums, biases })
    }
}

impl Norm {
    fn read(numbers: &mut impl Iterator<Item = f32>) -> Result<Self, Unusable> {
        let gains: Vec<f32> = numbers.take(DIMENSIONS).collect();
        let shifts: Vec<f32> = numbers.take(DIMENSIONS).collect();
        expect_shape(&[gains.len(), shifts.len()], &[DIMENSIONS, DIMENSIONS])?;
        Ok(Self { gains, shifts })
    }
}

/// Compares what a file holds with what is read from it.
fn expect_shape(found: &[usize], expected: &[usize]) -> Result<(), Unusable> {
    if found == expected { Ok(()) } else { Err(Unusable::OtherShape) }
}

/// The sections of a file, in order.
pub(crate) struct Sections {
    file: &'static [u8],
    table: std::slice::Iter<'static, [u8; 16]>,
}

impl Sections {
    /// Reads the header of a file that must begin with `magic`.
    pub(crate) fn open(file: &'static [u8], magic: [u8; 8]) -> Result<Self, Unusable> {
        if file.is_empty() {
            return Err(Unusable::Empty);
        }
        let rest = file.strip_prefix(&magic).ok_or(Unusable::Foreign)?;
        let (header, rest) =
            rest.split_at_checked(HEADER_BYTES - magic.len()).ok_or(Unusable::CutShort)?;
        let (header, _) = header.as_chunks();
        let header: Vec<usize> =
            header.iter().map(|word| u32::from_le_bytes(*word) as usize).collect();
        let (shape, rest_of_header) = header.split_at(8);
        expect_shape(shape, &[1, PIECES, DIMENSIONS, INNER, LAYERS, HEADS, POSITIONS, SLOTS])?;
        let table_bytes = rest_of_header[3].saturating_mul(16);
        let (table, _) = rest.get(..table_bytes).ok_or(Unusable::CutShort)?.as_chunks();
        Ok(Self { file, table: table.iter() })
    }

    /// The bytes of the next section.
    pub(crate) fn next(&mut self) -> Result<&'static [u8], Unusable> {
        let entry = self.table.next().ok_or(Unusable::OtherShape)?;
        let number = |at: usize| {
            let bytes = std::array::from_fn(|byte| entry[at + byte]);
            usize::try_from(u64::from_le_bytes(bytes)).map_err(|_| Unusable::CutShort)
        };
        let (offset, length) = (number(0)?, number(8)?);
        let section = self.file.get(offset..).and_then(|from| from.get(..length));
        section.ok_or(Unusable::CutShort)
    }

    /// The next section as real numbers.
    pub(crate) fn numbers(&mut self) -> Result<Vec<f32>, Unusable> {
        let (numbers, _) = self.next()?.as_chunks();
        Ok(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }
}
