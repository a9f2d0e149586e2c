//! Every number an owner may tune, with its default. One struct for each concern.

/// All policies together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Policy {
    /// How evidence becomes trust.
    pub trust: TrustPolicy,
    /// How use becomes salience.
    pub salience: SaliencePolicy,
    /// How a session's attention moves.
    pub activation: ActivationPolicy,
    /// How edges strengthen and fade.
    pub edge: EdgePolicy,
    /// When memories leave view, change tier, graduate.
    pub lifecycle: LifecyclePolicy,
    /// How words are looked up and scored.
    pub words: WordPolicy,
    /// How the final order is made.
    pub rank: RankPolicy,
    /// How much is put in front of an agent.
    pub recall: RecallPolicy,
    /// What is too large.
    pub limits: Limits,
}

macro_rules! policy {
    ($(#[$meta:meta])* $name:ident { $( $(#[$field_meta:meta])* $field:ident: $type:ty = $default:expr, )+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name { $( $(#[$field_meta])* pub $field: $type, )+ }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: $default, )+ }
            }
        }
    };
}

policy!(
    /// How evidence becomes trust.
    TrustPolicy {
        /// Share by which each source after the strongest counts.
        further_source: f64 = 0.5,
        /// What is left of trust when an active memory of equal rank says otherwise.
        contested: f64 = 0.5,
        /// From here on a memory is asserted.
        assert_from: f64 = 0.75,
        /// Below this it is only offered for checking.
        doubtful_below: f64 = 0.4,
        /// From this salience on, a doubtful memory is worth checking.
        verify_salience: f64 = 0.5,
    }
);

policy!(
    /// How use becomes salience.
    SaliencePolicy {
        /// Active days of disuse that cost nothing.
        grace_days: f64 = 7.0,
        /// Weight of the logarithm of uses.
        usage_weight: f64 = 0.5,
        /// The most that use can multiply salience by.
        usage_max: f64 = 2.0,
        /// Below this raw salience a memory does not come up by itself.
        dormant_below: f64 = 0.2,
        /// What was seeded from a flat memory file never falls below this.
        anchor_floor: f64 = 0.2,
        /// Sessions of use that make a memory established.
        established_sessions: usize = 3,
    }
);

policy!(
    /// How a session's attention moves.
    ActivationPolicy {
        /// Gain of being spoken of.
        mention: f64 = 0.2,
        /// Gain of being opened.
        expand: f64 = 0.1,
        /// Gain of coming up beside something used.
        co_use: f64 = 0.05,
        /// Share lost at the farthest distance.
        distance_loss: f64 = 0.5,
        /// Hops beyond which distance no longer counts.
        hop_cap: u32 = 4,
        /// Turns after which presence halves.
        half_life_turns: f64 = 20.0,
        /// Presence needed to be in focus.
        focus_from: f64 = 0.3,
        /// Nodes in focus at most.
        focus_max: usize = 5,
        /// Anchors never fall below this.
        anchor_floor: f64 = 0.2,
    }
);

policy!(
    /// How edges strengthen and fade.
    EdgePolicy {
        /// Gain of one reinforcement.
        reinforcement: f64 = 0.05,
        /// Loss for each whole window without one.
        loss_per_window: f64 = 0.1,
        /// Active days in a window.
        window_days: f64 = 90.0,
        /// Strength never falls below this.
        floor: f64 = 0.1,
        /// Edges below this are not walked.
        prune_below: f64 = 0.2,
        /// Degree at which a hub lets through 1/√2 of the flow.
        hub_degree: f64 = 10.0,
    }
);

policy!(
    /// When memories leave view, change tier, graduate. Days are active days.
    LifecyclePolicy {
        /// Age after which an unimportant, unused fact may be archived.
        archive_after_days: f64 = 90.0,
        /// Importance below which that applies.
        archive_importance_below: f64 = 0.3,
        /// Uses up to which that applies.
        archive_uses_max: u64 = 2,
        /// Confidence below which a claim is a guess.
        speculative_below: f64 = 0.40,
        /// Age after which an unconfirmed guess expires.
        expire_speculative_days: f64 = 30.0,
        /// Days after which a settled commitment expires.
        expire_commitment_days: f64 = 90.0,
        /// Raw salience below which a memory is dormant.
        dormant_below: f64 = 0.2,
        /// Weeks of dormancy after which an anchor is reviewed.
        anchor_review_weeks: f64 = 6.0,
        /// Age before which nothing is demoted.
        tier_min_age_days: f64 = 14.0,
        /// Value at or below which a memory is demoted.
        demote_at: f64 = 0.35,
        /// Value at or above which it is promoted.
        promote_at: f64 = 0.70,
        /// Gain of being confirmed or a correction.
        tier_boost: f64 = 0.1,
        /// Loss of being contested.
        tier_contested_loss: f64 = 0.15,
        /// Sessions of use needed to graduate.
        graduate_sessions: usize = 3,
        /// Salience needed to graduate.
        graduate_salience: f64 = 0.6,
        /// Edges needed to graduate.
        graduate_edges: usize = 2,
    }
);

policy!(
    /// How words are looked up and scored.
    WordPolicy {
        /// Documents that may be scored for one query; frequent words beyond it are dropped.
        postings_max: u64 = 12_000,
        /// Candidates a store hands over for scoring.
        candidates_max: usize = 256,
        /// Documents looked at when every word of a query is too frequent.
        newest_max: usize = 1_024,
        /// How soon repeating a word stops paying.
        k1: f64 = 1.2,
        /// How much length counts against a document.
        b: f64 = 0.75,
    }
);

policy!(
    /// How the final order is made.
    RankPolicy {
        /// How much salience tilts.
        salience_share: f64 = 0.2,
        /// How much trust tilts.
        trust_share: f64 = 0.3,
        /// What is left of the relevance of a memory on probation.
        unproven: f64 = 0.9,
    }
);

policy!(
    /// How much is put in front of an agent.
    RecallPolicy {
        /// Tokens for one prompt.
        budget_tokens: usize = 800,
        /// Memories for one prompt.
        items_max: usize = 5,
        /// Candidates below this share of the best are left out.
        worth_saying: f64 = 0.35,
    }
);

policy!(
    /// What is too large. Every limit in one table.
    Limits {
        /// Bytes of one memory.
        content_bytes_max: usize = 65_536,
        /// Bytes of a tag, label, domain, reason or slot part.
        field_bytes_max: usize = 1_024,
        /// Tags on one memory.
        tags_max: usize = 64,
        /// Rows one listing returns.
        list_max: usize = 10_000,
        /// Depth of a why-tree.
        why_depth_max: usize = 16,
        /// Nodes of a drawn graph.
        graph_nodes_max: usize = 500,
    }
);
