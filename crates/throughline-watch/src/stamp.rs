//! Stamps: what was there, in one line of text that only this crate reads.
//!
//! ```text
//! f1 CONTENT SIZE MARK AT TWINS                          a file
//! f1 CONTENT SIZE MARK AT TWINS SPAN LINES FIRST ABOVE BELOW COPIES ALIKE SAME   lines of a file
//! v1 VALUE SIZE MARK                                     a key in a file
//! e1 VALUE                                               an environment variable
//! g1 HEAD bOID tOID…                                     paths at a commit, files and folders
//! ```
//!
//! `AT` is when it was stamped, `TWINS` whether a file beside it says the same. `FIRST`, `ABOVE` and `BELOW` are traces of the first line and of those
//! around; `COPIES` is how often the lines stood there, `ALIKE` how often beside one such line, `SAME`
//! how often between both.
//!
//! A `MARK` is `MTIME.CTIME.INODE`, or `-` where the file was written so shortly before that a
//! further change could leave no trace in it.

use std::fmt::Write as _;

/// A file written less than this before its stamp may change again without looking different.
const SETTLED_NS: i128 = 2_000_000_000;

/// Files are dated by a clock that ticks no oftener than this.
const TICK_NS: i128 = 20_000_000;

/// What tells a file that was written to from one that was not, nearly always.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileMark {
    pub(crate) size: u64,
    pub(crate) modified_ns: i128,
    pub(crate) changed_ns: i128,
    pub(crate) inode: u64,
}

impl FileMark {
    /// Whether it can be relied on from now on.
    pub(crate) fn is_settled(&self) -> bool {
        self.modified_ns.max(self.changed_ns).saturating_add(SETTLED_NS) <= now_ns()
    }

    fn write(&self) -> String {
        if self.is_settled() {
            format!("{} {}.{}.{}", self.size, self.modified_ns, self.changed_ns, self.inode)
        } else {
            format!("{} -", self.size)
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "file times come from this clock, memory's do not")]
fn now_ns() -> i128 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |since| i128::try_from(since.as_nanos()).unwrap_or(i128::MAX))
}

/// A file's size then, and its mark if it can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) size: u64,
    mark: Option<FileMark>,
}

impl Seen {
    /// Whether the file cannot have been written to since.
    pub(crate) fn vouches_for(&self, now: &FileMark) -> bool {
        self.mark.as_ref() == Some(now)
    }

    fn is_inode(&self, inode: u64) -> bool {
        self.mark.is_some_and(|mark| mark.inode == inode)
    }

    fn read<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        let size = tokens.next()?.parse().ok()?;
        let mark = tokens.next()?;
        if mark == "-" {
            return Some(Self { size, mark: None });
        }
        let mut numbers = mark.splitn(3, '.');
        let mark = FileMark {
            size,
            modified_ns: numbers.next()?.parse().ok()?,
            changed_ns: numbers.next()?.parse().ok()?,
            inode: numbers.next()?.parse().ok()?,
        };
        Some(Self { size, mark: Some(mark) })
    }
}

/// A file, or lines of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp<'a> {
    pub(crate) content: &'a str,
    pub(crate) seen: Seen,
    /// When it was stamped.
    at_ns: i128,
    /// A file beside it says the same: if it goes, that is not where it went.
    pub(crate) has_twin: bool,
    pub(crate) span: Option<SpanStamp<'a>>,
}

/// Lines of a file: what they say together, how many, a trace of the first to find them by, and what
/// tells them from others that say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpanStamp<'a> {
    pub(crate) hash: &'a str,
    pub(crate) lines: u32,
    pub(crate) first: u32,
    pub(crate) beside: LinesBeside,
    /// How often they stood in the file.
    pub(crate) copies: u32,
    /// How often of that beside one such line.
    pub(crate) alike: u32,
    /// How often between both.
    pub(crate) same: u32,
}

/// Traces of the nearest lines above and below that say something; nothing at the ends of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinesBeside {
    pub(crate) above: u32,
    pub(crate) below: u32,
}

