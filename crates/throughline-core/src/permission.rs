//! Permission: who may do what to which memory, by which door, and with what behind it.
//!
//! Every flow that changes memory asks [`judge`], and nothing else decides. What must hold: no
//! sequence of calls that an agent can make removes, outranks, rewords or hides what a person said,
//! nor lifts the agent's own claim above *observed*, unless what it quotes stands in a captured tool
//! result. `docs/trust.md` shows [`table()`] in full.

mod table;
#[cfg(test)]
mod tests;

use std::fmt;

pub use table::table;

use crate::{Actor, Authority, Evidence, Kind, Memory};

closed_set! {
    /// The way by which somebody reaches memory.
    pub enum Door ("door") {
        /// A person's own terminal.
        Terminal = "terminal",
        /// A shell that an agent runs.
        AgentShell = "agent_shell",
        /// Our tools, over MCP.
        Tools = "tools",
        /// The profile `memory-tool`.
        MemoryTool = "memory_tool",
        /// The profile `server-memory`.
        ServerMemory = "server_memory",
        /// What an agent's hooks tell: turns of the user, of the agent, of tools.
        Hook = "hook",
        /// A file that somebody else may have written.
        Import = "import",
        /// A language model that reads along.
        Model = "model",
        /// The program itself, when nobody waits: sleep, and counting what was used.
        Upkeep = "upkeep",
    }
}

impl Door {
    /// In whose name a change is logged.
    pub fn actor(self) -> Actor {
        match self {
            Self::Terminal | Self::Import => Actor::User,
            Self::AgentShell | Self::Tools | Self::MemoryTool | Self::ServerMemory => Actor::Agent,
            Self::Hook | Self::Model | Self::Upkeep => Actor::System,
        }
    }

    /// Whether an agent stands at it.
    pub fn is_agents(self) -> bool {
        self.actor() == Actor::Agent
    }

    /// Whether it keeps texts of its own, which it may change and take away.
    fn keeps_texts(self) -> bool {
        matches!(self, Self::MemoryTool | Self::ServerMemory)
    }
}

closed_set! {
    /// What somebody wants to do.
    pub enum Act ("act") {
        /// Say something new, or say something again.
        Remember = "remember",
        /// Bring in a rule or a preference that came from outside.
        AdoptRule = "adopt_rule",
        /// Put one claim in the place of another.
        Replace = "replace",
        /// Say that a check bore a claim out.
        CheckHolds = "check_holds",
        /// Say that a check refuted a claim.
        CheckRefutes = "check_refutes",
        /// Put a claim away.
        Archive = "archive",
        /// Take a claim back.
        Retract = "retract",
        /// Bring back what was put away or replaced.
        BringBack = "bring_back",
        /// Reword a claim or change what is noted of it.
        Edit = "edit",
        /// Vouch for a claim.
        Vouch = "vouch",
        /// Say in a shared project what is one's own.
        Promote = "promote",
        /// Keep a claim in front, or stop doing so.
        Pin = "pin",
        /// Put labels on a claim, or take them off.
        Tag = "tag",
        /// Give a thing that memories speak of another name, or make two things one.
        Name = "name",
        /// Connect two claims; asked about the one that is given a reason.
        Link = "link",
        /// Bind a claim to something that can be looked at.
        Watch = "watch",
        /// Mark two claims as contradicting; asked about the weaker one.
        Contradict = "contradict",
        /// Take a connection away.
        Unlink = "unlink",
        /// Say whether a memory helped.
        Rate = "rate",
        /// Undo a batch; asked about what it touched.
        Undo = "undo",
        /// Decide what waits in `review`.
        Decide = "decide",
        /// Erase for good.
        Purge = "purge",
        /// Bring in or take out whole files: import, ingest, restore, export, backup.
        Transfer = "transfer",
        /// Change settings and keys, connect and disconnect agents and projects.
        Configure = "configure",
        /// Look into another project than the one that is worked in.
        Reach = "reach",
        /// Say something that holds in every project.
        Spread = "spread",
    }
}

closed_set! {
    /// What stands behind a request.
    pub enum Backing ("backing") {
        /// Nothing, or words that only the caller has.
        Asserted = "asserted",
        /// Words that stand in a captured tool result of this project and session.
        ToolResult = "tool_result",
        /// Words of the user's own turn.
        UserTurn = "user_turn",
        /// A person vouches for the source as a whole.
        Vouched = "vouched",
    }
}

