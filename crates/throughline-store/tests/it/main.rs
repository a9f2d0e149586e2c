//! The stores against the suite that every store must pass, and what only SQLite promises.

mod conformance;
mod damage;
mod documents;
mod erasure;
mod exchange;
mod files;
mod foreign;
mod home;
mod old_files;
mod plans;
mod postgres;
mod restore;
mod server;
mod team;
mod trouble;
mod turns;
mod waiting;
