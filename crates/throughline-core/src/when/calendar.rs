//! Days, weeks, months and seasons, and which one of many a name means.

use jiff::Span as Step;
use jiff::civil::Date;

use super::Grain;
use crate::Timestamp;

/// The moment of speaking.
#[derive(Debug, Clone, Copy)]
pub(super) struct Anchor {
    pub(super) now: Timestamp,
    pub(super) day: Date,
}

impl Anchor {
    pub(super) fn new(now: Timestamp) -> Option<Self> {
        let moment = jiff::Timestamp::from_millisecond(now.as_millis()).ok()?;
        Some(Self { now, day: jiff::tz::Offset::UTC.to_datetime(moment).date() })
    }
}

/// A stretch with both ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Period {
    pub(super) from: Timestamp,
    pub(super) until: Timestamp,
    pub(super) grain: Grain,
}

impl Period {
    /// From the beginning of one day to the beginning of another.
    pub(super) fn days(from: Date, until: Date, grain: Grain) -> Option<Self> {
        Some(Self { from: moment(from)?, until: moment(until)?, grain })
    }

    /// Hours of a day, counted from its beginning; may run into the next.
    pub(super) fn hours(day: Date, from: i64, until: i64) -> Option<Self> {
        let midnight = moment(day)?;
        let hour = |n: i64| Timestamp::from_millis(midnight.as_millis() + n * MS_PER_HOUR);
        Some(Self { from: hour(from), until: hour(until), grain: Grain::Hour })
    }

    /// The first day of it.
    pub(super) fn first_day(&self) -> Option<Date> {
        Some(Anchor::new(self.from)?.day)
    }
}

const MS_PER_HOUR: i64 = 3_600_000;

fn moment(day: Date) -> Option<Timestamp> {
    let moment = jiff::tz::Offset::UTC.to_timestamp(day.at(0, 0, 0, 0)).ok()?;
    Some(Timestamp::from_millis(moment.as_millisecond()))
}

/// What time is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Unit {
    /// The unit a word names, alone or many of it.
    pub(super) fn named(word: &str) -> Option<Self> {
        Some(match word {
            "minute" | "minutes" | "min" | "mins" => Self::Minute,
            "hour" | "hours" | "hr" | "hrs" | "h" => Self::Hour,
            "day" | "days" | "d" => Self::Day,
            "week" | "weeks" | "w" | "wk" | "wks" => Self::Week,
            "month" | "months" => Self::Month,
            "quarter" | "quarters" => Self::Quarter,
            "year" | "years" | "yr" | "yrs" | "y" => Self::Year,
            _ => return None,
        })
    }

    pub(super) fn grain(self) -> Grain {
        match self {
            Self::Minute | Self::Hour => Grain::Hour,
            Self::Day => Grain::Day,
            Self::Week => Grain::Week,
            Self::Month => Grain::Month,
            Self::Quarter => Grain::Quarter,
            Self::Year => Grain::Year,
        }
    }

    /// The day that lies `count` units after `day`; a part of a day is no step.
    pub(super) fn step(self, day: Date, count: i64) -> Option<Date> {
        let step = match self {
            Self::Minute | Self::Hour => return None,
            Self::Day => Step::new().try_days(count),
            Self::Week => Step::new().try_weeks(count),
            Self::Month => Step::new().try_months(count),
            Self::Quarter => Step::new().try_months(count * 3),
            Self::Year => Step::new().try_years(count),
        };
        day.checked_add(step.ok()?).ok()
    }

    /// The unit of the calendar that holds `day`, or one that lies `ahead` of it.
    pub(super) fn around(self, day: Date, ahead: i64) -> Option<Period> {
        let first = match self {
            Self::Minute | Self::Hour => return None,
            Self::Day => day,
            Self::Week => monday(day)?,
            Self::Month => day.first_of_month(),
            Self::Quarter => Date::new(day.year(), (day.month() - 1) / 3 * 3 + 1, 1).ok()?,
            Self::Year => day.first_of_year(),
        };
        let first = self.step(first, ahead)?;
        Period::days(first, self.step(first, 1)?, self.grain())
    }

    /// The time `count` units from now, give or take half a unit; of days, the day.
    pub(super) fn about(self, anchor: Anchor, count: i64) -> Option<Period> {
        let give_days = match self {
            Self::Minute | Self::Hour => return self.clock(anchor, count),
            Self::Day => 0,
            Self::Week => 3,
            Self::Month => 15,
            Self::Quarter => 45,
            Self::Year => 182,
        };
        let day = self.step(anchor.day, count)?;
        let (from, until) = (add_days(day, -give_days)?, add_days(day, give_days + 1)?);
        Period::days(from, until, self.grain())
    }

    /// As `about`, by the clock: give or take half an hour, on this side of now.
    fn clock(self, anchor: Anchor, count: i64) -> Option<Period> {
        let unit_ms = if self == Self::Minute { 60_000 } else { MS_PER_HOUR };
        let now = anchor.now.as_millis();
        let middle = now.checked_add(count.checked_mul(unit_ms)?)?;
        let (mut from, mut until) = (middle - MS_PER_HOUR / 2, middle + MS_PER_HOUR / 2);
        if count < 0 {
            until = until.min(now);
        } else {
            from = from.max(now);
        }
        Some(Period {
            from: Timestamp::from_millis(from),
            until: Timestamp::from_millis(until),
            grain: Grain::Hour,
        })
    }

    /// The `count` units up to now, today included; with a negative count, those to come.
    pub(super) fn rolling(self, anchor: Anchor, count: i64) -> Option<Period> {
        if matches!(self, Self::Minute | Self::Hour) {
            let unit_ms = if self == Self::Minute { 60_000 } else { MS_PER_HOUR };
            let other = Timestamp::from_millis(anchor.now.as_millis() - count * unit_ms);
            let (from, until) = (other.min(anchor.now), other.max(anchor.now));
            return Some(Period { from, until, grain: Grain::Hour });
        }
        let other = self.step(anchor.day, -count)?;
        let (first, last) = (other.min(anchor.day), other.max(anchor.day));
        Period::days(first, add_days(last, 1)?, self.grain())
    }
}

