//! Kept postings: which documents hold a term, as the text index said since a document last changed.
//!
//! Who asks several things in turn, and several people who ask at once, use the same frequent words: these take longest to
//! look up. Every change of a text gives its document a newer stamp, whichever process makes it, so that lists hold for as
//! long as the newest stamp is the one they were read at.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use throughline_core::SpaceId;

use crate::Result;
use crate::document::Postings;
use crate::query::TextOf;

/// Documents in all lists together, at most: four bytes each.
const DOCUMENTS_MAX: usize = 1 << 19;
/// Terms of which lists are kept at most.
const TERMS_MAX: usize = 4_096;

/// What a list is of: how many documents it may have, and of which term.
type ListOf = (SpaceId, TextOf, usize, String);

/// Kept postings: the lists of one stamp.
#[derive(Debug, Default)]
pub(super) struct KeptPostings(Mutex<KeptLists>);

#[derive(Debug, Default)]
struct KeptLists {
    stamp: i64,
    lists: BTreeMap<ListOf, Arc<Postings>>,
    documents: usize,
}

impl KeptPostings {
    /// A list as it is at a stamp, read where it is not kept.
    pub(super) fn at(
        &self,
        stamp: i64,
        of: ListOf,
        read: impl FnOnce() -> Result<Postings>,
    ) -> Result<Postings> {
        let held = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = {
            let mut kept = held();
            if kept.stamp != stamp {
                *kept = KeptLists { stamp, ..KeptLists::default() };
            }
            kept.lists.get(&of).cloned()
        };
        if let Some(known) = known {
            return Ok(Postings::clone(&known));
        }
        let list = read()?;
        let mut kept = held();
        if kept.stamp == stamp {
            if kept.documents + list.documents.len() > DOCUMENTS_MAX
                || kept.lists.len() >= TERMS_MAX
            {
                *kept = KeptLists { stamp, ..KeptLists::default() };
            }
            kept.documents += list.documents.len();
            kept.lists.insert(of, Arc::new(list.clone()));
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(documents: usize) -> Postings {
        Postings { documents: (0..).take(documents).collect(), cut: false }
    }

    fn of(space: i64, term: &str) -> ListOf {
        (SpaceId(space), TextOf::Memories, 100, term.to_owned())
    }

    #[test]
    fn a_list_is_read_once_until_a_document_changes() {
        let (kept, mut read) = (KeptPostings::default(), 0);
        let mut at = |stamp, list_of, documents| {
            let told = kept.at(stamp, list_of, || {
                read += 1;
                Ok(list(documents))
            });
            (told.unwrap().documents.len(), read)
        };
        assert_eq!(at(1, of(1, "port"), 3), (3, 1));
        assert_eq!(at(1, of(1, "port"), 4), (3, 1));
        assert_eq!(at(1, of(2, "port"), 5), (5, 2), "another space");
        assert_eq!(at(1, of(1, "host"), 6), (6, 3), "another term");
        assert_eq!(at(2, of(1, "port"), 7), (7, 4), "another stamp");
    }

    #[test]
    fn lists_take_no_more_than_a_few_megabytes() {
        let kept = KeptPostings::default();
        for number in 0..100 {
            kept.at(1, of(1, &format!("term{number}")), || Ok(list(DOCUMENTS_MAX / 10))).unwrap();
        }
        assert!(kept.0.lock().unwrap().documents <= DOCUMENTS_MAX);
    }
}
