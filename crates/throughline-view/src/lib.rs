//! How memory looks to callers: the JSON that they may rely on, the same at every door.
//!
//! The command line prints it with `--json`, and the server answers with it. Fields may be added, never renamed or
//! removed. Nothing is decided here, and nothing is written for people.

mod boxes;
mod change;
mod graph;
mod history;
mod memory;
mod organise;
mod project;
mod read;
mod recall;
mod review;
mod sleep;
mod stats;
mod today;
mod told;

pub use boxes::{WireBox, WireBoxes, WireFocus, WireFocusNode, WireFurther};
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
    WireEvidence, WireLater, WireListing, WireMemory, WireProcedure, WireShaken, WireSlot,
    WireWatermark, files_of, procedure_told, rounded, signal_of,
};
pub use organise::{
    WireAbout, WireBeside, WireMerged, WireSimilar, WireSimilarMemory, WireThing, WireThingShown,
    WireThings, WireTopic, WireTopics,
};
pub use project::{WireProject, WireProjects};
pub use read::{
    WireComes, WireKept, WireMeets, WirePiece, WireRead, is_beside, is_stated, why_not,
};
pub use recall::{
    WireCandidate, WireCount, WireElsewhere, WireEpisode, WireExpanded, WireJudgement, WireRecall,
    WireRecalled, WireRelated, WireStep, WireWhyNot, bare, fate, reason,
};
pub use review::{
    WireBinding, WireDecided, WireGraduation, WirePair, WirePending, WireReview, WireToCheck,
    WireVerified, WireVerify,
};
pub use sleep::{WireBoxing, WireDone, WireDue, WireInputs, WirePass, WireSlept};
pub use stats::{counts_by_group, share_of_turns, stats};
pub use today::{WireLately, WireNear, WireToday};
pub use told::{WireBecause, WireQuoted, WireTelling, WireTold, WireTurn, WireWhyTurn};
