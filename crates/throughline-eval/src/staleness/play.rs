//! Plays one project: claims are told, things happen, and after each the program is asked what moved.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value;

use super::claim::{About, Claim, claims};
use super::dice::Dice;
use super::grow::grow;
use super::judge::{Fact, Now, Seen, judge};
use super::model::Tree;
use super::mutate::{Event, apply};
use super::project::{Project, Variables};

/// A file that rests for so long is known by its times alone.
const REST: Duration = Duration::from_millis(2_200);
/// How often the program is asked again when it ran out of time.
const PATIENCE: usize = 4;
/// Events one upon the other.
const PILED: [Event; 6] =
    [Event::Above, Event::Value, Event::Documents, Event::Renamed, Event::Nearby, Event::Value];
/// Events from the same beginning, each put back.
const ROUNDS: [Event; 25] = [
    Event::Pause,
    Event::Value,
    Event::Above,
    Event::Below,
    Event::Nearby,
    Event::Elsewhere,
    Event::Documents,
    Event::ValueUnsaved,
    Event::Touched,
    Event::ValueUnnoticed,
    Event::Spacing,
    Event::LineEnds,
    Event::Reordered,
    Event::Renamed,
    Event::RenamedWithValue,
    Event::RenamedWithEdit,
    Event::Deleted,
    Event::LineDropped,
    Event::Reverted,
    Event::VariableChanged,
    Event::VariableUnset,
    Event::Amended,
    Event::Rebased,
    Event::HistoryGone,
    Event::RebasedWithValue,
];

/// What a project showed.
#[derive(Debug, Default)]
pub(crate) struct Played {
    pub(crate) files: usize,
    pub(crate) facts: Vec<Fact>,
    pub(crate) seen: Vec<Seen>,
    /// How often the program ran out of time and was asked again.
    pub(crate) late: usize,
    /// Claims of agents that name a file which is not there, and are to be checked.
    pub(crate) unresolved: usize,
}

pub(crate) fn play(binary: &Path, seed: u64, at: usize, count: usize) -> anyhow::Result<Played> {
    let mut dice = Dice::new(seed, at);
    let base = grow(&mut dice);
    let claims = claims(&base, &mut dice, count);
    let project = Project::new(binary)?;
    project.write(&Tree::default(), &base)?;
    for (folders, message) in [
        (["src", "tools"], "Sources"),
        (["config", "deploy"], "Settings"),
        ([".", "."], "The rest"),
    ] {
        project.git(&["add", folders[0], folders[1]])?;
        project.git(&["commit", "-q", "-m", message])?;
    }
    if at.is_multiple_of(2) {
        std::thread::sleep(REST);
    }
    let mut played = Played { files: base.files.len(), ..Played::default() };
    for claim in claims {
        played.facts.push(tell(&project, claim)?);
    }
    let known: BTreeSet<usize> = played.facts.iter().filter_map(|fact| item(&fact.claim)).collect();
    let known: Vec<usize> = known.into_iter().collect();
    let mut stage = Stage { project, base, known, dice, played, project_at: at };
    for event in ROUNDS {
        stage.round(event).with_context(|| event.name())?;
    }
    stage.branch()?;
    stage.pile()?;
    Ok(stage.played)
}

fn item(claim: &Claim) -> Option<usize> {
    match claim.about {
        About::Item(item) => Some(item),
        About::File(_) | About::Variable(_) | About::Nothing => None,
    }
}

fn tell(project: &Project, mut claim: Claim) -> anyhow::Result<Fact> {
    claim.text = claim.text.replace("{root}", &project.root().to_string_lossy());
    let mut arguments = vec!["remember", &claim.text, "--kind", claim.kind];
    if claim.by_agent {
        arguments.extend(["--authority", "observed"]);
    }
    if let Some(watch) = &claim.watch {
        arguments.extend(["--watch", watch]);
    }
    let told = project.run(Variables::AsStated, &arguments)?;
    let memory = told["memory"]["id"].as_str().context("the memory has no id")?.to_owned();
    let mark = told["memory"]["watermarks"].as_array().and_then(|marks| marks.first().cloned());
    Ok(Fact::new(claim, memory, mark.as_ref()))
}

