//! Occasions: where a rule acts, taken from its own words, and held against what is about to be done.
//!
//! Nothing is kept for this when a rule is remembered. The few words of a command or a path find the
//! memories that hold them; here it is decided, by form, whether one of those speaks of the very thing:
//! the program, what it is told to do, a file. Under doubt it does not: whoever is told something before
//! every call of a tool stops reading it.

mod doing;
mod place;
mod rule;

#[cfg(test)]
mod tests;

pub use doing::Doing;

use doing::{RunningProgram, is_general};
use rule::{Rule, RuleToken};
use throughline_core::Kind;

/// How well a memory fits what is about to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// How much of it stands in the memory: words, or parts of a path.
    pub strength: usize,
    /// The one word that it is tied to, where there is only one. One that many rules share says
    /// nothing.
    pub alone: Option<String>,
    /// The memory forbids it.
    pub denied: bool,
}

/// Pieces of code that a rule is brought up by at most.
const CODE_MAX: usize = 8;

/// The kinds whose memories are rules.
pub const RULES: &[Kind] = &[Kind::Principle, Kind::Preference, Kind::Negative];
/// The kinds whose memories are told as rules where they forbid something or name an occasion.
pub const STATEMENTS: &[Kind] = &[Kind::Decision, Kind::Procedure, Kind::Correction, Kind::Fact];

/// Whether what a memory of some kind says is about what is about to be done.
pub fn fit(kind: Kind, content: &str, doing: &Doing) -> Option<Fit> {
    let free = RULES.contains(&kind);
    if !free && !STATEMENTS.contains(&kind) {
        return None;
    }
    let rule = Rule::of(content);
    // What only states how things are is no rule: it must forbid something, or name its occasion.
    let placed = doing.files.iter().filter_map(|file| place::fit(&rule, file, free)).max();
    let placed = placed.or_else(|| place::is_said(&rule, &doing.said).then_some(0));
    let placed = placed.filter(|_| free || rule.denies || rule.has_occasion);
    let by_place =
        placed.map(|strength| Fit { strength: strength + 2, alone: None, denied: rule.denies });
    let by_words = doing.acts.iter().filter_map(|act| {
        let found = SharedWords::of(&rule, act, kind)?;
        let is_rule = free || found.denied || found.on_occasion || found.limited;
        is_rule.then(|| found.fit())
    });
    by_place.into_iter().chain(by_words).max_by_key(|fit| fit.strength)
}

/// What brings a claim up: what it was given, or the code that a person's own rule forbids.
pub fn triggers(kind: Kind, content: &str, given: &[String], by_person: bool) -> Vec<String> {
    if given.is_empty() && by_person { forbidden_code(kind, content) } else { given.to_vec() }
}

/// The code that a rule forbids, as it would be written: `println!` of "don't use println! in the library". What it says
/// of programs and files is found by [`fit`], so that only calls and paths of code are left for triggers.
fn forbidden_code(kind: Kind, content: &str) -> Vec<String> {
    if !RULES.contains(&kind) {
        return Vec::new();
    }
    let rule = Rule::of(content);
    let mut code: Vec<String> = Vec::new();
    for written in rule.tokens.iter().filter(|one| one.denied).filter_map(RuleToken::as_code) {
        if code.len() < CODE_MAX && !code.contains(&written) {
            code.push(written);
        }
    }
    code
}

/// The words of a rule that an act shares with it.
struct SharedWords {
    words: Vec<String>,
    denied: bool,
    on_occasion: bool,
    /// It is the subject of what is limited: "deploys only Tue and Thu".
    limited: bool,
}

impl SharedWords {
    fn of(rule: &Rule<'_>, act: &RunningProgram, kind: Kind) -> Option<Self> {
        let shared = Shared::of(rule, act);
        let flags = shared.flags_agree(kind)?;
        let at = shared.pair(flags).or_else(|| shared.one(kind))?;
        let tokens: Vec<&RuleToken<'_>> = at.iter().map(|at| &rule.tokens[*at]).collect();
        // In "never npm install, always npm ci" the program is forbidden and asked for: what it is
        // told to do decides.
        let only_program = at.iter().all(|at| shared.program.contains(at));
        let decides = |at: &&usize| only_program || !shared.program.contains(at);
        let denied = at.iter().filter(decides).any(|at| rule.tokens[*at].denied);
        let on_occasion = tokens.iter().any(|token| token.on_occasion);
        // What only shows text does nothing to what it shows: `echo npm install`.
        let only_shown = act.shows && (!denied || shared.program.is_empty());
        if only_shown || !denied && !on_occasion && rule.contrasts(&at) {
            return None;
        }
        let mut words: Vec<String> = tokens.iter().map(|token| token.stem.clone()).collect();
        words.sort();
        words.dedup();
        let limited = at.iter().any(|at| rule.limits(*at));
        Some(Self { words, denied, on_occasion, limited })
    }

