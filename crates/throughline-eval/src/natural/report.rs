//! The figures, for each writer and together, always with their counts.

use std::collections::BTreeMap;

use super::back::Returned;
use super::data::Piece;
use super::pairs::{End, Met};
use super::turns::{Fate, Read};

/// How many of how many.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    yes: usize,
    of: usize,
}

impl Count {
    fn of<'a, T: 'a>(all: impl Iterator<Item = &'a T>, is: impl Fn(&T) -> bool) -> Self {
        let mut count = Self::default();
        for one in all {
            count.add(is(one));
        }
        count
    }

    fn add(&mut self, yes: bool) {
        self.of += 1;
        self.yes += usize::from(yes);
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.of == 0 {
            return f.write_str("none");
        }
        #[expect(clippy::cast_precision_loss, reason = "a share is enough")]
        let share = format!("{:.3}", self.yes as f64 / self.of as f64);
        write!(f, "{} of {}, {}", self.yes, self.of, share.strip_prefix('0').unwrap_or(&share))
    }
}

/// Splits by writer, in the order they come, with all of them together as the last.
fn by_writer<T>(all: &[T], writer: impl Fn(&T) -> &str) -> Vec<(String, Vec<&T>)> {
    let mut split: Vec<(String, Vec<&T>)> = Vec::new();
    for one in all {
        let name = writer(one);
        match split.iter_mut().find(|(of, _)| of == name) {
            Some((_, some)) => some.push(one),
            None => split.push((name.to_owned(), vec![one])),
        }
    }
    if split.len() != 1 {
        split.push(("together".to_owned(), all.iter().collect()));
    }
    split
}

fn line(what: &str, count: Count) {
    println!("  {what:<44} {count}");
}

/// A line for each group, by its name.
fn lines(title: &str, groups: &BTreeMap<&str, Count>) {
    let listed: Vec<String> =
        groups.iter().map(|(name, count)| format!("{name} {count}")).collect();
    println!("    {title}: {}", listed.join("; "));
}

/// What is kept of turns.
pub(super) fn turns(all: &[Read<'_>]) {
    for (writer, some) in by_writer(all, |one| one.turn.writer()) {
        if some.is_empty() {
            continue;
        }
        println!("turns, {writer}: {}", some.len());
        let pieces: Vec<(&Piece, Fate)> = some
            .iter()
            .flat_map(|one| one.turn.sentences.iter().zip(one.fates.iter().copied()))
            .collect();
        let lasting = || pieces.iter().filter(|(piece, _)| piece.lasting);
        let passing = || pieces.iter().filter(|(piece, _)| !piece.lasting);
        line("lasting pieces kept", Count::of(lasting(), |(_, fate)| is_kept(*fate)));
        lines("by role", &groups(lasting(), |piece| &piece.role, is_kept));
        line("… and as the right kind", Count::of(lasting(), |(_, fate)| *fate == Fate::Right));
        lines("by role", &groups(lasting(), |piece| &piece.role, |fate| fate == Fate::Right));
        line("passing pieces kept falsely", Count::of(passing(), |(_, fate)| is_false(*fate)));
        let plain = |piece: &Piece| piece.guard == "none";
        let guarded = passing().filter(|(piece, _)| !plain(piece));
        line("… of those with a guard", Count::of(guarded.clone(), |(_, fate)| is_false(*fate)));
        lines("by guard", &groups(guarded, |piece| &piece.guard, is_false));
        let plain = passing().filter(|(piece, _)| plain(piece));
        lines("without a guard, by role", &groups(plain, |piece| &piece.role, is_false));
        let confirmed = Fate::False { confirmed: true };
        let falsely = passing().filter(|(_, fate)| is_false(*fate));
        line("… confirmed, of those", Count::of(falsely, |(_, fate)| *fate == confirmed));
        let maimed = Count::of(lasting(), |(_, fate)| *fate == Fate::Maimed);
        line("lasting pieces without their number or “not”", maimed);
        let sum = |of: fn(&Read<'_>) -> usize| some.iter().map(|one| of(one)).sum::<usize>();
        println!(
            "  of {} memories, {} hold too little of a lasting piece, {} most of a passing one besides, \
             {} only repeat another, {} are of what the agent said",
            sum(|one| one.kept.len()),
            sum(|one| one.cut),
            sum(|one| one.mixed),
            sum(|one| one.repeated),
            sum(|one| one.of_before)
        );
    }
}

fn is_kept(fate: Fate) -> bool {
    matches!(fate, Fate::Right | Fate::OtherKind)
}

fn is_false(fate: Fate) -> bool {
    matches!(fate, Fate::False { .. })
}

fn groups<'a>(
    pieces: impl Iterator<Item = &'a (&'a Piece, Fate)>,
    name: impl Fn(&'a Piece) -> &'a str,
    is: impl Fn(Fate) -> bool,
) -> BTreeMap<&'a str, Count> {
    let mut groups: BTreeMap<&str, Count> = BTreeMap::new();
    for (piece, fate) in pieces {
        groups.entry(name(piece)).or_default().add(is(*fate));
    }
    groups
}