impl LinesBeside {
    /// Whether one of the two is the same.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.above == other.above || self.below == other.below
    }
}

impl<'a> FileStamp<'a> {
    pub(crate) fn write(
        content: &str,
        mark: &FileMark,
        has_twin: bool,
        span: Option<SpanStamp<'_>>,
    ) -> String {
        let twins = u8::from(has_twin);
        let mut stamp = format!("f1 {content} {} {} {twins}", mark.write(), now_ns());
        if let Some(SpanStamp { hash, lines, first, beside, copies, alike, same }) = span {
            let LinesBeside { above, below } = beside;
            write!(stamp, " {hash} {lines} {first} {above} {below} {copies} {alike} {same}")
                .expect("writing to a string");
        }
        stamp
    }

    pub(crate) fn read(stamp: &'a str) -> Option<Self> {
        let mut tokens = stamp.strip_prefix("f1 ")?.split(' ');
        let content = tokens.next()?;
        let seen = Seen::read(&mut tokens)?;
        let at_ns = tokens.next()?.parse().ok()?;
        let has_twin = tokens.next()? == "1";
        let span = match tokens.next() {
            Some(hash) => {
                let mut number = || tokens.next()?.parse().ok();
                Some(SpanStamp {
                    hash,
                    lines: number()?,
                    first: number()?,
                    beside: LinesBeside { above: number()?, below: number()? },
                    copies: number()?,
                    alike: number()?,
                    same: number()?,
                })
            }
            None => None,
        };
        tokens.next().is_none().then_some(Self { content, seen, at_ns, has_twin, span })
    }

    /// Whether a file may be this one under another name: it came there after the stamp.
    pub(crate) fn may_be(&self, other: &FileMark) -> bool {
        let came_since = other.changed_ns.saturating_add(TICK_NS) > self.at_ns;
        self.seen.is_inode(other.inode) || came_since && !self.has_twin
    }
}

/// A key in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyStamp<'a> {
    pub(crate) value: &'a str,
    pub(crate) seen: Seen,
}

impl<'a> KeyStamp<'a> {
    pub(crate) fn write(value: &str, mark: &FileMark) -> String {
        format!("v1 {value} {}", mark.write())
    }

    pub(crate) fn read(stamp: &'a str) -> Option<Self> {
        let mut tokens = stamp.strip_prefix("v1 ")?.split(' ');
        let value = tokens.next()?;
        let seen = Seen::read(&mut tokens)?;
        tokens.next().is_none().then_some(Self { value, seen })
    }
}

/// An environment variable.
pub(crate) fn write_variable(value: &str) -> String {
    format!("e1 {value}")
}

/// The hash of its value.
pub(crate) fn read_variable(stamp: &str) -> Option<&str> {
    stamp.strip_prefix("e1 ")
}

/// Paths at a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitStamp<'a> {
    pub(crate) head: &'a str,
    /// Of each path, in their order: whether it is a folder, and its object.
    pub(crate) objects: Vec<(bool, &'a str)>,
}

impl<'a> GitStamp<'a> {
    pub(crate) fn write(&self) -> String {
        let mut stamp = format!("g1 {}", self.head);
        for (is_folder, object) in &self.objects {
            let sort = if *is_folder { 't' } else { 'b' };
            write!(stamp, " {sort}{object}").expect("writing to a string");
        }
        stamp
    }

    pub(crate) fn read(stamp: &'a str) -> Option<Self> {
        let mut tokens = stamp.strip_prefix("g1 ")?.split(' ');
        let head = tokens.next().filter(|head| is_object(head))?;
        let object = |token: &'a str| match token.split_at_checked(1)? {
            ("t", object) if is_object(object) => Some((true, object)),
            ("b", object) if is_object(object) => Some((false, object)),
            _ => None,
        };
        let objects = tokens.map(object).collect::<Option<Vec<_>>>()?;
        Some(Self { head, objects })
    }
}

/// Whether it is the id of an object, SHA-1 or SHA-256. Goes to git, so it is looked at closely.
pub(crate) fn is_object(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