    fn fit(self) -> Fit {
        let alone = (self.words.len() == 1).then(|| self.words[0].clone());
        let strength = self.words.len() + usize::from(self.denied);
        Fit { strength, alone, denied: self.denied }
    }
}

/// Where the words of an act stand in a rule.
struct Shared<'a> {
    rule: &'a Rule<'a>,
    act: &'a RunningProgram,
    program: Vec<usize>,
    actions: Vec<usize>,
    objects: Vec<usize>,
    /// Words of a rule that the act has as an option: "force" of `--force` or `-f`.
    options: Vec<usize>,
}

impl<'a> Shared<'a> {
    fn of(rule: &'a Rule<'a>, act: &'a RunningProgram) -> Self {
        let all = |holds: &dyn Fn(&RuleToken<'_>) -> bool| -> Vec<usize> {
            let tokens = rule.tokens.iter().enumerate();
            tokens.filter(|(_, token)| !token.is_path && holds(token)).map(|(at, _)| at).collect()
        };
        let actions = all(&|token| act.actions.contains(&token.stem) || act.compound(&token.lower));
        // "Force push", "commit message": a letter stands for an option only right beside what is
        // done with it.
        let option = |at: &usize| {
            let Some(token) = rule.tokens.get(*at) else { return false };
            token.tells() && !token.is_flag() && !token.is_path && act.has_option(&token.lower)
        };
        let beside = actions.iter().flat_map(|at| [at.saturating_sub(1), at + 1]);
        let written = (0..rule.tokens.len()).filter(|at| act.writes_out(&rule.tokens[*at].lower));
        let options = beside.chain(written).filter(|at| !actions.contains(at));
        let options = options.filter(option).collect();
        Self {
            program: all(&|token| token.lower == act.program),
            objects: all(&|token| act.objects.contains(&token.lower)),
            actions,
            options,
            rule,
            act,
        }
    }

    /// The options that a rule writes out and the act has. `None` where they speak against it: one that
    /// is forbidden, or that something failed with, is not there, or one that is asked for is.
    fn flags_agree(&self, kind: Kind) -> Option<Vec<usize>> {
        let mut there = Vec::new();
        let mut speaks_against = false;
        for (at, token) in self.rule.tokens.iter().enumerate().filter(|(_, one)| one.is_flag()) {
            let given = self.act.has_option(&token.lower);
            let denied = token.denied || kind == Kind::Negative;
            if given && denied {
                there.push(at);
            }
            speaks_against |= given != denied;
        }
        (!there.is_empty() || !speaks_against).then_some(there)
    }

    /// The program with what it is told to do, or two other words of the act that tell more than
    /// one.
    fn pair(&self, flags: Vec<usize>) -> Option<Vec<usize>> {
        let told = |at: &&usize| !is_general(&self.rule.tokens[**at].lower);
        let more = self.objects.iter().chain(&self.options).copied();
        let more: Vec<usize> = more.filter(|at| !self.actions.contains(at)).collect();
        let mut pair = match (self.program.is_empty(), self.actions.is_empty()) {
            (false, false) if self.actions.iter().any(|at| told(&at) || self.is_told(*at)) => {
                [&self.program[..], &self.actions].concat()
            }
            (false, true) if more.iter().any(|at| told(&at)) => self.program.clone(),
            (true, false) if !more.is_empty() && self.actions.iter().any(|at| told(&at)) => {
                self.actions.clone()
            }
            _ if !flags.is_empty() => Vec::new(),
            _ => return None,
        };
        pair.extend(more);
        pair.extend(flags);
        Some(pair)
    }

