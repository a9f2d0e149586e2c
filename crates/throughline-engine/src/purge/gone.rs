//! What must not be said anywhere any more, and how it is recognised in what an agent told.

use std::collections::BTreeSet;
use std::path::Path;

use throughline_core::event::{Event, ToolRun};
use throughline_core::{
    Episode, Fingerprint, MemoryId, NodeId, ProjectKey, SessionId, SpaceId, episode, text, words,
};

use crate::Project;
use crate::capture::{Captured, turns_of};
use crate::journal::{JournalEntry, JournalLine};

/// What is erased: memories in all their wordings, and turns.
#[derive(Debug, Default)]
pub(crate) struct Gone {
    /// The walls behind which it is erased.
    pub(crate) spaces: BTreeSet<SpaceId>,
    /// The memories.
    pub(crate) memories: BTreeSet<MemoryId>,
    /// What they say and ever said, in comparable form.
    wordings: Vec<String>,
    /// The turns, by their nodes and by what recognises them.
    turns: BTreeSet<NodeId>,
    marks: BTreeSet<Fingerprint>,
    /// The sessions they were said in.
    pub(crate) sessions: BTreeSet<SessionId>,
    /// Of some turns it is not known in which.
    any_session: bool,
    /// The telling words of all that.
    terms: BTreeSet<String>,
    /// The words themselves, as they may stand in a file.
    pub(super) telling: BTreeSet<String>,
}

impl Gone {
    /// Adds what a memory says.
    pub(crate) fn add_wording(&mut self, said: &str) {
        self.terms.extend(words::query_terms(said));
        self.telling.extend(super::scrub::telling_words(said));
        let said = text::normalise(said);
        if !said.is_empty() {
            self.wordings.push(said);
        }
    }

    /// Adds a turn.
    pub(crate) fn add_turn(&mut self, turn: &Episode) {
        self.turns.insert(NodeId::Episode(turn.id));
        self.add_said(&turn.session, &turn.speaker, &turn.text);
    }

    /// Adds a turn of which only the mark is left.
    pub(crate) fn add_mark(&mut self, space: SpaceId, mark: &Fingerprint) {
        self.spaces.insert(space);
        self.marks.insert(mark.clone());
        self.any_session = true;
    }

    pub(crate) fn add_said(&mut self, session: &SessionId, speaker: &str, said: &str) {
        self.marks.insert(episode::mark(session, speaker, said));
        self.sessions.insert(session.clone());
        self.terms.extend(words::query_terms(said));
        self.telling.extend(super::scrub::telling_words(said));
    }

    /// Whether a text tells one of the memories.
    pub(crate) fn is_told_in(&self, said: &str) -> bool {
        self.may_be_told_in(said) && {
            let said = format!(" {} ", text::normalise(said));
            self.wordings.iter().any(|wording| said.contains(&format!(" {wording} ")))
        }
    }

    /// A quick look that lets most texts of a journal go: plain text that is to hold a wording holds
    /// its longest word as it is.
    fn may_be_told_in(&self, said: &str) -> bool {
        let odd = |byte: u8| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\r' | b'\t');
        if !said.is_ascii() || said.bytes().any(odd) {
            return !self.wordings.is_empty();
        }
        let plain = said.to_ascii_lowercase();
        let longest =
            |wording: &str| wording.split(' ').max_by_key(|word| word.len()).map(str::to_owned);
        self.wordings.iter().filter_map(|one| longest(one)).any(|word| plain.contains(&word))
    }

    /// Whether a page names something erased by its id.
    pub(crate) fn is_named_in(&self, page: &str) -> bool {
        let turn = |node: &NodeId| match node {
            NodeId::Episode(id) => Some(id.handle()),
            NodeId::Memory(_) | NodeId::Entity(_) => None,
        };
        let memories = self.memories.iter().map(MemoryId::handle);
        let mut named = memories.chain(self.turns.iter().filter_map(turn));
        named.any(|handle| page.contains(&format!("[{handle}]")))
    }

    /// Whether a term is one of its words.
    pub(crate) fn is_its_word(&self, term: &str) -> bool {
        self.terms.contains(term)
    }

    /// Whether a node is erased.
    pub(crate) fn is_node(&self, node: NodeId) -> bool {
        self.turns.contains(&node) || node.memory().is_some_and(|id| self.memories.contains(&id))
    }

    /// Whether a turn of a session is one of the erased, or tells what is.
    pub(crate) fn is_turn(&self, session: &SessionId, turn: &Captured) -> bool {
        let may_be = self.any_session || self.sessions.contains(session);
        may_be && self.marks.contains(&episode::mark(session, turn.speaker.as_str(), &turn.text))
            || self.is_told_in(&turn.text)
            || turn.run.as_ref().is_some_and(|run| self.is_told_by(run))
    }

    fn is_told_by(&self, run: &ToolRun) -> bool {
        let call = &run.call;
        let texts = call.command.iter().chain(&call.files).chain(&call.text);
        texts.chain([&run.output]).any(|text| self.is_told_in(text))
    }

    /// Whether a line of a journal tells it.
    pub(crate) fn is_line(&self, line: JournalLine<'_>) -> bool {
        match line {
            JournalLine::Entry(entry) => self.is_event(entry) && self.is_within(entry),
            JournalLine::Text(text) => self.is_told_in(text),
        }
    }

    fn is_event(&self, entry: &JournalEntry) -> bool {
        let mut event: Event = entry.event.clone();
        event.texts_mut().into_iter().any(|text| self.is_told_in(text))
            || turns_of(&entry.event, entry.at)
                .iter()
                .any(|turn| self.is_turn(&entry.event.session, turn))
    }

    /// Whether an entry belongs to one of the spaces, or its folder does by now. Whose project
    /// cannot be found any more is not spared.
    fn is_within(&self, entry: &JournalEntry) -> bool {
        let root = entry.project.as_ref().map(Path::new);
        let there = root.and_then(|root| Project::at(root).ok());
        let claim = there.as_ref().and_then(|project| project.claim.clone());
        let before = claim.as_ref().and_then(ProjectKey::without_port);
        let keys = [entry.key.as_deref().map(ProjectKey::read), there.map(|one| one.key)];
        let mut keys = keys.into_iter().chain([claim, before]).flatten().peekable();
        keys.peek().is_none() || keys.any(|key| self.spaces.contains(&key.space()))
    }
}
