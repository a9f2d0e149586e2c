//! Procedures: how something is done, in steps, and when that is called for.

use super::content::{self, dangles, is_one_off};
use super::{Statement, name};
use crate::Kind;
use crate::patch::{Operation, Remember};
use crate::speech::Place;
use crate::speech::cue::{cues, find_any, starts};
use crate::speech::word::Word;

const STEPS_MAX: usize = 12;

/// A procedure that begins with the first statement, and how many statements it takes.
pub(super) fn find(statements: &[Statement<'_>]) -> Option<(Operation, usize)> {
    let first = statements.first()?;
    listed(statements).or_else(|| Some((counted(first).or_else(|| told(first))?, 1)))
}

/// "To release:" and a list.
fn listed(statements: &[Statement<'_>]) -> Option<(Operation, usize)> {
    let head = statements.first()?;
    let goal = goal(&head.words)?;
    let announced =
        head.words.last()?.mark == ':' || head.text.trim_end_matches(['*', '_']).ends_with(':');
    let items: Vec<&Statement<'_>> = statements[1..]
        .iter()
        .take_while(|it| matches!(it.place, Place::Item { .. }))
        .take(STEPS_MAX)
        .collect();
    let ordered = items.iter().any(|it| it.place == Place::Item { numbered: true });
    if !announced
        || items.len() < 2
        || is_one_off(goal)
        || dangles(goal)
        || !(ordered || head.words[0].is("steps"))
    {
        return None;
    }
    let goal_text = content::render(head.text, goal)?;
    let words: Vec<&Word<'_>> = goal.iter().chain(items.iter().flat_map(|it| &it.words)).collect();
    let first = head.span.start + head.words.first()?.span.start;
    let said = content::plain(&head.own[first..items.last()?.span.end]);
    Some((procedure(head, said, &goal_text, &words, 0.85), items.len() + 1))
}

/// "The release procedure is: 1. bump the version 2. tag it": steps counted behind a colon.
fn counted(it: &Statement<'_>) -> Option<Operation> {
    let words = &it.words;
    let lead = words.iter().position(|word| word.mark == ':').filter(|at| (1..=10).contains(at))?;
    let step = |number: &str| {
        words[lead..].iter().any(|word| word.text == number && matches!(word.mark, '.' | ')'))
    };
    let goal = &words[..=lead];
    if it.guarded() || !step("1") || !step("2") || is_one_off(goal) || dangles(goal) {
        return None;
    }
    let goal = content::render(it.text, goal)?;
    Some(procedure(it, it.said()?, &goal, &words.iter().collect::<Vec<_>>(), 0.8))
}

/// "To release, first tag, then push", "the way to X is to Y and then Z", "to X: 1) y 2) z".
fn told(it: &Statement<'_>) -> Option<Operation> {
    let words = &it.words;
    if it.guarded() {
        return None;
    }
    let (goal, rest) = if let Some(end) =
        starts(words, cues!("the (right|best|only|usual|correct) way|procedure|process to|for"))
    {
        let is =
            find_any(words, cues!("is (to)")).filter(|is| is.start > end && is.start < end + 8)?;
        (&words[end..is.start], &words[is.end..])
    } else {
        let end = starts(words, cues!("(in) (order) to, when you|we, for (a) (new)"))
            .filter(|_| words[0].is("to in for"))?;
        let comma =
            (end..words.len().min(end + 8)).find(|at| matches!(words[*at].mark, ',' | ':'))?;
        (&words[end..=comma], &words[comma + 1..])
    };
    let then = find_any(rest, cues!("(and) then, after that, followed by, and finally"))
        .filter(|then| then.start >= 2);
    let counted = rest
        .iter()
        .filter(|word| matches!(word.text, "1" | "2" | "3") && !word.code && word.mark == ')')
        .count()
        >= 2;
    let concrete = words.iter().any(|word| word.code) || name::any_named(rest);
    if goal.is_empty()
        || !(then.is_some_and(|then| rest.len() > then.end) || counted)
        || !concrete
        || is_one_off(goal)
        || dangles(goal)
        || dangles(rest)
    {
        return None;
    }
    let goal_text = content::render(it.text, goal)?;
    Some(procedure(it, it.said()?, &goal_text, &words.iter().collect::<Vec<_>>(), 0.8))
}

/// What a heading of steps wants to reach.
fn goal<'a, 'b>(words: &'a [Word<'b>]) -> Option<&'a [Word<'b>]> {
    let end = starts(
        words,
        cues!(
            "to, how to|we, steps to|for, in order to, the way|process|procedure to|for, \
        for a|every|each"
        ),
    )?;
    let goal = words.get(end..).filter(|goal| (1..=8).contains(&goal.len()))?;
    let fixes = goal[0].is("fix be me address test do confirm reproduce summarize recap clarify");
    (!fixes).then_some(goal)
}

fn procedure(
    it: &Statement<'_>,
    content: String,
    goal: &str,
    words: &[&Word<'_>],
    confidence: f64,
) -> Operation {
    let mut triggers = vec![lowered(goal)];
    for word in words.iter().filter(|word| word.code && word.text.len() <= 120) {
        if triggers.len() < 8 && !triggers.iter().any(|one| one == word.text) {
            triggers.push(word.text.to_owned());
        }
    }
    Operation::Remember(Remember {
        kind: Kind::Procedure,
        content,
        label: None,
        domain: None,
        slot: None,
        because: Vec::new(),
        triggers,
        entities: name::named(
            &words.iter().filter(|word| word.code).map(|word| (*word).clone()).collect::<Vec<_>>(),
        ),
        confidence,
        quote: Some(it.text.to_owned()),
        turn: Some(it.turn),
    })
}

fn lowered(goal: &str) -> String {
    let mut chars = goal.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
