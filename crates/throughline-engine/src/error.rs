//! Why a flow could not be carried out, and what the caller can do.

use std::path::{Path, PathBuf};

use throughline_core::fold::Refusal;
use throughline_core::permission;
use throughline_core::reconcile::Blocked;
use throughline_core::text::plural;
use throughline_core::undo::UndoRefusal;
use throughline_language::{closeness, instruction};
use throughline_store::Error as StoreError;

use crate::JournalQueue;
use crate::engine::DATABASE;

/// What every flow returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a flow could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller named something that is not there.
    #[error("no {what} with id {handle}")]
    NotFound {
        /// What sort of thing.
        what: &'static str,
        /// What the caller wrote.
        handle: String,
    },
    /// The caller's short id fits several.
    #[error("{handle} fits {}: {}", plural(*.found, .what), .candidates.join(", "))]
    Ambiguous {
        /// What sort of thing.
        what: &'static str,
        /// What the caller wrote.
        handle: String,
        /// How many it may mean.
        found: usize,
        /// The first of them.
        candidates: Vec<String>,
    },
    /// What the caller named does not belong to what it was looked for in.
    #[error("{0}")]
    NoSuch(String),
    /// The caller gave something that cannot be used.
    #[error("{0}")]
    BadInput(String),
    /// It was asked rightly, and what is held does not allow it.
    #[error("{0}")]
    NotPossible(String),
    /// It was asked rightly, and something that it takes is not there.
    #[error("{why}")]
    Needs {
        /// What is not there.
        why: String,
        /// How to get it.
        hint: String,
    },
    /// A failure was told without its cause.
    #[error("a failure needs its cause: without it nobody can tell whether it would fail again")]
    NoCause,
    /// It claims closeness between a person and an agent.
    #[error("{0}: Throughline keeps the work, and nothing that simulates closeness")]
    Closeness(closeness::Closeness),
    /// It comes from outside and gives orders to whoever reads it.
    #[error("{0}, and it is not the user's own word: a person decides about it in `review`")]
    Walled(instruction::OrderKind),
    /// The caller may not do this; a person can, by hand.
    #[error("{why}")]
    NotYours {
        /// Why not.
        why: permission::Denial,
        /// What a person runs, in a terminal of their own.
        by_hand: String,
    },
    /// The claim was retired or erased before.
    #[error(transparent)]
    Blocked(#[from] Blocked),
    /// The change cannot be made.
    #[error(transparent)]
    Refused(Refusal),
    /// The batch cannot be undone.
    #[error(transparent)]
    UndoRefused(#[from] UndoRefusal),
    /// There is nothing to undo.
    #[error("there is nothing to undo here")]
    NothingToUndo,
    /// The folder of the project is not there.
    #[error("no folder {}", path.display())]
    NoFolder {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The folder that memory would be kept in must not be used.
    #[error("{0}")]
    UnsafeHome(String),
    /// Memory is switched off, and this would take something in.
    #[error("memory is switched off, so nothing was kept")]
    Off,
    /// A file that was to be read holds something else.
    #[error("{}, line {line}: {detail}", path.display())]
    BadFile {
        /// Which file.
        path: PathBuf,
        /// Where.
        line: usize,
        /// What is wrong.
        detail: String,
    },
    /// A file that the caller named cannot be used for this; nothing was changed.
    #[error("{} {why}", path.display())]
    Unusable {
        /// Which file.
        path: PathBuf,
        /// Why not.
        why: String,
        /// A stable name for it.
        code: &'static str,
        /// What the caller can do.
        hint: &'static str,
    },
    /// A file could not be read or written.
    #[error("{}: {}", path.display(), in_plain_words(source))]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An erasure failed before anything was erased from memory.
    #[error(
        "nothing was erased from memory{}: {source}",
        if *journal_lines == 0 { String::new() } else {
            format!(", only {} in journals", plural(*journal_lines, "line"))
        }
    )]
    NotErased {
        /// Lines of journals that told it and are gone.
        journal_lines: usize,
        /// Why.
        source: Box<Self>,
    },
    /// An erasure failed in a way that does not tell whether it was done: the next command that opens memory knows.
    #[error("it is not known whether it was erased, because {source}")]
    EraseUnsure {
        /// Why.
        source: Box<Self>,
    },
    /// An erasure failed after it was done in memory and before it was done in every file.
    #[error("erased from memory, but its text may still be in {} and in copies under the home: {source}", file.display())]
    ErasedInPart {
        /// The file that was to be rewritten.
        file: PathBuf,
        /// Why.
        source: Box<Self>,
    },
    /// A model was asked for and cannot be.
    #[error("the model cannot be asked: {0}")]
    Model(String),
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
}