struct Stage {
    project: Project,
    base: Tree,
    /// Items that claims are about.
    known: Vec<usize>,
    dice: Dice,
    played: Played,
    project_at: usize,
}

impl Stage {
    /// Something happens, the program is asked, and it is put back.
    fn round(&mut self, event: Event) -> anyhow::Result<()> {
        let start = self.project.git(&["rev-parse", "HEAD"])?;
        let mut work = self.base.clone();
        let hit = apply(event, &mut work, &mut self.dice, &self.known);
        let variables = Variables::AsStated;
        let mut now = Now { event, work: work.clone(), head: work, hit, variables };
        self.happen(&mut now)?;
        self.look(&now)?;
        if !matches!(event, Event::Amended | Event::Rebased | Event::HistoryGone) {
            self.project.write(&now.work, &self.base)?;
            self.project.git(&["reset", "-q", "--hard", &start])?;
        }
        Ok(())
    }

    /// Does to the repository what was done to the tree.
    fn happen(&self, now: &mut Now) -> anyhow::Result<()> {
        let (event, base, project) = (now.event, &self.base, &self.project);
        match event {
            Event::Amended => {
                project.git(&["commit", "-q", "--amend", "-m", "In better words"])?;
            }
            Event::Rebased | Event::HistoryGone => {
                project.git(&["rebase", "-q", "--force-rebase", "HEAD~2"])?;
                if event == Event::HistoryGone {
                    project.git(&["reflog", "expire", "--expire=now", "--all"])?;
                    project.git(&["update-ref", "-d", "ORIG_HEAD"])?;
                    project.git(&["gc", "-q", "--prune=now"])?;
                }
            }
            Event::VariableChanged => now.variables = Variables::Changed,
            Event::VariableUnset => now.variables = Variables::Unset,
            Event::Touched => touch(&project.root(), base)?,
            Event::ValueUnsaved => {
                project.write(base, &now.work)?;
                now.head = base.clone();
            }
            Event::ValueUnnoticed => {
                unnoticed(project, base, &now.work)?;
                project.commit("A change")?;
            }
            Event::RebasedWithValue => {
                project.write(base, &now.work)?;
                project.git(&["add", "-A"])?;
                if self.project_at.is_multiple_of(2) {
                    project.git(&["commit", "-q", "--amend", "-m", "With more in it"])?;
                } else {
                    project.git(&["commit", "-q", "--fixup=HEAD"])?;
                    project.git(&["rebase", "-q", "-i", "--autosquash", "HEAD~2"])?;
                }
            }
            Event::Reverted => {
                project.write(base, &now.work)?;
                project.commit("A change")?;
                project.git(&["revert", "--no-edit", "HEAD"])?;
                (now.work, now.head) = (base.clone(), base.clone());
            }
            Event::Pause
            | Event::Value
            | Event::Above
            | Event::Below
            | Event::Nearby
            | Event::Elsewhere
            | Event::Documents
            | Event::Spacing
            | Event::LineEnds
            | Event::Reordered
            | Event::Renamed
            | Event::RenamedWithValue
            | Event::RenamedWithEdit
            | Event::Deleted
            | Event::LineDropped
            | Event::OnBranch
            | Event::BackFromBranch
            | Event::Piled => {
                project.write(base, &now.work)?;
                project.commit("A change")?;
            }
        }
        Ok(())
    }

    /// To a branch with other values, and back.
    fn branch(&mut self) -> anyhow::Result<()> {
        let mut work = self.base.clone();
        let hit = apply(Event::OnBranch, &mut work, &mut self.dice, &self.known);
        self.project.git(&["checkout", "-q", "-b", "feature"])?;
        self.project.write(&self.base, &work)?;
        self.project.commit("A feature")?;
        let variables = Variables::AsStated;
        let head = work.clone();
        self.look(&Now { event: Event::OnBranch, work, head, hit, variables })?;
        self.project.git(&["checkout", "-q", "main"])?;
        let (work, head) = (self.base.clone(), self.base.clone());
        let hit = BTreeSet::new();
        self.look(&Now { event: Event::BackFromBranch, work, head, hit, variables })
    }

