//! A turn, as it is judged and read.

use throughline_core::event::ToolRun;
use throughline_core::reading::Piece;
use throughline_core::{Speaker, Timestamp};

/// One turn of a session.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    /// Who speaks.
    pub speaker: Speaker,
    /// What is said, or what a tool printed.
    pub text: &'a str,
    /// The tool that ran, where one did.
    pub run: Option<&'a ToolRun>,
    /// When.
    pub at: Timestamp,
    /// Its pieces, where a reader has read it.
    pub pieces: Option<&'a [Piece]>,
}
