//! Lifecycle: when a memory leaves view, changes tier, graduates. Visibility only, never existence.

use throughline_core::policy::LifecyclePolicy;
use throughline_core::salience::Salience;
use throughline_core::{Authority, Kind, Memory, State, Usage};

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
        && memory.authority != Authority::UserCorrected
        && !memory.pinned
}

/// Whether a claim has run out: a guess nobody confirmed, a commitment long settled.
pub fn should_expire(
    memory: &Memory,
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
        && standing.age_active_days > policy.expire_speculative_days;
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

/// How much a memory is worth keeping close, in 0..=1.
pub fn tier_value(memory: &Memory, standing: &LifecycleFacts, policy: &LifecyclePolicy) -> f64 {
    let mut value = standing.salience.raw.min(1.0);
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
