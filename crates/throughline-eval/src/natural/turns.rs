//! Turns: what is kept of a message in a project where nothing is held yet.

use serde_json::{Value, json};

use super::data::{Piece, Turn};
use super::kept::Kept;
use super::wording::{MOST, Overlap, holds, keeps_sense, share};
use crate::correction::player::{Agent, Home};

/// What became of a turn.
#[derive(Debug)]
pub(super) struct Read<'a> {
    pub(super) turn: &'a Turn,
    /// The memories that are active afterwards.
    pub(super) kept: Vec<Kept>,
    /// What became of each piece.
    pub(super) fates: Vec<Fate>,
    /// Memories that keep less than most of a lasting piece, and nothing that must not be kept.
    pub(super) cut: usize,
    /// Memories of what the agent had said before.
    pub(super) of_before: usize,
    /// Memories that hold a lasting piece, and most of one that is not.
    pub(super) mixed: usize,
    /// Memories that say nothing but what another one says.
    pub(super) repeated: usize,
}

/// What became of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is lasting and nothing active holds it.
    Missed,
    /// It is lasting, and most of it is kept without a number or a denial that it turns on.
    Maimed,
    /// It is lasting and kept, as another kind of claim.
    OtherKind,
    /// It is lasting and kept as what it is.
    Right,
    /// It is not lasting and not kept.
    LetGo,
    /// It is not lasting and kept all the same.
    False { confirmed: bool },
}

/// Plays turns, each in a project and a session of its own.
pub(super) fn play<'a>(home: &Home, turns: &'a [Turn]) -> anyhow::Result<Vec<Read<'a>>> {
    turns.iter().map(|turn| play_one(home, turn)).collect()
}

fn play_one<'a>(home: &Home, turn: &'a Turn) -> anyhow::Result<Read<'a>> {
    let project = home.project(&turn.id)?;
    let mut agent = Agent::new(home, &project, turn.id.clone());
    if let Some(before) = &turn.before {
        agent.answers(before)?;
    }
    agent.hears(&turn.turn)?;
    agent.ends()?;
    let all = Kept::all(&home.json(&project, &["list", "--all"])?, &turn.id)?;
    Ok(Read::judge(turn, all))
}

impl<'a> Read<'a> {
    /// Judges what is held after a turn.
    fn judge(turn: &'a Turn, all: Vec<Kept>) -> Self {
        let kept: Vec<Kept> = all.into_iter().filter(Kept::is_active).collect();
        let texts = || turn.sentences.iter().map(|piece| piece.text.as_str());
        let (mut overlaps, mut of_before) = (Vec::new(), 0);
        for one in &kept {
            let overlap = Overlap::new(&one.content, texts());
            let before = turn.before.as_deref().unwrap_or_default();
            // What an agent says may be kept too, and is nothing of what the user said.
            let agents = !one.is_users() && share(&one.content, before) >= MOST;
            if agents || !overlap.any() {
                of_before += 1;
            } else {
                overlaps.push((one, overlap));
            }
        }
        let pieces = turn.sentences.as_slice();
        let mut fates: Vec<Fate> =
            (0..pieces.len()).map(|at| fate(pieces, at, &overlaps)).collect();
        let (mut cut, mut mixed) = (0, 0);
        for (one, overlap) in &overlaps {
            if held(pieces, one, overlap).next().is_some() {
                let is_there = |(at, piece): (usize, &Piece)| {
                    !piece.lasting && overlap.had(at) >= WORDS_MIN && overlap.share(at) >= MOST
                };
                mixed += usize::from(pieces.iter().enumerate().any(is_there));
                continue;
            }
            match passing(pieces, overlap) {
                Some(at) => {
                    let before = fates[at] == Fate::False { confirmed: true };
                    fates[at] = Fate::False { confirmed: before || one.is_confirmed() };
                }
                None => cut += 1,
            }
        }
        drop(overlaps);
        let repeated = kept.iter().filter(|one| is_repeated(one, &kept)).count();
        Self { turn, kept, fates, cut, of_before, mixed, repeated }
    }