/// What sort of failure it is, for exit codes and for callers that react.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The caller should ask otherwise.
    Usage,
    /// What was named is not there.
    NotFound,
    /// It was asked rightly and cannot be done.
    Failed,
}

/// What the disk says, without the numbers that only programmers know.
pub fn in_plain_words(error: &std::io::Error) -> String {
    let is_of_the_system = error.get_ref().is_none();
    if is_of_the_system && error.kind() == std::io::ErrorKind::NotFound {
        return "there is no such file or folder".to_owned();
    }
    let told = error.to_string();
    let Some((before, after)) = told.split_once(" (os error ") else { return told };
    format!("{before}{}", after.split_once(')').map_or("", |(_, rest)| rest))
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        if let StoreError::Refused(refusal) = error {
            Self::Refused(refusal)
        } else {
            Self::Store(error)
        }
    }
}

impl Error {
    /// A file cannot be written, because the folder that it would lie in is not there.
    pub fn no_folder_for(path: &Path, folder: &Path) -> Self {
        Self::Unusable {
            path: path.to_owned(),
            why: format!("cannot be written: the folder {} is not there", folder.display()),
            code: "not_writable",
            hint: "make the folder first, or name a file in another one",
        }
    }

    /// What sort of failure it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NotFound { .. }
            | Self::NoSuch(_)
            | Self::Refused(
                Refusal::NoMemory(_)
                | Refusal::NoNode(_)
                | Refusal::NoEdge
                | Refusal::NoWatermark(_)
                | Refusal::NoLeaf(_)
                | Refusal::NoPending(_),
            ) => ErrorKind::NotFound,
            Self::Ambiguous { .. } | Self::BadInput(_) | Self::NoCause | Self::Closeness(_) => {
                ErrorKind::Usage
            }
            Self::NotPossible(_)
            | Self::Needs { .. }
            | Self::NoFolder { .. }
            | Self::Blocked(_)
            | Self::Walled(_)
            | Self::NotYours { .. }
            | Self::Refused(_)
            | Self::UndoRefused(_)
            | Self::NothingToUndo
            | Self::UnsafeHome(_)
            | Self::Off
            | Self::BadFile { .. }
            | Self::Unusable { .. }
            | Self::File { .. }
            | Self::EraseUnsure { .. }
            | Self::ErasedInPart { .. }
            | Self::Model(_)
            | Self::Store(_) => ErrorKind::Failed,
            Self::NotErased { source, .. } => source.kind(),
        }
    }

    /// What is said of an erasure whose batch failed.
    pub(crate) fn not_erased(source: Self, journal_lines: usize) -> Self {
        let unsure = matches!(&source, Self::Store(error) if error.may_be_done());
        let source = Box::new(source);
        if unsure {
            Self::EraseUnsure { source }
        } else {
            Self::NotErased { journal_lines, source }
        }
    }

    /// Whether a person can still decide about what failed with it: nothing broke, it only cannot be
    /// done as it stands.
    pub(crate) fn can_wait(&self) -> bool {
        matches!(
            self,
            Self::Blocked(_)
                | Self::Walled(_)
                | Self::NotYours { .. }
                | Self::BadInput(_)
                | Self::NotPossible(_)
        )
    }

    /// The same, with what waits in the journals for a server that does not answer, or lets nobody in.
    #[must_use]
    pub fn with_queue(mut self, queue: JournalQueue) -> Self {
        use StoreError::{Denied, Unreachable};
        if let Self::Store(Unreachable { why, .. } | Denied { why, .. }) = &mut self {
            *why = format!("{why}; {queue}");
        }
        self
    }

    /// A stable name for it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } | Self::NoSuch(_) => "not_found",
            Self::Ambiguous { .. } => "ambiguous",
            Self::BadInput(_) => "bad_input",
            Self::NotPossible(_) | Self::Needs { .. } => "not_possible",
            Self::NoCause => "no_cause",
            Self::Closeness(_) => "closeness",
            Self::Walled(_) => "walled",
            Self::NotYours {
                why: permission::Denial::AnotherSaid | permission::Denial::AnothersWords,
                ..
            } => "another_said",
            Self::NotYours { .. } => "only_the_user",
            Self::Blocked(Blocked::Erased(_)) => "erased",
            Self::Blocked(Blocked::Retired { .. }) => "retired",
            Self::Refused(refusal) => refusal_code(refusal),
            Self::UndoRefused(_) => "undo_refused",
            Self::NothingToUndo => "nothing_to_undo",
            Self::NoFolder { .. } => "no_folder",
            Self::UnsafeHome(_) => "unsafe_home",
            Self::Off => "off",
            Self::BadFile { .. } => "bad_file",
            Self::Unusable { code, .. } => code,
            Self::File { .. } => "file",
            Self::NotErased { source, .. } => source.code(),
            Self::EraseUnsure { .. } => "erase_unsure",
            Self::ErasedInPart { .. } => "erased_in_part",
            Self::Model(_) => "model",
            Self::Store(error) => store_code(error),
        }
    }

    /// What the caller can do, where we know.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotFound { what: "project", .. } => "`project list` shows the projects",
            Self::NotFound { what: "batch", .. } => "`log` shows the batches of this project",
            Self::NotFound { what: "pending operation" | "contested pair", .. } => {
                "`review` shows what waits for a decision in this project and among global memories"
            }
            Self::NotFound { what: "telling", .. } => {
                "`throughline told` shows what agents of this project were told"
            }
            Self::NotFound { .. } => {
                "ids are looked up in this project and among global memories; `list --all` shows \
                 them, `--project DIR` looks elsewhere"
            }
            Self::Ambiguous { what: "contested pair", .. } => "name both memories: A/B",
            Self::Ambiguous { .. } => "name one of them by the last eight characters of its id",
            Self::BadInput(_) | Self::NotPossible(_) | Self::NoSuch(_) => return None,
            Self::Needs { hint, .. } => hint,
            Self::NoCause => {
                "give it with `--because \"…\"` (tool: `because`), or say it in the text: \"… \
                 failed because …\""
            }
            Self::Closeness(_) => "say what the next session needs for the work, without it",
            Self::Walled(_) => "`review` shows it; `review --accept ID` accepts it as yours",
            Self::NotYours { why: permission::Denial::AnotherSaid, .. } => {
                "`show` says who said it; `correct` puts your words beside theirs, contested, until \
                 they or an owner settle it in `review`"
            }
            Self::NotYours { why: permission::Denial::AnothersWords, .. } => {
                "`show` says who said it; an owner can take it back with `forget`, and `store dismiss` \
                 leaves the words of whoever goes to the owner"
            }
            Self::NotYours { by_hand, .. } => {
                return Some(format!("the user runs this in a terminal of their own: {by_hand}"));
            }
            Self::Blocked(Blocked::Erased(_)) => "`remember … --revive` remembers it again",
            Self::Blocked(Blocked::Retired { id, .. }) => {
                return Some(format!("see `history {}`", id.handle()));
            }
            Self::Refused(refusal) => return refusal_hint(refusal),
            Self::UndoRefused(UndoRefusal::ChangedSince { by, .. }) => {
                return Some(format!("`undo {}` first, or change it by hand", by.handle()));
            }
            Self::UndoRefused(_) => "`log` shows what came since; `forget` needs no undo of that",
            Self::NothingToUndo => "`log` shows what happened; `undo BATCH` reverts any of it",
            Self::NoFolder { .. } => "name an existing folder; the default is the current one",
            Self::UnsafeHome(_) => {
                "--home DIR or THROUGHLINE_HOME names another folder; by default it is your data folder"
            }
            Self::Off => {
                "`throughline config set enabled true` switches it on; so does unsetting \
                 THROUGHLINE_DISABLE"
            }
            Self::BadFile { .. } => "nothing was imported; correct the line and try again",
            Self::Unusable { hint, .. } => hint,
            Self::File { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                "check how the path is written, and that the file is there"
            }
            Self::File { .. } => return None,
            Self::NotErased { source, .. } => return source.hint(),
            Self::EraseUnsure { .. } => {
                "once the cause is fixed, give the same `purge` again: it erases it, finishes what was begun, or \
                 finds that it is gone"
            }
            Self::ErasedInPart { .. } => {
                "once the cause is fixed, the same `purge` or any other command that writes finishes it"
            }
            Self::Model(_) => "`doctor --llm` tests it; everything else works without a model",
            Self::Store(error) => return store_hint(error),
        };
        Some(hint.to_owned())
    }
}

