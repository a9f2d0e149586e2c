//! The stored state of a memory, what it may become, and where it is seen.

closed_set! {
    /// Where a memory stands. Moved by logged changes only: never by time, never by reading.
    pub enum State ("state") {
        /// Noted in a session, not yet judged.
        Draft = "draft",
        /// On probation: believed with reservation.
        Staged = "staged",
        /// Backed by a person, two independent sources or a passed check.
        Confirmed = "confirmed",
        /// A newer memory took its place.
        Superseded = "superseded",
        /// Taken back.
        Retracted = "retracted",
        /// Ran out: a guess nobody confirmed, a commitment long settled.
        Expired = "expired",
        /// Put away on purpose.
        Archived = "archived",
    }
}

impl State {
    /// Whether it counts as what we currently hold.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Staged | Self::Confirmed)
    }

    /// Whether a memory may move from here to `next` by a change of state.
    ///
    /// Coming back out of a put-away state is only possible to an active one.
    pub fn may_become(self, next: Self) -> bool {
        match self {
            Self::Draft => matches!(next, Self::Staged | Self::Confirmed | Self::Retracted),
            Self::Staged => !matches!(next, Self::Draft | Self::Staged),
            Self::Confirmed => !matches!(next, Self::Draft | Self::Staged | Self::Confirmed),
            Self::Superseded | Self::Retracted | Self::Expired | Self::Archived => next.is_active(),
        }
    }

    /// Where a memory in this state is seen.
    pub fn visibility(self) -> Visibility {
        match self {
            Self::Draft => Visibility { recall: RecallRule::No, search: SearchRule::OwnSession },
            Self::Staged => Visibility { recall: RecallRule::Reserved, search: SearchRule::Yes },
            Self::Confirmed => Visibility { recall: RecallRule::Yes, search: SearchRule::Yes },
            Self::Superseded => {
                Visibility { recall: RecallRule::HeadInstead, search: SearchRule::OnRequest }
            }
            Self::Retracted | Self::Expired | Self::Archived => {
                Visibility { recall: RecallRule::No, search: SearchRule::OnRequest }
            }
        }
    }
}

/// One row of the visibility table. History and as-of see every state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visibility {
    /// Whether it may be put in front of an agent unasked.
    pub recall: RecallRule,
    /// Whether an explicit search finds it.
    pub search: SearchRule,
}

/// How recall treats a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecallRule {
    /// With full weight.
    Yes,
    /// With lower weight.
    Reserved,
    /// The memory that took its place is shown, with one line of history.
    HeadInstead,
    /// Not at all.
    No,
}

/// How search treats a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchRule {
    /// Found by default.
    Yes,
    /// Found when asked for.
    OnRequest,
    /// Found only in the session that made it.
    OwnSession,
}

closed_set! {
    /// What follows from everything around a memory. Computed when asked, never stored.
    pub enum Flag ("flag") {
        /// An active memory of at least equal rank says otherwise.
        Contested = "contested",
        /// Something was said later that may have changed it.
        Questioned = "questioned",
        /// What it is tied to has moved since.
        Stale = "stale",
        /// Too little used to come up by itself.
        Dormant = "dormant",
        /// Used in several sessions.
        Established = "established",
        /// The extractor was not sure.
        Speculative = "speculative",
        /// Hangs on nothing observable and has not been confirmed for long.
        ReconfirmDue = "reconfirm_due",
        /// A decision without its why, a failure without its cause.
        Incomplete = "incomplete",
        /// A decision whose reasons no longer hold as they did.
        Reopen = "reopen",
        /// Kept in front on purpose.
        Pinned = "pinned",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_a_way_out_and_none_leads_to_draft() {
        for from in State::ALL {
            assert!(State::ALL.iter().any(|to| from.may_become(*to)), "{from} is a dead end");
            assert!(!from.may_become(State::Draft), "{from} must not become a draft");
            assert!(!from.may_become(*from), "{from} to itself is not a change");
        }
    }

    #[test]
    fn what_was_put_away_comes_back_only_as_active() {
        for from in [State::Superseded, State::Retracted, State::Expired, State::Archived] {
            for to in State::ALL {
                assert_eq!(from.may_become(*to), to.is_active(), "{from} to {to}");
            }
        }
    }

    #[test]
    fn only_active_states_are_recalled_as_themselves() {
        for state in State::ALL {
            let shown = matches!(state.visibility().recall, RecallRule::Yes | RecallRule::Reserved);
            assert_eq!(shown, state.is_active(), "{state}");
        }
    }
}
