//! Form of settings: what we write into which file of a host, as tables of events and servers.

use super::SERVER;

/// Settings form: the format of a settings file, and which parts of it are ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsForm {
    /// JSON; comments and trailing commas are tolerated.
    Json(&'static [SettingsSection]),
    /// TOML with our server in it, for Codex.
    Toml,
    /// A file that is ours as a whole, for opencode.
    Plugin,
}

/// Settings section: a member of a settings file that holds entries of ours.
#[derive(Debug, PartialEq, Eq)]
pub enum SettingsSection {
    /// Hooks: events, and the programs called at them.
    Hooks(Hooks),
    /// MCP servers, by name.
    Servers(Servers),
    /// A name and a value that a new file must hold beside our entries.
    Fixed(&'static str, &'static str),
}

impl SettingsSection {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Hooks(_) => "hooks",
            Self::Servers(servers) => servers.section,
            Self::Fixed(name, _) => name,
        }
    }

    /// What of ours is in it.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Self::Hooks(hooks) => hooks.events.iter().map(|event| event.name.to_owned()).collect(),
            Self::Servers(_) => vec![SERVER.to_owned()],
            Self::Fixed(..) => Vec::new(),
        }
    }
}

/// Hooks: the events of a host that we want to be called at.
#[derive(Debug, PartialEq, Eq)]
pub struct Hooks {
    /// The host's written name.
    pub(super) host: &'static str,
    pub(super) style: Style,
    pub(super) events: &'static [Registered],
}

/// How a host writes down whom to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// In groups: a program with its arguments.
    Program,
    /// In groups: a command line.
    Line,
    /// The same, with a name that the host shows.
    NamedLine,
    /// A command line, right in the list of the event.
    Flat,
}

/// An event that we want to be called at.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Registered {
    pub(super) name: &'static str,
    /// How long the host waits for us, in the host's own unit.
    pub(super) timeout: u32,
    /// Which of them: of tools, all.
    pub(super) matcher: Option<&'static str>,
}

const fn event(name: &'static str, timeout: u32) -> Registered {
    Registered { name, timeout, matcher: None }
}

const fn some(name: &'static str, matcher: &'static str, timeout: u32) -> Registered {
    Registered { name, timeout, matcher: Some(matcher) }
}

/// Servers: where MCP servers are listed, and how.
#[derive(Debug, PartialEq, Eq)]
pub struct Servers {
    pub(super) section: &'static str,
    pub(super) shape: Shape,
}

/// How a host writes down a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `command` and `args`.
    Plain,
    /// The same, with a type.
    Typed,
    /// One list: opencode.
    List,
}

/// Seconds. Tools that ran well are reported once for each batch, which is cheaper than once for
/// each tool; the timeout of `SessionEnd` also raises the limit that is common to all hooks. Never
/// add `WorktreeCreate`: whoever registers it takes over making worktrees.
pub(super) const CLAUDE_SETTINGS: &[SettingsSection] = &[SettingsSection::Hooks(Hooks {
    host: "claude-code",
    style: Style::Program,
    events: &[
        event("SessionStart", 10),
        event("UserPromptSubmit", 10),
        some("PreToolUse", "*", 5),
        event("PostToolBatch", 5),
        some("PostToolUseFailure", "*", 5),
        event("PreCompact", 10),
        event("Stop", 5),
        event("SubagentStart", 5),
        event("SubagentStop", 5),
        event("SessionEnd", 5),
    ],
})];

pub(super) const CLAUDE_SERVERS: &[SettingsSection] =
    &[SettingsSection::Servers(Servers { section: "mcpServers", shape: Shape::Typed })];

/// Seconds; `SessionEnd` gets three at most.
pub(super) const CODEX_HOOKS: &[SettingsSection] = &[SettingsSection::Hooks(Hooks {
    host: "codex",
    style: Style::Line,
    events: &[
        event("SessionStart", 10),
        event("UserPromptSubmit", 10),
        some("PreToolUse", "*", 5),
        some("PostToolUse", "*", 5),
        event("PreCompact", 10),
        event("Stop", 5),
        event("SubagentStart", 5),
        event("SubagentStop", 5),
        event("SessionEnd", 3),
    ],
})];

/// Milliseconds. `PreCompress` comes before every call of the model, unless a person asks for it;
/// what is said at `BeforeTool` nobody hears.
pub(super) const GEMINI_SETTINGS: &[SettingsSection] = &[
    SettingsSection::Hooks(Hooks {
        host: "gemini",
        style: Style::NamedLine,
        events: &[
            event("SessionStart", 10_000),
            event("BeforeAgent", 10_000),
            some("AfterTool", "*", 5_000),
            some("PreCompress", "manual", 10_000),
            event("AfterAgent", 5_000),
            event("SessionEnd", 5_000),
        ],
    }),
    SettingsSection::Servers(Servers { section: "mcpServers", shape: Shape::Plain }),
];

pub(super) const OPENCODE_CONFIG: &[SettingsSection] =
    &[SettingsSection::Servers(Servers { section: "mcp", shape: Shape::List })];

/// Seconds, by the documentation.
pub(super) const CURSOR_HOOKS: &[SettingsSection] = &[
    SettingsSection::Fixed("version", "1"),
    SettingsSection::Hooks(Hooks {
        host: "cursor",
        style: Style::Flat,
        events: &[
            event("sessionStart", 10),
            event("beforeSubmitPrompt", 10),
            event("postToolUse", 5),
            event("postToolUseFailure", 5),
            event("preCompact", 10),
            event("afterAgentResponse", 5),
            event("sessionEnd", 5),
        ],
    }),
];

pub(super) const CURSOR_SERVERS: &[SettingsSection] =
    &[SettingsSection::Servers(Servers { section: "mcpServers", shape: Shape::Plain })];
