//! Paths under `/memories`: names, not places on a disk. What would lead out of it is refused.

use std::collections::BTreeMap;
use std::fmt;

use throughline_engine::{Error, Result, ShelfEntry};

const ROOT: &str = "/memories";
/// Bytes of one name, and of a whole path.
const NAME_MAX: usize = 255;
const PATH_MAX: usize = 1_024;
/// Levels of a listing.
const LEVELS: usize = 2;

/// A path, in one form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    names: Vec<String>,
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ROOT)?;
        self.names.iter().try_for_each(|name| write!(f, "/{name}"))
    }
}

impl Path {
    /// Reads what a model wrote.
    pub(super) fn read(written: &str) -> Result<Self> {
        let refuse = |message: String| Err(Error::BadInput(message));
        let rest =
            written.strip_prefix(ROOT).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let Some(rest) = rest else {
            return refuse(format!("Path must start with /memories, got: {written}"));
        };
        if written.len() > PATH_MAX {
            return refuse(format!("The path is too long: it may have {PATH_MAX} bytes"));
        }
        if written.chars().any(char::is_control) {
            return refuse("The path holds a control character".to_owned());
        }
        let mut names: Vec<String> = Vec::new();
        for name in rest.split('/') {
            match name {
                "" | "." => {}
                ".." => {
                    if names.pop().is_none() {
                        return refuse(format!("Path {written} would escape /memories directory"));
                    }
                }
                _ if name.len() > NAME_MAX => {
                    return refuse(format!("A name is too long: it may have {NAME_MAX} bytes"));
                }
                _ => names.push(name.to_owned()),
            }
        }
        Ok(Self { names })
    }

    /// The path of a file that is kept.
    pub(super) fn known(name: &str) -> Self {
        let rest = name.strip_prefix(ROOT).unwrap_or(name);
        let names = rest.split('/').filter(|name| !name.is_empty()).map(str::to_owned);
        Self { names: names.collect() }
    }

    pub(super) fn is_root(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether it is this file.
    pub(super) fn is(&self, file: &str) -> bool {
        self.to_string() == file
    }

    /// Whether a file lies under it.
    pub(super) fn holds(&self, file: &str) -> bool {
        file.strip_prefix(&self.to_string()).is_some_and(|rest| rest.starts_with('/'))
    }

    /// What lies under it, two levels deep, with sizes, by name; directories end with a slash.
    pub(super) fn listing(&self, files: &[ShelfEntry]) -> Vec<(String, String)> {
        let mut below: BTreeMap<Vec<String>, Option<usize>> = BTreeMap::new();
        for file in files.iter().filter(|file| self.holds(&file.name)) {
            let names = Self::known(&file.name).names.split_off(self.names.len());
            if names.iter().take(LEVELS).any(|name| name.starts_with('.')) {
                continue;
            }
            for depth in 1..names.len().min(LEVELS + 1) {
                below.entry(names[..depth].to_vec()).or_insert(None);
            }
            if names.len() <= LEVELS {
                below.insert(names, Some(file.text.len()));
            }
        }
        let line = |(names, size): (Vec<String>, Option<usize>)| match size {
            Some(size) => (human(size), names.join("/")),
            None => ("4K".to_owned(), format!("{}/", names.join("/"))),
        };
        below.into_iter().map(line).collect()
    }
}

/// A size as people read it.
fn human(bytes: usize) -> String {
    const UNITS: [&str; 4] = ["B", "K", "M", "G"];
    let step = (bytes.max(1).ilog2() as usize / 10).min(UNITS.len() - 1);
    let whole = 1_usize << (10 * step);
    if bytes.is_multiple_of(whole) {
        return format!("{}{}", bytes / whole, UNITS[step]);
    }
    // One place after the point, to the nearest.
    let tenths = (bytes * 10 + whole / 2) / whole;
    format!("{}.{}{}", tenths / 10, tenths % 10, UNITS[step])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_the_reference_writes_them() {
        for (bytes, expected) in [
            (0, "0B"),
            (19, "19B"),
            (1_024, "1K"),
            (1_536, "1.5K"),
            (1_100, "1.1K"),
            (3 << 20, "3M"),
        ] {
            assert_eq!(human(bytes), expected);
        }
    }

    #[test]
    fn no_path_leads_out() {
        for written in [
            "/etc/passwd",
            "memories/a",
            "/memoriesfoo",
            "/memories/..",
            "/memories/../etc/passwd",
            "/memories/a/../../b",
            "/memories/a\0b",
            "/memories/a\nb",
            "",
        ] {
            assert!(Path::read(written).is_err(), "{written:?}");
        }
        let long = format!("/memories/{}", "x".repeat(256));
        assert!(Path::read(&long).is_err());
        assert!(Path::read(&format!("/memories{}", "/xx".repeat(400))).is_err());
        for (written, expected) in [
            ("/memories/", "/memories"),
            ("/memories//a/./b/", "/memories/a/b"),
            ("/memories/a/../b", "/memories/b"),
            ("/memories/%2e%2e/x", "/memories/%2e%2e/x"),
            ("/memories/a\\..\\b", "/memories/a\\..\\b"),
        ] {
            assert_eq!(Path::read(written).unwrap().to_string(), expected);
        }
    }
}