pub(super) fn add_days(day: Date, count: i64) -> Option<Date> {
    Unit::Day.step(day, count)
}

pub(super) fn monday(day: Date) -> Option<Date> {
    add_days(day, -i64::from(day.weekday().to_monday_zero_offset()))
}

/// A time named as people name it, often without a year.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Naming {
    Date {
        year: Option<i16>,
        month: i8,
        day: i8,
    },
    DayOfMonth(i8),
    /// Monday is 0.
    Weekday(i8),
    Month {
        year: Option<i16>,
        month: i8,
    },
    Quarter {
        year: Option<i16>,
        number: i8,
    },
    /// Spring is 0.
    Season {
        year: Option<i16>,
        number: i8,
    },
    Year(i16),
    /// Said so that it needs no choice.
    Fixed(Period),
}

/// Which one is meant of those that bear the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// The latest that has begun; of weekdays, the latest that is over.
    Latest,
    /// The latest that is over: "last".
    Over,
    /// The one of this week or year: "this".
    Current,
    /// The first that has not begun: "next".
    Coming,
    /// The first that is not over: "by".
    Ahead,
}

impl Naming {
    /// Reads a date in figures. Where day and month could be taken for each other there is none.
    pub(super) fn in_figures(text: &str) -> Option<Self> {
        let (date, rest) = text.split_at_checked(10).unwrap_or((text, ""));
        let sign = date.chars().find(|c| !c.is_ascii_digit())?;
        let parts: Vec<&str> = date.split(sign).collect();
        let number = |at: usize| parts.get(at)?.parse::<i16>().ok();
        let small = |at: usize| i8::try_from(number(at)?).ok();
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        let year = |at: usize| number(at).filter(|year| (1900..2100).contains(year));
        let plain = rest.is_empty();
        let (year, month, day) = match (sign, lengths.as_slice()) {
            ('-', [4, 2, 2]) if plain || is_clock(rest) => (year(0)?, small(1)?, Some(small(2)?)),
            ('/', [4, 2, 2]) if plain => (year(0)?, small(1)?, Some(small(2)?)),
            ('.', [2, 2, 4]) if plain => (year(2)?, small(1)?, Some(small(0)?)),
            ('/', [1 | 2, 1 | 2, 4]) if plain => {
                let (one, two) = (small(0)?, small(1)?);
                match (one, two) {
                    _ if one == two || one > 12 => (year(2)?, two, Some(one)),
                    _ if two > 12 => (year(2)?, one, Some(two)),
                    _ => return None,
                }
            }
            ('-', [4, 2]) if plain => (year(0)?, small(1)?, None),
            ('/', [1 | 2, 4]) if plain => (year(1)?, small(0)?, None),
            _ => return None,
        };
        Date::new(year, month, day.unwrap_or(1)).ok()?;
        Some(match day {
            Some(day) => Self::Date { year: Some(year), month, day },
            None => Self::Month { year: Some(year), month },
        })
    }

