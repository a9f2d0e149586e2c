//! Due: when what costs more than a moment is done again. Counts in, a verdict out.

/// When the deep class of sleep is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuePolicy {
    /// Sessions after which it is due.
    pub sessions: u64,
    /// Current memories from which size alone makes it due.
    pub corpus: u64,
    /// New memories that this needs.
    pub memories: u64,
    /// Times that something was recalled after which it is due.
    pub recalls: u64,
    /// Current memories below which it is never due by itself: there is nothing to organise.
    pub corpus_min: u64,
}

impl Default for DuePolicy {
    fn default() -> Self {
        Self { sessions: 3, corpus: 500, memories: 50, recalls: 50, corpus_min: 12 }
    }
}

/// What happened since it was last done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SinceDeep {
    /// Current memories.
    pub corpus: u64,
    /// Sessions that were opened.
    pub sessions: u64,
    /// Memories that came in.
    pub memories: u64,
    /// Times that something was recalled.
    pub recalls: u64,
    /// Whether nobody waits for anything.
    pub idle: bool,
    /// A run was begun and not finished.
    pub unfinished: bool,
}

/// Why it is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueWhy {
    /// A run was begun and not finished.
    Unfinished,
    /// So many sessions went by.
    Sessions,
    /// There are many memories, and many new ones.
    Size,
    /// So much was recalled.
    Recalls,
    /// Nobody waits, and something is new.
    Idle,
}

/// Why the deep class is due, if it is. Where nothing came in and nothing was recalled, it never is.
pub fn due(since: &SinceDeep, policy: &DuePolicy) -> Option<DueWhy> {
    let SinceDeep { corpus, sessions, memories, recalls, idle, unfinished } = *since;
    if unfinished {
        return Some(DueWhy::Unfinished);
    }
    if corpus < policy.corpus_min || memories == 0 && recalls < policy.recalls {
        return None;
    }
    if sessions >= policy.sessions {
        Some(DueWhy::Sessions)
    } else if corpus > policy.corpus && memories >= policy.memories.max(corpus / 20) {
        Some(DueWhy::Size)
    } else if recalls >= policy.recalls {
        Some(DueWhy::Recalls)
    } else {
        (idle && sessions > 0).then_some(DueWhy::Idle)
    }
}
