//! Whose hand is at the keyboard.

use throughline_core::permission::Door;

use super::{Environment, Settings};

impl Settings {
    /// The door that a command comes by: a person's terminal, or the shell of an agent. Nothing that
    /// could be set in an agent's shell as well makes it a person's again.
    pub(crate) fn door(&self) -> Door {
        self.environment.door()
    }
}

impl Environment {
    fn door(&self) -> Door {
        if self.shell.is_some() || self.inside { Door::AgentShell } else { Door::Terminal }
    }

    /// The same for a command that somebody typed: an agent does not choose the time at which it
    /// speaks, so in its shell the machine's clock counts.
    pub(crate) fn of_a_command(&self) -> Self {
        let now = self.now.clone().filter(|_| self.door() == Door::Terminal);
        Self { now, ..self.clone() }
    }
}
