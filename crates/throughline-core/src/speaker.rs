//! A speaker: whose words a turn is.

closed_set! {
    /// Who speaks in a turn.
    pub enum Speaker ("speaker") {
        /// A person.
        User = "user",
        /// The agent.
        Assistant = "assistant",
        /// A tool.
        Tool = "tool",
    }
}
