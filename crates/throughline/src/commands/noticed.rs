//! How a memory was noticed: the words that it rests on, read again, as part of `why`.

use serde::Serialize;
use throughline_core::text;
use throughline_engine::Noticed;
use throughline_language::probe::share;

use crate::ui::{DIM, paint, safe};
use crate::view::rounded;

/// The words that a memory rests on, and what the reader makes of them.
#[derive(Debug, Serialize)]
pub(super) struct WireNoticed {
    turn: String,
    words: String,
    role: &'static str,
    role_share: f64,
    lasting: f64,
    caution: &'static str,
}

impl From<&Noticed> for WireNoticed {
    fn from(noticed: &Noticed) -> Self {
        let piece = &noticed.piece;
        Self {
            turn: noticed.turn.id.to_string(),
            words: noticed.words().to_owned(),
            role: piece.role().as_str(),
            role_share: rounded(f64::from(piece.share(piece.role()))),
            lasting: rounded(f64::from(piece.lasting)),
            caution: piece.caution().as_str(),
        }
    }
}

/// The same on one line.
pub(super) fn line(noticed: &Noticed) -> String {
    let piece = &noticed.piece;
    let role = piece.role();
    let words = text::headline(&safe(noticed.words()), 120);
    let told = format!(
        "read as {} ({}), lasting {}",
        role.in_words(),
        share(piece.share(role)),
        share(piece.lasting)
    );
    format!("{told} {}", paint(DIM, format!("“{words}”")))
}
