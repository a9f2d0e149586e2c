//! What happens to a project: edits near and far, renames, rewritten history.

use std::collections::BTreeSet;

use super::dice::Dice;
use super::model::{Language, Line, Role, Tongue, Tree, What};

/// One sort of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// Nothing at all.
    Pause,
    Value,
    /// In the working tree alone.
    ValueUnsaved,
    /// With the size and the time of the file as they were.
    ValueUnnoticed,
    Above,
    Below,
    Nearby,
    Elsewhere,
    Documents,
    Spacing,
    LineEnds,
    Reordered,
    Renamed,
    RenamedWithValue,
    RenamedWithEdit,
    Deleted,
    LineDropped,
    Touched,
    OnBranch,
    BackFromBranch,
    Reverted,
    VariableChanged,
    VariableUnset,
    Amended,
    Rebased,
    HistoryGone,
    RebasedWithValue,
    /// One thing after the other, nothing put back.
    Piled,
}

impl Event {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pause => "nothing happened",
            Self::Value => "value changed",
            Self::ValueUnsaved => "value changed, not committed",
            Self::ValueUnnoticed => "value changed, size and time kept",
            Self::Above => "lines added above",
            Self::Below => "lines added below",
            Self::Nearby => "same function or section",
            Self::Elsewhere => "other files",
            Self::Documents => "docs-only commit",
            Self::Spacing => "reformatted",
            Self::LineEnds => "other line ends",
            Self::Reordered => "functions in another order",
            Self::Renamed => "file renamed",
            Self::RenamedWithValue => "file renamed, value changed",
            Self::RenamedWithEdit => "file renamed, edited elsewhere",
            Self::Deleted => "file deleted",
            Self::LineDropped => "line deleted",
            Self::Touched => "touched only",
            Self::OnBranch => "on another branch",
            Self::BackFromBranch => "back from a branch",
            Self::Reverted => "changed and reverted",
            Self::VariableChanged => "variable changed",
            Self::VariableUnset => "variable not set",
            Self::Amended => "commit amended",
            Self::Rebased => "rebased",
            Self::HistoryGone => "rebased, old commits pruned",
            Self::RebasedWithValue => "history rewritten with another value",
            Self::Piled => "several of these",
        }
    }

    /// Whether it happens to single items or files, and not to the whole project.
    pub(crate) fn is_aimed(self) -> bool {
        match self {
            Self::Value
            | Self::ValueUnsaved
            | Self::ValueUnnoticed
            | Self::Above
            | Self::Below
            | Self::Nearby
            | Self::Spacing
            | Self::LineEnds
            | Self::Reordered
            | Self::Renamed
            | Self::RenamedWithValue
            | Self::RenamedWithEdit
            | Self::Deleted
            | Self::LineDropped
            | Self::OnBranch
            | Self::RebasedWithValue => true,
            Self::Pause
            | Self::Elsewhere
            | Self::Documents
            | Self::Touched
            | Self::BackFromBranch
            | Self::Reverted
            | Self::VariableChanged
            | Self::VariableUnset
            | Self::Amended
            | Self::Rebased
            | Self::HistoryGone
            | Self::Piled => false,
        }
    }
}

/// How many of a hundred items or files are hit.
const HIT: usize = 40;

/// Changes a tree; the items that were aimed at.
pub(crate) fn apply(
    event: Event,
    tree: &mut Tree,
    dice: &mut Dice,
    known: &[usize],
) -> BTreeSet<usize> {
    match event {
        Event::Value | Event::ValueUnsaved | Event::OnBranch | Event::Reverted => {
            values(tree, dice, known, false)
        }
        Event::RebasedWithValue => values(tree, dice, known, false),
        Event::ValueUnnoticed => values(tree, dice, known, true),
        Event::Spacing => {
            let hit = some(dice, known);
            hit.iter().for_each(|item| tree.items[*item].restyled = true);
            hit
        }
        Event::LineDropped => {
            let hit = some(dice, known);
            for item in &hit {
                let file = tree.items[*item].file;
                tree.files[file].lines.retain(|line| line.what != What::Item(*item));
            }
            hit
        }
        Event::Nearby => {
            let hit = some(dice, known);
            hit.iter().for_each(|item| nearby(tree, dice, *item));
            hit
        }
        Event::Above
        | Event::Below
        | Event::LineEnds
        | Event::Reordered
        | Event::Renamed
        | Event::RenamedWithEdit
        | Event::RenamedWithValue
        | Event::Deleted => files(event, tree, dice, known),
        Event::Elsewhere => {
            elsewhere(tree, dice, known);
            BTreeSet::new()
        }
        Event::Documents => {
            for file in 0..tree.files.len() {
                if tree.files[file].tongue == Tongue::Markdown && dice.chance(60) {
                    below(tree, dice, file);
                }
            }
            BTreeSet::new()
        }
        Event::Pause
        | Event::Touched
        | Event::BackFromBranch
        | Event::VariableChanged
        | Event::VariableUnset
        | Event::Amended
        | Event::Rebased
        | Event::HistoryGone
        | Event::Piled => BTreeSet::new(),
    }
}

