//! The suite itself: nothing in it goes untried.

mod suite;
