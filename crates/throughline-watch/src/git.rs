//! Paths under version control, as the last commit has them.
//!
//! One `git cat-file` answers for all bindings: which commit is the last, and what the paths are in
//! it that were stamped at another one. Only where something differs is git asked further: whether
//! the old commit still leads to the present one, and whether what is gone became a submodule.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use throughline_core::watermark::{Reading, Referent};

use crate::process::{Running, converse, start};
use crate::stamp::{GitStamp, is_object};
use crate::{Binding, Deadline, Look, Stamped, Unresolved, World, path};

/// What people see of a commit's id, in digits.
const SHORT_DIGITS: usize = 7;

/// The most paths in one command line.
const ARGUMENTS_MAX: usize = 256;

/// Notes a commit, and the objects of the paths in it.
pub(crate) fn stamp(
    world: &World,
    written: &[String],
    deadline: Deadline,
) -> Result<Stamped, Unresolved> {
    let paths: Result<BTreeSet<String>, _> =
        written.iter().map(|written| path::of_git(world, written)).collect();
    let paths = paths?;
    if paths.is_empty() {
        return Err(Unresolved::TooBroad);
    }
    if paths.iter().any(|path| path::is_own_data(Path::new(path))) {
        return Err(Unresolved::OwnData);
    }
    let wanted = Wanted { paths_by_head: BTreeMap::from([(String::new(), paths.clone())]) };
    let question = Question::new(&world.root, wanted).ok_or(Unresolved::NoRepository)?;
    let answer = question.answer(deadline);
    let answer = match answer {
        Some(answer) => answer,
        None if deadline.is_over() => return Err(Unresolved::Unreadable),
        None => return Err(Unresolved::NoRepository),
    };
    let objects = paths.iter().map(|path| {
        let object = answer.objects.get(path.as_str()).ok_or(Unresolved::NotTracked)?;
        Ok((object.is_folder, object.id.as_str()))
    });
    let objects = objects.collect::<Result<Vec<_>, Unresolved>>()?;
    let stamp = GitStamp { head: &answer.head, objects }.write();
    let then = short(&answer.head).to_owned();
    Ok(Stamped { referent: Referent::Git { paths: paths.into_iter().collect() }, stamp, then })
}

/// Asks git about all bindings that are tied to it. `None` if there are none.
pub(crate) fn ask<'a>(world: &World, bindings: &[Binding<'a>]) -> Option<GitAsked<'a>> {
    let items: Vec<GitItem<'a>> =
        bindings.iter().enumerate().filter_map(|(at, binding)| item(at, binding)).collect();
    if items.is_empty() {
        return None;
    }
    let mut paths_by_head: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for item in &items {
        if let Some(stamp) = &item.stamp {
            let paths = paths_by_head.entry(stamp.head.to_owned()).or_default();
            paths.extend(item.paths.iter().cloned());
        }
    }
    Some(GitAsked { question: Question::new(&world.root, Wanted { paths_by_head }), items })
}

/// What was asked, and for whom.
pub(crate) struct GitAsked<'a> {
    question: Option<Question>,
    items: Vec<GitItem<'a>>,
}

struct GitItem<'a> {
    /// Which of the bindings.
    at: usize,
    paths: &'a [String],
    /// `None` if it cannot be read.
    stamp: Option<GitStamp<'a>>,
}

fn item<'a>(at: usize, binding: &Binding<'a>) -> Option<GitItem<'a>> {
    let Referent::Git { paths } = binding.referent else { return None };
    let sound = |path: &String| path::is_canonical(path) && !path.contains('\n');
    let stamp = GitStamp::read(binding.stamp)
        .filter(|stamp| stamp.objects.len() == paths.len() && paths.iter().all(sound));
    Some(GitItem { at, paths, stamp })
}

