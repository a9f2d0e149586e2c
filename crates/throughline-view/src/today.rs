//! What came in lately.

use serde::Serialize;
use throughline_engine::{Card, DayNearness, Today};
use utoipa::ToSchema;

use crate::memory::WireMemory;
use crate::review::WireToCheck;

/// What came in, changed and was told since a moment.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireToday {
    pub since: String,
    pub learned: Vec<WireMemory>,
    pub replaced: Vec<WireMemory>,
    pub questioned: Vec<WireMemory>,
    /// What was archived, retracted or has expired.
    pub away: Vec<WireMemory>,
    pub verify: Vec<WireToCheck>,
    pub told: usize,
    pub gaps: Vec<WireMemory>,
}

/// The memories of the last days.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireLately {
    pub items: Vec<WireNear>,
    pub total: usize,
}

/// A memory, with how much of it is shown to a person.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireNear {
    #[serde(flatten)]
    pub memory: WireMemory,
    pub detail: &'static str,
}

impl From<&Today> for WireToday {
    fn from(today: &Today) -> Self {
        let wire = |cards: &[Card]| cards.iter().map(WireMemory::from).collect();
        Self {
            since: today.since.to_string(),
            learned: wire(&today.learned),
            replaced: wire(&today.replaced),
            questioned: wire(&today.questioned),
            away: wire(&today.away),
            verify: today.verify.iter().map(WireToCheck::from).collect(),
            told: today.told,
            gaps: wire(&today.gaps),
        }
    }
}

impl WireLately {
    /// The memories that were found.
    pub fn new(found: &[(Card, DayNearness)]) -> Self {
        let near = |(card, nearness): &(Card, DayNearness)| WireNear {
            memory: card.into(),
            detail: match nearness {
                DayNearness::Full => "full",
                DayNearness::Line => "line",
                DayNearness::Landmark => "landmark",
            },
        };
        Self { items: found.iter().map(near).collect(), total: found.len() }
    }
}
