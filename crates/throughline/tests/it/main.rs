//! The program from outside: every command as a user runs it, and every way it can go wrong.

mod as_of;
mod bad_input;
mod copies;
mod correcting;
mod demo;
mod everyday;
mod harness;
mod interrupted;
mod lineage;
mod pages;
mod purging;
mod reasons;
mod remembering;
mod scopes;
mod slots;
mod superseding;
mod switch;
mod terminal;
mod together;
mod transfer;
mod trouble;
