//! The rules of attention: plain data and pure functions.
//!
//! `throughline-core` says what is true and who may change it. This crate says what is looked at: attention changes by
//! use, and it never changes what is true. Nothing here does I/O, reads a clock, makes an id or draws a random number.
//!
//! | what | where |
//! |---|---|
//! | how present a node is in a session | [`activation`] |
//! | what a session has in mind | [`hot`] |
//! | how well a text fits a query | [`relevance`] |
//! | which of what was found is worth saying | [`recall_gate`] |
//! | what hangs together with what was found | [`frontier`] |
//! | which memories lie close together | [`clusters`] |
//! | which stretches of work belong together | [`boxes`] |
//! | which things are one and the same | [`merging`] |
//! | when organising is due again | [`due`] |
//! | when memories leave view, change tier or graduate | [`lifecycle`] |

pub mod activation;
pub mod boxes;
pub mod clusters;
pub mod due;
pub mod frontier;
pub mod hot;
pub mod lifecycle;
pub mod merging;
pub mod recall_gate;
pub mod relevance;
