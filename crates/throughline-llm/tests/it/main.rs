//! Asking services and programs that behave, and others that do not.

mod asking;
mod embedding;
mod programs;
