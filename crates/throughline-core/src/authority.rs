//! Who says so. Set by the code path a claim came through, never by its content.

closed_set! {
    /// The rank of a source, strongest first: a smaller value outranks a larger one, so use
    /// [`Authority::outranks`] rather than comparing.
    pub enum Authority ("authority") {
        /// The user said that what we had was wrong, or edited it.
        UserCorrected = "user_corrected",
        /// The user said it.
        UserStated = "user_stated",
        /// A tool measured it: a benchmark, a test, an exit code.
        Measured = "measured",
        /// A file of the project says it.
        File = "file",
        /// The agent saw it happen.
        Observed = "observed",
        /// Taken out of a conversation by rules or a model.
        Extracted = "extracted",
        /// Concluded, not stated.
        Inferred = "inferred",
        /// Came from outside: the web, an import, a tool's prose.
        External = "external",
    }
}

impl Authority {
    /// How much one source of this rank supports a claim, in 0..=1.
    pub fn support(self) -> f64 {
        match self {
            Self::UserCorrected => 1.0,
            Self::UserStated => 0.95,
            Self::Measured => 0.90,
            Self::File => 0.80,
            Self::Observed => 0.65,
            Self::Extracted => 0.55,
            Self::Inferred => 0.40,
            Self::External => 0.20,
        }
    }

    /// Whether this source stands strictly above the other.
    pub fn outranks(self, other: Self) -> bool {
        self < other
    }

    /// Whether a person stands behind it.
    pub fn is_user(self) -> bool {
        matches!(self, Self::UserCorrected | Self::UserStated)
    }

    /// The stronger of two sources.
    pub fn stronger(self, other: Self) -> Self {
        self.min(other)
    }
}

/// What happens when a new value meets an old one in a slot that holds only one, best for the new
/// one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contest {
    /// The new value replaces the old.
    Supersede,
    /// The new value holds from a time ahead on, and replaces the old then.
    Announced,
    /// Neither wins: both stay, shown together.
    Contested,
    /// The old value stands; the new one is kept on probation and marked as contradicting.
    Outranked,
}

/// Decides a conflict by rank, and between equals by who spoke last.
///
/// Equal ranks replace each other only where the source is a person or a measurement: a newer guess
/// is not better than an older guess.
pub fn contest(new: Authority, old: Authority, new_is_later: bool) -> Contest {
    if new.outranks(old) {
        Contest::Supersede
    } else if old.outranks(new) {
        Contest::Outranked
    } else if (new.is_user() || new == Authority::Measured) && new_is_later {
        Contest::Supersede
    } else {
        Contest::Contested
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn support_falls_strictly_with_rank() {
        for pair in Authority::ALL.windows(2) {
            assert!(pair[0].support() > pair[1].support(), "{} above {}", pair[0], pair[1]);
            assert!(pair[0].outranks(pair[1]));
        }
    }

    #[test]
    fn a_weaker_source_never_replaces_a_stronger_one() {
        for old in Authority::ALL {
            for new in Authority::ALL.iter().filter(|new| old.outranks(**new)) {
                assert_eq!(contest(*new, *old, true), Contest::Outranked, "{new} against {old}");
            }
        }
    }

    #[test]
    fn between_equals_only_people_and_measurements_replace_by_being_later() {
        for rank in Authority::ALL {
            let expected = match rank {
                Authority::UserCorrected | Authority::UserStated | Authority::Measured => {
                    Contest::Supersede
                }
                Authority::File
                | Authority::Observed
                | Authority::Extracted
                | Authority::Inferred
                | Authority::External => Contest::Contested,
            };
            assert_eq!(contest(*rank, *rank, true), expected, "{rank} later");
            assert_eq!(contest(*rank, *rank, false), Contest::Contested, "{rank} earlier");
        }
    }
}
