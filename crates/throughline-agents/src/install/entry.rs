//! Our entries: what they look like, and how to tell them from those of others.

use super::edit::Edit;
use super::scan::{Kind, Node};

/// An event that we want to be called at.
pub(super) struct Registered {
    pub(super) name: &'static str,
    /// How long Claude Code waits for us, in seconds. For `SessionEnd` it also raises the limit
    /// that is common to all hooks.
    timeout_seconds: u32,
    /// Whether it is about tools, of which we want all.
    about_tools: bool,
}

const fn event(name: &'static str, timeout_seconds: u32) -> Registered {
    Registered { name, timeout_seconds, about_tools: false }
}

const fn tool_event(name: &'static str, timeout_seconds: u32) -> Registered {
    Registered { name, timeout_seconds, about_tools: true }
}

/// Tools that ran well are reported once for each batch, which is cheaper than once for each tool.
/// Never add `WorktreeCreate`: whoever registers it takes over making worktrees.
pub(super) const EVENTS: &[Registered] = &[
    event("SessionStart", 10),
    event("UserPromptSubmit", 10),
    tool_event("PreToolUse", 5),
    event("PostToolBatch", 5),
    tool_event("PostToolUseFailure", 5),
    event("PreCompact", 10),
    event("Stop", 5),
    event("SubagentStop", 5),
    event("SessionEnd", 5),
];

/// What follows the name of the event in our arguments.
const AGENT: [&str; 2] = ["--agent", "claude-code"];

impl Registered {
    fn handler(&self, command: &str) -> String {
        format!(
            r#"{{ "type": "command", "command": {}, "args": ["hook", "{}", "{}", "{}"], "timeout": {} }}"#,
            quoted(command),
            self.name,
            AGENT[0],
            AGENT[1],
            self.timeout_seconds
        )
    }

    /// One element of the list of an event.
    pub(super) fn group(&self, command: &str) -> String {
        let matcher = if self.about_tools { r#""matcher": "*", "# } else { "" };
        format!(r#"{{ {matcher}"hooks": [{}] }}"#, self.handler(command))
    }

    /// The member of an event that has no list yet.
    pub(super) fn member(&self, command: &str) -> String {
        format!(r#""{}": [{}]"#, self.name, self.group(command))
    }

    /// Brings an entry of ours up to date, if it is not.
    pub(super) fn update(&self, text: &str, ours: &Ours<'_>, command: &str) -> Option<Edit> {
        let span = |node: &Node| &text[node.span.clone()];
        let timeout = ours.handler.member("timeout").map(span);
        let same_timeout = timeout == Some(self.timeout_seconds.to_string().as_str());
        let expected = ["hook", self.name, AGENT[0], AGENT[1]];
        let same_arguments = ours.arguments.iter().eq(expected.iter());
        match (same_arguments && same_timeout, ours.command == command) {
            (true, true) => None,
            (true, false) => {
                let path = ours.handler.member("command")?;
                Some(Edit { range: path.span.clone(), with: quoted(command) })
            }
            (false, _) => {
                Some(Edit { range: ours.handler.span.clone(), with: self.handler(command) })
            }
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// An entry of ours.
pub(super) struct Ours<'a> {
    pub(super) event: String,
    pub(super) command: String,
    arguments: Vec<String>,
    handler: &'a Node,
}

/// Every entry of ours, wherever it stands.
pub(super) fn find<'a>(text: &str, root: &'a Node) -> Vec<Ours<'a>> {
    let hooks = root.items.iter().filter(|item| item.name.as_deref() == Some("hooks"));
    hooks
        .flat_map(|hooks| &hooks.value.items)
        .filter(|event| event.value.kind == Kind::Array)
        .flat_map(|event| in_groups(text, event.name.as_deref().unwrap_or_default(), &event.value))
        .collect()
}

/// Entries of ours in the list of one event.
pub(super) fn in_groups<'a>(
    text: &str,
    event: &str,
    groups: &'a Node,
) -> impl Iterator<Item = Ours<'a>> {
    groups
        .items
        .iter()
        .filter_map(|group| group.value.member("hooks"))
        .flat_map(|handlers| &handlers.items)
        .filter_map(move |handler| ours(text, event, &handler.value))
}

/// Tells whether a handler is ours: a program called throughline, with our arguments.
pub(super) fn ours<'a>(text: &str, event: &str, handler: &'a Node) -> Option<Ours<'a>> {
    let field = |name: &str| handler.member(name)?.as_text(text);
    let command = field("command").filter(|command| is_our_program(command))?;
    let arguments = handler.member("args").filter(|args| args.kind == Kind::Array)?;
    let arguments: Option<Vec<String>> =
        arguments.items.iter().map(|item| item.value.as_text(text)).collect();
    let arguments = arguments?;
    let is_ours = field("type").as_deref() == Some("command")
        && arguments.first().is_some_and(|first| first == "hook")
        && arguments.windows(2).any(|pair| pair == AGENT);
    is_ours.then(|| Ours { event: event.to_owned(), command, arguments, handler })
}

/// Whether a path ends with a program of ours: `throughline`, `throughline.exe`, `throughline-dev`.
pub(super) fn is_our_program(command: &str) -> bool {
    command.rsplit(['/', '\\']).next().is_some_and(|name| name.starts_with("throughline"))
}

/// Whether a path stands for itself, whatever folder the host runs us in.
pub(super) fn is_full_path(command: &str) -> bool {
    let drive = command.get(1..3).is_some_and(|rest| matches!(rest, ":\\" | ":/"));
    command.starts_with('/') || command.starts_with("\\\\") || drive
}
