//! Times spoken of: which stretch a phrase means, and what is no time at all.

use proptest::prelude::*;
use throughline_core::Timestamp;
use throughline_core::when::{Grain, TimeMention, TimeSpan, find, validity};

use crate::arbitrary;

/// A Monday.
fn anchor() -> Timestamp {
    "2023-05-08T13:56:00Z".parse().expect("a moment")
}

fn only(text: &str) -> TimeMention {
    let mentions = find(text, anchor());
    assert_eq!(mentions.len(), 1, "{text}: {mentions:?}");
    mentions[0].clone()
}

/// A moment in short: the date, with the time where it is not midnight, `..` for an open end.
fn short(moment: Option<Timestamp>) -> String {
    let Some(moment) = moment else { return "..".to_owned() };
    let text = moment.to_string();
    if text.contains("T00:00:00.000") { text[..10].to_owned() } else { text[..16].to_owned() }
}

/// `phrase => from until`
fn check(table: &str) {
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let (phrase, expected) = line.split_once("=>").expect("an arrow");
        let phrase = phrase.trim();
        for text in [phrase.to_owned(), format!("what did Ada fix {phrase}?")] {
            let mention = only(&text);
            let got = format!("{} {}", short(mention.span.from), short(mention.span.until));
            assert_eq!(got, expected.split_whitespace().collect::<Vec<_>>().join(" "), "{text}");
            assert_eq!(&text[mention.range], phrase, "{text}");
        }
    }
}

#[test]
fn days_near_now() {
    check(
        "today                        => 2023-05-08 2023-05-09
         yesterday                    => 2023-05-07 2023-05-08
         tomorrow                     => 2023-05-09 2023-05-10
         the day before yesterday     => 2023-05-06 2023-05-07
         the day after tomorrow       => 2023-05-10 2023-05-11
         this morning                 => 2023-05-08T05:00 2023-05-08T12:00
         yesterday afternoon          => 2023-05-07T12:00 2023-05-07T18:00
         last night                   => 2023-05-07T18:00 2023-05-08T06:00
         the night before last        => 2023-05-06T18:00 2023-05-07T06:00
         tonight                      => 2023-05-08T18:00 2023-05-09T06:00
         earlier today                => 2023-05-08 2023-05-09
         the other day                => 2023-05-01 2023-05-08",
    );
}

#[test]
fn a_weekday_is_the_last_one_before_now() {
    check(
        "on Tuesday                   => 2023-05-02 2023-05-03
         on Monday                    => 2023-05-01 2023-05-02
         Friday                       => 2023-05-05 2023-05-06
         last Friday                  => 2023-05-05 2023-05-06
         last Monday                  => 2023-05-01 2023-05-02
         this Wednesday               => 2023-05-10 2023-05-11
         this past Thursday           => 2023-05-04 2023-05-05
         next Tuesday                 => 2023-05-09 2023-05-10
         next Monday                  => 2023-05-15 2023-05-16
         the Tuesday before last      => 2023-04-25 2023-04-26
         on Sunday evening            => 2023-05-07T18:00 2023-05-08
         Tuesday of last week         => 2023-05-02 2023-05-03
         on Thu                       => 2023-05-04 2023-05-05",
    );
}

#[test]
fn weeks_and_weekends() {
    check(
        "last week                    => 2023-05-01 2023-05-08
         this week                    => 2023-05-08 2023-05-15
         next week                    => 2023-05-15 2023-05-22
         the week before last         => 2023-04-24 2023-05-01
         earlier this week            => 2023-05-08 2023-05-09
         over the weekend             => 2023-05-06 2023-05-08
         last weekend                 => 2023-05-06 2023-05-08
         the past weekend             => 2023-05-06 2023-05-08
         this weekend                 => 2023-05-13 2023-05-15
         the week of May 3rd          => 2023-05-01 2023-05-08
         the first week of March      => 2023-03-01 2023-03-08
         the last week of April       => 2023-04-24 2023-05-01
         end of next week             => 2023-05-19 2023-05-22",
    );
}

