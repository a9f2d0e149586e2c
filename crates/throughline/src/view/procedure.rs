//! How a procedure looks to people: its parts, and its steps with numbers.

use std::fmt::Write as _;

use throughline_language::procedure::Procedure;

use crate::ui::{DIM, WARN, paint, safe};

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
