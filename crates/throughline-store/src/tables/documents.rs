//! Documents over maps: numbered in the order of their ids, and of their sessions.

use throughline_core::{NodeId, SpaceId, document, words};

use super::Tables;
use crate::document::{BLOCK, Document, PACKED_AT, PACKED_MAX, Postings, RECORD, Shelf};
use crate::query::TextOf;

impl Tables {
    /// The documents of a space with the texts they stand for, in the order of their numbers.
    fn numbered(&self, space: SpaceId, of: TextOf) -> Vec<(Document, String)> {
        let mut documents = Vec::new();
        match of {
            TextOf::Memories => {
                for memory in self.all_memories().filter(|memory| memory.space == space) {
                    let number = number(documents.len());
                    let document = Document::of_memory(memory, number);
                    documents.push((document, document::searchable_memory(memory)));
                }
            }
            TextOf::Episodes => {
                let mut turns: Vec<_> =
                    self.episodes().filter(|episode| episode.space == space).collect();
                turns.sort_by_key(|turn| (&turn.session, turn.position, turn.id));
                let mut session = (None, 0);
                for turn in turns {
                    let number = number(documents.len());
                    let known = session.0 == Some(&turn.session);
                    if !known {
                        session = (Some(&turn.session), number);
                    }
                    let before = known.then(|| number - 1);
                    let document = Document::of_episode(turn, session.1, before);
                    documents.push((document, document::searchable(turn)));
                }
            }
        }
        documents
    }

    pub(super) fn shelve(
        &self,
        space: SpaceId,
        of: TextOf,
        model: &str,
        block: &mut dyn FnMut(u32, &[u8]),
    ) -> Shelf {
        let vector = |node: NodeId| self.vectors.get(&(space, model.to_owned(), node));
        let mut body = Vec::new();
        let mut any = false;
        for (document, _) in self.numbered(space, of) {
            let mut record = [0; RECORD];
            if let Some(vector) = vector(document.node(of)) {
                any = true;
                Document { model: 1, ..document }.write(&mut record);
                let length = vector.packed.len().min(PACKED_MAX);
                record[PACKED_AT..PACKED_AT + length].copy_from_slice(&vector.packed[..length]);
            } else {
                document.write(&mut record);
            }
            body.extend(record);
        }
        body.resize(body.len().next_multiple_of(BLOCK * RECORD), 0);
        for (at, records) in body.chunks_exact(BLOCK * RECORD).enumerate() {
            block(number(at), records);
        }
        Shelf { stamp: 0, model: any.then_some(1), origin: 0 }
    }

    pub(super) fn holding(
        &self,
        space: SpaceId,
        of: TextOf,
        terms: &[String],
        most: usize,
    ) -> Vec<Postings> {
        let texts: Vec<Vec<String>> =
            self.numbered(space, of).iter().map(|(_, text)| words::terms(text)).collect();
        let holding = |term: &String| {
            let mut documents: Vec<u32> = (0..)
                .zip(&texts)
                .filter(|(_, held)| held.contains(term))
                .map(|(at, _)| at)
                .collect();
            let cut = documents.len() > most;
            documents.drain(..documents.len().saturating_sub(most));
            Postings { documents, cut }
        };
        terms.iter().map(holding).collect()
    }
}

fn number(at: usize) -> u32 {
    u32::try_from(at).expect("maps hold far fewer documents")
}