#[test]
fn distances_from_now() {
    check(
        "3 days ago                   => 2023-05-05 2023-05-06
         3d ago                       => 2023-05-05 2023-05-06
         a couple of days ago         => 2023-05-06 2023-05-07
         a few days ago               => 2023-05-03 2023-05-07
         two weeks ago                => 2023-04-21 2023-04-28
         a month ago                  => 2023-03-24 2023-04-24
         a year ago                   => 2021-11-07 2022-11-07
         two hours ago                => 2023-05-08T11:26 2023-05-08T12:26
         10 minutes ago               => 2023-05-08T13:16 2023-05-08T13:56
         half an hour ago             => 2023-05-08T12:56 2023-05-08T13:56
         in two weeks                 => 2023-05-19 2023-05-26
         in 3 days                    => 2023-05-11 2023-05-12
         three months from now        => 2023-07-24 2023-08-24
         the last 3 days              => 2023-05-05 2023-05-09
         past two months              => 2023-03-08 2023-05-09
         over the past week           => 2023-05-01 2023-05-09
         in the last month            => 2023-04-08 2023-05-09
         within the last 24 hours     => 2023-05-07T13:56 2023-05-08T13:56
         over the next few weeks      => 2023-05-08 2023-06-13
         the week before 9 April      => 2023-04-02 2023-04-09
         two days after the 12th of April => 2023-04-14 2023-04-15",
    );
}

#[test]
fn a_month_is_the_last_one_that_has_begun() {
    check(
        "in May                       => 2023-05-01 2023-06-01
         in may                       => 2023-05-01 2023-06-01
         in June                      => 2022-06-01 2022-07-01
         in march                     => 2023-03-01 2023-04-01
         last month                   => 2023-04-01 2023-05-01
         last May                     => 2022-05-01 2022-06-01
         next May                     => 2024-05-01 2024-06-01
         next June                    => 2023-06-01 2023-07-01
         in May 2021                  => 2021-05-01 2021-06-01
         May, 2021                    => 2021-05-01 2021-06-01
         in March of last year        => 2022-03-01 2022-04-01
         in June '21                  => 2021-06-01 2021-07-01
         Sept 2022                    => 2022-09-01 2022-10-01
         in Oct                       => 2022-10-01 2022-11-01
         December                     => 2022-12-01 2023-01-01
         05/2021                      => 2021-05-01 2021-06-01
         2021-05                      => 2021-05-01 2021-06-01
         early June                   => 2022-06-01 2022-06-11
         mid-March                    => 2023-03-11 2023-03-21
         in late April                => 2023-04-21 2023-05-01
         the end of the month         => 2023-05-21 2023-06-01",
    );
}

#[test]
fn dates_in_words_and_figures() {
    check(
        "May 7th                      => 2023-05-07 2023-05-08
         on May 20                    => 2022-05-20 2022-05-21
         7 May, 2023                  => 2023-05-07 2023-05-08
         on the 7th of may            => 2023-05-07 2023-05-08
         May 7, 2021                  => 2021-05-07 2021-05-08
         Monday, 8 May                => 2023-05-08 2023-05-09
         on Tue, Mar 14 2023          => 2023-03-14 2023-03-15
         the first of April           => 2023-04-01 2023-04-02
         on the 12th                  => 2023-04-12 2023-04-13
         on the 5th                   => 2023-05-05 2023-05-06
         29 February                  => 2020-02-29 2020-03-01
         2023-05-07                   => 2023-05-07 2023-05-08
         2023/05/07                   => 2023-05-07 2023-05-08
         2023-05-07T10:30:00Z         => 2023-05-07 2023-05-08
         25/12/2022                   => 2022-12-25 2022-12-26
         12/25/2022                   => 2022-12-25 2022-12-26
         07.05.2023                   => 2023-05-07 2023-05-08",
    );
}

