//! What the tests of the other crates share: samples, and the suite that every store must pass.
//!
//! A new backend joins the suite with a [`conformance::Factory`] and one line,
//! [`store_conformance!`].

pub mod conformance;
pub mod sample;
