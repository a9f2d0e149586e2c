//! A text goes in, a text without its secrets comes out.

mod files;
mod laws;
mod mentions;
mod places;
mod secrets;
