//! What words say by their form, seen from outside.

mod arbitrary;
mod flat;
mod instruction;
mod lesson;
mod near;
mod procedure;
mod question;
mod referent;
mod target;
