//! Set phrases: what words point to, what they deny, whether they say anything at all.

use super::{AskKind, Reference};

/// A text as bare words, each between two spaces: `" whats next "`. Apostrophes are dropped.
#[derive(Debug, Clone)]
pub(super) struct Spoken(String);

impl Spoken {
    pub(super) fn of(text: &str) -> Self {
        let mut words = String::with_capacity(text.len() + 2);
        words.push(' ');
        for c in text.chars() {
            if c.is_alphanumeric() || c == '_' {
                words.extend(c.to_lowercase());
            } else if !matches!(c, '\'' | '’') && !words.ends_with(' ') {
                words.push(' ');
            }
        }
        if !words.ends_with(' ') {
            words.push(' ');
        }
        Self(words)
    }

    pub(super) fn words(&self) -> Vec<&str> {
        self.0.split_whitespace().collect()
    }

    /// Whether some phrase is said; `phrases` are apart by commas.
    pub(super) fn says(&self, phrases: &str) -> bool {
        phrases.split(", ").any(|phrase| self.place(phrase).is_some())
    }

    /// Where a phrase is said.
    fn place(&self, phrase: &str) -> Option<usize> {
        self.0
            .match_indices(phrase)
            .map(|(at, _)| at)
            .find(|at| self.0[..*at].ends_with(' ') && self.0[at + phrase.len()..].starts_with(' '))
    }

    /// What the words point to, in the order said.
    pub(super) fn references(&self) -> Vec<Reference> {
        let first =
            |phrases: &str| phrases.split(", ").filter_map(|phrase| self.place(phrase)).min();
        let mut placed: Vec<(usize, Reference)> = REFERENCES
            .iter()
            .filter_map(|(reference, phrases)| Some((first(phrases)?, *reference)))
            .collect();
        placed.sort_by_key(|(at, _)| *at);
        placed.into_iter().map(|(_, reference)| reference).collect()
    }

    /// Whether it speaks of past work. "Again" does so in a question that wants something told.
    pub(super) fn recalls(&self, ask: AskKind) -> bool {
        let wants_telling = !matches!(ask, AskKind::Statement | AskKind::YesNo);
        self.says(RECALLS) || (wants_telling && self.0.ends_with(" again "))
    }

    /// Whether something is denied. "Didn't we decide it?" denies nothing, "why didn't we?" does.
    pub(super) fn negated(&self) -> bool {
        let words = self.words();
        let word = |at: Option<usize>| at.and_then(|at| words.get(at)).copied().unwrap_or("");
        (0..words.len()).any(|at| {
            let (before, after) = (word(at.checked_sub(1)), word(Some(at + 1)));
            match words[at] {
                "never" | "without" | "cannot" | "nobody" | "nothing" | "none" | "neither" => true,
                "no" => matches!(after, "longer" | "more" | "one"),
                "not" => !matches!(before, "why" | "or" | "if" | "whether") && after != "only",
                word if CONTRACTIONS.contains(&word) => {
                    !SUBJECTS.contains(&after) || matches!(before, "why" | "what" | "who" | "come")
                }
                _ => false,
            }
        })
    }

    /// Whether every word is one of chat and bare commands, or picks from a list.
    pub(super) fn is_small_talk(&self) -> bool {
        let words = self.words();
        words.len() <= SMALL_TALK_WORDS_MAX
            && words.iter().all(|word| is_small(word) || is_pick(word))
    }
}

/// Longer prompts say something, whatever their words.
const SMALL_TALK_WORDS_MAX: usize = 16;

fn is_small(word: &str) -> bool {
    SMALL_TALK.iter().any(|words| words.split(' ').any(|small| small == word))
}

/// A number or letter that picks from a list: `2`, `b`.
fn is_pick(word: &str) -> bool {
    match word.as_bytes() {
        [one] => one.is_ascii_digit() || (b'a'..=b'f').contains(one),
        [one, two] => one.is_ascii_digit() && two.is_ascii_digit(),
        _ => false,
    }
}

