//! A rule in its words: which of them are forbidden, and which name an occasion.

use crate::near;
use crate::speech::word::{Word, words};
use throughline_core::words as terms;

/// More of a rule is not looked at.
const WORDS_MAX: usize = 200;

/// Words that begin the naming of an occasion.
const WHEN: &[&str] =
    &["before", "after", "when", "whenever", "while", "once", "until", "if", "during", "unless"];
/// Words that tell nothing here and that search does not pass over.
const LIGHT: &[&str] = &[
    "always", "every", "please", "ever", "run", "running", "use", "using", "do", "doing", "any",
    "anything", "here", "must", "may", "new", "instead", "rather", "even", "let", "lets", "ok",
    "okay",
];
/// Subjects that deny what is said of them.
const NOBODY: &[&str] = &["nothing", "nobody"];
/// Words that end what is denied.
const BUT: &[&str] = &["but", "because", "since", "instead", "use"];
const AND: &[&str] = &["and", "or", "nor"];
/// Words before a thing that is named next.
const THE: &[&str] = &[
    "a", "an", "the", "our", "your", "my", "their", "this", "that", "these", "those", "it", "them",
];
/// Far from whatever denies it.
const FAR: usize = 9;

/// A word of a rule.
#[derive(Debug, Clone)]
pub(super) struct RuleToken<'a> {
    pub(super) text: &'a str,
    pub(super) lower: String,
    pub(super) stem: String,
    pub(super) code: bool,
    pub(super) denied: bool,
    pub(super) on_occasion: bool,
    /// It is written as a path, and means nothing else.
    pub(super) is_path: bool,
    /// How many telling words stand between it and what denies it or names its occasion.
    pub(super) behind: usize,
    /// It is written as a macro's name: `println!` in the middle of a sentence.
    pub(super) is_macro: bool,
    clause: usize,
    comma: bool,
}

impl<'a> RuleToken<'a> {
    fn of(word: &Word<'_>, text: &'a str, clause: usize) -> Self {
        let lower: String = text
            .chars()
            .filter(|c| !matches!(c, '\'' | '’'))
            .flat_map(char::to_lowercase)
            .collect();
        let stem = terms::stem(&lower);
        let is_path = text.contains('/') || text.contains('*') || is_file(text);
        Self {
            text,
            stem,
            code: word.code,
            denied: false,
            on_occasion: false,
            is_path,
            behind: 0,
            is_macro: false,
            clause,
            comma: word.mark == ',',
            lower,
        }
    }

    /// The call or path of code that it is, as it would be written: `dbg!`, `print(`, `regex::Regex`. A plain word is none.
    pub(super) fn as_code(&self) -> Option<String> {
        let is_name = |part: &str| {
            let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
            part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && part.chars().all(inner)
        };
        // What it is called with differs from call to call.
        if let Some((called, _)) = self.text.split_once('(') {
            return is_name(called.trim_end_matches('!')).then(|| format!("{called}("));
        }
        if let Some(name) = self.text.strip_suffix('!').or(self.is_macro.then_some(self.text)) {
            // A name with a capital is somebody or something that is spoken of loudly.
            let small = !name.contains(|c: char| c.is_ascii_uppercase());
            return (small && is_name(name)).then(|| format!("{name}!"));
        }
        let mut parts = self.text.split("::");
        (self.text.contains("::") && parts.all(is_name)).then(|| self.text.to_owned())
    }

    /// Whether it says something about a topic.
    pub(super) fn tells(&self) -> bool {
        !(terms::is_common(&self.stem)
            || LIGHT.contains(&self.lower.as_str())
            || WHEN.contains(&self.lower.as_str())
            || denies(&self.lower))
    }

    /// An option of a program.
    pub(super) fn is_flag(&self) -> bool {
        self.text.starts_with('-') && self.text.len() > 1
    }

    /// Written as a name, or a time: "Friday", "holidays".
    pub(super) fn is_name(&self) -> bool {
        self.lower.trim_end_matches('s').ends_with("day")
            || self.clause_inner() && self.text.starts_with(char::is_uppercase)
    }

    fn clause_inner(&self) -> bool {
        self.behind > 0 || self.clause > 0
    }
}

/// Whether a word denies what stands with it.
fn denies(word: &str) -> bool {
    near::denies(word) || NOBODY.contains(&word)
}

/// Whether what follows a word makes it the name of a macro: an exclamation mark behind which the sentence goes on. At
/// the end of a sentence it is only said loudly.
fn names_macro(rest: &str) -> bool {
    let behind =
        rest.strip_prefix('!').map(|rest| rest.trim_start_matches([',', ';', ':', ')', '"']));
    behind.is_some_and(|rest| {
        let next = rest.trim_start();
        next.len() < rest.len() && next.starts_with(char::is_lowercase)
    })
}

/// `a.ts`, `.env`: a dot before letters at the end.
fn is_file(text: &str) -> bool {
    text.rsplit_once('.').is_some_and(|(_, end)| {
        (1..=12).contains(&end.len()) && end.starts_with(|c: char| c.is_ascii_lowercase())
    })
}

