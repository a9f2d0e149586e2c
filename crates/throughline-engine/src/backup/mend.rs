//! Mending: every table built anew from the log, where a row in it is rotten.

use std::path::{Path, PathBuf};

use throughline_store::{LogQuery, SqliteStore, Store};

use super::rolling::remove_copy;
use super::{BACKUPS, RESTORING, copies, copying, folder_in, free_name, sweep};
use crate::flows::Copying;
use crate::{Clock, Engine, Error, Result};

/// Batches that are replayed at a time.
const PAGE: usize = 500;
/// How the name of what was there before begins.
const BEFORE: &str = "before-mending";

impl Copying<'_> {
    /// Builds every table anew from the log and puts that in the place of what is there, which is
    /// kept beside it. Erasures that were cut short are finished first. Refuses where the log itself
    /// is rotten. Says where the old one is kept.
    pub fn mend(home: &Path, clock: Clock, progress: &mut dyn FnMut(usize)) -> Result<PathBuf> {
        let engine = Engine::open(home, clock)?;
        let finished = engine.erasing().finish_before_replacing();
        if let Some(first) = engine.store.file()?.rotten_log()?.first() {
            return Err(Error::NotPossible(format!(
                "the log itself is damaged, so nothing can be built from it ({first}); `restore --latest` brings back the last copy"
            )));
        }
        let alone = copying(home)?;
        let folder = folder_in(home, BACKUPS)?;
        let anew = free_name(&folder, &format!("{RESTORING}-anew"), clock);
        let replayed = engine.copying().replay_into(&anew, progress);
        let kept = free_name(&folder, BEFORE, clock);
        let working = free_name(&folder, RESTORING, clock);
        let mended = replayed
            .and_then(|()| Ok(engine.store.file()?.replace_with(&anew, &kept, &working, &[])?));
        sweep::sweep(home, &alone);
        if mended.is_ok() {
            remove_earlier(home, &kept);
        }
        if mended.is_ok() && !finished {
            engine.erasing().clean_after_replacing().ok();
        }
        mended.map(|_| kept)
    }

    fn replay_into(&self, path: &Path, progress: &mut dyn FnMut(usize)) -> Result<()> {
        let anew = SqliteStore::open_copy(path)?;
        let (mut after_seq, mut done) = (0, 0);
        loop {
            let query = LogQuery { after_seq, limit: PAGE, ..LogQuery::default() };
            let page = self.engine.now_reader()?.log(&query)?;
            let Some(last) = page.last() else { return Ok(()) };
            after_seq = last.last_seq;
            for stored in &page {
                anew.apply(&stored.batch)?;
                done += 1;
            }
            progress(done);
        }
    }
}

/// Removes what earlier mendings kept: the log that memory was built from held all of it.
fn remove_earlier(home: &Path, kept: &Path) {
    let is_earlier = |copy: &PathBuf| {
        let name = copy.file_name().map(|name| name.to_string_lossy());
        copy != kept && name.is_some_and(|name| name.starts_with(BEFORE))
    };
    copies(home).iter().filter(|copy| is_earlier(copy)).for_each(|copy| remove_copy(copy));
}