    /// What went wrong with the turn, for whoever wants to look.
    pub(super) fn misses(&self) -> Vec<Value> {
        let miss = |(piece, fate): (&Piece, &Fate)| {
            let what = match fate {
                Fate::Missed => "missed",
                Fate::Maimed => "kept without its number or its not",
                Fate::OtherKind => "kept as another kind",
                Fate::False { confirmed: true } => "kept falsely, confirmed",
                Fate::False { confirmed: false } => "kept falsely",
                Fate::Right | Fate::LetGo => return None,
            };
            Some(json!({"part": "turns", "what": what, "id": self.turn.id, "role": piece.role,
                "guard": piece.guard, "text": piece.text, "claim": piece.claim,
                "before": self.turn.before, "turn": self.turn.turn,
                "kept": self.kept.iter().map(Kept::told).collect::<Vec<_>>()}))
        };
        self.turn.sentences.iter().zip(&self.fates).filter_map(miss).collect()
    }
}

/// Passing words that a memory may have by chance.
const WORDS_MIN: usize = 3;

fn is_repeated(one: &Kept, all: &[Kept]) -> bool {
    let says_it = |other: &Kept| {
        let (mine, its) = (one.content.len(), other.content.len());
        other.id != one.id
            && share(&one.content, &other.content) >= 1.0
            && (mine, &one.id) < (its, &other.id)
    };
    all.iter().any(says_it)
}

fn fate(pieces: &[Piece], at: usize, kept: &[(&Kept, Overlap)]) -> Fate {
    let piece = &pieces[at];
    if !piece.lasting {
        return Fate::LetGo;
    }
    let whole: Vec<&(&Kept, Overlap)> =
        kept.iter().filter(|(one, overlap)| is_held(at, piece, one, overlap)).collect();
    // It may have been kept in several parts, each a memory of its own.
    let parts: Vec<&(&Kept, Overlap)> =
        kept.iter().filter(|(_, overlap)| overlap.is_part_of(at)).collect();
    let together: f64 = parts.iter().map(|(_, overlap)| overlap.share(at)).sum();
    if whole.is_empty() && together < MOST {
        return Fate::Missed;
    }
    let by: Vec<_> = whole.into_iter().chain(parts).collect();
    let text: Vec<&str> = by.iter().map(|(one, _)| one.content.as_str()).collect();
    if !keeps_sense(&text.join(" "), &piece.text, piece.claim.as_deref()) {
        return Fate::Maimed;
    }
    // A memory that holds several pieces is of one kind all the same.
    let is_right = |(one, overlap): &&(&Kept, Overlap)| {
        let mut beside = held(pieces, one, overlap).map(|other| pieces[other].role.as_str());
        fits(&piece.role, &one.kind) || beside.any(|role| fits(role, &one.kind))
    };
    if by.iter().any(is_right) { Fate::Right } else { Fate::OtherKind }
}

/// The lasting pieces that a memory holds.
fn held<'a>(
    pieces: &'a [Piece],
    one: &'a Kept,
    overlap: &'a Overlap,
) -> impl Iterator<Item = usize> + 'a {
    let is =
        move |(at, piece): &(usize, &Piece)| piece.lasting && is_held(*at, piece, one, overlap);
    pieces.iter().enumerate().filter(is).map(|(at, _)| at)
}

/// Whether a memory holds most of a piece, or of what a colleague would write down of it.
fn is_held(at: usize, piece: &Piece, one: &Kept, overlap: &Overlap) -> bool {
    let claimed = piece.claim.as_deref().is_some_and(|claim| holds(&one.content, claim));
    overlap.share(at) >= MOST || claimed
}

/// The passing piece that a memory was made of; none if it has as much of what is lasting.
fn passing(pieces: &[Piece], overlap: &Overlap) -> Option<usize> {
    let of = |lasting: bool| {
        let some = pieces.iter().enumerate().filter(move |(_, piece)| piece.lasting == lasting);
        some.map(|(at, _)| at)
    };
    let had = |lasting: bool| of(lasting).map(|at| overlap.had(at)).sum::<usize>();
    let most = of(false).rev().max_by_key(|at| overlap.had(*at));
    most.filter(|_| had(false) > had(true))
}

