//! The rules of the repository, and the suite itself: nothing in it goes untried.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod claims;
mod map;
mod names;
mod suite;
mod tidy;