fn refusal_code(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::NoMemory(_)
        | Refusal::NoNode(_)
        | Refusal::NoEdge
        | Refusal::NoWatermark(_)
        | Refusal::NoLeaf(_)
        | Refusal::NoPending(_) => "not_found",
        Refusal::Exists(_) => "exists",
        Refusal::NoSuchStep { .. } => "no_such_step",
        Refusal::NotCurrent { .. } => "not_current",
        Refusal::Circle { .. } => "circle",
        Refusal::SelfLink => "self_link",
        Refusal::BadShare => "bad_input",
        Refusal::BadFingerprint(_) => "bad_fingerprint",
        Refusal::Connected(_) => "connected",
        Refusal::NoSpace(_) => "no_space",
    }
}

fn refusal_hint(refusal: &Refusal) -> Option<String> {
    match refusal {
        Refusal::NotCurrent { id, .. } => Some(format!(
            "only a current memory can replace or be replaced; see `history {}`",
            id.handle()
        )),
        Refusal::Circle { new, .. } => {
            Some(format!("what was replaced comes back with `unsupersede {}`", new.handle()))
        }
        Refusal::NoSuchStep { id, .. } => Some(format!("see `show {}`", id.handle())),
        Refusal::NoMemory(_)
        | Refusal::NoNode(_)
        | Refusal::NoEdge
        | Refusal::NoWatermark(_)
        | Refusal::NoLeaf(_)
        | Refusal::NoPending(_)
        | Refusal::Exists(_)
        | Refusal::SelfLink
        | Refusal::BadShare
        | Refusal::BadFingerprint(_)
        | Refusal::Connected(_)
        | Refusal::NoSpace(_) => None,
    }
}

