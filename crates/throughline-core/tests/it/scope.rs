//! Walls between projects and sessions.

use throughline_core::scope::{Level, Reach, level};
use throughline_core::{Authority, Memory, SpaceId};

use crate::world::{SPACE, fact, session};

fn kept_in(space: SpaceId, bound_to: Option<&str>) -> Memory {
    Memory { space, session: bound_to.map(session), ..fact(1, "x", Authority::Observed) }
}

#[test]
fn a_reader_sees_its_project_what_is_global_and_its_own_session_only() {
    let reader = Reach::of(SPACE, Some(session("mine")));
    for (memory, seen) in [
        (kept_in(SPACE, None), true),
        (kept_in(SpaceId::GLOBAL, None), true),
        (kept_in(SPACE, Some("mine")), true),
        (kept_in(SPACE, Some("theirs")), false),
        (kept_in(SpaceId(2), None), false),
        (kept_in(SpaceId(2), Some("mine")), false),
    ] {
        assert_eq!(reader.sees(&memory), seen, "{memory:?}");
    }
    let nobody = Reach::of(SPACE, None);
    assert!(!nobody.sees(&kept_in(SPACE, Some("mine"))));
    assert_eq!(Reach::of(SpaceId::GLOBAL, None).spaces, [SpaceId::GLOBAL]);
}

#[test]
fn how_far_a_memory_reaches_follows_from_where_it_is_kept() {
    for (memory, expected) in [
        (kept_in(SpaceId::GLOBAL, None), Level::Global),
        (kept_in(SPACE, None), Level::Project),
        (kept_in(SPACE, Some("s")), Level::Session),
        (kept_in(SpaceId::GLOBAL, Some("s")), Level::Session),
    ] {
        assert_eq!(level(&memory), expected, "{memory:?}");
    }
}
