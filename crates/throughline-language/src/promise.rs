//! Promises: until when something that was promised is due, as its words say.

mod deadline;

use jiff::civil::Date;
use throughline_core::{Timestamp, when};

use deadline::deadline;

/// The last moment by which a promise is due: the first time it names that still lies ahead of whoever made it.
pub fn due(promise: &str, made: Timestamp) -> Option<Timestamp> {
    let today = jiff::Timestamp::from_millisecond(made.as_millis()).ok()?;
    let today = jiff::tz::Offset::UTC.to_datetime(today).date();
    let ahead = when::find(promise, made).into_iter().find_map(|mention| {
        let end = mention.span.until.filter(|end| *end > made)?;
        Some((mention.range.start, end))
    });
    let named = deadline(promise, today).and_then(|named| Some((named.start, end_of(named.day)?)));
    let end = match (named, ahead) {
        (Some((_, end)), None) | (None, Some((_, end))) => end,
        (Some(named), Some(ahead)) => {
            if named.0 <= ahead.0 {
                named.1
            } else {
                ahead.1
            }
        }
        (None, None) => return None,
    };
    Some(Timestamp::from_millis(end.as_millis() - 1))
}

/// The first moment after a day.
fn end_of(day: Date) -> Option<Timestamp> {
    let next = day.tomorrow().ok()?.at(0, 0, 0, 0);
    let moment = jiff::tz::Offset::UTC.to_timestamp(next).ok()?;
    Some(Timestamp::from_millis(moment.as_millisecond()))
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

    /// Monday, 2 March 2026.
    #[test]
    fn a_day_is_read_as_people_write_it_and_lies_ahead() {
        for (promise, date) in [
            ("send it by friday 27 mar", "2026-03-27"),
            ("send it by monday 30.3.", "2026-03-30"),
            ("send it by monday 30.03", "2026-03-30"),
            ("send it by tuesday the 24th", "2026-03-24"),
            ("send it by sunday, mar 29", "2026-03-29"),
            ("send it fri 27 march", "2026-03-27"),
            ("ship thursday 3 december, not earlier", "2026-12-03"),
            ("call her on thu 19/3", "2026-03-19"),
            ("the audit is Mon 23 Mar", "2026-03-23"),
            ("logs to Omar, eod friday", "2026-03-06"),
            ("renew the domain before Jan 5", "2027-01-04"),
            ("pay it on the 20th", "2026-03-20"),
            ("pay it by the 1st", "2026-04-01"),
            ("answer within 10 days", "2026-03-12"),
            ("I'll look at it in two weeks", "2026-03-16"),
            ("I'll look at it in 3 weeks", "2026-03-23"),
            ("rotate the keys by end of year", "2026-12-31"),
            ("rotate the keys by the end of the quarter", "2026-03-31"),
            ("rotate them by 27/11", "2026-11-27"),
            ("rotate them by 12/15", "2026-12-15"),
            ("due on 5 April 2027", "2027-04-05"),
            ("no later than sept 14", "2026-09-14"),
        ] {
            assert_eq!(due_on(promise).as_deref(), Some(date), "{promise}");
        }
    }

    #[test]
    fn what_only_looks_like_a_day_is_no_deadline() {
        for promise in [
            "answer the letter of 20 Feb",
            "move nixos to 20.11",
            "cover 2/3 of the cases",
            "keep support up 24/7",
            "fix the job that ran last friday",
            "look at the first of the logs",
            "run it every friday",
            "clean up by 03/04",
            "may 3 workers be enough",
        ] {
            assert_eq!(due_on(promise), None, "{promise}");
        }
    }
}