fn store_code(error: &StoreError) -> &'static str {
    match error {
        StoreError::Busy { .. } => "busy",
        StoreError::Full => "disk_full",
        StoreError::NotWritable { .. } => "not_writable",
        StoreError::Disk { .. } => "disk",
        StoreError::Damaged { .. } | StoreError::BadRow { .. } => "damaged",
        StoreError::NotOurs { .. } => "not_ours",
        StoreError::Newer { .. } => "newer",
        StoreError::OldSqlite { .. } => "old_sqlite",
        StoreError::Io { .. } => "io",
        StoreError::Unreachable { .. } => "unreachable",
        StoreError::Denied { .. } => "denied",
        StoreError::Unfit { .. } => "unfit",
        StoreError::BadAddress(_) => "bad_address",
        StoreError::Refused(_) | StoreError::Abandoned | StoreError::Database(_) | _ => "database",
    }
}

/// Whether a file stands where a folder should be: neither the database nor what belongs to it.
fn is_other_file(path: &Path) -> bool {
    let is_ours = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(DATABASE);
    path.is_file() && !path.file_name().is_some_and(is_ours)
}

fn store_hint(error: &StoreError) -> Option<String> {
    let hint = match error {
        StoreError::Busy { .. } => "nothing was written; try again",
        StoreError::Full => "nothing was lost; free some space and try again",
        StoreError::NotWritable { path } if is_other_file(path) => {
            "it is a file, and memory is kept in a folder: name one with --home DIR"
        }
        StoreError::NotWritable { .. } => {
            "check the permissions, or choose another place with --home DIR"
        }
        StoreError::Disk { .. } => {
            "what was acknowledged is kept; `doctor` says whether there is space and whether the \
             home can be written"
        }
        StoreError::Damaged { .. } | StoreError::BadRow { .. } => {
            "`doctor` says what is readable; `restore --latest` brings back the last copy"
        }
        StoreError::NotOurs { .. } => "choose another place with --home DIR",
        StoreError::Newer { .. } => {
            "it was left untouched; update this program, or choose another place with --home DIR"
        }
        StoreError::Unreachable { .. } => {
            "what agents tell waits in the journal and is taken in once the server answers; \
             `config get store.url` says where it is looked for"
        }
        StoreError::Denied { .. } => {
            "check the role and its password (PGPASSWORD or ~/.pgpass), or ask an owner of the space \
             to make you a member"
        }
        StoreError::BadAddress(_) => "`config set store.url ADDRESS` changes it",
        StoreError::Refused(_)
        | StoreError::Abandoned
        | StoreError::OldSqlite { .. }
        | StoreError::Io { .. }
        | StoreError::Database(_)
        | _ => return None,
    };
    Some(hint.to_owned())
}