/// Phrases that point to something, apart by commas.
const REFERENCES: &[(Reference, &str)] = &[
    (
        Reference::Project,
        "my project, our project, this project, the project, that project, my repo, our repo, \
         this repo, the repo, my repository, our repository, this repository, the repository, \
         my codebase, our codebase, this codebase, the codebase, my app, our app",
    ),
    (
        Reference::Decision,
        "we decided, i decided, we decide, i decide, we agreed, we agree on, we chose, i chose, \
         we choose, did i choose, we settled on, we settle on, we picked, we pick, \
         that decision, the decision, our decision, my decision, those decisions, \
         our decisions, my decisions, the decisions",
    ),
    (
        Reference::Preference,
        "my preference, my preferences, our preference, i prefer, i preferred, we prefer, \
         do i like, way i like, how i like, what i like, as i like, our convention, \
         our conventions, my convention, my conventions, my style, our style, my usual, \
         our usual, as usual, my favorite, my favourite",
    ),
    (
        Reference::Plan,
        "the plan, our plan, my plan, that plan, our plans, my plans, the plans, the roadmap, \
         our roadmap, my roadmap, next step, next steps, whats next, what next, what is next, \
         do next, work on next, whats left, what is left, what remains, left to do, \
         still to do, still open, the backlog, our backlog, my todos, my todo, our todo, \
         our todos, todo list, what now",
    ),
    (
        Reference::LastSession,
        "last time, last session, previous session, previous sessions, earlier session, \
         where were we, where was i, where did we leave, where did i leave, where we left, \
         where i left, left off, were we doing, was i doing, were we working on, \
         was i working on, were we on, pick up where, yesterdays work, yesterdays session, \
         last conversation, previous conversation, our last chat, earlier conversation",
    ),
];

/// Phrases that speak of past work, apart by commas.
const RECALLS: &str = "last time, last session, previous session, previous sessions, previous conversation, \
    where were we, where was i, left off, we decided, i decided, we agreed, we settled on, \
    we chose, we picked, do you remember, you remember, remember when, remember what, \
    remember how, remember why, remember our, remind me, as i said, like i said, \
    i already said, i told you, did i tell, did i say, i mentioned, as mentioned, we discussed, \
    we talked about, we spoke about, you told me, you said, previously, did i, did we, \
    didnt we, didnt i, have we ever, have i ever, what have we, were we, was i, \
    done this before, had this before, seen this before, earlier you, earlier we, \
    yesterdays work, back when, used to, \
    have i, have we, our conversation, our conversations, our chat, our chats, our discussion, \
    our discussions, previous chat, brought up, i asked";

/// Denials written as one word with their verb, apostrophe dropped.
const CONTRACTIONS: &[&str] = &[
    "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "wont", "cant", "couldnt",
    "shouldnt", "wouldnt", "hasnt", "havent", "hadnt", "aint", "mustnt", "neednt",
];

const SUBJECTS: &[&str] =
    &["i", "you", "we", "he", "she", "it", "they", "there", "that", "this", "these", "those"];

/// The words of chat and bare commands. None of them tells what a prompt is about.
const SMALL_TALK: [&str; 3] = [
    // Greetings, thanks, assent, dissent.
    "hi hello hey yo morning bye goodbye cheers thanks thank thx ty please pls plz welcome yes \
     yep yup yeah yea ya y aye no nope nah n ok okay okey k kk sure fine great good nice cool \
     perfect awesome excellent amazing lovely wonderful right correct exactly indeed agreed \
     agree absolutely definitely lgtm wow haha lol hm hmm hmmm mm oh ah oops sorry well man \
     dude buddy job love like sounds looks seems looking works worked working work better much very \
     so too wait stop cancel nevermind",
    // Small words.
    "i im ill id ive me you your youre we us it its itll he they them this that thats these \
     those the a an and or but then if to of for with on in at by as is are am was be been do \
     does did done can could would should will may lets let have has had not dont doesnt didnt \
     isnt just now again also still first second third last next both all none either neither \
     one two three ones same more here there up out back ahead forth away over way thing stuff \
     everything anything something else why how what whats mean think know see want need got \
     get really actually maybe only",
    // Bare commands and what they are done to.
    "continue proceed go going keep resume start begin finish try retry run rerun ran execute \
     check recheck verify test tests testing lint linter linting build rebuild compile format \
     fmt commit push pull merge rebase stage stash diff branch pr change changes fix fixes \
     fixed redo undo revert make apply implement add remove delete drop skip ignore use take \
     put show tell give explain look read write review address clean cleanup refactor simplify \
     improve error errors warning warnings option item point number finding findings suggestion \
     suggestions",
];
