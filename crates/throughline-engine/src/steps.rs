//! Steps: a procedure that somebody gives in parts, as the words that are kept.

use throughline_core::text;
use throughline_language::procedure::{self, Procedure};

use crate::{Error, Result};

/// The words of a procedure with this name and these parts. Parts that begin with "Needs:", "Warning:" or "When:"
/// are no steps.
pub fn procedure_of(name: &str, parts: &[String]) -> Result<String> {
    let lines: Vec<String> = parts.iter().map(|part| text::printable(part)).collect();
    let told = Procedure::of_parts(name, &lines);
    let written = told.write();
    match procedure::read(&written) {
        Some(_) => Ok(written),
        None => Err(Error::BadInput(
            "a procedure has a name and two steps at least: give a step each time".to_owned(),
        )),
    }
}
