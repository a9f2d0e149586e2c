//! How memory looks to callers: the JSON that they may rely on, the same at every door.
//!
//! The command line prints it with `--json`, and the server answers with it. Fields may be added, never renamed or
//! removed. Nothing is decided here, and nothing is written for people.

mod change;
mod graph;
mod history;
mod memory;
mod project;
mod read;
mod recall;
mod review;
mod sleep;
mod stats;
mod told;

pub use change::{
    OneMemory, PutMemory, WireChanged, WireEdited, WirePurged, WireRemembered, WireTombstone,
    changed,
};
pub use graph::{WireEdge, WireGraph, WireGraphNode};
pub use history::{
    WireBatch, WireHistory, WireInjection, WireLog, WireNode, WireNoticed, WireReason,
    WireReverted, WireStood, WireTrust, WireUndone, WireVersion, WireWhy, change_name,
};
pub use memory::{
    WireEvidence, WireLater, WireListing, WireMemory, WireShaken, WireSlot, WireWatermark, rounded,
};
pub use project::{WireProject, WireProjects};
pub use read::{
    WireComes, WireKept, WireMeets, WirePiece, WireRead, is_beside, is_stated, why_not,
};
pub use recall::{
    WireCandidate, WireCount, WireEpisode, WireExpanded, WireJudgement, WireRecall, WireRecalled,
    WireRelated, WireStep, WireWhyNot, bare, fate, reason,
};
pub use review::{
    WireBinding, WireDecided, WirePair, WirePending, WireReview, WireToCheck, WireVerified,
    WireVerify,
};
pub use sleep::{WireDone, WireInputs, WireSlept};
pub use stats::{counts_by_group, share_of_turns, stats};
pub use told::{WireBecause, WireQuoted, WireTelling, WireTold, WireTurn, WireWhyTurn};
