//! Times: whether a prompt asks about one, and what falls into it.

use throughline_core::when::Grain;
use throughline_core::{Timestamp, words as terms};
use throughline_language::question::{AskKind, Question};

/// Whether a prompt asks about a time and nothing else: "what did we do last week?"
pub(super) fn is_about_time(query: &str, question: &Question) -> bool {
    if question.times.is_empty() || question.ask == AskKind::Statement {
        return false;
    }
    let mut rest = query.to_owned();
    for mention in question.times.iter().rev() {
        rest.replace_range(mention.range.clone(), " ");
    }
    terms::query_terms(&rest).iter().all(|term| terms::is_common(term))
}

/// Whether a moment falls into a time that the question speaks of; shortly after counts half,
/// because people tell of things afterwards.
pub(super) fn in_time(at: Timestamp, question: &Question) -> f64 {
    question
        .times
        .iter()
        .map(|mention| {
            let slack = match mention.span.grain {
                Grain::Hour | Grain::Day => 1.5,
                Grain::Week => 3.0,
                Grain::Month => 7.0,
                Grain::Season | Grain::Quarter | Grain::Year => 14.0,
            };
            match mention.span.distance_days(at) {
                0.0 => 1.0,
                days if days <= slack => 0.5,
                _ => 0.0,
            }
        })
        .fold(0.0, f64::max)
}
