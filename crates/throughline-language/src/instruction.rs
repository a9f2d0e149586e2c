//! Instructions: text from outside that tries to give orders to whoever reads it.
//!
//! For text that no person said to us: web pages, files, output, other agents. What a page says is
//! worth knowing, what it commands is not. Told apart by rules: an order is addressed to the reader,
//! a fact tells what others do.

mod fold;
mod order;
mod shape;

/// What a text tries to make its reader do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OrderKind {
    /// Drop what it was told before.
    OverridesInstructions,
    /// Take the text for the voice of its own system.
    PosesAsSystem,
    /// Keep something from the user.
    AsksToHide,
    /// Give away what it must not.
    AsksForSecrets,
    /// Run what nobody has looked at.
    RunsSomething,
    /// Send something out.
    Exfiltrates,
}

impl std::fmt::Display for OrderKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::OverridesInstructions => "it tells its reader to drop earlier instructions",
            Self::PosesAsSystem => "it poses as the system",
            Self::AsksToHide => "it asks to keep something from the user",
            Self::AsksForSecrets => "it asks for secrets",
            Self::RunsSomething => "it makes its reader run something unseen",
            Self::Exfiltrates => "it asks to send something out",
        })
    }
}

/// Why a text is an order to its reader, or `None` if it only tells something.
///
/// Spelling it with invisible or foreign look-alike characters, odd spacing or digits for letters
/// does not help.
pub fn commands_the_reader(text: &str) -> Option<OrderKind> {
    let folded = fold::fold(text);
    let words = fold::words(&folded);
    shape::found(&folded).or_else(|| order::found(&words))
}