    /// Whether a word stands close behind the program that is told to do it: "npm install".
    fn is_told(&self, at: usize) -> bool {
        const CLOSE: usize = 3;
        self.program.iter().any(|program| *program < at && at - program <= CLOSE)
    }

    /// One word that is enough by itself. Of what failed and of what merely is so, only the program is.
    fn one(&self, kind: Kind) -> Option<Vec<usize>> {
        let find = |all: &[usize], is_about: &dyn Fn(usize) -> bool| {
            all.iter().copied().find(|at| is_about(*at))
        };
        let mut at = find(&self.program, &|at| self.is_about_program(at));
        let states = matches!(kind, Kind::Fact | Kind::Correction);
        if kind != Kind::Negative {
            let may = |at: usize| !states || self.rule.limits(at);
            at = at.or_else(|| find(&self.actions, &|at| may(at) && self.is_about_action(at)));
            at = at.or_else(|| find(&self.objects, &|at| !states && self.is_about_object(at)));
        }
        at.map(|at| vec![at])
    }

    /// Whether a rule speaks of a program as a whole, and not of another thing that it can do or of
    /// something that is called after it. "Docker needs the proxy" does, "Helm values" does not.
    fn is_about_program(&self, at: usize) -> bool {
        let token = &self.rule.tokens[at];
        if self.act.is_said && (!self.rule.is_listed(at) || self.rule.takes_object(at)) {
            return false;
        }
        let word = doing::is_a_word(&token.lower) && !token.code || !token.tells();
        if is_general(&token.lower) || word {
            return false;
        }
        let next = self.rule.next(at).filter(|next| next.tells() && !next.is_flag());
        next.is_none_or(|next| next.lower.ends_with('s') && self.rule.takes_object(at + 1))
            || self.act.actions.is_empty()
    }

    /// Whether a rule speaks of what is done: the word stands there by itself. "Push notifications",
    /// "coupons apply" and "delete a patient" speak of something else.
    fn is_about_action(&self, at: usize) -> bool {
        let token = &self.rule.tokens[at];
        let general = is_general(&token.lower) || is_general(&token.stem);
        let same = token.lower == token.stem;
        let other = ["er", "ers", "or"].iter().any(|end| token.lower.ends_with(end));
        // "Nothing gets deployed on Fridays" forbids it, "dates are applied at the edge" does not.
        let done = token.lower.ends_with("ed") && !(token.denied && self.is_passive(at));
        if self.act.is_tool || general || (other || done) && !same || token.lower.len() < 3 {
            return false;
        }
        let many = token.lower.ends_with('s') || token.lower.ends_with("ing");
        // Many prompts ask to write something: a rule that comes with one begins with it.
        if self.act.is_said && !(many && (self.rule.limits(at) || self.rule.has_none(at))) {
            return false;
        }
        // "Conventional commits" are commits; what "no force pushes" forbids is not every push.
        let of_a_sort = many && !token.denied;
        let coined = token.lower.contains([':', '_']);
        let free = self.is_free(at) || of_a_sort;
        coined || free && (many || !self.rule.takes_object(at))
    }

    fn is_passive(&self, at: usize) -> bool {
        let before = self.rule.before(at).map(|before| before.lower.as_str());
        before.is_some_and(|before| matches!(before, "gets" | "get" | "is" | "are" | "be"))
    }

    /// Whether no telling word stands right before a word, unless it is a name.
    fn is_free(&self, at: usize) -> bool {
        let before = self.rule.before(at);
        before.is_none_or(|before| !before.tells() || before.is_name()) || self.is_passive(at)
    }

    /// Whether a rule speaks of what something is done to.
    fn is_about_object(&self, at: usize) -> bool {
        let token = &self.rule.tokens[at];
        let near = (token.denied || token.on_occasion) && token.behind <= 1 || self.is_needed(at);
        let free = token.behind == 1 || self.is_free(at);
        let alone = free && self.rule.next(at).is_none_or(|next| !next.tells());
        (near && alone || self.act.installs) && !is_general(&token.lower) && token.lower.len() > 2
    }

    /// "Nothing goes to prod without a review."
    fn is_needed(&self, at: usize) -> bool {
        self.rule.next(at).is_some_and(|next| next.lower == "without")
    }
}
