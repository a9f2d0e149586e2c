//! Lifecycle: when a memory leaves view, changes tier, graduates. Visibility only, never existence.
//!
//! Sleep asks [`next_move`] about every memory, once a day of work. What it answers is written as a change and can be
//! undone; how true a memory is has no say in it and is not changed by it.

use throughline_core::policy::{LifecyclePolicy, SaliencePolicy};
use throughline_core::salience::{Salience, half_life_days};
use throughline_core::{Authority, Kind, Layer, Memory, State, Usage};

/// What is known about a memory when its place is judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LifecycleFacts {
    /// Active days since it was recorded.
    pub age_active_days: f64,
    /// Its salience.
    pub salience: Salience,
    /// Independent sources behind it.
    pub sources: usize,
    /// Edges it has.
    pub edges: usize,
    /// Whether an active memory of equal rank says otherwise.
    pub contested: bool,
}

/// What becomes of a memory by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LifecycleMove {
    /// It has run out: a guess that nobody bore out, a promise kept long ago.
    Expire,
    /// It is put away: old, unimportant, unused.
    Archive,
    /// It goes to another tier.
    Change(Tier),
}

/// What becomes of a memory now, if anything. What leaves view need not change tier.
pub fn next_move(
    memory: &Memory,
    usage: &Usage,
    facts: &LifecycleFacts,
    done_for_days: Option<f64>,
    policy: &LifecyclePolicy,
) -> Option<LifecycleMove> {
    if should_expire(memory, usage, facts, done_for_days, policy) {
        return Some(LifecycleMove::Expire);
    }
    if should_archive(memory, usage, facts.age_active_days, policy) {
        return Some(LifecycleMove::Archive);
    }
    if !memory.state.is_active() {
        return None;
    }
    let current = Tier::of(memory);
    let next = if is_protected(memory, usage, policy) {
        Tier::Hot
    } else {
        let value = tier_value(memory, facts, policy);
        next_tier(current, value, facts.age_active_days, policy)
    };
    (next != current).then_some(LifecycleMove::Change(next))
}

/// Whether disuse alone never takes a memory out of view: it is pinned, a foundation, a correction, an anchor in a
/// file, or was used often.
pub fn is_protected(memory: &Memory, usage: &Usage, policy: &LifecyclePolicy) -> bool {
    memory.pinned
        || memory.layer() == Layer::Invariant
        || memory.kind == Kind::Correction
        || matches!(memory.authority, Authority::UserCorrected | Authority::File)
        || usage.uses >= policy.protected_uses
}

/// Days of disuse as they count for salience: what was used in several sessions fades more slowly.
pub fn felt_idle_days(idle_active_days: f64, usage: &Usage, policy: &SaliencePolicy) -> f64 {
    let beyond = idle_active_days - policy.grace_days;
    if beyond <= 0.0 || !is_established(usage, policy) {
        return idle_active_days;
    }
    policy.grace_days + beyond / policy.established_slower
}

/// Whether a memory was used in several sessions. It then ranks with full weight; it is no more true for that.
pub fn is_established(usage: &Usage, policy: &SaliencePolicy) -> bool {
    usage.sessions.len() >= policy.established_sessions
}

/// Whether an old, unimportant, unused claim may be put away by itself.
pub fn should_archive(
    memory: &Memory,
    usage: &Usage,
    age_active_days: f64,
    policy: &LifecyclePolicy,
) -> bool {
    let kept_kind = matches!(
        memory.kind,
        Kind::Commitment | Kind::Preference | Kind::Decision | Kind::Principle | Kind::Correction
    );
    age_active_days > policy.archive_after_days
        && memory.importance < policy.archive_importance_below
        && usage.uses <= policy.archive_uses_max
        && !kept_kind
        && memory.state.is_active()
        && !is_protected(memory, usage, policy)
}

/// Whether a claim has run out: a guess nobody confirmed, a commitment long settled.
pub fn should_expire(
    memory: &Memory,
    usage: &Usage,
    standing: &LifecycleFacts,
    settled_for_days: Option<f64>,
    policy: &LifecyclePolicy,
) -> bool {
    if memory.pinned || !memory.state.is_active() {
        return false;
    }
    let unconfirmed_guess = memory.confidence < policy.speculative_below
        && memory.state != State::Confirmed
        && standing.sources < 2
        && standing.age_active_days > policy.expire_speculative_days
        && !is_protected(memory, usage, policy);
    let settled = memory.kind == Kind::Commitment
        && settled_for_days.is_some_and(|days| days > policy.expire_commitment_days);
    unconfirmed_guess || settled
}

throughline_core::closed_set! {
    /// Which index a memory's vector is kept in.
    pub enum Tier ("tier") {
        /// Searched first.
        Hot = "hot",
        /// Searched on request.
        Cold = "cold",
    }
}

impl Tier {
    /// The tier that a memory is in.
    pub fn of(memory: &Memory) -> Self {
        if memory.cold { Self::Cold } else { Self::Hot }
    }
}

/// How much a memory is worth keeping close, in 0..=1.
pub fn tier_value(memory: &Memory, standing: &LifecycleFacts, policy: &LifecyclePolicy) -> f64 {
    // Salience holds importance, use, recency and feedback already.
    let sure = 1.0 - policy.tier_confidence_share * (1.0 - memory.confidence);
    let mut value = standing.salience.raw.min(1.0) * sure;
    if memory.kind == Kind::Correction || memory.state == State::Confirmed {
        value += policy.tier_boost;
    }
    if standing.contested {
        value -= policy.tier_contested_loss;
    }
    value.clamp(0.0, 1.0)
}

/// The tier it belongs in next. Between the two thresholds it stays where it is.
pub fn next_tier(
    current: Tier,
    value: f64,
    age_active_days: f64,
    policy: &LifecyclePolicy,
) -> Tier {
    match current {
        Tier::Hot if age_active_days >= policy.tier_min_age_days && value <= policy.demote_at => {
            Tier::Cold
        }
        Tier::Cold if value >= policy.promote_at => Tier::Hot,
        Tier::Hot | Tier::Cold => current,
    }
}

/// Whether it may be proposed for the flat memory file. A person decides.
pub fn may_graduate(usage: &Usage, standing: &LifecycleFacts, policy: &LifecyclePolicy) -> bool {
    usage.sessions.len() >= policy.graduate_sessions
        && standing.salience.value >= policy.graduate_salience
        && standing.edges >= policy.graduate_edges
}

/// Whether an anchored memory has been dormant so long that its place in the flat file is doubtful.
pub fn should_review_anchor(
    raw_salience: f64,
    dormant_weeks: f64,
    policy: &LifecyclePolicy,
) -> bool {
    raw_salience < policy.dormant_below && dormant_weeks >= policy.anchor_review_weeks
}

/// Active days for which raw salience has been below the threshold of dormancy; 0 where it is not. It follows from the
/// formula by which salience fades, so that nothing has to be noted on the way.
pub fn dormant_days(
    memory: &Memory,
    raw_salience: f64,
    felt_idle_days: f64,
    policy: &LifecyclePolicy,
) -> f64 {
    if raw_salience >= policy.dormant_below {
        return 0.0;
    }
    let half_life = half_life_days(memory.kind, memory.authority);
    let halvings = (policy.dormant_below / raw_salience.max(f64::MIN_POSITIVE)).log2();
    (half_life * halvings).min(felt_idle_days)
}
