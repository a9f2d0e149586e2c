//! The table of permissions, as `docs/trust.md` shows it.

use std::fmt::Write as _;

use super::{Act, Backing, Door, Request, Standing, Verdict, judge};
use crate::Authority;

/// What the table in `docs/trust.md` shows: for every act, what each door gets, with nothing but the
/// caller's words behind it.
pub fn table() -> String {
    let mut page = String::from("| what | to what |");
    for door in Door::ALL {
        write!(page, " {} |", door.as_str().replace('_', " ")).expect("a String takes text");
    }
    page.push_str("\n|---|---|");
    page.push_str(&"---|".repeat(Door::ALL.len()));
    page.push('\n');
    let agents =
        Standing { by_person: false, authority: Authority::Observed, ..Standing::persons() };
    for act in Act::ALL {
        let rows =
            [("said by a person", Some(Standing::persons())), ("anything else", Some(agents))];
        let cells = rows.map(|(whose, target)| (whose, row(*act, target)));
        if cells[0].1 == cells[1].1 {
            writeln!(page, "| {} | anything |{}", act.as_str().replace('_', " "), cells[0].1)
                .expect("a String takes text");
            continue;
        }
        for (whose, cells) in cells {
            writeln!(page, "| {} | {whose} |{cells}", act.as_str().replace('_', " "))
                .expect("a String takes text");
        }
    }
    page
}

/// The cells of one row of the table. At a hook the user's own turn is what counts.
fn row(act: Act, target: Option<Standing>) -> String {
    let cell = |door: &Door| {
        let backing = if *door == Door::Hook { Backing::UserTurn } else { Backing::Asserted };
        match judge(Request { door: *door, act, target, backing }) {
            Verdict::Allowed { rank } if speaks(act) => format!(" {} |", rank.as_str()),
            Verdict::Allowed { .. } => " yes |".to_owned(),
            Verdict::Waits(_) => " waits |".to_owned(),
            Verdict::Refused(_) => " no |".to_owned(),
        }
    };
    Door::ALL.iter().map(cell).collect()
}

/// Whether something is said by an act, which then has a rank.
fn speaks(act: Act) -> bool {
    matches!(
        act,
        Act::Remember
            | Act::AdoptRule
            | Act::Replace
            | Act::CheckHolds
            | Act::Edit
            | Act::Vouch
            | Act::Promote
    )
}