/// A rule in its words.
pub(super) struct Rule<'a> {
    pub(super) tokens: Vec<RuleToken<'a>>,
    /// Something is forbidden.
    pub(super) denies: bool,
    /// An occasion is named.
    pub(super) has_occasion: bool,
}

impl<'a> Rule<'a> {
    pub(super) fn of(content: &'a str) -> Self {
        let mut tokens: Vec<RuleToken<'a>> = Vec::new();
        let mut clause = 0;
        for word in words(content) {
            if !word.code && matches!(word.lower.as_str(), "but" | "because" | "since") {
                clause += 1;
            }
            let is_macro = !word.code && names_macro(&content[word.span.end..]);
            for part in parts(word.text, word.code) {
                tokens.push(RuleToken { is_macro, ..RuleToken::of(&word, part, clause) });
            }
            clause += usize::from(word.pauses() && !is_macro);
            if tokens.len() >= WORDS_MAX {
                break;
            }
        }
        let mut rule = Self { tokens, denies: false, has_occasion: false };
        for at in 0..rule.tokens.len() {
            rule.look_at(at);
        }
        rule
    }

    /// Marks what a word denies, or the occasion that it names.
    fn look_at(&mut self, at: usize) {
        let token = &self.tokens[at];
        if token.code || token.is_flag() {
            return;
        }
        let two = self.next(at).map(|next| next.lower.as_str());
        let word = token.lower.as_str();
        let instead = matches!((word, two), ("instead", Some("of")) | ("rather", Some("than")));
        if instead || denies(word) {
            self.has_occasion |= word == "without";
            self.denies = true;
            self.deny(if instead { at + 1 } else { at });
        } else if WHEN.contains(&word) {
            self.has_occasion = true;
            let clause = token.clause;
            let mut behind = 0;
            for token in self.tokens[at + 1..].iter_mut().take_while(|one| one.clause == clause) {
                (token.on_occasion, token.behind) = (true, behind);
                behind += usize::from(token.tells());
            }
        }
    }

    /// Marks what the word at a place denies: what follows it in its clause, lists that go on behind
    /// a comma, and the subject of "npm is not allowed".
    fn deny(&mut self, at: usize) {
        let joins = |token: &RuleToken<'_>| AND.contains(&token.lower.as_str());
        let clause = self.tokens[at].clause;
        let negated_verb =
            self.tokens[at].lower.ends_with("nt") || self.tokens[at].lower == "cannot";
        let before = self.before(at).filter(|_| denies(&self.tokens[at].lower));
        // "Nothing goes to prod without a review": what stands before it is the occasion.
        let needs = self.tokens[at].lower == "without";
        if before.is_some_and(|before| needs || negated_verb || !before.tells() && !joins(before)) {
            let own = self.tokens[..at].iter_mut().rev();
            for token in own.take_while(|one| one.clause == clause && !joins(one)) {
                (token.denied, token.behind) = (true, FAR);
                token.on_occasion |= needs;
            }
        }
        let mut behind = 0;
        let mut end = at + 1;
        while end < self.tokens.len() {
            let goes_on = self.tokens[end].clause == clause || self.goes_on_as_list(end, at);
            if !goes_on || BUT.contains(&self.tokens[end].lower.as_str()) && end > at + 1 {
                break;
            }
            let token = &mut self.tokens[end];
            (token.denied, token.behind) = (true, behind);
            behind += usize::from(token.tells());
            end += 1;
        }
    }

    /// "Never npm, yarn or bun": single words behind commas.
    fn goes_on_as_list(&self, at: usize, from: usize) -> bool {
        let clause = self.tokens[at].clause;
        let before = &self.tokens[at - 1];
        if before.clause != clause {
            let these: Vec<&RuleToken<'_>> =
                self.tokens[at..].iter().take_while(|one| one.clause == clause).collect();
            let singles = these.chunks(2).all(|two| {
                two[0].tells() && two.get(1).is_none_or(|and| AND.contains(&and.lower.as_str()))
            });
            return before.comma && before.denied && at > from + 1 && singles && these.len() > 1;
        }
        before.denied
    }

    /// Whether a word is the subject of what is limited: nothing telling stands before it in its clause,
    /// and "only", "must" or "always" behind it.
    pub(super) fn limits(&self, at: usize) -> bool {
        let clause = self.tokens[at].clause;
        let own = |one: &&RuleToken<'_>| one.clause == clause;
        let limit = |one: &RuleToken<'_>| matches!(one.lower.as_str(), "only" | "must" | "always");
        self.tokens[..at].iter().rev().take_while(own).all(|one| !one.tells())
            && self.tokens[at + 1..].iter().take_while(own).any(limit)
    }