/// How well a memory stands, as far as that decides who may touch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The rank of its best source.
    pub authority: Authority,
    /// A person said it, corrected it or vouched for it.
    pub by_person: bool,
    /// A person keeps it in front.
    pub pinned: bool,
    /// Another person than the caller said it, and the caller does not own the place where it is kept.
    pub anothers: bool,
}

impl Standing {
    /// The standing of a memory with this evidence.
    pub fn of(memory: &Memory, evidence: &[Evidence]) -> Self {
        let said = |one: &Evidence| one.authority.is_user() && !one.echo;
        Self {
            authority: memory.authority,
            by_person: memory.authority.is_user() || evidence.iter().any(said),
            pinned: memory.pinned,
            anothers: false,
        }
    }

    /// The same where another person said it, and the caller has no right over their words.
    #[must_use]
    pub fn of_another(self, anothers: bool) -> Self {
        Self { anothers, ..self }
    }

    /// The standing of what a person said.
    pub fn persons() -> Self {
        Self { authority: Authority::UserStated, by_person: true, pinned: false, anothers: false }
    }

    /// The rank that it has in a contradiction: what a person said or pinned ranks as theirs.
    pub fn rank(self) -> Authority {
        if self.is_persons() {
            self.authority.stronger(Authority::UserStated)
        } else {
            self.authority
        }
    }

    /// Whether it is a person's to change.
    pub fn is_persons(self) -> bool {
        self.by_person || self.pinned
    }

    /// The one of two that stands less well.
    pub fn weaker(self, other: Self) -> Self {
        if self.is_persons() { other } else { self }
    }
}

/// What somebody wants to do, to what, by which door, with what behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// By which door.
    pub door: Door,
    /// What.
    pub act: Act,
    /// To what; `None` where nothing that is held is touched.
    pub target: Option<Standing>,
    /// With what behind it.
    pub backing: Backing,
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It may be done, and what is said by it ranks no higher than this.
    Allowed {
        /// The highest rank.
        rank: Authority,
    },
    /// It is kept for a person, who decides in `review`.
    Waits(Denial),
    /// It is not done. A person can do it by hand.
    Refused(Denial),
}

/// Why somebody may not do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// A person said it.
    PersonSaid,
    /// A person pinned it.
    Pinned,
    /// A stronger source stands behind it.
    Outranked,
    /// It is a rule or a preference, and came from outside.
    RuleFromOutside,
    /// It is not for this door.
    PersonsAct(Act),
    /// Another person said it.
    AnotherSaid,
    /// Another person said it, and it would be erased for good.
    AnothersWords,
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PersonSaid => f.write_str("the user said this, so only the user can change it"),
            Self::Pinned => f.write_str("the user pinned this, so only the user can change it"),
            Self::Outranked => f.write_str("a stronger source supports this"),
            Self::RuleFromOutside => {
                f.write_str("a rule or preference that comes from outside waits for the user")
            }
            Self::PersonsAct(act) => write!(f, "only the user can {}", act.in_words()),
            Self::AnotherSaid => f.write_str(
                "another person said this, so only they or an owner of the project can change it",
            ),
            Self::AnothersWords => {
                f.write_str("another person said this, and only they can have it erased")
            }
        }
    }
}

impl Act {
    /// In words, after "only the user can".
    fn in_words(self) -> &'static str {
        match self {
            Self::Remember => "say this",
            Self::AdoptRule => "accept a rule from outside",
            Self::Replace => "replace one memory with another",
            Self::CheckHolds => "say that a check confirmed this",
            Self::CheckRefutes => "say that a check refuted this",
            Self::Archive => "put this away",
            Self::Retract => "retract this",
            Self::BringBack => "bring this back",
            Self::Edit => "edit a memory",
            Self::Vouch => "confirm a memory",
            Self::Promote => "bring into a project what is theirs everywhere",
            Self::Pin => "pin a memory, or unpin one",
            Self::Tag => "change the tags of this",
            Self::Name => "rename or merge what the user named",
            Self::Link => "give what the user said a reason",
            Self::Watch => "tie what the user said to something",
            Self::Contradict => "put what the user said in doubt",
            Self::Unlink => "remove a connection",
            Self::Rate => "rate this",
            Self::Undo => "undo this",
            Self::Decide => "decide what waits for review",
            Self::Purge => "erase",
            Self::Transfer => "move whole files of memory in or out",
            Self::Configure => "change settings",
            Self::Reach => "look into another project from here",
            Self::Spread => "say something for all projects",
        }
    }
}

