//! Behaviour of the engine, told as stories and shown as flows.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod acting;
mod flows;
mod journaling;
mod recalling;
mod reviewing;
mod serving;
mod sleeping;
mod standing;
mod stories;
