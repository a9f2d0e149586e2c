//! Plays scenarios: a first session in which something is said, a second in which it changes or
//! does not, a third in which somebody asks, and then everything that could bring the old one back.

use std::path::{Path, PathBuf};

use super::judge::{Held, asserted, fault, holds, quotes};
use super::player::{Agent, Home};
use super::scenario::{Form, Scenario, Told};

/// What became of a scenario. What does not apply to it is `None`.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// What was said first is held.
    pub(crate) established: bool,
    /// The next one who asks is told what is right.
    pub(crate) uptake: Option<bool>,
    /// Turns until what is right is held; none if it never is.
    pub(crate) latency: Option<usize>,
    pub(crate) stays_away: Option<bool>,
    pub(crate) reasserted: Option<bool>,
    pub(crate) scope_kept: Option<bool>,
    /// Other memories, and how many of them changed.
    pub(crate) others: usize,
    pub(crate) damaged: usize,
    /// What does not hold is quoted to whoever asks, with its date.
    pub(crate) quoted: bool,
    /// How many of them are believed more because an old session was read again.
    pub(crate) echoed: usize,
    pub(crate) false_apply: Option<bool>,
    pub(crate) history: Option<bool>,
    /// What went wrong, in words.
    pub(crate) faults: Vec<String>,
}

/// A scenario while it is played.
struct Stage<'a> {
    scenario: &'a Scenario,
    home: &'a Home,
    project: PathBuf,
    twin: Option<PathBuf>,
    /// What is held before anything changes.
    before: Vec<Held>,
    twin_before: Vec<Held>,
    /// The first session as the agent wrote it down, and the name it comes back under.
    transcript: String,
    outcome: Outcome,
}

/// Plays some scenarios in one home, each in a project of its own.
pub(crate) fn play(
    binary: &Path,
    scenarios: &[Scenario],
    sleeps: usize,
) -> anyhow::Result<(Vec<Outcome>, usize)> {
    let home = Home::new(binary)?;
    let mut stages = Vec::new();
    for scenario in scenarios {
        let project = home.project(&format!("shop-{}", scenario.number))?;
        let twin = (scenario.form == Form::Scoped)
            .then(|| home.project(&format!("twin-{}", scenario.number)))
            .transpose()?;
        let mut stage = Stage {
            scenario,
            home: &home,
            project,
            twin,
            before: Vec::new(),
            twin_before: Vec::new(),
            transcript: String::new(),
            outcome: Outcome::default(),
        };
        stage.establish()?;
        stages.push(stage);
    }
    let export = home.file("before.export");
    let export = export.to_string_lossy();
    let Some(first) = stages.first() else { return Ok((Vec::new(), 0)) };
    home.run(&first.project, &["export", "-o", &export])?;

    home.wait_days(39);
    each(&mut stages, Stage::change)?;
    home.wait_days(1);
    each(&mut stages, Stage::ask)?;
    home.wait_days(2);
    each(&mut stages, Stage::go_back)?;
    each(&mut stages, Stage::judge_others)?;

    home.wait_days(5);
    each(&mut stages, |stage| stage.tempt(sleeps))?;
    if let Some(first) = stages.first() {
        home.run(&first.project, &["import", &export])?;
    }
    each(&mut stages, Stage::look_again)?;
    let outcomes = stages.into_iter().map(|stage| stage.outcome).collect();
    Ok((outcomes, home.failures()))
}

