//! Holds what the program said against what happened.

use std::collections::BTreeSet;

use serde_json::Value;

use super::claim::{About, Claim, Scope};
use super::model::{Role, Tree};
use super::mutate::Event;
use super::project::Variables;

/// What a claim was bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mark {
    Lines,
    File,
    Git,
    Key,
    Variable,
}

impl Mark {
    pub(crate) const ALL: [Self; 5] =
        [Self::Lines, Self::File, Self::Git, Self::Key, Self::Variable];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::File => "file",
            Self::Git => "git",
            Self::Key => "key",
            Self::Variable => "variable",
        }
    }
}

/// A claim, and what became of it.
#[derive(Debug)]
pub(crate) struct Fact {
    pub(crate) claim: Claim,
    pub(crate) memory: String,
    pub(crate) mark: Option<Mark>,
    /// The binding as the program writes it.
    pub(crate) bound_to: String,
}

impl Fact {
    pub(crate) fn new(claim: Claim, memory: String, mark: Option<&Value>) -> Self {
        let word = |name: &str| mark.and_then(|mark| mark[name].as_str()).unwrap_or_default();
        let (sort, target, span) = (word("type"), word("target"), word("span"));
        let mark = match sort {
            "file" if span.is_empty() => Some(Mark::File),
            "file" => Some(Mark::Lines),
            "git" => Some(Mark::Git),
            "flag" if target.contains("env:") => Some(Mark::Variable),
            "flag" => Some(Mark::Key),
            _ => None,
        };
        let bound_to = format!("{sort} {target} {span}").trim().to_owned();
        Self { claim, memory, mark, bound_to }
    }

    pub(crate) fn is_by_hand(&self) -> bool {
        self.claim.watch.is_some()
    }
}

/// The project after something happened.
#[derive(Debug)]
pub(crate) struct Now {
    pub(crate) event: Event,
    pub(crate) work: Tree,
    /// As the last commit has it.
    pub(crate) head: Tree,
    /// Items that were aimed at.
    pub(crate) hit: BTreeSet<usize>,
    pub(crate) variables: Variables,
}

/// What happened, as seen from one fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Row {
    Bumped,
    OtherBumped,
    Event(Event),
    SameFile,
    OtherFiles,
}

impl Row {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bumped => "its key bumped",
            Self::OtherBumped => "another key of its file bumped",
            Self::Event(event) => event.name(),
            Self::SameFile => "elsewhere in its file",
            Self::OtherFiles => "in other files only",
        }
    }
}

/// How a look counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Headline,
    /// The value stayed, the text of its line did not.
    Restyled,
    /// The value stayed, and something changed within the scope that was named by hand.
    Broad,
    /// The variable is not set: nobody can tell.
    Unset,
}

/// One fact after one event.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) project: usize,
    pub(crate) fact: usize,
    pub(crate) row: Row,
    pub(crate) class: Class,
    pub(crate) changed: bool,
    /// Its own file is not what it was.
    pub(crate) near: bool,
    pub(crate) alarm: Option<String>,
    /// Its line before and after.
    pub(crate) diff: String,
    /// What makes it hard.
    pub(crate) hint: Option<&'static str>,
}

impl Seen {
    pub(crate) fn is_missed(&self) -> bool {
        self.alarm.is_none()
            && match self.class {
                Class::Headline => self.changed,
                Class::Broad => true,
                Class::Restyled | Class::Unset => false,
            }
    }

    pub(crate) fn is_false_alarm(&self) -> bool {
        self.class == Class::Headline && !self.changed && self.alarm.is_some()
    }
}