fn some(dice: &mut Dice, known: &[usize]) -> BTreeSet<usize> {
    known.iter().copied().filter(|_| dice.chance(HIT)).collect()
}

fn values(tree: &mut Tree, dice: &mut Dice, known: &[usize], alike: bool) -> BTreeSet<usize> {
    let hit = some(dice, known);
    for item in &hit {
        tree.items[*item].value = tree.items[*item].value.other(dice.below(1_000), alike);
    }
    hit
}

/// Aims at files, and so at all items in them.
fn files(event: Event, tree: &mut Tree, dice: &mut Dice, known: &[usize]) -> BTreeSet<usize> {
    let all: BTreeSet<usize> = known.iter().map(|item| tree.items[*item].file).collect();
    let renames =
        matches!(event, Event::Renamed | Event::RenamedWithEdit | Event::RenamedWithValue);
    let may = |file: &usize| !renames || is_movable(&tree.files[*file].path);
    let hit: BTreeSet<usize> = all.into_iter().filter(may).filter(|_| dice.chance(HIT)).collect();
    if event == Event::RenamedWithValue {
        for item in known {
            let item = &mut tree.items[*item];
            if hit.contains(&item.file) {
                item.value = item.value.other(dice.below(1_000), false);
            }
        }
    }
    let mut done = BTreeSet::new();
    for file in &hit {
        let is_source = tree.files[*file].tongue.is_source();
        let did = match event {
            Event::Above => above(tree, dice, *file),
            Event::Below => below(tree, dice, *file),
            Event::Reordered => is_source && reorder(&mut tree.files[*file].lines),
            Event::Deleted => std::mem::replace(&mut tree.files[*file].is_there, false),
            Event::LineEnds => !std::mem::replace(&mut tree.files[*file].crlf, true),
            Event::RenamedWithEdit => rename(tree, dice, *file) && below(tree, dice, *file),
            Event::Renamed | Event::RenamedWithValue => rename(tree, dice, *file),
            Event::Pause
            | Event::Value
            | Event::ValueUnsaved
            | Event::ValueUnnoticed
            | Event::Nearby
            | Event::Elsewhere
            | Event::Documents
            | Event::Spacing
            | Event::LineDropped
            | Event::Touched
            | Event::OnBranch
            | Event::BackFromBranch
            | Event::Reverted
            | Event::VariableChanged
            | Event::VariableUnset
            | Event::Amended
            | Event::Rebased
            | Event::HistoryGone
            | Event::RebasedWithValue
            | Event::Piled => false,
        };
        if did {
            done.insert(*file);
        }
    }
    known.iter().copied().filter(|item| done.contains(&tree.items[*item].file)).collect()
}

/// Manifests stay where tools look for them.
fn is_movable(path: &str) -> bool {
    let fixed = ["Cargo.toml", "package.json", "pyproject.toml", "README.md", "main.rs"];
    path.contains('/') && !fixed.iter().any(|name| path.ends_with(name))
}

fn rename(tree: &mut Tree, dice: &mut Dice, file: usize) -> bool {
    let path = &tree.files[file].path;
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    let Some((stem, end)) = name.rsplit_once('.') else { return false };
    let path = match dice.below(3) {
        0 => format!("{folder}/{stem}_core.{end}"),
        1 => format!("{folder}/shared/{name}"),
        _ => format!("{folder}/legacy_{stem}.{end}"),
    };
    tree.files[file].path = path;
    true
}

fn insert(tree: &mut Tree, file: usize, at: usize, block: usize, texts: Vec<String>) {
    let lines = texts.into_iter().map(|text| Line { what: What::Text(text), block });
    tree.files[file].lines.splice(at..at, lines);
}