/// Takes the answer, and says what became of each binding.
pub(crate) fn look(asked: GitAsked<'_>, deadline: Deadline, looks: &mut [Look]) {
    let root = asked.question.as_ref().map(|question| question.root.clone());
    let answer = asked.question.and_then(|question| question.answer(deadline));
    let (Some(root), Some(answer)) = (root, answer) else {
        for item in asked.items {
            looks[item.at] = Look::unknown("git does not answer");
        }
        return;
    };
    let mut differing = Vec::new();
    for item in &asked.items {
        let Some(stamp) = &item.stamp else {
            looks[item.at] = Look::unknown("the stamp cannot be read");
            continue;
        };
        if stamp.head == answer.head {
            looks[item.at] = Look::unchanged();
            continue;
        }
        let seen = See { item, stamp, answer: &answer };
        match seen.difference() {
            None => looks[item.at] = seen.outside_scope(),
            Some(reading) => differing.push((seen, reading)),
        }
    }
    let behind = ancestors(&root, &differing, &answer, deadline);
    let submodules = submodules(&root, &differing, &answer, deadline);
    for (seen, reading) in differing {
        looks[seen.item.at] = match (&behind, &submodules) {
            (Some(behind), _) if !behind.contains(seen.stamp.head) => {
                Look::unknown("the history was rewritten")
            }
            (Some(_), Some(submodules)) if seen.is_in(submodules) => {
                Look::unknown("now in a submodule")
            }
            (Some(_), Some(_)) if reading == Reading::Missing => {
                Look::new(reading, format!("gone at {}", short(&answer.head)))
            }
            (Some(_), Some(_)) => Look::new(reading, short(&answer.head)),
            (None, _) | (_, None) => Look::unknown("git does not answer"),
        };
    }
}

/// A binding, and what git said.
struct See<'a> {
    item: &'a GitItem<'a>,
    stamp: &'a GitStamp<'a>,
    answer: &'a Answer,
}

impl See<'_> {
    /// How near the change came; `None` if nothing changed within the scope.
    fn difference(&self) -> Option<Reading> {
        let (mut files, mut file_moved, mut folder_moved) = (0, false, false);
        for (path, (was_folder, was)) in self.item.paths.iter().zip(&self.stamp.objects) {
            let Some(now) = self.answer.objects.get(path) else { return Some(Reading::Missing) };
            files += usize::from(!was_folder);
            let moved = now.id != *was;
            file_moved |= moved && !was_folder;
            folder_moved |= moved && *was_folder;
        }
        match (file_moved, folder_moved) {
            (true, _) => Some(Reading::Moved),
            (false, true) if files > 0 => Some(Reading::ScopeTouched),
            (false, true) => Some(Reading::Moved),
            (false, false) => None,
        }
    }

    /// All the same at another commit. Where the old one is gone for good, later differences could
    /// not be judged: a fresher stamp helps.
    fn outside_scope(&self) -> Look {
        let head = &self.answer.head;
        let fresher = || GitStamp { head, objects: self.stamp.objects.clone() }.write();
        let is_there = self.answer.commits.contains(self.stamp.head);
        Look { stamp: (!is_there).then(fresher), ..Look::new(Reading::OutsideScope, short(head)) }
    }

    fn missing(&self) -> impl Iterator<Item = &str> {
        let paths = self.item.paths.iter().map(String::as_str);
        paths.filter(|path| !self.answer.objects.contains_key(*path))
    }

    /// Whether something that is gone lies in one of these folders, or is one.
    fn is_in(&self, folders: &BTreeSet<String>) -> bool {
        self.missing().any(|path| {
            Path::new(path)
                .ancestors()
                .any(|part| part.to_str().is_some_and(|part| folders.contains(part)))
        })
    }
}