    /// Whether a word stands right behind what denies it, or in a list that does: "never npm or yarn".
    pub(super) fn is_listed(&self, at: usize) -> bool {
        let light = |one: &RuleToken<'_>| LIGHT.contains(&one.lower.as_str());
        let Some(before) = (0..at).rev().find(|at| !light(&self.tokens[*at])) else { return false };
        let token = &self.tokens[before];
        let joins = AND.contains(&token.lower.as_str());
        denies(&token.lower)
            || joins && before > 0 && self.tokens[at].denied && self.is_listed(before - 1)
            || token.comma && token.denied && self.tokens[at].denied && self.is_listed(before)
    }

    /// "No deploys": there are to be none.
    pub(super) fn has_none(&self, at: usize) -> bool {
        self.before(at).is_some_and(|before| before.lower == "no")
    }

    /// Whether a prompt says that something is to be done with this: "with npm".
    pub(super) fn is_means(&self, at: usize) -> bool {
        let before = self.before(at).map(|before| before.lower.as_str());
        before.is_some_and(|before| matches!(before, "with" | "via" | "using" | "use"))
    }

    /// Whether a prompt asks to do this: nothing telling stands before it in its clause, and no "the".
    pub(super) fn is_asked(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let own = self.tokens[..at].iter().rev().take_while(|one| one.clause == token.clause);
        let the = self.before(at).is_some_and(|before| THE.contains(&before.lower.as_str()));
        let form = token.lower.ends_with('s') || token.lower.ends_with("ed");
        !the && !form && own.into_iter().all(|one| !one.tells())
    }

    /// Whether a thing is named behind a word that may be a verb: "delete a patient".
    pub(super) fn takes_object(&self, at: usize) -> bool {
        let clause = self.tokens[at].clause;
        let next = self.tokens[at + 1..].iter().take_while(|one| one.clause == clause);
        let the = |token: &&RuleToken<'_>| THE.contains(&token.lower.as_str());
        let named = next.clone().take_while(the).count() > 0;
        let first = next.into_iter().find(|token| !the(token));
        named || first.is_some_and(|first| first.tells() && !first.is_name())
    }

    /// The word before a word, in its clause.
    pub(super) fn before(&self, at: usize) -> Option<&RuleToken<'a>> {
        let before = self.tokens.get(at.checked_sub(1)?)?;
        (before.clause == self.tokens[at].clause).then_some(before)
    }

    /// The word after a word, in its clause.
    pub(super) fn next(&self, at: usize) -> Option<&RuleToken<'a>> {
        let next = self.tokens.get(at + 1)?;
        (next.clause == self.tokens[at].clause).then_some(next)
    }

    /// Whether a rule forbids other things of the same sort, so that doing these is what it asks for:
    /// "pnpm, never npm or yarn" says nothing before `pnpm install`.
    pub(super) fn contrasts(&self, these: &[usize]) -> bool {
        (0..self.tokens.len()).any(|at| {
            let next = self.next(at).map(|next| next.lower.as_str());
            match self.tokens[at].lower.as_str() {
                "instead" if next == Some("of") => self.lists(at + 2, these),
                "rather" if next == Some("than") => self.lists(at + 2, these),
                word if denies(word) => {
                    self.lists(at + 1, these) || self.has_one_subject(at, these)
                }
                _ => false,
            }
        })
    }

    fn is_one_of(&self, token: &RuleToken<'_>, these: &[usize]) -> bool {
        these.iter().any(|at| self.tokens[*at].lower == token.lower)
    }

    /// Whether single words follow, apart by commas or "or", and none of these: "npm or yarn". "Skip
    /// tests" is none, and "Fridays" is a time.
    fn lists(&self, from: usize, these: &[usize]) -> bool {
        let light = |token: &RuleToken<'_>| {
            LIGHT.contains(&token.lower.as_str()) || self.is_one_of(token, these)
        };
        let Some(first) = (from..self.tokens.len()).find(|at| !light(&self.tokens[*at])) else {
            return false;
        };
        let mut at = first;
        while let Some(token) = self.tokens.get(at).filter(|token| token.denied) {
            if !token.tells() {
                break;
            }
            let next = self.next(at);
            if token.is_name() || next.is_some_and(RuleToken::tells) {
                return false;
            }
            at += 1 + usize::from(next.is_some_and(|next| AND.contains(&next.lower.as_str())));
        }
        at > first
    }

    /// Whether what is denied is one word before the denial, and none of these: "pip is not allowed".
    fn has_one_subject(&self, at: usize, these: &[usize]) -> bool {
        let clause = self.tokens[at].clause;
        let own = self.tokens[..at].iter().rev().take_while(|one| one.clause == clause);
        let told: Vec<&RuleToken<'_>> = own.filter(|one| one.denied && one.tells()).collect();
        matches!(told[..], [one] if !self.is_one_of(one, these))
    }
}

/// The words of a stretch of code, or the alternatives of "npm/yarn".
fn parts(text: &str, code: bool) -> Vec<&str> {
    if code {
        return text.split_whitespace().collect();
    }
    let plain = |part: &str| part.len() > 1 && part.chars().all(char::is_alphabetic);
    if text.contains('/') && text.split('/').all(plain) {
        let mut parts = vec![text];
        parts.extend(text.split('/'));
        return parts;
    }
    vec![text]
}
