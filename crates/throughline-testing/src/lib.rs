//! What the tests of the other crates share: samples, the suite that every store must pass, and
//! the language in which stories are told ([`story()`]).
//!
//! A new backend joins the suite with a [`conformance::Factory`] and one line,
//! [`store_conformance!`].

pub mod conformance;
pub mod sample;
pub mod server;
mod story;

pub use story::story;