    /// One upon the other, and at last all taken back at once.
    fn pile(&mut self) -> anyhow::Result<()> {
        let mut work = self.base.clone();
        let variables = Variables::AsStated;
        for event in PILED {
            let before = work.clone();
            apply(event, &mut work, &mut self.dice, &self.known);
            self.project.write(&before, &work)?;
            self.project.commit("One more")?;
            let (work, head, hit) = (work.clone(), work.clone(), BTreeSet::new());
            self.look(&Now { event: Event::Piled, work, head, hit, variables })?;
        }
        self.project.write(&work, &self.base)?;
        self.project.commit("As it was")?;
        let (work, head) = (self.base.clone(), self.base.clone());
        let hit = BTreeSet::new();
        self.look(&Now { event: Event::Reverted, work, head, hit, variables })
    }

    /// Asks the program what moved, and holds it against what did.
    fn look(&mut self, now: &Now) -> anyhow::Result<()> {
        let mut alarms = BTreeMap::new();
        for attempt in 0..PATIENCE {
            let answer = self.project.run(now.variables, &["verify"])?;
            alarms = read_alarms(&answer);
            if now.event == Event::Pause {
                let bound =
                    |id: &str| self.played.facts.iter().any(|f| f.memory == id && f.mark.is_some());
                let queue = answer["queue"].as_array().into_iter().flatten();
                let ids = queue.filter_map(|one| one["memory"]["id"].as_str());
                self.played.unresolved = ids.filter(|id| !bound(id)).count();
            }
            let late = |why: &String| {
                why.contains("not reached in time") || why.contains("git does not answer")
            };
            if !alarms.values().any(late) {
                break;
            }
            self.played.late += 1;
            std::thread::sleep(Duration::from_millis(200 * u64::try_from(attempt + 1)?));
        }
        for (at, fact) in self.played.facts.iter().enumerate() {
            if fact.mark.is_none() || fact.claim.about == About::Nothing {
                continue;
            }
            let alarm = alarms.get(&fact.memory).cloned();
            self.played.seen.push(judge(self.project_at, at, fact, &self.base, now, alarm));
        }
        Ok(())
    }
}

/// What is not as it was, by memory: what the program says of it.
fn read_alarms(answer: &Value) -> BTreeMap<String, String> {
    let mut alarms = BTreeMap::new();
    for reading in ["moved", "missing", "unknown"] {
        for one in answer[reading].as_array().into_iter().flatten() {
            let word = |name: &str| one[name].as_str().unwrap_or_default().to_owned();
            let told = format!("{reading} at {}: {}", word("target"), word("now"));
            alarms.insert(word("memory"), told);
        }
    }
    alarms
}

fn touch(root: &Path, tree: &Tree) -> anyhow::Result<()> {
    for file in tree.files.iter().filter(|file| file.is_there) {
        let path = root.join(&file.path);
        let modified = std::fs::metadata(&path)?.modified()?;
        let open = std::fs::File::options().write(true).open(&path)?;
        open.set_modified(modified + Duration::from_secs(3_600))?;
    }
    Ok(())
}

/// Writes the files and puts their times back.
fn unnoticed(project: &Project, from: &Tree, to: &Tree) -> anyhow::Result<()> {
    let root = project.root();
    let mut times = Vec::new();
    for file in &from.files {
        let path = root.join(&file.path);
        let modified = std::fs::metadata(&path)?.modified()?;
        times.push((path, modified));
    }
    project.write(from, to)?;
    for (path, modified) in times {
        std::fs::File::options().write(true).open(path)?.set_modified(modified)?;
    }
    Ok(())
}
