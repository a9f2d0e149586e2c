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
    /// How far a walk along edges goes.
    pub frontier: FrontierPolicy,
    /// When memories leave view, change tier, graduate.
    pub lifecycle: LifecyclePolicy,
    /// When a stretch of work on one topic ends, and what it goes on from.
    pub boxes: BoxPolicy,
    /// How words are looked up and scored.
    pub words: WordPolicy,
    /// How the arms add up to relevance.
    pub relevance: RelevancePolicy,
    /// How the final order is made.
    pub rank: RankPolicy,
    /// How much is put in front of an agent.
    pub recall: RecallPolicy,
    /// How that is written.
    pub page: PagePolicy,
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
        /// So many needless alarms, and not one that was right, narrow a binding.
        false_alarms_max: u32 = 3,
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
        /// How many times slower an established memory fades.
        established_slower: f64 = 4.0,
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
    /// How far a walk along edges goes.
    FrontierPolicy {
        /// Edges between a seed and what is reached from it, at most. Never more than 3.
        depth_max: u32 = 2,
        /// Neighbours that one node leads on to, at most.
        fan_out: usize = 10,
        /// Nodes reached at most; and nodes whose edges are looked at in one wave.
        nodes_max: usize = 30,
        /// Seeds that are walked from at most.
        seeds_max: usize = 10,
        /// What is left of the flow after each edge.
        hop_decay: f64 = 0.7,
        /// What is left of the flow to a node that does not fit the query at all.
        relevance_floor: f64 = 0.3,
        /// Whether edges below `EdgePolicy::prune_below` are walked as well.
        include_weak: bool = false,
        /// Rounds of the optional re-score. 0: none.
        pagerank_rounds: u32 = 0,
        /// Share of the flow that goes on in each round instead of starting again at a seed.
        pagerank_damping: f64 = 0.85,
        /// How readily a walk goes from a memory to the one it replaced.
        backwards_in_time: f64 = 0.1,
    }
);

