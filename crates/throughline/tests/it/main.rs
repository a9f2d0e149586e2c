//! The program from outside: every command as a user runs it, and every way it can go wrong.

mod as_of;
mod attention;
mod bad_input;
mod copies;
mod correcting;
mod demo;
mod everyday;
mod harness;
mod ingesting;
mod interrupted;
mod lineage;
mod odd_questions;
mod pages;
mod purging;
mod reasons;
mod recalling;
mod remembering;
mod scopes;
mod slots;
mod superseding;
mod switch;
mod terminal;
mod together;
mod transfer;
mod trouble;
mod xray;