fn each<'a>(
    stages: &mut [Stage<'a>],
    step: impl Fn(&mut Stage<'a>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    stages.iter_mut().try_for_each(step)
}

impl<'a> Stage<'a> {
    fn agent(&self, session: &str) -> Agent<'a> {
        let name = format!("{}-{session}", self.scenario.number);
        Agent::new(self.home, &self.project, name)
    }

    fn listed(&self, project: &Path, all: bool) -> anyhow::Result<Vec<Held>> {
        let args: &[&str] = if all { &["list", "--all"] } else { &["list"] };
        Held::all(&self.home.json(project, args)?)
    }

    fn wrong(&mut self, what: impl Into<String>) {
        self.outcome.faults.push(what.into());
    }

    /// What the end of the story is: the value that holds, and the one that does not.
    fn right(&self) -> (Option<&'a str>, &'a str) {
        let scenario = self.scenario;
        match scenario.form {
            Form::Revert => (Some(&scenario.old), &scenario.new),
            Form::Direct
            | Form::Update
            | Form::Gone
            | Form::Scoped
            | Form::Quoted
            | Form::Hypothetical
            | Form::ThirdParty
            | Form::ToolOutput
            | Form::SelfResolving
            | Form::Retelling => self.corrected(),
        }
    }

    /// What holds after the second session.
    fn corrected(&self) -> (Option<&'a str>, &'a str) {
        let scenario = self.scenario;
        (scenario.says_new.then_some(scenario.new.as_str()), &scenario.old)
    }

    /// The first session: it is said, perhaps among other things, and in a twin as well.
    fn establish(&mut self) -> anyhow::Result<()> {
        let mut agent = self.agent("a");
        agent.starts()?;
        for said in self.scenario.beside.iter().chain([&self.scenario.establish]) {
            agent.hears(said)?;
            agent.answers("All right.")?;
        }
        agent.ends()?;
        let name = if self.scenario.resumed {
            format!("{}-r", self.scenario.number)
        } else {
            agent.session.clone()
        };
        self.transcript = agent.transcript(&name);
        if let Some(twin) = &self.twin {
            let mut agent = Agent::new(self.home, twin, format!("{}-t", self.scenario.number));
            agent.starts()?;
            agent.hears(&self.scenario.establish)?;
            agent.answers("All right.")?;
            agent.ends()?;
            self.twin_before = self.listed(twin, true)?;
        }
        self.before = self.listed(&self.project, true)?;
        let old = &self.scenario.old;
        let is_it = |one: &Held| holds(&one.content, old) && !one.is_neighbour();
        self.outcome.established = self.before.iter().any(is_it);
        if !self.outcome.established {
            self.wrong("what was said first is not held");
        }
        Ok(())
    }

    /// The second session: something is said that changes it, or seems to.
    fn change(&mut self) -> anyhow::Result<()> {
        let scenario = self.scenario;
        let mut agent = self.agent("b");
        agent.starts()?;
        match &scenario.told {
            Told::Prompt { text, after } => {
                if let Some(stated) = after {
                    agent.hears(&scenario.ask)?;
                    agent.answers(stated)?;
                }
                agent.hears(text)?;
                self.taken_up(1)?;
                agent.answers("All right.")?;
            }
            Told::Tool { command, output } => {
                agent.hears("look at that file and tell me what is odd")?;
                agent.runs(command, output)?;
                agent.answers("I see nothing odd there.")?;
            }
            Told::Agent(words) => {
                agent.hears(scenario.small_talk[0])?;
                agent.answers(words)?;
            }
        }
        agent.hears(scenario.small_talk[1])?;
        self.taken_up(2)?;
        agent.answers("Done.")?;
        agent.ends()?;
        self.taken_up(3)
    }

    /// Looks whether what is right is held by now.
    fn taken_up(&mut self, turns: usize) -> anyhow::Result<()> {
        if !self.scenario.form.is_event() || self.outcome.latency.is_some() {
            return Ok(());
        }
        let (value, not) = self.corrected();
        if fault(&self.listed(&self.project, false)?, value, not).is_none() {
            self.outcome.latency = Some(turns);
        }
        Ok(())
    }

    /// The third session: somebody asks, and the agent may repeat what no longer holds.
    fn ask(&mut self) -> anyhow::Result<()> {
        let told = self.asked("c")?;
        if !self.scenario.form.is_event() {
            return self.judge_nothing();
        }
        let (value, not) = self.corrected();
        if value.is_none() && !self.outcome.established {
            return Ok(());
        }
        self.outcome.quoted = quotes(&told, not, value);
        let held = self.listed(&self.project, false)?;
        let late = self.outcome.latency.is_none_or(|turns| turns > 1);
        let problem = fault(&held, value, not)
            .or_else(|| misled(&told, value, not))
            .or_else(|| late.then(|| format!("late: {:?}", self.outcome.latency)));
        self.outcome.uptake = Some(problem.is_none());
        if let Some(problem) = problem {
            self.wrong(format!("uptake: {problem}"));
        }
        Ok(())
    }

    fn asked(&self, session: &str) -> anyhow::Result<String> {
        let mut agent = self.agent(session);
        let brief = agent.starts()?;
        let page = agent.hears(&self.scenario.ask)?;
        if let Some(stale) = self.scenario.stale.as_ref().filter(|_| self.scenario.form.is_event())
        {
            agent.answers(stale)?;
        }
        agent.ends()?;
        Ok(format!("{brief}\n{page}"))
    }

    /// Nothing happened, so nothing may be different.
    fn judge_nothing(&mut self) -> anyhow::Result<()> {
        if !self.outcome.established {
            return Ok(());
        }
        let now = self.listed(&self.project, true)?;
        let mut problems: Vec<String> =
            self.before.iter().filter_map(|one| one.changed(&now)).collect();
        let scenario = self.scenario;
        let kept = |one: &Held| match scenario.form {
            Form::ThirdParty => holds(&one.content, scenario.who),
            Form::SelfResolving => holds(&one.content, &scenario.old),
            // What is shown between quotation marks is not claimed.
            Form::Quoted => !holds(&unquoted(&one.content), &scenario.new),
            Form::Direct
            | Form::Update
            | Form::Gone
            | Form::Revert
            | Form::Scoped
            | Form::Hypothetical
            | Form::ToolOutput
            | Form::Retelling => false,
        };
        for one in &now {
            let is_new = !self.before.iter().any(|before| before.id == one.id);
            if is_new && holds(&one.content, &scenario.new) && !kept(one) {
                problems.push(format!("new: {}", one.content));
            }
        }
        self.outcome.false_apply = Some(!problems.is_empty());
        for problem in problems {
            self.wrong(format!("false apply: {problem}"));
        }
        Ok(())
    }

    /// "We went back to …", and somebody asks again.
    fn go_back(&mut self) -> anyhow::Result<()> {
        let Some(back) = &self.scenario.back else { return Ok(()) };
        let mut agent = self.agent("d");
        agent.starts()?;
        agent.hears(back)?;
        agent.answers("All right.")?;
        agent.hears(self.scenario.small_talk[0])?;
        agent.ends()?;
        let told = {
            let mut agent = self.agent("e");
            let brief = agent.starts()?;
            format!("{brief}\n{}", agent.hears(&self.scenario.ask)?)
        };
        let (value, not) = self.right();
        let held = self.listed(&self.project, false)?;
        let problem = fault(&held, value, not).or_else(|| misled(&told, value, not));
        self.outcome.reasserted = Some(problem.is_none());
        if let Some(problem) = problem {
            self.wrong(format!("re-assertion: {problem}"));
        }
        Ok(())
    }

    /// Everything that could bring back what no longer holds, but the import.
    fn tempt(&mut self, sleeps: usize) -> anyhow::Result<()> {
        if !self.scenario.form.is_event() {
            return Ok(());
        }
        for _ in 0..sleeps {
            self.home.run(&self.project, &["sleep"])?;
        }
        let file = self.home.file(&format!("{}-again.jsonl", self.scenario.number));
        std::fs::write(&file, &self.transcript)?;
        self.home.run(&self.project, &["ingest", &file.to_string_lossy()]).map(drop)
    }

    /// After all of it: what does not hold is asserted nowhere, and the rest is as it was.
    fn look_again(&mut self) -> anyhow::Result<()> {
        if !self.scenario.form.is_event() {
            return Ok(());
        }
        let all = self.listed(&self.project, true)?;
        self.outcome.echoed = self.others().filter(|one| one.changed(&all).is_some()).count();
        self.outcome.echoed -= self.outcome.damaged.min(self.outcome.echoed);
        // What was never taken up cannot come back.
        let (value, not) = self.right();
        let taken = self.outcome.reasserted.or(self.outcome.latency.map(|_| true));
        if taken == Some(true) && self.outcome.established {
            let held = self.listed(&self.project, false)?;
            let recalled = self.home.json(&self.project, &["recall", &self.scenario.ask])?;
            let page = recalled["text"].as_str().unwrap_or_default();
            let brief = self.agent("f").starts()?;
            let problem = fault(&held, None, not).filter(|_| fault(&held, value, not).is_some());
            let problem = problem
                .or_else(|| asserted(page, not, value).map(str::to_owned))
                .or_else(|| asserted(&brief, not, value).map(str::to_owned));
            self.outcome.stays_away = Some(problem.is_none());
            if let Some(problem) = problem {
                self.wrong(format!("resurrected: {problem}"));
            }
        }
        self.judge_history(&all)
    }

    /// What was said beside it.
    fn others(&self) -> impl Iterator<Item = &Held> {
        let old = &self.scenario.old;
        self.before.iter().filter(|one| one.is_neighbour() || !holds(&one.content, old))
    }

    /// What was not talked of is as it was, here and in the twin.
    fn judge_others(&mut self) -> anyhow::Result<()> {
        if !self.scenario.form.is_event() {
            return Ok(());
        }
        let now = self.listed(&self.project, true)?;
        let problems: Vec<String> = self.others().filter_map(|one| one.changed(&now)).collect();
        self.outcome.others = self.others().count();
        self.outcome.damaged = problems.len();
        for problem in problems {
            self.wrong(format!("collateral: {problem}"));
        }
        let Some(twin) = self.twin.clone() else { return Ok(()) };
        let now = self.listed(&twin, true)?;
        let mut problems: Vec<String> =
            self.twin_before.iter().filter_map(|one| one.changed(&now)).collect();
        let new = &self.scenario.new;
        problems
            .extend(now.iter().find(|one| holds(&one.content, new)).map(|one| one.content.clone()));
        self.outcome.scope_kept = Some(problems.is_empty());
        for problem in problems {
            self.wrong(format!("twin: {problem}"));
        }
        Ok(())
    }

    /// The old value can be reached from what holds now.
    fn judge_history(&mut self, all: &[Held]) -> anyhow::Result<()> {
        let old = &self.scenario.old;
        let was = self.before.iter().find(|one| holds(&one.content, old) && !one.is_neighbour());
        if self.outcome.uptake != Some(true) {
            return Ok(());
        }
        let Some(was) = was else { return Ok(()) };
        let new = &self.scenario.new;
        let is = all.iter().filter(|one| self.scenario.says_new && holds(&one.content, new));
        let mut ids: Vec<&String> = is.map(|one| &one.id).collect();
        if ids.is_empty() {
            ids.push(&was.id);
        }
        let mut kept = false;
        for id in ids {
            kept |= holds(&self.home.run(&self.project, &["history", id])?, old);
        }
        self.outcome.history = Some(kept);
        if !kept {
            self.wrong("history: the old value is not in it");
        }
        Ok(())
    }
}

/// What a page says wrongly, or leaves out.
fn misled(told: &str, value: Option<&str>, not: &str) -> Option<String> {
    if let Some(line) = asserted(told, not, value) {
        return Some(format!("told: {line}"));
    }
    let value = value?;
    (!holds(told, value)).then(|| format!("asked, and not told {value}"))
}

/// A text without what stands between quotation marks or as code.
fn unquoted(text: &str) -> String {
    text.split(['"', '`', '“', '”']).step_by(2).collect::<Vec<_>>().join(" ")
}