policy!(
    /// When memories leave view, change tier, graduate. Days are active days.
    LifecyclePolicy {
        /// Whether anything leaves view or changes tier by itself.
        enabled: bool = true,
        /// Whether the flat memory files of a project are read.
        reads_files: bool = true,
        /// Age after which an unimportant, unused fact may be archived.
        archive_after_days: f64 = 90.0,
        /// Importance below which that applies.
        archive_importance_below: f64 = 0.3,
        /// Uses up to which that applies.
        archive_uses_max: u64 = 2,
        /// Uses from which disuse alone takes nothing out of view.
        protected_uses: u64 = 5,
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
        /// How much the extractor's certainty counts for the value.
        tier_confidence_share: f64 = 0.2,
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
    /// When a stretch of work on one topic ends, and what it goes on from.
    BoxPolicy {
        /// Share of telling terms below which something is about another topic.
        overlap_from: f64 = 0.35,
        /// Minutes without anything new after which a box is sealed.
        quiet_minutes: f64 = 30.0,
        /// Memories in one box at most.
        memories_max: usize = 50,
        /// Telling terms that a text must have to be able to change the topic.
        terms_min: usize = 3,
        /// Share of telling terms from which a box goes on from an earlier one.
        trace_from: f64 = 0.4,
        /// Days within which it does.
        trace_days: f64 = 7.0,
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
        /// Documents that may hold a word of a recall, whatever the size of the index.
        rare_max: usize = 2_000,
        /// A word that more than one in so many documents holds tells nothing.
        frequent_share: usize = 8,
        /// Documents that may hold a word of a recall at most.
        postings_most: usize = 12_000,
        /// How much length counts against a session.
        session_b: f64 = 0.3,
        /// How soon repeating a word stops paying.
        k1: f64 = 1.2,
        /// How much length counts against a document.
        b: f64 = 0.75,
    }
);

policy!(
    /// How words, vectors, neighbours, sessions, speakers and times add up to relevance. Where the
    /// weights come from: docs/quality.md.
    RelevancePolicy {
        /// Candidates that an arm's scores are compared with.
        background: usize = 512,
        /// How many usual candidates stand in where there are few.
        lean: usize = 48,
        /// Telling terms up to which a text is short: its neighbours then say what it is about.
        short_terms: f64 = 20.0,
        /// What a word of the turn before counts.
        before: f64 = 0.6,
        /// What a word of the turn after counts.
        after: f64 = 0.4,
        /// Documents for which every arm is computed.
        candidates: usize = 160,
        /// Weight of its own words.
        words: f64 = 0.47,
        /// Weight of the words around it.
        around: f64 = 0.61,
        /// Weight of its vector.
        cosine: f64 = 0.40,
        /// Weight of the vector after it.
        next_cosine: f64 = 0.14,
        /// Weight of its session's words.
        session_words: f64 = 0.25,
        /// Weight of its session's best vector.
        session_cosine: f64 = 0.43,
        /// Weight of being said by somebody the query names.
        named_voice: f64 = 0.52,
        /// Weight of being said by the asker.
        asker_voice: f64 = 1.82,
        /// Weight of being said by the agent when its words are asked for.
        agent_voice: f64 = 1.22,
        /// Weight of asking.
        asks: f64 = -0.34,
        /// Weight of coming after a question that fits.
        asked_before: f64 = 0.48,
        /// Weight of telling a time that is asked for.
        tells_time: f64 = 1.21,
        /// Weight of telling a number that is asked for.
        tells_number: f64 = 0.72,
        /// Weight of falling into the time that is asked about.
        in_time: f64 = 2.29,
        /// Weight of being named.
        named: f64 = 2.0,
        /// The relevance of a memory that holds all a prompt says.
        covered: f64 = 0.65,
        /// The sum at which the relevance of a memory is one half.
        even_at: f64 = 1.6,
        /// The same for a turn, to whose sum its session and its speaker add.
        even_at_turn: f64 = 4.8,
        /// How slowly it changes around there.
        even_width: f64 = 0.6,
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
        /// Whether the agent is asked to keep what the reader cannot tell.
        asks_agent: bool = true,
        /// Relevance from which something that was not named is said to a question.
        worth_saying: f64 = 0.5,
        /// The same to a prompt that asks nothing, but tells what to do.
        worth_saying_unasked: f64 = 0.85,
        /// Share of the prompt's words that a memory must hold to be said in any case.
        covers_enough: f64 = 0.85,
        /// Share of the relevance that would be enough, from which it is at least hinted at.
        hint_share: f64 = 0.9,
        /// Share of the best score below which nothing is said.
        gap_to_best: f64 = 0.6,
        /// Share of the score before it below which nothing is said.
        gap_to_last: f64 = 0.75,
        /// How readily every edge of a path must be followed for its end to be shown.
        reached_prior: f64 = 0.5,
        /// Memories shown that only the graph came to.
        reached_max: usize = 3,
        /// Minutes for which a session knows what it was shown.
        known_minutes: f64 = 45.0,
    }
);

policy!(
    /// How what is put in front of an agent is written.
    PagePolicy {
        /// Memories shown with their text.
        full_max: usize = 5,
        /// Tokens of one such text.
        full_tokens_max: usize = 200,
        /// Characters of a headline, and of the hint at the end.
        line_chars_max: usize = 120,
        /// Characters of what held before, and of how a memory was reached.
        note_chars_max: usize = 80,
        /// Quotes of what was said.
        quotes_max: usize = 5,
        /// Tokens of one quote: about sixty words.
        quote_tokens_max: usize = 70,
        /// Domains that are counted by name.
        domains_max: usize = 4,
    }
);

policy!(
    /// What is too large. Every limit in one table.
    Limits {
        /// Bytes of one memory.
        content_bytes_max: usize = 65_536,
        /// Bytes of one turn.
        turn_bytes_max: usize = 1_048_576,
        /// Bytes of a tag, label, domain, reason or slot part.
        field_bytes_max: usize = 1_024,
        /// Bytes of one operation that is kept for review.
        operation_bytes_max: usize = 262_144,
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