/// What becomes of memories when something is said later.
pub(super) fn pairs(all: &[Met<'_>]) {
    for (writer, some) in by_writer(all, |one| one.pair.writer()) {
        if some.is_empty() {
            continue;
        }
        println!("pairs, {writer}: {}", some.len());
        for relations in [&["replaces", "withdraws"][..], &["replaces"], &["withdraws"]] {
            let these = || {
                let is = |one: &&&Met<'_>| relations.contains(&one.pair.relation.as_str());
                some.iter().filter(is).copied()
            };
            let ends = |end: End| Count::of(these(), |one| one.end == end);
            println!("  {}", relations.join(" and "));
            line("  taken up", ends(End::Gone));
            let gone = || these().filter(|one| one.end == End::Gone);
            line("    … with the later word kept", Count::of(gone(), |one| one.later_kept));
            line("    … and told", Count::of(gone(), |one| one.later_told));
            line("  questioned", ends(End::Questioned));
            let questioned = these().filter(|one| one.end == End::Questioned);
            line("    … and marked as such everywhere", Count::of(questioned, |one| one.marked));
            line("  old value asserted alone", ends(End::Alone));
            let alone = || these().filter(|one| one.end == End::Alone);
            line("    … by recall", Count::of(alone(), |one| one.alone_by_recall));
            line("    … with the later word kept", Count::of(alone(), |one| one.later_kept));
            line("  not told at all", ends(End::Untold));
        }
        let among = |relations: &'static [&'static str]| {
            let is = move |one: &&&Met<'_>| relations.contains(&one.pair.relation.as_str());
            some.iter().filter(is).copied()
        };
        for relations in
            [&["other", "same", "refines"][..], &["other"], &["same"], &["refines"], &["unclear"]]
        {
            let gone = Count::of(among(relations), |one| one.end == End::Gone);
            let doubted = Count::of(among(relations), |one| one.end != End::Gone && one.contested);
            println!(
                "  {:<21} applied falsely {gone}; questioned falsely {doubted}",
                relations.join(", ")
            );
        }
        line(
            "what was asked about was kept as stated",
            Count::of(some.iter().copied(), |one| one.asked_back),
        );
        let undone = Count::of(some.iter().copied(), |one| one.undone);
        line("… and the later word given up for it", undone);
        let bystanders = || some.iter().flat_map(|one| &one.bystanders);
        line("memories beside, changed falsely", Count::of(bystanders(), |one| one.gone));
        line("… told with a later word", Count::of(bystanders(), |one| one.marked));
    }
}

/// What comes back by an older transcript.
pub(super) fn back(all: &[Returned<'_>]) {
    for (writer, some) in by_writer(all, |one| one.story.replaces.writer()) {
        if some.is_empty() {
            continue;
        }
        println!("an older transcript says the old value in other words, {writer}: {}", some.len());
        let every = || some.iter().copied();
        let quiet = || every().filter(|one| one.quiet);
        line("given up before", Count::of(every(), |one| one.gone));
        line("given up or questioned before", Count::of(every(), |one| one.quiet));
        line("… of these, told alone again", Count::of(quiet(), Returned::came_back));
        let gone = || every().filter(|one| one.gone);
        line("given up, and active again in any words", Count::of(gone(), |one| one.active));
        line("… and told beside the new value, unmarked", Count::of(gone(), |one| one.beside));
    }
}