pub(crate) fn judge(
    project: usize,
    at: usize,
    fact: &Fact,
    base: &Tree,
    now: &Now,
    alarm: Option<String>,
) -> Seen {
    let tree = if fact.mark == Some(Mark::Git) { &now.head } else { &now.work };
    let scope = &fact.claim.scope;
    let (changed, touched, restyled, file) = match fact.claim.about {
        About::Item(item) => {
            let changed = base.value(item) != tree.value(item);
            let restyled = base.line_of(item) != tree.line_of(item);
            (changed, is_touched(scope, item, base, tree), restyled, Some(base.items[item].file))
        }
        About::File(file) => {
            (!tree.files[file].is_there, !same_file(base, tree, file), false, Some(file))
        }
        About::Variable(_) => (now.variables == Variables::Changed, false, false, None),
        About::Nothing => (false, false, false, None),
    };
    let about_variable = matches!(fact.claim.about, About::Variable(_));
    let class = if about_variable && now.variables == Variables::Unset {
        Class::Unset
    } else if changed {
        Class::Headline
    } else if touched {
        Class::Broad
    } else if restyled && fact.mark != Some(Mark::Git) {
        Class::Restyled
    } else {
        Class::Headline
    };
    let near = file.is_some_and(|file| !same_file(base, tree, file));
    let row = row(fact, base, now, near);
    let diff = file.map_or_else(String::new, |file| diff(fact, base, tree, file));
    let hint = file.and_then(|file| hint(fact, base, file));
    Seen { project, fact: at, row, class, changed, near, alarm, diff, hint }
}

/// What was there twice from the beginning.
fn hint(fact: &Fact, base: &Tree, file: usize) -> Option<&'static str> {
    let content = base.content(file);
    if (0..base.files.len()).any(|other| other != file && base.content(other) == content) {
        return Some("another file says the same");
    }
    let About::Item(item) = fact.claim.about else { return None };
    let line = base.line_of(item)?;
    let twice = base.written(file).iter().filter(|other| **other == line).count() > 1;
    twice.then_some("the same line stands twice in the file")
}

fn same_file(base: &Tree, tree: &Tree, file: usize) -> bool {
    tree.files[file].is_there && base.content(file) == tree.content(file)
}

/// Whether something changed within what was named by hand, or what was measured.
fn is_touched(scope: &Scope, item: usize, base: &Tree, tree: &Tree) -> bool {
    let file = base.items[item].file;
    match scope {
        Scope::Narrow => false,
        Scope::File => !same_file(base, tree, file),
        Scope::Block => {
            let place = base.place(item).unwrap_or(0);
            let block = base.files[file].lines[place].block;
            base.block_of(file, block) != tree.block_of(file, block)
        }
        Scope::Committed(path) => {
            let folder = format!("{path}/");
            let inside = |tree: &Tree| {
                let all = tree.on_disk().into_iter();
                let ours = all.filter(|(one, _)| *one == path || one.starts_with(&folder));
                ours.map(|(path, content)| (path.to_owned(), content)).collect::<Vec<_>>()
            };
            inside(base) != inside(tree)
        }
    }
}

fn row(fact: &Fact, base: &Tree, now: &Now, near: bool) -> Row {
    let event = now.event;
    let item = match fact.claim.about {
        About::Item(item) => item,
        About::File(_) if near || !event.is_aimed() => return Row::Event(event),
        About::File(_) => return Row::OtherFiles,
        About::Variable(_) | About::Nothing => {
            let ours = matches!(event, Event::VariableChanged | Event::VariableUnset);
            return if ours || !event.is_aimed() { Row::Event(event) } else { Row::OtherFiles };
        }
    };
    let is_key = matches!(base.items[item].role, Role::Key | Role::Dependency | Role::Release);
    let bumped = event == Event::Value && is_key;
    match (now.hit.contains(&item), near) {
        _ if !event.is_aimed() => Row::Event(event),
        (true, _) if bumped => Row::Bumped,
        (true, _) => Row::Event(event),
        (false, true) if bumped => Row::OtherBumped,
        (false, true) => Row::SameFile,
        (false, false) => Row::OtherFiles,
    }
}

