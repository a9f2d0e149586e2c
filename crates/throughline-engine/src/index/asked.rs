//! Asked often: which indexes of a server one process is asked about again and again, so that it is worth reading
//! them once and keeping them.

use std::collections::BTreeMap;

use throughline_core::SpaceId;
use throughline_store::{Candidates, TextOf};

/// Questions that the server answers before an index is held: a hook asks once or twice and is gone.
const ASKED: u32 = 2;

/// Indexes that were asked about.
#[derive(Debug, Default)]
pub(super) struct AskedOften {
    /// How often, and how many documents it had then.
    asked: BTreeMap<(SpaceId, TextOf), (u32, usize)>,
}

impl AskedOften {
    /// Notes a question, and what was found to be there. An index that was not found is empty.
    pub(super) fn note(&mut self, wanted: &[(SpaceId, TextOf)], found: &[Candidates]) {
        for (space, of) in wanted {
            let one = found.iter().find(|one| one.space == *space && one.of == *of);
            let noted = self.asked.entry((*space, *of)).or_default();
            *noted = (noted.0.saturating_add(1), one.map_or(0, |one| one.documents));
        }
    }

    /// Documents of these indexes together; `None` where one of them was not asked about often.
    pub(super) fn worth_holding(&self, wanted: &[(SpaceId, TextOf)]) -> Option<usize> {
        let documents = |one| Some(self.asked.get(one).filter(|noted| noted.0 >= ASKED)?.1);
        wanted.iter().map(documents).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_worth_holding_from_the_third_question_on() {
        let at = [(SpaceId(7), TextOf::Memories)];
        let mut asked = AskedOften::default();
        assert_eq!(asked.worth_holding(&at), None);
        asked.note(&at, &[]);
        assert_eq!(asked.worth_holding(&at), None);
        asked.note(&at, &[]);
        assert_eq!(asked.worth_holding(&at), Some(0));
        let both = [at[0], (SpaceId(8), TextOf::Memories)];
        assert_eq!(asked.worth_holding(&both), None);
    }
}
