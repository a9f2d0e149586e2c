//! What would come of a text.

use std::collections::BTreeMap;

use serde::Serialize;
use throughline_core::reading::{Caution, Role};
use throughline_core::{Memory, State};
use throughline_engine::{Comes, Meets, ReadAside, ReadPiece};
use throughline_language::probe::PieceFate;
use utoipa::ToSchema;

use crate::memory::rounded;

/// What would come of a text, as callers see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireRead {
    pub text: String,
    pub before: Option<String>,
    pub redacted: usize,
    pub unread_bytes: usize,
    /// Whether the reader's weights can be used, and why not.
    pub usable: bool,
    pub unusable: Option<String>,
    /// It is only a question, so it is not read in pieces.
    pub only_asks: bool,
    /// It is in English, as far as that can be told. Else it is not read in pieces.
    pub english: bool,
    pub erased: bool,
    pub pieces: Vec<WirePiece>,
    /// What comes of it and rests on none of the pieces.
    pub comes: Vec<WireComes>,
}

/// A piece of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct WirePiece {
    pub text: String,
    pub start: usize,
    pub end: usize,
    pub lasting: f64,
    pub role: &'static str,
    pub role_share: f64,
    pub roles: BTreeMap<&'static str, f64>,
    pub caution: &'static str,
    pub caution_share: f64,
    pub cautions: BTreeMap<&'static str, f64>,
    /// It gives something held another value, which its words do not tell; how likely.
    pub changes: Option<f64>,
    pub kept: bool,
    pub why_not: Option<String>,
    pub comes: Vec<WireComes>,
    pub meets: Vec<WireMeets>,
}

/// What a piece would do.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireComes {
    pub does: String,
    pub kept: Option<WireKept>,
    pub reasons: Vec<WireKept>,
    /// What stays of what it would replace, as memories of their own.
    pub stays: Vec<WireKept>,
    pub waits: Option<String>,
    pub overtaken: bool,
    pub meets: Vec<WireMeets>,
}

/// What would be kept.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireKept {
    pub kind: &'static str,
    pub content: String,
    pub state: &'static str,
    pub authority: &'static str,
    /// Stated, and not on probation.
    pub stated: bool,
}

/// A memory that it touches.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireMeets {
    pub id: String,
    pub kind: &'static str,
    pub content: String,
    pub bearing: Option<&'static str>,
    pub share: Option<f64>,
    /// How likely it does not hold any more as it stands.
    pub touches: Option<f64>,
    /// What is done to it is done because of that; else because of its form or its past.
    pub by_reader: bool,
    pub effect: &'static str,
}

impl From<&ReadAside> for WireRead {
    fn from(read: &ReadAside) -> Self {
        Self {
            text: read.text.clone(),
            before: read.before.clone(),
            redacted: read.redacted,
            unread_bytes: read.unread,
            usable: read.unusable.is_none(),
            unusable: read.unusable.clone(),
            only_asks: read.only_asks,
            english: read.english,
            erased: read.erased,
            pieces: read.pieces.iter().map(|one| wire_piece(&read.text, one)).collect(),
            comes: read.comes.iter().map(wire_comes).collect(),
        }
    }
}

fn wire_piece(turn: &str, one: &ReadPiece) -> WirePiece {
    let piece = &one.piece;
    let number = |share: f32| rounded(f64::from(share));
    let roles = Role::ALL.iter().map(|role| (role.as_str(), number(piece.share(*role))));
    let cautions = Caution::ALL.iter().zip(piece.cautions);
    WirePiece {
        text: turn[piece.span.clone()].to_owned(),
        start: piece.span.start,
        end: piece.span.end,
        lasting: number(piece.lasting),
        role: piece.role().as_str(),
        role_share: number(piece.share(piece.role())),
        roles: roles.collect(),
        caution: piece.caution().as_str(),
        caution_share: number(piece.cautions[piece.caution() as usize]),
        cautions: cautions.map(|(caution, share)| (caution.as_str(), number(share))).collect(),
        changes: one.changes.map(number),
        kept: one.comes.iter().any(|comes| comes.kept.is_some()),
        why_not: why_not(one),
        comes: one.comes.iter().map(wire_comes).collect(),
        meets: one.meets.iter().map(wire_meets).collect(),
    }
}

fn wire_comes(comes: &Comes) -> WireComes {
    let kept = |memory: &Memory| WireKept {
        kind: memory.kind.as_str(),
        content: memory.content.clone(),
        state: memory.state.as_str(),
        authority: memory.authority.as_str(),
        stated: is_stated(memory),
    };
    WireComes {
        does: comes.operation.in_words(),
        kept: comes.kept.as_ref().map(kept),
        reasons: comes.reasons.iter().map(kept).collect(),
        stays: comes.stays.iter().map(kept).collect(),
        waits: comes.waits.clone(),
        overtaken: comes.overtaken,
        meets: comes.meets.iter().map(wire_meets).collect(),
    }
}

fn wire_meets(meets: &Meets) -> WireMeets {
    let (judged, held) = (meets.judged, &meets.held);
    let number = |share: f32| rounded(f64::from(share));
    WireMeets {
        id: held.id.to_string(),
        kind: held.kind.as_str(),
        content: held.content.clone(),
        bearing: judged.map(|judged| judged.likeliest().as_str()),
        share: judged.map(|judged| number(judged.share(judged.likeliest()))),
        touches: judged.map(|judged| number(judged.touches())),
        by_reader: meets.by_reader,
        effect: meets.effect.as_str(),
    }
}

pub fn is_stated(memory: &Memory) -> bool {
    memory.state == State::Confirmed
}

/// Why nothing comes of a piece. `None` where something does.
pub fn why_not(one: &ReadPiece) -> Option<String> {
    if !one.comes.is_empty() {
        return None;
    }
    Some(if is_beside(one) { "with the words beside it".to_owned() } else { one.fate.to_string() })
}

/// Whether what comes of a piece rests on one beside it.
pub fn is_beside(one: &ReadPiece) -> bool {
    one.comes.is_empty() && matches!(one.fate, PieceFate::Kept | PieceFate::ByForm)
}
