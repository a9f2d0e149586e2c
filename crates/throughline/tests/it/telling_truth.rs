//! What is told holds, fits, is news to whoever hears it, and is told once.

use crate::harness::Home;
use crate::hooking::Agent;
use crate::two_doors::says;

#[test]
fn a_turn_that_was_said_otherwise_since_is_not_quoted_even_where_the_newer_value_was_told_already()
{
    let home = Home::new();
    says(&home, "monday", "The test suite takes 12 minutes.");
    home.travel("2026-03-03");
    says(&home, "tuesday", "The test suite takes 8 minutes now.");
    home.travel("2026-03-04");
    let agent = Agent::new(&home, "wednesday");
    let brief = agent.starts();
    assert!(brief.contains("8 minutes"), "{brief}");
    for prompt in ["test suite duration?", "How long does the test suite take?"] {
        let told = agent.hears(prompt);
        assert!(!told.contains("12 minutes"), "{prompt}: {told}");
    }
}
