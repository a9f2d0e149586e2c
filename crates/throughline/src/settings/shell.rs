//! Whose hand is at the keyboard.

use throughline_core::permission::Door;

use super::Settings;

impl Settings {
    /// The door that a command comes by: a person's terminal, or the shell of an agent. Nothing that
    /// could be set in an agent's shell as well makes it a person's again.
    pub(crate) fn door(&self) -> Door {
        let agents = self.environment.shell.is_some() || self.environment.inside;
        if agents { Door::AgentShell } else { Door::Terminal }
    }
}