/// The line of the claim, before and after.
fn diff(fact: &Fact, base: &Tree, tree: &Tree, file: usize) -> String {
    let (was, is) = (&base.files[file], &tree.files[file]);
    let mut diff = String::new();
    if !is.is_there {
        diff.push_str(&format!("    {} is gone\n", was.path));
    } else if was.path != is.path {
        diff.push_str(&format!("    {} → {}\n", was.path, is.path));
    }
    if let About::Item(item) = fact.claim.about {
        let line = |tree: &Tree| tree.line_of(item).unwrap_or_else(|| "(gone)".to_owned());
        diff.push_str(&format!("    line {} → {}\n", line(base).trim(), line(tree).trim()));
    }
    let old: BTreeSet<String> = base.written(file).into_iter().collect();
    let new: BTreeSet<String> =
        if is.is_there { tree.written(file).into_iter().collect() } else { BTreeSet::new() };
    let mut shown: Vec<String> =
        old.difference(&new).map(|line| format!("    - {line}\n")).collect();
    shown.extend(new.difference(&old).map(|line| format!("    + {line}\n")));
    shown.truncate(8);
    diff.push_str(&shown.concat());
    diff
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::staleness::claim::Sort;
    use crate::staleness::dice::Dice;
    use crate::staleness::grow::grow;
    use crate::staleness::mutate::apply;

    fn fact(tree: &Tree, scope: Scope) -> (Fact, usize) {
        let item = tree.items.iter().rposition(|item| item.role == Role::Constant).unwrap();
        let claim = Claim {
            sort: Sort::Constant,
            text: String::new(),
            about: About::Item(item),
            scope,
            watch: None,
            kind: "fact",
            by_agent: false,
        };
        let mark = serde_json::json!({"type": "file", "target": "a", "span": "L1-L1"});
        (Fact::new(claim, "m".to_owned(), Some(&mark)), item)
    }

    fn seen(event: Event, scope: Scope) -> Seen {
        let base = grow(&mut Dice::new(5, 0));
        let (fact, item) = fact(&base, scope);
        for seed in 0..100 {
            let mut work = base.clone();
            let hit = apply(event, &mut work, &mut Dice::new(seed, 0), &[item]);
            if hit.contains(&item) {
                let (head, variables) = (work.clone(), Variables::AsStated);
                return judge(0, 0, &fact, &base, &Now { event, work, head, hit, variables }, None);
            }
        }
        panic!("{event:?} never hits");
    }

    #[test]
    fn a_changed_value_that_nobody_noticed_is_missed() {
        for event in [Event::Value, Event::ValueUnnoticed, Event::LineDropped, Event::Deleted] {
            let seen = seen(event, Scope::Narrow);
            assert!(seen.changed && seen.is_missed(), "{event:?}");
            assert_eq!(seen.row, Row::Event(event));
        }
    }

    #[test]
    fn edits_around_a_value_change_nothing() {
        for event in [Event::Above, Event::Below, Event::Nearby, Event::Reordered, Event::LineEnds]
        {
            let seen = seen(event, Scope::Narrow);
            assert!(!seen.changed && !seen.is_missed() && seen.near, "{event:?}");
            assert_eq!(seen.class, Class::Headline, "{event:?}");
        }
    }

    #[test]
    fn a_renamed_file_says_the_same() {
        let seen = seen(Event::Renamed, Scope::File);
        assert!(!seen.changed && !seen.near);
        assert_eq!(seen.class, Class::Headline);
    }

    #[test]
    fn other_spaces_are_counted_apart() {
        assert_eq!(seen(Event::Spacing, Scope::Narrow).class, Class::Restyled);
    }

    #[test]
    fn an_edit_within_a_wide_scope_is_counted_apart() {
        assert_eq!(seen(Event::Below, Scope::File).class, Class::Broad);
        assert_eq!(seen(Event::Below, Scope::Block).class, Class::Headline);
    }

    #[test]
    fn the_same_seed_makes_the_same_project() {
        let grown = |seed| grow(&mut Dice::new(seed, 1));
        assert_eq!(grown(3).on_disk(), grown(3).on_disk());
        assert_ne!(grown(3).on_disk(), grown(4).on_disk());
        let files = grown(3).on_disk().len();
        assert!((30..=80).contains(&files), "{files}");
    }
}
