//! Where memory is kept: the traits [`Reader`] and [`Store`], SQLite and PostgreSQL behind them, and
//! the same tables as maps, with which tests compare SQLite and into which the log is replayed for a moment
//! of the past. The only shipped crate with SQL in it.
//!
//! In reading order: `store` is the contract; `apply` applies a batch in every store; [`Overlay`]
//! shows changes that are not written yet; [`MapStore`] is the shortest store; `sqlite` is the real
//! one, and `postgres` the one for teams.

mod apply;
mod backend;
mod body;
mod candidates;
mod damage;
mod document;
mod error;
mod folder;
mod foreign;
mod map;
mod member;
mod overlay;
#[cfg(feature = "postgres")]
mod postgres;
mod query;
mod said;
mod soundness;
mod sqlite;
mod store;
mod tables;
mod transfer;

pub use backend::Backend;
pub use candidates::{
    BesideTurn, CandidateQuery, CandidateRecord, Candidates, ClaimAhead, Foreseen, FrequentTerms,
    IndexAhead, NearDocument, PromptCodes, RecordQuery, TermDocuments,
};
pub use damage::{LeftOut, left_out};
pub use document::{BLOCK, Document, PACKED_AT, PACKED_MAX, Postings, RECORD, Shelf};
pub use error::{Error, Result};
pub use folder::{beside, private_folder, sync_folder, sync_parent};
pub use foreign::opencode_lines;
pub use map::MapStore;
pub use member::{Member, MemberList, MemberStanding};
pub use overlay::Overlay;
#[cfg(feature = "postgres")]
pub use postgres::PgStore;
pub use query::{
    Begin, EntityName, FromSession, FromTurn, LogQuery, MemoryPage, MemoryQuery, SessionPage,
    SlotQuery, TextHit, TextOf, TextQuery, TurnPage, Vector,
};
pub use said::{find_turns, quoted_by, told_turn, turns_holding, turns_under, wordings};
pub use sqlite::{SQLITE_FLOOR, SqliteStore};
pub use store::{
    Condition, Erasure, Finding, HeldSecrets, PERSON, Planner, Reader, Store, StoreHealth,
    StoredBatch, compare_dumps,
};
pub use tables::{Tables, nodes_of_key};
pub use transfer::{Transferred, transfer};