#[test]
fn seasons_quarters_and_years() {
    check(
        "last spring                  => 2022-03-01 2022-06-01
         this spring                  => 2023-03-01 2023-06-01
         last winter                  => 2022-12-01 2023-03-01
         next summer                  => 2023-06-01 2023-09-01
         in the summer                => 2022-06-01 2022-09-01
         summer of 2021               => 2021-06-01 2021-09-01
         Q3 2025                      => 2025-07-01 2025-10-01
         in Q4                        => 2022-10-01 2023-01-01
         last quarter                 => 2023-01-01 2023-04-01
         the second quarter of 2022   => 2022-04-01 2022-07-01
         in 2021                      => 2021-01-01 2022-01-01
         last year                    => 2022-01-01 2023-01-01
         the year before last         => 2021-01-01 2022-01-01
         end of last year             => 2022-09-01 2023-01-01
         in early 2022                => 2022-01-01 2022-05-01
         earlier this year            => 2023-01-01 2023-05-09",
    );
}

#[test]
fn ranges_and_open_ends() {
    check(
        "between 3 and 9 June         => 2022-06-03 2022-06-10
         between May 3 and May 5      => 2023-05-03 2023-05-06
         June 3-9                     => 2022-06-03 2022-06-10
         3–9 June                     => 2022-06-03 2022-06-10
         from March to May            => 2023-03-01 2023-06-01
         from November to February    => 2022-11-01 2023-03-01
         from November 2020 to March  => 2020-11-01 2021-04-01
         from 2019 to 2021            => 2019-01-01 2022-01-01
         between Monday and Wednesday => 2023-05-01 2023-05-04
         from 2023-04-01 to 2023-04-15 => 2023-04-01 2023-04-16
         since Monday                 => 2023-05-01 ..
         since the weekend            => 2023-05-06 ..
         since 2021                   => 2021-01-01 ..
         after the 12th of June       => 2022-06-13 ..
         before May 2021              => .. 2021-05-01
         prior to last week           => .. 2023-05-01
         until last week              => .. 2023-05-08
         by Friday                    => .. 2023-05-13
         since two weeks ago          => 2023-04-21 ..",
    );
}

#[test]
fn what_is_no_time_is_not_read() {
    for text in [
        "this may be slow",
        "you may want to cache it",
        "It may 3 times fail",
        "May I push?",
        "may be",
        "the last may be wrong",
        "clients MAY retry",
        "march on with the plan",
        "March through the list",
        "wait a second",
        "the second test",
        "it sat there",
        "the sun is up",
        "bump to 1.2.3",
        "version 2023.05.07",
        "it takes 10 ms",
        "2.5x faster",
        "see #2023",
        "issue 404",
        "the 404 page",
        "after the 404",
        "on the 3rd try",
        "after the 2nd run",
        "in 2000 ms",
        "in 2023 files",
        "listen on port 2023",
        "add 3",
        "3 days",
        "it was built in two weeks",
        "in a week",
        "for 2 hours",
        "every Monday",
        "each May",
        "on Mondays",
        "on a Sunday",
        "on Saturday mornings",
        "Good Friday",
        "at weekends",
        "the last 10 lines",
        "the last commit",
        "next step",
        "last time",
        "this time",
        "the day of the week",
        "Spring Boot",
        "in Spring we inject it",
        "fall back to the default",
        "this Spring application",
        "last_week",
        "rename `yesterday`",
        "Date.today()",
        "src/may/2023-05-07-notes.md",
        "--since=yesterday",
        "05/07/2023",
        "5/7",
        "2023-13-40",
    ] {
        assert_eq!(find(text, anchor()), [], "{text}");
    }
}

#[test]
fn names_and_numbers_are_no_times() {
    for text in [
        "10-20 items",
        "mar the finish",
        "the dec opcode",
        "ask April",
        "written by June",
        "sep = ','",
        "jan wrote it",
        "2 or 3",
        "$2023",
        "0x2023",
        "192.168.20.23",
        "months of work",
        "Q1: why?",
        "by hand",
        "since it broke",
        "before lunch",
    ] {
        assert_eq!(find(text, anchor()), [], "{text}");
    }
}

