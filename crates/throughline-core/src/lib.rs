//! The rules of memory: plain data and pure functions.
//!
//! Nothing here does I/O, reads a clock, makes an id, draws a random number or waits. Time, ids and
//! settings are handed in; decisions come back as [`Change`]s. Same input, same output; ties break
//! by id.
//!
//! In reading order:
//!
//! | what | where |
//! |---|---|
//! | the nouns | [`memory`], [`evidence`], [`entity`], [`edge`], [`episode`], [`watermark`], [`scope`], [`usage`] |
//! | who says so, who may do what, and what may become what | [`authority`], [`permission`], [`state`] |
//! | how true, how retrievable | [`trust`], [`salience`] |
//! | text | [`text`], [`words`], [`tokens`], [`form`] |
//! | what a change is, and what it does to the tables | [`change`], [`row`], [`fold`], [`undo`] |
//! | what remains of a secret that was recognised too late | [`trace`] |
//! | what to do with something new, and what it meets | [`reconcile`], [`meet`] |
//! | what a tool gets back word for word | [`leaf`] |
//! | what could not be applied, and waits for a person | [`pending`] |
//! | what is gone over once more when nobody waits | [`sleep`] |
//! | what an agent tells us, and who speaks | [`event`], [`speaker`] |
//! | what a reader made of a turn, and what is to be kept of it | [`reading`], [`patch`] |
//! | times in a text, and what search knows of a text | [`when`], [`document`] |
//! | the final order, and what an agent gets to read | [`rank`], [`page`] |
//! | every number an owner may tune | [`policy`] |

#[macro_use]
mod closed_set;

pub mod asking;
pub mod authority;
pub mod change;
pub mod document;
pub mod edge;
pub mod entity;
pub mod episode;
pub mod event;
pub mod evidence;
pub mod fold;
pub mod form;

pub mod id;
pub mod leaf;

pub mod meet;
pub mod memory;
pub mod page;
pub mod patch;
pub mod pending;
pub mod permission;
pub mod policy;
pub mod project;
pub mod rank;
pub mod reading;
pub mod reconcile;
pub mod row;
pub mod salience;
pub mod scope;
pub mod sleep;
pub mod speaker;
pub mod state;
pub mod text;
pub mod time;
pub mod tokens;
pub mod trace;
pub mod trust;
pub mod undo;
pub mod usage;
pub mod watermark;
pub mod when;
pub mod words;

pub use authority::Authority;
pub use change::{Actor, Batch, Cause, Change, Commit, Logged};
pub use edge::{Edge, Relation};
pub use entity::{Entity, EntityKind};
pub use episode::Episode;
pub use evidence::Evidence;
pub use id::{
    BatchId, EntityId, EpisodeId, EvidenceId, LeafId, MemoryId, NodeId, PendingId, SessionId,
    SpaceId,
};
pub use leaf::Leaf;
pub use memory::{Cardinality, Kind, Layer, Memory, Slot};
pub use pending::{Pending, Ruling};
pub use policy::Policy;
pub use project::ProjectKey;
pub use row::{Row, RowKey, Table, Write};
pub use scope::{Scope, Space};
pub use speaker::Speaker;
pub use state::State;
pub use text::Fingerprint;
pub use time::Timestamp;
pub use trace::Trace;
pub use usage::Usage;
pub use watermark::Watermark;
