//! Teams: memory brought to a server or back, and the people who share a project's space there.

use throughline_embed::MODEL;
use throughline_store::{Backend, Member, Store, Transferred, Vector, transfer};

use crate::flows::Copying;
use crate::{Context, Error, Result, meaning};

/// Vectors that are brought over at a time.
const VECTORS_AT_ONCE: usize = 200;

impl Copying<'_> {
    /// Brings everything to another store, a server or a database file, which then holds the same.
    /// One that was cut short goes on where it stopped. `progress` hears how many batches are done,
    /// of how many.
    pub fn copy_to(
        &self,
        address: &str,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Transferred> {
        let to = Backend::open_address(address)?;
        let done = transfer(&*self.engine.store, &*to, &[], progress)?;
        let vectors = self.copy_vectors(&*to)?;
        // A file that is carried elsewhere holds everything then, without its write-ahead log.
        to.finish_erasure()?;
        Ok(Transferred { vectors, ..done })
    }

    /// Brings over the vectors that are not there, ready to be scanned.
    fn copy_vectors(&self, to: &dyn Store) -> Result<usize> {
        let mut brought = 0;
        // A reader of a file keeps others out for as long as it is held.
        let spaces = self.engine.now_reader()?.spaces()?;
        for space in spaces.into_iter().map(|one| one.space) {
            let held = to.read()?.vectors(space, MODEL, 0)?;
            let held: std::collections::BTreeSet<_> = held.iter().map(|one| one.node).collect();
            let all = self.engine.now_reader()?.vectors(space, MODEL, 0)?;
            let missing = all.into_iter().filter(|one| !held.contains(&one.node));
            let missing: Vec<Vector> = missing.filter_map(meaning::packed).collect();
            for some in missing.chunks(VECTORS_AT_ONCE) {
                to.put_vectors(space, MODEL, some)?;
                brought += some.len();
            }
        }
        Ok(brought)
    }

    /// The people who share the space of a project, as far as whoever asks may know them.
    pub fn members(&self, context: &Context) -> Result<Vec<Member>> {
        Ok(self.engine.store.people()?.members(context.project.space())?)
    }

    /// Lets a person into the space of a project, or changes what they may do there. Only an owner
    /// can.
    pub fn add_member(&self, context: &Context, member: &Member) -> Result<()> {
        if member.role.trim().is_empty() {
            return Err(Error::BadInput("a person is known by a database role".to_owned()));
        }
        Ok(self.engine.store.people()?.put_member(context.project.space(), member)?)
    }

    /// Takes a person out of the space of a project. What they said stays. Only an owner can.
    pub fn remove_member(&self, context: &Context, role: &str) -> Result<()> {
        if self.engine.store.people()?.remove_member(context.project.space(), role)? {
            return Ok(());
        }
        Err(Error::NotFound { what: "member", handle: role.to_owned() })
    }
}
