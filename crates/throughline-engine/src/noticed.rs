//! Noticed: how the words that a memory rests on are read, as far as the turn is still there.

use throughline_core::reading::Piece;
use throughline_core::{Episode, EpisodeId, Evidence, Memory, NodeId, Row, RowKey, SpaceId, text};
use throughline_language::probe::piece_with;
use throughline_store::{Reader, TextOf};

use crate::Result;
use crate::capture::kept_part;
use crate::flows::Looking;
use crate::index::NONE;
use crate::reading::pieces_of;

/// Turns before one in which its agent's last message is looked for.
const LOOKED_BACK: usize = 24;

/// A turn that a memory rests on, read again.
#[derive(Debug, Clone, PartialEq)]
pub struct Noticed {
    /// The turn.
    pub turn: Episode,
    /// The piece of it that the memory rests on.
    pub piece: Piece,
}

impl Noticed {
    /// The words of the piece.
    pub fn words(&self) -> &str {
        &self.turn.text[self.piece.span.clone()]
    }
}

impl Looking<'_> {
    /// How the words of a person are read that a memory rests on. `None` where it rests on none, the
    /// turn is gone, or the words do not stand in it.
    pub(crate) fn noticed(
        &self,
        reader: &dyn Reader,
        memory: &Memory,
        evidence: &[Evidence],
    ) -> Result<Option<Noticed>> {
        for one in evidence {
            let Some(turn) = turn_of(reader, memory.space, one)? else { continue };
            let before = self.said_before(reader, &turn)?;
            let heard = kept_part(&turn.text);
            let Some(pieces) = pieces_of(before.as_deref(), heard) else { return Ok(None) };
            let words = one.snippet.as_deref().unwrap_or(&memory.content);
            let at = place(heard, &pieces, words);
            let at = at.or_else(|| place(heard, &pieces, &memory.content));
            if let Some(at) = at {
                let piece = pieces[at].clone();
                return Ok(Some(Noticed { turn, piece }));
            }
        }
        Ok(None)
    }

    /// What the agent said last before a turn of its session.
    fn said_before(&self, reader: &dyn Reader, turn: &Episode) -> Result<Option<String>> {
        let index = self.engine.indexes.present(reader, turn.space, TextOf::Episodes)?;
        let all = 0..u32::try_from(index.len()).unwrap_or(NONE);
        let found = all
            .into_iter()
            .find(|number| index.document(*number).is_some_and(|one| EpisodeId(one.id) == turn.id));
        let earlier = std::iter::successors(found, |at| {
            Some(index.place(*at).before).filter(|next| *next != NONE)
        });
        for number in earlier.skip(1).take(LOOKED_BACK) {
            let Some(node) = index.node(number) else { continue };
            let row = reader.rows(&[RowKey::node(turn.space, node)])?.remove(0);
            let said = row.and_then(Row::into_episode).filter(|one| one.speaker == "assistant");
            if let Some(said) = said {
                return Ok(Some(kept_part(&said.text).to_owned()));
            }
        }
        Ok(None)
    }
}

/// The turn of a person that evidence names, if it is still there.
fn turn_of(reader: &dyn Reader, space: SpaceId, one: &Evidence) -> Result<Option<Episode>> {
    let Some(id) = one.turn.as_deref().and_then(|id| id.parse().ok()).map(EpisodeId) else {
        return Ok(None);
    };
    let row = reader.rows(&[RowKey::node(space, NodeId::Episode(id))])?.remove(0);
    Ok(row.and_then(Row::into_episode).filter(|turn| turn.speaker == "user" && !turn.is_erased()))
}

/// The piece that these words stand in. What is kept of them may be cut, and is on one line.
fn place(turn: &str, pieces: &[Piece], words: &str) -> Option<usize> {
    let words = words.trim_end_matches('…');
    let plain = text::normalise(words);
    let holds = |piece: &Piece| text::normalise(&turn[piece.span.clone()]).contains(&plain);
    piece_with(turn, pieces, words).or_else(|| pieces.iter().position(holds))
}