/// Whether a claim of this kind can be measured. What somebody wants, decided or promised cannot.
pub fn is_measurable(kind: Kind) -> bool {
    match kind {
        Kind::Principle | Kind::Preference | Kind::Decision | Kind::Commitment | Kind::Gap => false,
        Kind::Fact
        | Kind::Procedure
        | Kind::Negative
        | Kind::Correction
        | Kind::Event
        | Kind::Lesson => true,
    }
}

/// Whether a claim of this kind tells people and agents what to do.
pub fn is_rule(kind: Kind) -> bool {
    matches!(kind, Kind::Principle | Kind::Preference)
}

/// Decides a request.
pub fn judge(request: Request) -> Verdict {
    if let Some(verdict) = about_anothers(request) {
        return verdict;
    }
    match request.door {
        Door::Terminal => by_person(request.act),
        Door::AgentShell | Door::Tools | Door::MemoryTool | Door::ServerMemory => by_agent(request),
        Door::Hook => by_hook(request),
        Door::Import => by_import(request),
        Door::Model => by_model(request),
        Door::Upkeep => by_upkeep(request),
    }
}

/// What another person said is not taken away or reworded by somebody who has no right over it. The
/// program itself compares whose words stand against whose (`Door::Upkeep`).
#[expect(clippy::wildcard_enum_match_arm, reason = "the others take nothing from anybody")]
fn about_anothers(request: Request) -> Option<Verdict> {
    let Request { door, act, target, .. } = request;
    if !target?.anothers || matches!(door, Door::Upkeep | Door::Model | Door::Import) {
        return None;
    }
    match act {
        Act::Replace | Act::CheckRefutes | Act::Retract => {
            Some(Verdict::Waits(Denial::AnotherSaid))
        }
        Act::Archive if door == Door::Hook => Some(Verdict::Waits(Denial::AnotherSaid)),
        Act::Archive | Act::Edit | Act::BringBack | Act::Undo | Act::Unlink | Act::Purge => {
            Some(Verdict::Refused(Denial::AnotherSaid))
        }
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named here is a person's")]
fn by_person(act: Act) -> Verdict {
    let rank = match act {
        Act::Replace | Act::Edit => Authority::UserCorrected,
        _ => Authority::UserStated,
    };
    Verdict::Allowed { rank }
}

fn by_agent(request: Request) -> Verdict {
    let Request { door, act, target, backing } = request;
    let rank = match backing {
        Backing::UserTurn if act == Act::Remember || act == Act::AdoptRule => Authority::UserStated,
        Backing::ToolResult => Authority::Measured,
        Backing::UserTurn | Backing::Asserted | Backing::Vouched => Authority::Observed,
    };
    let allowed = Verdict::Allowed { rank };
    match act {
        Act::Remember | Act::CheckHolds | Act::Rate => allowed,
        Act::AdoptRule if backing == Backing::UserTurn => allowed,
        Act::AdoptRule => Verdict::Waits(Denial::RuleFromOutside),
        Act::Replace | Act::CheckRefutes | Act::Retract => {
            persons(target).map_or_else(|| waits_if_outranked(target, rank), Verdict::Waits)
        }
        Act::Archive => persons(target).map_or(allowed, Verdict::Waits),
        Act::Tag | Act::Name | Act::Link | Act::Watch | Act::Contradict | Act::Undo => {
            persons(target).map_or(allowed, |_| Verdict::Refused(Denial::PersonsAct(act)))
        }
        // Texts that a tool keeps for itself change with the tool.
        Act::Edit | Act::BringBack if door.keeps_texts() => {
            persons(target).map_or(allowed, Verdict::Refused)
        }
        // The official server has one graph, and a tool's own texts lie where the user put them.
        Act::Spread if door.keeps_texts() => allowed,
        Act::Edit
        | Act::BringBack
        | Act::Vouch
        | Act::Promote
        | Act::Pin
        | Act::Unlink
        | Act::Decide
        | Act::Purge
        | Act::Transfer
        | Act::Configure
        | Act::Reach
        | Act::Spread => Verdict::Refused(Denial::PersonsAct(act)),
    }
}

/// A hook tells who spoke: the user's own turn is the user, as far as one can act by speaking.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named here is a person's")]
fn by_hook(request: Request) -> Verdict {
    let Request { act, target, backing, .. } = request;
    let rank = match backing {
        Backing::UserTurn => Authority::UserCorrected,
        Backing::ToolResult => Authority::Measured,
        Backing::Asserted | Backing::Vouched => Authority::Inferred,
    };
    let allowed = Verdict::Allowed { rank };
    match act {
        Act::Remember | Act::Rate => allowed,
        Act::Link | Act::Watch if backing == Backing::UserTurn => allowed,
        Act::Replace | Act::Archive | Act::Retract if backing == Backing::UserTurn => allowed,
        Act::Replace | Act::CheckRefutes | Act::Archive | Act::Retract => {
            Verdict::Waits(persons(target).unwrap_or(Denial::Outranked))
        }
        Act::AdoptRule if backing == Backing::UserTurn => allowed,
        Act::AdoptRule => Verdict::Waits(Denial::RuleFromOutside),
        Act::CheckHolds if backing == Backing::ToolResult => allowed,
        Act::Link | Act::Watch | Act::Contradict => {
            persons(target).map_or(allowed, |_| Verdict::Refused(Denial::PersonsAct(act)))
        }
        _ => Verdict::Refused(Denial::PersonsAct(act)),
    }
}

/// What a file holds is somebody else's word, unless the user vouches for it.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named here is a person's")]
fn by_import(request: Request) -> Verdict {
    let Request { act, backing, .. } = request;
    match act {
        _ if backing == Backing::Vouched => Verdict::Allowed { rank: Authority::UserCorrected },
        Act::Remember | Act::Link => Verdict::Allowed { rank: Authority::External },
        Act::AdoptRule => Verdict::Waits(Denial::RuleFromOutside),
        _ => Verdict::Refused(Denial::PersonsAct(act)),
    }
}

/// What a model makes of somebody's words ranks below them.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named here is a person's")]
fn by_model(request: Request) -> Verdict {
    let Request { act, target, backing, .. } = request;
    let rank = match backing {
        Backing::UserTurn => Authority::Extracted,
        Backing::ToolResult => Authority::External,
        Backing::Asserted | Backing::Vouched => Authority::Inferred,
    };
    match act {
        Act::Remember | Act::Link | Act::Watch | Act::Contradict => Verdict::Allowed { rank },
        Act::AdoptRule if backing == Backing::UserTurn => Verdict::Allowed { rank },
        Act::AdoptRule => Verdict::Waits(Denial::RuleFromOutside),
        Act::Replace | Act::Retract => match (persons(target), target) {
            (Some(why), _) => Verdict::Waits(why),
            (None, Some(held)) if !rank.outranks(held.authority) => {
                Verdict::Waits(Denial::Outranked)
            }
            (None, _) => Verdict::Allowed { rank },
        },
        _ => Verdict::Refused(Denial::PersonsAct(act)),
    }
}

/// Going over what is held: a person's newer word may take the place of their older one.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not named here is a person's")]
fn by_upkeep(request: Request) -> Verdict {
    let Request { act, target, backing, .. } = request;
    let allowed = Verdict::Allowed { rank: Authority::Measured };
    match act {
        Act::Remember | Act::CheckHolds | Act::Link | Act::Watch | Act::Contradict | Act::Rate => {
            allowed
        }
        // Labels and names by form, marked as such: they change nothing that was said.
        Act::Tag | Act::Name => allowed,
        Act::Replace if backing == Backing::UserTurn => allowed,
        Act::Replace => persons(target).map_or(allowed, Verdict::Waits),
        // A command failed of which a claim says that it works.
        Act::CheckRefutes if backing == Backing::ToolResult => {
            persons(target).map_or(allowed, Verdict::Waits)
        }
        Act::AdoptRule => Verdict::Waits(Denial::RuleFromOutside),
        // Visibility only, by disuse only, and undone like anything else; what is pinned stays.
        Act::Archive if target.is_none_or(|target| !target.pinned) => allowed,
        _ => Verdict::Refused(Denial::PersonsAct(act)),
    }
}

/// Why a memory is a person's to change, if it is.
fn persons(target: Option<Standing>) -> Option<Denial> {
    let target = target.filter(|target| target.is_persons())?;
    Some(if target.by_person { Denial::PersonSaid } else { Denial::Pinned })
}

/// Taking a claim away needs a rank that is no lower.
fn waits_if_outranked(target: Option<Standing>, rank: Authority) -> Verdict {
    match target {
        Some(held) if held.authority.outranks(rank) => Verdict::Waits(Denial::Outranked),
        _ => Verdict::Allowed { rank },
    }
}