#[test]
fn several_times_come_in_order() {
    let text = "Yesterday we shipped it; in March 2022 it was planned, since Monday it runs.";
    let found: Vec<&str> =
        find(text, anchor()).iter().map(|one| &text[one.range.clone()]).collect();
    assert_eq!(found, ["Yesterday", "in March 2022", "since Monday"]);
    let text = "1:56 pm on 8 May, 2023";
    assert_eq!(&text[only(text).range], "on 8 May, 2023");
}

#[test]
fn a_span_knows_what_it_holds_and_how_far_the_rest_is() {
    let day = |text: &str| -> Timestamp { text.parse().unwrap() };
    let may = only("in May").span;
    assert_eq!(may.grain, Grain::Month);
    assert!(may.holds(day("2023-05-01T00:00:00Z")));
    assert!(!may.holds(day("2023-06-01T00:00:00Z")));
    let days = |span: TimeSpan, text: &str| format!("{:.1}", span.distance_days(day(text)));
    assert_eq!(days(may, "2023-05-20T00:00:00Z"), "0.0");
    assert_eq!(days(may, "2023-04-29T00:00:00Z"), "2.0");
    assert_eq!(days(may, "2023-06-01T12:00:00Z"), "0.5");
    let since = only("since Monday").span;
    assert_eq!(days(since, "2030-01-01T00:00:00Z"), "0.0");
    assert_eq!(days(since, "2023-04-30T00:00:00Z"), "1.0");
}

#[test]
fn only_the_beginning_of_a_long_text_is_read() {
    let long = format!("yesterday {} today", "é".repeat(500_000));
    assert_eq!(find(&long, anchor()).len(), 1);
    let repeated = "early mid-first week of the day before ".repeat(20_000);
    assert_eq!(find(&repeated, anchor()), []);
}

/// Words that times are made of, in no order.
fn salad() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "may",
        "May",
        "march",
        "Monday",
        "last",
        "next",
        "this",
        "the",
        "week",
        "day",
        "of",
        "before",
        "after",
        "since",
        "until",
        "by",
        "from",
        "to",
        "between",
        "and",
        "in",
        "on",
        "3",
        "31",
        "29",
        "7th",
        "2023",
        "9999",
        "0",
        "999",
        "Feb",
        "mid",
        "-",
        "early",
        "end",
        "ago",
        "two",
        "a",
        "few",
        "years",
        "months",
        "Q3",
        "winter",
        "weekend",
        "night",
        "2023-02-29",
        "31/12/2099",
        ",",
        "'",
        "'23",
        "\n\n",
        "é",
        "couple",
        "yesterday",
        "first",
        "hours",
    ];
    prop::collection::vec(prop::sample::select(WORDS), 0..14).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn any_text_at_any_time_gives_ordered_spans(
        text in prop_oneof![arbitrary::text(), salad(), any::<String>()],
        millis in prop_oneof![any::<i64>(), 0..4_000_000_000_000_i64],
    ) {
        let mut end = 0;
        for TimeMention { range, span } in find(&text, Timestamp::from_millis(millis)) {
            prop_assert!(end <= range.start && range.start < range.end);
            prop_assert!(text.get(range.clone()).is_some(), "{range:?}");
            end = range.end;
            prop_assert!(span.from.is_some() || span.until.is_some());
            if let (Some(from), Some(until)) = (span.from, span.until) {
                prop_assert!(from < until, "{span:?}");
            }
        }
    }
}

#[test]
fn a_claim_says_itself_since_when_and_until_when_it_holds() {
    for (claim, from, until) in [
        ("Staging runs Postgres 16 since 2023-03-01", "2023-03-01", ".."),
        ("Since March we deploy from main", "2023-03-01", ".."),
        ("The API is frozen until 2023-06-30", "..", "2023-07-01"),
        ("The freeze held until 2022-01-01", "..", ".."),
        ("The release is due before 2023-06-30", "..", ".."),
        ("We decided on Tuesday to use pnpm", "..", ".."),
        ("The port is 8080", "..", ".."),
    ] {
        let (since, end) = validity(claim, anchor());
        assert_eq!((short(since).as_str(), short(end).as_str()), (from, until), "{claim}");
    }
}
