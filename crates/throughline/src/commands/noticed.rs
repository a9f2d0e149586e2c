//! How a memory was noticed: the words that it rests on, read again, as part of `why`.

use throughline_core::text;
use throughline_engine::Noticed;
use throughline_language::probe::share;

use crate::ui::{DIM, paint, safe};

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
