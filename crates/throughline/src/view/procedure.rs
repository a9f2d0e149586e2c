//! How a procedure looks to callers: its parts, and its steps with numbers.

use std::fmt::Write as _;

use serde::Serialize;
use throughline_core::{Kind, Memory};
use throughline_language::procedure::{self, Procedure};

use crate::ui::{DIM, WARN, paint, safe};

/// The parts of a procedure as callers see them.
#[derive(Debug, Serialize)]
pub(crate) struct WireProcedure {
    name: String,
    trigger: Option<String>,
    steps: Vec<String>,
    prerequisites: Vec<String>,
    warnings: Vec<String>,
}

impl From<Procedure> for WireProcedure {
    fn from(told: Procedure) -> Self {
        let Procedure { name, trigger, prerequisites, steps, warnings } = told;
        Self { name, trigger, steps, prerequisites, warnings }
    }
}

/// The procedure that a memory tells, if it is one and has steps.
pub(super) fn of(memory: &Memory) -> Option<Procedure> {
    (memory.kind == Kind::Procedure).then(|| procedure::read(&memory.content)).flatten()
}

/// The parts, a line each.
pub(super) fn page(told: &Procedure) -> String {
    let mut page = String::new();
    let mut line = |name: String, value: String| {
        writeln!(page, "{}  {value}", paint(DIM, format!("{name:>12}")))
            .expect("writing to a String cannot fail");
    };
    told.trigger.iter().for_each(|said| line("when".to_owned(), safe(said)));
    told.prerequisites.iter().for_each(|said| line("needs".to_owned(), safe(said)));
    for (at, step) in told.steps.iter().enumerate() {
        line(format!("{}.", at + 1), safe(step));
    }
    told.warnings.iter().for_each(|said| line("warning".to_owned(), paint(WARN, safe(said))));
    page
}
