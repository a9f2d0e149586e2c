//! Clients for language models and embedding services. What comes back is bounded and never
//! trusted.
#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod answer;
mod breaker;
mod client;
mod command;
mod dialect;
mod embed;
mod environment;
mod error;
mod settings;

pub use breaker::Breaker;
pub use client::{Asked, Client, ModelRequest, TokenUsage};
pub use error::Error;
pub use settings::{Key, ModelSettings, Provider};

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
