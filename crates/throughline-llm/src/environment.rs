//! What a program that we start as a model gets to see of the environment: what it needs to run, to
//! find its own login and to reach its service. Keys and tokens of others are not among that.

/// Variables that any program may need.
const PLAIN: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "NO_COLOR",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    // Windows does not start a program without these.
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
];

/// Where the agents that we know keep their login, and what leads to a keyring.
const LOGINS: &[&str] = &[
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
];

/// How the network is reached.
const NETWORK: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

/// Whether a program gets a variable: one that it needs, or one that the user named for it.
pub(crate) fn passes(name: &str, named: &[String]) -> bool {
    let upper = name.to_ascii_uppercase();
    let known = || [PLAIN, LOGINS, NETWORK].iter().any(|list| list.contains(&upper.as_str()));
    named.iter().any(|one| one == name) || upper.starts_with("LC_") || known()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_needs_passes_and_what_opens_something_else_does_not() {
        for name in ["PATH", "HOME", "LC_ALL", "https_proxy", "CLAUDE_CONFIG_DIR", "SystemRoot"] {
            assert!(passes(name, &[]), "{name}");
        }
        for name in [
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "GEMINI_API_KEY",
            "GROQ_API_KEY",
            "OPENROUTER_API_KEY",
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "DATABASE_URL",
            "SSH_AUTH_SOCK",
            "CLAUDECODE",
            "SOMETHING_NOBODY_KNOWS",
        ] {
            assert!(!passes(name, &[]), "{name}");
        }
        assert!(passes("GEMINI_API_KEY", &["GEMINI_API_KEY".to_owned()]));
    }
}