    /// Whether its year was said, or needs no saying.
    pub(super) fn is_certain(self) -> bool {
        match self {
            Self::Date { year, .. }
            | Self::Month { year, .. }
            | Self::Quarter { year, .. }
            | Self::Season { year, .. } => year.is_some(),
            Self::DayOfMonth(_) | Self::Weekday(_) => false,
            Self::Year(_) | Self::Fixed(_) => true,
        }
    }

    /// The stretch meant, seen from `day`.
    pub(super) fn resolve(self, day: Date, choice: Choice) -> Option<Period> {
        if let Self::Weekday(number) = self {
            return weekday(number, day, choice);
        }
        let (said, reach) = match self {
            Self::Fixed(period) => return Some(period),
            Self::Date { year, .. } => (year, 8),
            Self::Month { year, .. } | Self::Quarter { year, .. } | Self::Season { year, .. } => {
                (year, 2)
            }
            Self::Year(year) => (Some(year), 0),
            Self::DayOfMonth(_) | Self::Weekday(_) => (None, 0),
        };
        if let Some(year) = said {
            return self.in_year(year);
        }
        if let Self::DayOfMonth(number) = self {
            let months = (-3..=3).filter_map(|ahead| Unit::Month.step(day.first_of_month(), ahead));
            let days =
                months.filter_map(|first| Date::new(first.year(), first.month(), number).ok());
            return choose(days.filter_map(|day| Unit::Day.around(day, 0)), day, choice);
        }
        let years = (-reach..=reach).filter_map(|ahead| day.year().checked_add(ahead));
        choose(years.filter_map(|year| self.in_year(year)), day, choice)
    }

    fn in_year(self, year: i16) -> Option<Period> {
        let months = |year, month, count, grain| {
            let first = Date::new(year, month, 1).ok()?;
            Period::days(first, Unit::Month.step(first, count)?, grain)
        };
        match self {
            Self::Date { month, day, .. } => Unit::Day.around(Date::new(year, month, day).ok()?, 0),
            Self::Month { month, .. } => months(year, month, 1, Grain::Month),
            Self::Quarter { number, .. } => months(year, number * 3 - 2, 3, Grain::Quarter),
            Self::Season { number, .. } => months(year, number * 3 + 3, 3, Grain::Season),
            Self::Year(_) => months(year, 1, 12, Grain::Year),
            Self::DayOfMonth(_) | Self::Weekday(_) | Self::Fixed(_) => None,
        }
    }
}

/// Whether a date goes on with a time of day.
fn is_clock(rest: &str) -> bool {
    let Some(time) = rest.strip_prefix('t') else { return false };
    time.len() >= 4 && time.bytes().all(|b| b.is_ascii_digit() || b":.z+-".contains(&b))
}

fn weekday(number: i8, day: Date, choice: Choice) -> Option<Period> {
    let choice = if choice == Choice::Latest { Choice::Over } else { choice };
    let this_week = add_days(monday(day)?, i64::from(number))?;
    if choice == Choice::Current {
        return Unit::Day.around(this_week, 0);
    }
    let days = [-14, -7, 0, 7, 14].into_iter().filter_map(|ahead| add_days(this_week, ahead));
    choose(days.filter_map(|day| Unit::Day.around(day, 0)), day, choice)
}

/// Chooses among stretches in the order of time.
fn choose(ordered: impl Iterator<Item = Period>, day: Date, choice: Choice) -> Option<Period> {
    let today = Unit::Day.around(day, 0)?;
    let year = Unit::Year.around(day, 0)?;
    let all: Vec<Period> = ordered.collect();
    let past = || all.iter().rev();
    let found = match choice {
        Choice::Latest => past().find(|one| one.from <= today.from),
        Choice::Over => past().find(|one| one.until <= today.from),
        Choice::Coming => all.iter().find(|one| one.from > today.from),
        Choice::Ahead => all.iter().find(|one| one.until > today.from),
        Choice::Current => past()
            .find(|one| one.from <= today.from && today.from < one.until)
            .or_else(|| past().find(|one| year.from <= one.from && one.from < year.until)),
    };
    found.copied()
}