fn above(tree: &mut Tree, dice: &mut Dice, file: usize) -> bool {
    let throw = dice.below(900) + 100;
    let tongue = tree.files[file].tongue;
    let (at, texts) = match tongue {
        Tongue::Json => (1, vec![format!("  \"note_{throw}\": \"reviewed\"")]),
        Tongue::Source(Language::Rust) => {
            (0, vec![format!("//! Part {throw} of the depot."), String::new()])
        }
        Tongue::Source(Language::Python) => {
            (1, vec![format!("import part_{throw}"), format!("import more_{throw}")])
        }
        Tongue::Source(Language::TypeScript) => {
            (1, vec![format!("import {{ part{throw} }} from \"./part{throw}\";")])
        }
        Tongue::Toml | Tongue::Yaml | Tongue::Ini => (0, vec![format!("# Reviewed in {throw}.")]),
        Tongue::Markdown => (2, vec![format!("See also note {throw}."), String::new()]),
    };
    insert(tree, file, at, 0, texts);
    true
}

fn below(tree: &mut Tree, dice: &mut Dice, file: usize) -> bool {
    let throw = dice.below(900) + 100;
    let block = tree.files[file].blocks() + 1;
    let end = tree.files[file].lines.len();
    let (at, texts) = match tree.files[file].tongue {
        Tongue::Json => (end - 1, vec![format!("  \"note_{throw}\": \"reviewed\"")]),
        Tongue::Source(Language::Rust) => (
            end,
            vec![format!("fn audit_{throw}() -> u32 {{"), format!("    {throw}"), "}".to_owned()],
        ),
        Tongue::Source(Language::Python) => {
            (end, vec![format!("def audit_{throw}():"), format!("    return {throw}")])
        }
        Tongue::Source(Language::TypeScript) => {
            (end, vec![format!("export const audit{throw} = {throw};")])
        }
        Tongue::Toml => {
            (end, vec![String::new(), "[extra]".to_owned(), format!("audit = {throw}")])
        }
        Tongue::Yaml => (end, vec!["extra:".to_owned(), format!("  audit: {throw}")]),
        Tongue::Ini => (end, vec!["[extra]".to_owned(), format!("audit={throw}")]),
        Tongue::Markdown => (end, vec![format!("Checked again in week {throw}.")]),
    };
    insert(tree, file, at, block, texts);
    true
}

/// Functions in another order; what they say stays.
fn reorder(lines: &mut [Line]) -> bool {
    let last = lines.iter().map(|line| line.block).max().unwrap_or(0);
    let rank = |line: &Line| if line.block < 2 { line.block } else { last + 2 - line.block };
    lines.sort_by_key(rank);
    last > 2
}

/// Changes another line of the item's function or section, or adds one.
fn nearby(tree: &mut Tree, dice: &mut Dice, item: usize) {
    let file = tree.items[item].file;
    let Some(place) = tree.place(item) else { return };
    let block = tree.files[file].lines[place].block;
    let inside: Vec<usize> = (0..tree.files[file].lines.len())
        .filter(|at| tree.files[file].lines[*at].block == block)
        .collect();
    let number = (dice.below(900) + 100).to_string();
    let step = inside.iter().copied().find(|at| {
        matches!(&tree.files[file].lines[*at].what, What::Text(text) if text.contains("rows"))
            && *at > inside[0] + 1
    });
    if let Some(at) = step.filter(|_| dice.chance(50)) {
        let What::Text(text) = &mut tree.files[file].lines[at].what else { return };
        *text = text.replace("rows", &format!("rows * {number}"));
        return;
    }
    let tongue = tree.files[file].tongue;
    let at = inside[0] + 1 + dice.below((place - inside[0]).max(1));
    let text = match tongue.comment(&format!("Agreed in review {number}.")) {
        Some(comment) if tongue.is_source() && tree.items[item].role == Role::Returned => {
            format!("    {comment}")
        }
        Some(comment) => comment,
        None => format!("    \"note_{number}\": \"reviewed\""),
    };
    insert(tree, file, at, block, vec![text]);
}

/// Other files change, and a new one comes.
fn elsewhere(tree: &mut Tree, dice: &mut Dice, known: &[usize]) {
    let held: BTreeSet<usize> = known.iter().map(|item| tree.items[*item].file).collect();
    for file in 0..tree.files.len() {
        if !held.contains(&file) {
            below(tree, dice, file);
        }
    }
    let path = format!("src/fresh_{}.rs", dice.below(1_000));
    let file = tree.add_file(path, Tongue::Source(Language::Rust));
    tree.text(file, 1, "pub const FRESH_LIMIT: u32 = 30;");
}
