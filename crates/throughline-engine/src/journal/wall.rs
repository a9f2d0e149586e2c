//! Walls: in which project each session started, which is the one that it belongs to wherever its agent goes.
//!
//! A small file beside the session's journal names the root. Without one (the first event of a session, whatever
//! that is) the folder of the event decides, and from then on it holds.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use throughline_core::SessionId;
use throughline_core::event::{Event, Start, What};

use super::{Journal, file};
use crate::clean::clean_name;
use crate::{Project, Roots};

/// How the name of such a file ends.
pub(super) const EXTENSION: &str = "wall";
/// Bytes of a path.
const ROOT_BYTES_MAX: u64 = 16 << 10;

impl Roots {
    /// The project that an event belongs to, told from `here`: the one in which its session started. A folder of the
    /// same project, such as another work tree of it, stays what it is. A session that its host starts anew holds
    /// nothing of what it was told before, and belongs to where it is.
    pub fn project_of_event(&self, home: &Path, event: &Event, here: Project) -> Project {
        let (journal, session) = (Journal::new(home), SessionId(clean_name(&event.session.0)));
        let anew = matches!(event.what, What::Started(Start::Startup | Start::Clear));
        match journal.wall(&session).filter(|_| !anew) {
            Some(root) if root == here.root => here,
            Some(root) => {
                let there = self.project_of(&root);
                if there.key == here.key { here } else { there }
            }
            None => {
                // Where that cannot be noted, the next event decides again.
                journal.set_wall(&session, &here.root).ok();
                here
            }
        }
    }
}

impl Journal {
    /// The root of the project in which a session started.
    fn wall(&self, session: &SessionId) -> Option<PathBuf> {
        let mut root = String::new();
        let file = file::open_lightly(&self.wall_path(session)).ok()?;
        file.take(ROOT_BYTES_MAX).read_to_string(&mut root).ok()?;
        let root = PathBuf::from(root.strip_suffix('\n')?);
        root.is_absolute().then_some(root)
    }

    fn set_wall(&self, session: &SessionId, root: &Path) -> io::Result<()> {
        let root = root.to_str().filter(|root| !root.contains('\n') && clean_name(root) == **root);
        match root {
            Some(root) => {
                file::replace_lightly(&self.wall_path(session), format!("{root}\n").as_bytes())
            }
            // Such a name is written down nowhere.
            None => Ok(()),
        }
    }

    fn wall_path(&self, session: &SessionId) -> PathBuf {
        self.path(session).with_extension(EXTENSION)
    }
}
