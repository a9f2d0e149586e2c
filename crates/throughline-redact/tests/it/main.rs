//! A text goes in, a text without its secrets comes out.

mod broken;
mod code;
mod families;
mod files;
mod forms;
mod freer;
mod laws;
mod mentions;
mod places;
mod secrets;
mod told;
mod unnamed;
