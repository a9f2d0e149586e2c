//! Transcripts: what a host wrote down about a session, line by line.
//!
//! Only what a person said, what the agent answered and what tools did is returned. A line that
//! cannot be understood is an error for that line only; the next one can be read.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{BufRead, Read as _};
use std::path::{Path, PathBuf};

use throughline_core::event::{ToolCall, ToolRun};
use throughline_core::{SessionId, Timestamp};

use crate::{Folders, Host, Unreadable, json};

/// Size limit of a line, in bytes; longer ones are not read.
pub const LINE_BYTES_MAX: usize = 16 << 20;

/// How a database begins.
const DATABASE: &[u8] = b"SQLite format 3\0";

/// Lines that are looked at to find out whose transcript a file is.
const PEEKED: usize = 8;

/// How many calls are remembered until their results come.
const CALLS_MAX: usize = 1_000;

/// Transcript line: something that was said or done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptLine {
    /// The session it belongs to.
    pub session: SessionId,
    /// The folder that the agent worked in.
    pub folder: Option<String>,
    /// When it was said or done. A line without a time has the time of the line before it.
    pub at: Timestamp,
    /// The host's id of the line; the same if the line is in another file too.
    pub id: String,
    /// The speaker: `user`, `assistant` or `tool`.
    pub speaker: &'static str,
    /// The text that was said, or that the tool returned.
    pub text: String,
    /// The run of the tool, if it was one.
    pub tool: Option<ToolRun>,
    /// Number of bytes of the file up to the end of this line: where to go on reading later.
    pub end: u64,
}

/// What must be known of earlier lines to understand a later one.
#[derive(Default)]
pub(crate) struct TranscriptMemory {
    calls: HashMap<String, ToolCall>,
    order: VecDeque<String>,
    /// The time of the line before.
    pub(crate) at: Option<Timestamp>,
    /// Which line this is, from one.
    pub(crate) number: u64,
    /// The session and the folder, for hosts that name them once.
    pub(crate) session: String,
    pub(crate) folder: Option<String>,
    /// Whether the file is a helper's: what it is asked, no person asks.
    pub(crate) helper: bool,
}

impl TranscriptMemory {
    /// Keeps a call until its result comes.
    pub(crate) fn called(&mut self, call: ToolCall) {
        let Some(id) = call.id.clone() else { return };
        if self.calls.insert(id.clone(), call).is_none() {
            self.order.push_back(id);
        }
        if self.order.len() > CALLS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.calls.remove(&oldest);
        }
    }

    /// The call that a result belongs to; only its name when the call was not seen.
    pub(crate) fn call(&mut self, id: &str) -> ToolCall {
        self.calls.remove(id).unwrap_or_else(|| ToolCall {
            id: Some(id.to_owned()).filter(|id| !id.is_empty()),
            ..ToolCall::default()
        })
    }

    /// A line that says nothing yet, under the host's own name or else under its number.
    pub(crate) fn line(&self, own: Option<&str>, at: Option<Timestamp>) -> TranscriptLine {
        TranscriptLine {
            session: SessionId(self.session.clone()),
            folder: self.folder.clone(),
            at: at.unwrap_or(Timestamp::EPOCH),
            id: own.map_or_else(|| format!("{}:{}", self.session, self.number), str::to_owned),
            speaker: "tool",
            text: String::new(),
            tool: None,
            end: 0,
        }
    }
}

/// Reads a transcript, or the rest of one from the end of a line on.
///
/// A last line that is not complete yet is left for the next time.
pub fn read<R: BufRead>(host: Host, file: R) -> Lines<R> {
    Lines {
        host,
        file,
        memory: TranscriptMemory::default(),
        seen: HashSet::new(),
        ready: VecDeque::new(),
        end: 0,
        over: false,
    }
}

/// Transcript files of one project, sorted by name. The content decides, not the file name. A
/// database among them holds the transcripts of every project.
pub fn files(host: Host, folders: &Folders, project_root: &Path) -> Vec<PathBuf> {
    (host.dialect().transcripts)(folders, project_root)
}

/// Recognises the host of a transcript by its first bytes; `None` if it is of no host that we know.
pub fn host_of(head: &[u8]) -> Option<Host> {
    if head.starts_with(DATABASE) {
        return Some(Host::Opencode);
    }
    let records = head.split(|byte| *byte == b'\n').filter_map(|line| json::parse(line).ok());
    records.take(PEEKED).find_map(|record| {
        let has = |name: &str| record.get(name).is_some();
        if has("sessionId") && (has("projectHash") || has("startTime")) {
            Some(Host::Gemini)
        } else if has("sessionId") && (has("type") || has("uuid")) {
            Some(Host::ClaudeCode)
        } else if has("payload") && has("timestamp") && has("type") {
            Some(Host::Codex)
        } else {
            None
        }
    })
}

/// What is in a folder; nothing if it cannot be read.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(Result::ok).map(|entry| entry.path()).collect()
}

/// Whether a folder is another, or in it.
pub(crate) fn is_within(folder: &str, root: &str) -> bool {
    folder.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}

/// Lines: an iterator over the lines of a transcript.
pub struct Lines<R> {
    host: Host,
    file: R,
    memory: TranscriptMemory,
    seen: HashSet<String>,
    ready: VecDeque<TranscriptLine>,
    end: u64,
    over: bool,
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<TranscriptLine, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(line) = self.ready.pop_front() {
                return Some(Ok(line));
            }
            if self.over {
                return None;
            }
            if let Err(error) = self.fill() {
                return Some(Err(error));
            }
        }
    }
}

impl<R: BufRead> Lines<R> {
    /// Reads one line of the file.
    fn fill(&mut self) -> Result<(), Unreadable> {
        let (bytes, length, whole) = self.next_bytes().inspect_err(|_| self.over = true)?;
        self.over = !whole;
        if length == 0 {
            return Ok(());
        }
        self.memory.number += 1;
        let number = self.memory.number;
        let bad = |why: &str| Unreadable::new(format!("line {number}: {why}"));

        if length > LINE_BYTES_MAX as u64 {
            self.end += length;
            return Err(bad("too long"));
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            self.end += length;
            return Ok(());
        }
        let record = match json::parse(&bytes) {
            Ok(record) => record,
            // Somebody may be writing it this very moment.
            Err(_) if !whole => return Ok(()),
            Err(error) => {
                self.end += length;
                return Err(bad(&error.why));
            }
        };
        self.end += length;
        if !record.is_object() {
            return Err(bad("not a JSON object"));
        }
        for line in (self.host.dialect().lines)(&mut self.memory, &record) {
            if self.seen.insert(line.id.clone()) {
                self.ready.push_back(TranscriptLine { end: self.end, ..line });
            }
        }
        Ok(())
    }

    /// The bytes of the next line as far as they are looked at, how many there are, and whether a
    /// line break ends them.
    fn next_bytes(&mut self) -> Result<(Vec<u8>, u64, bool), Unreadable> {
        let failed = |error: std::io::Error| Unreadable::new(error.to_string());
        let mut bytes = Vec::new();
        let limit = LINE_BYTES_MAX as u64 + 1;
        self.file.by_ref().take(limit).read_until(b'\n', &mut bytes).map_err(failed)?;
        let mut length = bytes.len() as u64;
        let mut whole = bytes.ends_with(b"\n");
        while length >= limit && !whole {
            let mut more = Vec::new();
            self.file.by_ref().take(limit).read_until(b'\n', &mut more).map_err(failed)?;
            if more.is_empty() {
                break;
            }
            length += more.len() as u64;
            whole = more.ends_with(b"\n");
        }
        Ok((bytes, length, whole))
    }
}
