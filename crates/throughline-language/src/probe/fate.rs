//! Fates: what becomes of each piece of a person's turn, and why nothing does.

use std::fmt;

use crate::speech::Guard;
use throughline_core::reading::{Caution, Piece, Role};

/// What becomes of a piece.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PieceFate {
    /// It is kept, in its own words.
    Kept,
    /// What is kept of it was found by its form.
    ByForm,
    /// It does something that is over with the moment.
    Passing(Role),
    /// It is not likely enough to last.
    Unlikely(f32),
    /// Something stands against taking it at its word.
    Against(Caution),
    /// It is not likely enough that nothing stands against it.
    Doubtful(f32),
    /// It was pasted or quoted.
    NotOwn,
    /// By its form it is asked, supposed, quoted or somebody else's.
    Guarded(Guard),
    /// It is an order to forget.
    Forgets,
    /// It stands in a list whose first line is not kept.
    Listed,
    /// It repeats what the agent or a tool wrote.
    Echo,
    /// It is too short or too long to stand alone, or the turn says it twice.
    Unfit,
}

/// The fate of one piece of one turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fated {
    /// Which turn.
    pub turn: usize,
    /// Which of its pieces.
    pub piece: usize,
    /// What becomes of it.
    pub fate: PieceFate,
}

impl PieceFate {
    /// Whether its words still say something of the person's own, though nothing is kept of them: a form spoke against them, or
    /// they cannot stand alone.
    pub fn leaves_words(self) -> bool {
        match self {
            Self::Kept | Self::ByForm | Self::NotOwn | Self::Forgets | Self::Echo => false,
            Self::Guarded(guard) => !matches!(guard, Guard::Quoted | Guard::SelfResolving),
            Self::Passing(_)
            | Self::Unlikely(_)
            | Self::Against(_)
            | Self::Doubtful(_)
            | Self::Listed
            | Self::Unfit => true,
        }
    }
}

impl fmt::Display for PieceFate {
    /// Says in plain words why a piece is not kept, or that it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kept => f.write_str("kept"),
            Self::ByForm => f.write_str("kept by its form"),
            Self::Passing(role) => f.write_str(role.in_words()),
            Self::Unlikely(lasting) => {
                write!(f, "not likely enough to last: {}", share(*lasting))
            }
            Self::Against(caution) => f.write_str(caution.in_words()),
            Self::Doubtful(plain) => {
                write!(f, "not clear that it is meant as it stands: {}", share(*plain))
            }
            Self::NotOwn => f.write_str("pasted or quoted, not the person's own words"),
            Self::Guarded(guard) => write!(f, "its form says that {}", guard.in_words()),
            Self::Forgets => f.write_str("an order to forget, which claims nothing"),
            Self::Listed => f.write_str("in a list whose first line is not kept"),
            Self::Echo => f.write_str("repeats what the agent or a tool wrote"),
            Self::Unfit => f.write_str("too short or too long to stand alone, or said before"),
        }
    }
}

/// A share as it is written for people: `.31`, `1.0`.
pub fn share(share: f32) -> String {
    let written = format!("{:.2}", share.clamp(0.0, 1.0));
    match written.strip_prefix('0') {
        Some(behind) => behind.to_owned(),
        None => "1.0".to_owned(),
    }
}

/// From this likelihood on, a piece is kept.
pub(super) const KEEP_FROM: f32 = 0.5;
/// From this likelihood on, a piece that is not kept may still last.
const UNSURE_FROM: f32 = 0.15;

/// Whether a piece says something, meant as it is said, that may last and is not likely enough to be
/// kept: somebody who understands more should look at it.
pub fn is_unsure(piece: &Piece) -> bool {
    judged(piece) != PieceFate::Kept
        && piece.plain() >= KEEP_FROM
        && piece.role().claims()
        && (UNSURE_FROM..KEEP_FROM).contains(&piece.lasting)
}

/// What the reader's judgement alone makes of a piece.
pub(super) fn judged(piece: &Piece) -> PieceFate {
    let likely = piece.lasting >= KEEP_FROM || piece.changes() >= KEEP_FROM;
    let against = match piece.caution() {
        Caution::None if piece.plain() >= KEEP_FROM => None,
        Caution::None => Some(PieceFate::Doubtful(piece.plain())),
        // It says itself that it is a guess, or how long it holds.
        Caution::Uncertain | Caution::Temporary if piece.lasting >= KEEP_FROM => None,
        caution @ (Caution::Hypothetical
        | Caution::Quoted
        | Caution::ThirdParty
        | Caution::OtherEnv
        | Caution::Past
        | Caution::Sarcasm
        | Caution::Uncertain
        | Caution::Temporary) => Some(PieceFate::Against(caution)),
    };
    match against {
        None if likely => PieceFate::Kept,
        Some(against) if likely || piece.role().claims() => against,
        _ if !piece.role().claims() => PieceFate::Passing(piece.role()),
        _ => PieceFate::Unlikely(piece.lasting),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(role: Role, lasting: f32, plain: f32) -> Piece {
        let mut piece = Piece {
            span: 0..1,
            lasting,
            roles: [0.0; Role::ALL.len()],
            cautions: [0.0; Caution::ALL.len()],
        };
        piece.roles[role as usize] = 1.0;
        piece.cautions[Caution::None as usize] = plain;
        piece.cautions[Caution::Quoted as usize] = 1.0 - plain;
        piece
    }

    #[test]
    fn unsure_is_a_claim_that_may_last_and_is_not_kept() {
        for lasting in [0.15, 0.49] {
            assert!(is_unsure(&piece(Role::Rule, lasting, 0.9)), "{lasting}");
        }
        for (why, one) in [
            ("it is not likely to last", piece(Role::Rule, 0.14, 0.9)),
            ("it is kept", piece(Role::Rule, 0.5, 0.9)),
            ("it is kept as a change", piece(Role::Change, 0.4, 0.9)),
            ("it is somebody else's", piece(Role::Rule, 0.4, 0.4)),
            ("it asks for something", piece(Role::Request, 0.4, 0.9)),
        ] {
            assert!(!is_unsure(&one), "{why}");
        }
    }
}
