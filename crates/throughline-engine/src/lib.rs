//! The flows of memory, in order: the library others embed.
//!
//! An [`Engine`] holds a store, a clock, the models and the policies, and hands out flows (`flows.rs`): most know by a
//! [`Context`] who asks and from where. A flow reads, lets `throughline-core` decide, and writes one batch.
//!
//! ```
//! use throughline_engine::{Clock, Context, Engine, NewMemory, Project};
//!
//! let home = tempfile::tempdir()?;
//! let engine = Engine::open(home.path(), Clock::System)?;
//! let context = Context::user(Project::at(home.path())?);
//!
//! let keeping = engine.keeping(&context);
//! let first = keeping.remember(&NewMemory::new("staging runs Postgres 14"))?;
//! keeping.correct(&first.card.memory.id.to_string(), "staging runs Postgres 16", None)?;
//!
//! let reader = engine.now_reader()?;
//! let found = engine.looking(&context).search(&*reader, "postgres", &Default::default())?;
//! assert_eq!(found.items[0].memory.content, "staging runs Postgres 16");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(missing_docs)]

mod agent;
mod apply;
mod asking;
mod backup;
mod brief;
mod capture;
mod card;
mod clean;
mod clock;
mod collide;
mod context;
mod conversation;
mod correct;
mod crowd;
mod doctor;
mod engine;
mod error;
mod expand;
mod export;
mod find;
mod flows;
mod focus;
mod gaps;
mod graduate;
mod graph;
mod helper;
mod history;
mod import;
mod index;
mod ingest;
mod journal;
mod listen;
mod mark;
mod meaning;
mod meet;
mod metrics;
mod mint;
mod model;
mod neighbours;
mod noticed;
mod occasion;
mod only_if;
mod permit;
mod project;
mod promote;
mod proof;
mod purge;
mod quote;
mod reading;
mod recall;
mod reconfirm;
mod relate;
mod remember;
mod rest;
mod retire;
mod review;
mod revise;
mod seed;
mod shelf;
mod sidecar;
mod sleep;
mod steps;
mod team;
mod things;
mod today;
mod told;
mod transaction;
mod undo;
mod verify;
mod warn;
mod watch;
mod why;
mod worked;

pub use agent::AgentCorrection;
pub use apply::Applied;
pub use asking::note_serving;
pub use backup::{BackedUp, BackupCopy, Leftover, Restored, backups, is_older, leftovers};
pub use brief::{Brief, KeptBrief};
pub use capture::{
    Capture, Captured, Comes, Meets, Mind, Minds, ReadAside, ReadPiece, is_kept, turns_of,
};
pub use card::{Card, Later, Shake, Shaken};
pub use clean::{Cleaner, clean, clean_name, clean_text};
pub use clock::Clock;
pub use context::Context;
pub use doctor::{Check, CheckOutcome, free_bytes, unwritable};
pub use engine::{Engine, QUICKLY_REWRITTEN, has_memory, keep_memory_at};
pub use error::{Error, ErrorKind, Result, in_plain_words};
pub use expand::Expanded;
pub use export::export_markdown;
pub use find::{Filter, Listing};
pub use flows::{
    Briefing, Capturing, Checking, Copying, Erasing, Keeping, Listening, Looking, Recalling,
    Reviewing, Sleeping, Vectors, Watching, Working,
};
pub use focus::{FocusNode, InFocus};
pub use graduate::{Graduated, Graduation};
pub use graph::{Graph, GraphNode, GraphWanted};
pub use history::{Version, touched_memories};
pub use import::{ImportSource, Imported};
pub use ingest::opencode_lines;
pub use ingest::{Ingested, PastTurn};
pub use journal::note::{
    Damage, HookFailure, last_failures, last_fired, lost_since, note_failure, note_fired,
};
pub use journal::{Journal, JournalEntry, JournalHealth, JournalQueue, JournalRead};
pub use listen::Reply;
pub use meaning::Memo;
pub use metrics::{Continuity, CrossDomain, GraduationQuality, Metrics};
pub use model::{
    Llm, ModelState, RecallJudgement, Waiting, Work, Worked, want_work, work_wanted, worker_wanted,
};
pub use noticed::Noticed;
pub use only_if::OnlyIf;
pub use project::{Joined, KnownProject, Project, ProjectLinks, RootStanding, Roots, key_of};
pub use purge::{
    NamedBy, Purged, ToErase, has_late_secrets, hide_late_secrets, late_secrets, late_secrets_wait,
};
pub use reading::kind_of;
pub use recall::{
    Arms, Ask, CandidateFate, CutReason, ElsewhereHint, Recall, RecallCandidate, Recalled,
    RecalledThing, Settled, recalls_wait,
};
pub use remember::{NewMemory, Remembered};
pub use rest::UnsavedMind;
pub use retire::Put;
pub use review::{Keep, Review, Stuck, Undecided};
pub use revise::Edits;
pub use seed::Seeded;
pub use shelf::{ShelfClaim, ShelfEntry, ShelfRules, Shelved, Shelves};
pub use sidecar::{Loaded, Sidecars};
pub use sleep::{
    Boxing, DEEP_BESIDE_MAX, DeepDue, DeepSlept, Done, Inputs, PassReport, Slept, Tended, TopicBox,
    WaitingForSleep,
};
pub use steps::procedure_of;
pub use things::{AboutPage, Merged, SimilarMemory, Thing, ThingShown, Topic};
pub use throughline_redact::take_contacts;
pub use throughline_store::{
    LeftOut, Member, MemberStanding, Transferred, left_out, private_folder,
};
pub use today::{DayNearness, Today};
pub use told::{Audience, Because, Said, TOLD_DAYS, Telling, Tellings, Wanted};
pub use undo::{Reverted, Undone};
pub use verify::{Showed, ToCheck, Verified};
pub use watch::Woken;
pub use why::{Reason, Why};

pub use throughline_core as core;
pub use throughline_embed::Embedder;
pub use throughline_language as language;
pub use throughline_llm as llm;
pub use throughline_store::{
    Begin, FromSession, FromTurn, LogQuery, Reader, SessionPage, StoredBatch, TurnPage,
};