/// Whether a kind of memory fits what a piece does.
fn fits(role: &str, kind: &str) -> bool {
    let kinds: &[&str] = match role {
        "fact" | "withdrawal" => &["fact", "correction"],
        "change" => &["fact", "correction", "decision"],
        "rule" | "preference" => &["principle", "preference"],
        "failure" => &["negative", "lesson"],
        "procedure" => &["procedure"],
        "commitment" => &["commitment"],
        "decision" => &["decision"],
        // What is confirmed may be of any kind.
        _ => return true,
    };
    kinds.contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(pieces: &[(&str, &str, bool)]) -> Turn {
        let pieces: Vec<Value> = pieces
            .iter()
            .map(|(text, role, lasting)| {
                json!({"text": text, "role": role, "guard": "none", "lasting": lasting})
            })
            .collect();
        let turn = json!({"id": "w0-1", "before": "Shall I run it against all hosts now?",
            "turn": "", "sentences": pieces});
        serde_json::from_value(turn).unwrap()
    }

    fn kept(memories: &[(&str, &str, &str)]) -> Vec<Kept> {
        let item = |(at, (kind, authority, content)): (usize, &(&str, &str, &str))| {
            json!({"id": at.to_string(), "kind": kind, "content": content, "state": "confirmed",
                "authority": authority, "project": "p", "evidence": []})
        };
        let items: Vec<Value> = memories.iter().enumerate().map(item).collect();
        Kept::all(&json!({"items": items}), "p").unwrap()
    }

    const PIECES: [(&str, &str, bool); 3] = [
        ("never deploy on a Friday", "rule", true),
        ("releases go out on Tuesday at 10", "fact", true),
        ("please look at the log", "request", false),
    ];

    fn fates(memories: &[(&str, &str, &str)]) -> Vec<Fate> {
        Read::judge(&turn(&PIECES), kept(memories)).fates
    }

    #[test]
    fn a_lasting_piece_is_kept_right_as_its_kind_or_as_another_or_missed() {
        let said = "user_stated";
        assert_eq!(
            fates(&[("principle", said, "never deploy on a Friday")]),
            [Fate::Right, Fate::Missed, Fate::LetGo]
        );
        assert_eq!(
            fates(&[("event", said, "never deploy on a Friday")]),
            [Fate::OtherKind, Fate::Missed, Fate::LetGo]
        );
        assert_eq!(
            fates(&[("fact", said, "deploy on a Friday; releases go out on Tuesday")]),
            [Fate::Maimed, Fate::Maimed, Fate::LetGo]
        );
    }

    #[test]
    fn a_memory_of_two_pieces_may_be_of_the_kind_of_either() {
        let both = "never deploy on a Friday, releases go out on Tuesday at 10";
        assert_eq!(
            fates(&[("principle", "user_stated", both)]),
            [Fate::Right, Fate::Right, Fate::LetGo]
        );
    }

    #[test]
    fn a_piece_may_be_kept_in_two_parts() {
        let parts = [
            ("fact", "user_stated", "releases go out"),
            ("fact", "user_stated", "on Tuesday at 10"),
        ];
        assert_eq!(fates(&parts)[1], Fate::Right);
        let parts =
            [("principle", "user_stated", "never"), ("fact", "user_stated", "deploy on a Friday")];
        assert_eq!(fates(&parts)[0], Fate::Right);
    }

    #[test]
    fn only_a_memory_of_nothing_but_passing_pieces_is_kept_falsely() {
        let passing = [("fact", "user_stated", "please look at the log")];
        assert_eq!(fates(&passing)[2], Fate::False { confirmed: true });
        let both =
            [("principle", "user_stated", "never deploy on a Friday please look at the log")];
        let turn = turn(&PIECES);
        let read = Read::judge(&turn, kept(&both));
        assert_eq!((read.fates[2], read.mixed), (Fate::LetGo, 1));
    }

    #[test]
    fn what_the_agent_said_is_nothing_of_the_users() {
        let turn = turn(&PIECES);
        let read = Read::judge(&turn, kept(&[("fact", "inferred", "run it against all hosts")]));
        assert_eq!((read.of_before, read.cut), (1, 0));
        assert_eq!(read.fates, [Fate::Missed, Fate::Missed, Fate::LetGo]);
    }

    #[test]
    fn a_memory_within_another_is_counted_as_a_repetition() {
        let memories = [
            ("rule", "user_stated", "never deploy on a Friday"),
            ("rule", "user_stated", "deploy on a Friday"),
        ];
        let turn = turn(&PIECES);
        assert_eq!(Read::judge(&turn, kept(&memories)).repeated, 1);
    }
}