/// Which of the old commits lead to the present one. `None` if git does not say.
fn ancestors(
    root: &Path,
    differing: &[(See<'_>, Reading)],
    answer: &Answer,
    deadline: Deadline,
) -> Option<BTreeSet<String>> {
    let heads = differing.iter().map(|(seen, _)| seen.stamp.head);
    let there: BTreeSet<&str> = heads.filter(|head| answer.commits.contains(*head)).collect();
    if there.is_empty() {
        return Some(BTreeSet::new());
    }
    let mut input: String = there.iter().map(|head| format!("{head}\n")).collect();
    input.push_str(&format!("^{}\n", answer.head));
    // What it lists is not in the history of the present commit.
    let strays = start(root, &["rev-list", "--stdin"], input)?.finish(deadline)?;
    let strays: BTreeSet<&str> = strays.lines().collect();
    Some(there.difference(&strays).map(|head| (*head).to_owned()).collect())
}

/// The submodules on the way to what is gone. `None` if git does not say.
fn submodules(
    root: &Path,
    differing: &[(See<'_>, Reading)],
    answer: &Answer,
    deadline: Deadline,
) -> Option<BTreeSet<String>> {
    // Git lists what a path names, not what is on the way to it.
    let missing = differing.iter().flat_map(|(seen, _)| seen.missing());
    let parts = missing.flat_map(|path| Path::new(path).ancestors()).filter_map(Path::to_str);
    let parts: BTreeSet<&str> = parts.filter(|part| !part.is_empty()).collect();
    let parts: Vec<&str> = parts.into_iter().collect();
    let mut submodules = BTreeSet::new();
    for parts in parts.chunks(ARGUMENTS_MAX) {
        let arguments = ["ls-tree", "-z", &answer.head, "--"];
        let arguments: Vec<&str> = arguments.iter().chain(parts).copied().collect();
        let listed = start(root, &arguments, String::new())?.finish(deadline)?;
        let named = listed.split('\0').filter_map(|line| line.split_once('\t'));
        let ours = named.filter(|(about, _)| about.contains(" commit "));
        submodules.extend(ours.map(|(_, path)| path.to_owned()));
    }
    Some(submodules)
}

/// What to ask for, by the commit that it was stamped at.
#[derive(Debug, Clone)]
struct Wanted {
    paths_by_head: BTreeMap<String, BTreeSet<String>>,
}

impl Wanted {
    /// The old commits, and the paths that were stamped at them: a commit never changes, so what was
    /// stamped at the present one need not be asked for.
    fn at(&self, head: &str) -> (Vec<&str>, Vec<&str>) {
        let others = || self.paths_by_head.iter().filter(|(other, _)| *other != head);
        let heads = others().map(|(head, _)| head.as_str()).filter(|head| !head.is_empty());
        let paths: BTreeSet<&str> =
            others().flat_map(|(_, paths)| paths).map(String::as_str).collect();
        (heads.collect(), paths.into_iter().collect())
    }

    /// As lines for git, after it told the present commit.
    fn lines(&self, first: &str) -> String {
        let Some((head, "commit")) = object(first) else { return String::new() };
        let (heads, paths) = self.at(head);
        let heads = heads.into_iter().map(|head| format!("{head}\n"));
        heads.chain(paths.into_iter().map(|path| format!("{head}:./{path}\n"))).collect()
    }
}

/// A question to `git cat-file`.
struct Question {
    root: PathBuf,
    running: Running,
    wanted: Arc<Wanted>,
}

/// What the last commit has.
struct Answer {
    head: String,
    /// Of the old commits, those that are still there.
    commits: BTreeSet<String>,
    objects: BTreeMap<String, Object>,
}

struct Object {
    id: String,
    is_folder: bool,
}

impl Question {
    fn new(root: &Path, wanted: Wanted) -> Option<Self> {
        let wanted = Arc::new(wanted);
        let arguments = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
        let more = Arc::clone(&wanted);
        let running = converse(root, &arguments, "HEAD\n", move |first| more.lines(first))?;
        Some(Self { root: root.to_path_buf(), running, wanted })
    }

    fn answer(self, deadline: Deadline) -> Option<Answer> {
        let text = self.running.finish(deadline)?;
        let lines: Vec<Option<(&str, &str)>> = text.lines().map(object).collect();
        let (head, lines) = lines.split_first()?;
        let (head, _) = head.filter(|(_, sort)| *sort == "commit")?;
        let (heads, paths) = self.wanted.at(head);
        if lines.len() != heads.len() + paths.len() {
            return None;
        }
        let (commits, objects) = lines.split_at(heads.len());
        let commits = heads.into_iter().zip(commits).filter_map(|(head, line)| {
            line.filter(|(_, sort)| *sort == "commit").map(|_| head.to_owned())
        });
        let objects = paths.into_iter().zip(objects).filter_map(|(path, line)| {
            let (id, sort) = line.filter(|(_, sort)| matches!(*sort, "blob" | "tree"))?;
            Some((path.to_owned(), Object { id: id.to_owned(), is_folder: sort == "tree" }))
        });
        let (commits, objects) = (commits.collect(), objects.collect());
        Some(Answer { head: head.to_owned(), commits, objects })
    }
}

/// `ID SORT`, where git found something.
fn object(line: &str) -> Option<(&str, &str)> {
    line.split_once(' ').filter(|(id, sort)| is_object(id) && *sort != "missing")
}

fn short(id: &str) -> &str {
    id.get(..SHORT_DIGITS).unwrap_or(id)
}
