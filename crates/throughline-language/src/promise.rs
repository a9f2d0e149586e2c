//! Promises: until when something that was promised is due, as its words say.

use throughline_core::{Timestamp, when};

/// The last moment by which a promise is due: the first time it names that still lies ahead of whoever made it.
pub fn due(promise: &str, made: Timestamp) -> Option<Timestamp> {
    let ends = when::find(promise, made).into_iter().filter_map(|mention| mention.span.until);
    let ahead =
        ends.filter(|end| *end > made).map(|end| Timestamp::from_millis(end.as_millis() - 1));
    ahead.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due_on(promise: &str) -> Option<String> {
        let made = Timestamp::parse_human("2026-03-02T09:00:00Z", Timestamp::EPOCH).unwrap();
        due(promise, made).map(Timestamp::date)
    }

    #[test]
    fn the_first_time_ahead_is_when_a_promise_is_due() {
        for (promise, date) in [
            ("Send the report by 2026-03-20", Some("2026-03-20")),
            ("Send the report by Friday", Some("2026-03-06")),
            ("Finish the migration by the end of March", Some("2026-03-31")),
            ("Renew the certificate before 2026-04-01", Some("2026-03-31")),
            ("Tell Dana tomorrow", Some("2026-03-03")),
            ("Answer the letter of 2026-02-20", None),
            ("Clean up the flags", None),
        ] {
            assert_eq!(due_on(promise).as_deref(), date, "{promise}");
        }
    }
}
