//! Shell of an agent, recognised by the environment variables that its host sets.

use crate::Host;

/// How a host marks what it starts.
struct Marks {
    host: Host,
    /// Variables of which any one says that we run inside of it. None of them is set in a terminal
    /// that an editor merely shows to its user.
    inside: &'static [&'static str],
    /// The variable that names the session, if there is one.
    session: Option<&'static str>,
}

/// Every host's marks.
const MARKS: &[Marks] = &[
    Marks {
        host: Host::ClaudeCode,
        inside: &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"],
        session: Some("CLAUDE_CODE_SESSION_ID"),
    },
    Marks {
        host: Host::Codex,
        inside: &["CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_CI"],
        session: Some("CODEX_THREAD_ID"),
    },
    Marks { host: Host::Gemini, inside: &["GEMINI_CLI"], session: None },
    Marks { host: Host::Opencode, inside: &["OPENCODE", "OPENCODE_PID"], session: None },
    Marks { host: Host::Cursor, inside: &["CURSOR_AGENT"], session: None },
];

/// Shell: the agent that runs the shell we were started from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    /// The agent's host.
    pub host: Host,
    /// The agent's session, if the host tells it.
    pub session: Option<String>,
}

impl Shell {
    /// Recognises an agent's shell by the variables that are set; `None` in a person's own shell.
    pub fn around(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let set = |name: &&str| variable(name).is_some_and(|value| !value.is_empty());
        let marks = MARKS.iter().find(|one| one.inside.iter().any(&set))?;
        let session = marks.session.and_then(&variable).filter(|session| !session.is_empty());
        Some(Self { host: marks.host, session })
    }

    /// Names of the variables that are looked at.
    pub fn variables() -> impl Iterator<Item = &'static str> {
        MARKS.iter().flat_map(|one| one.inside.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_is_recognised_by_each_of_its_marks_and_a_plain_terminal_by_none() {
        for host in Host::ALL {
            let marks = MARKS.iter().find(|one| one.host == *host);
            for name in marks.expect("every host has a row").inside {
                let shell = Shell::around(|asked| (asked == *name).then(|| "1".to_owned()));
                assert_eq!(shell.map(|shell| shell.host), Some(*host), "{name}");
            }
        }
        assert_eq!(Shell::around(|_| None), None);
        assert_eq!(Shell::around(|_| Some(String::new())), None);
        let editors = ["TERM_PROGRAM", "VSCODE_PID", "CURSOR_TRACE_ID", "CLAUDE_CODE_SSE_PORT"];
        let editor = |asked: &str| editors.contains(&asked).then(|| "1".to_owned());
        assert_eq!(Shell::around(editor), None);
    }
}
