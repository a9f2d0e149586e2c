//! Times by their distance from now: yesterday, last week, three days ago, the end of last year.

use jiff::civil::Date;

use super::Grain;
use super::calendar::{Anchor, Choice, Period, Unit, add_days, monday};
use super::dated::place;
use super::grammar::{Grammar, Lead, Parsed};
use super::token::TokenKind;

/// How many, as people count: "a few" is no one number.
#[derive(Debug, Clone, Copy)]
pub(super) struct HowMany {
    pub(super) least: i64,
    pub(super) most: i64,
}

/// A third of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Third {
    Early,
    Mid,
    Late,
}

impl Grammar<'_> {
    /// A time that says itself how far away it is.
    pub(super) fn relative(&self, at: usize) -> Parsed<Period> {
        self.near_day(at)
            .or_else(|| self.ago(at))
            .or_else(|| self.hence(at))
            .or_else(|| self.rolling(at))
            .or_else(|| self.calendar_unit(at))
    }

    /// "yesterday", "this morning", "last night", "the other day", "earlier this week".
    fn near_day(&self, at: usize) -> Parsed<Period> {
        let today = self.anchor.day;
        let near = match (self.word(at), self.word(at + 1)) {
            ("today", _) => 0,
            ("yesterday", _) => -1,
            ("tomorrow", _) => 1,
            ("tonight", _) => return Some((Period::hours(today, 18, 30)?, at + 1)),
            ("last", "night" | "evening") => {
                return self.day_part(at + 1, add_days(today, -1)?);
            }
            ("this", "morning" | "afternoon" | "evening") => return self.day_part(at + 1, today),
            ("the", "other") if self.word(at + 2) == "day" => {
                let period = Period::days(add_days(today, -7)?, today, Grain::Week)?;
                return Some((period, at + 3));
            }
            ("earlier" | "later", "today") => return Some((Unit::Day.around(today, 0)?, at + 2)),
            (side @ ("earlier" | "later"), "this") => {
                let (unit, end) = self.whole_unit(at + 2)?;
                let whole = unit.around(today, 0)?;
                let day = Unit::Day.around(today, 0)?;
                let period = if side == "earlier" {
                    Period { until: day.until, ..whole }
                } else {
                    Period { from: day.from, ..whole }
                };
                return Some((period, end));
            }
            _ => return None,
        };
        let day = add_days(today, near)?;
        Some(self.day_part(at + 1, day).unwrap_or((Unit::Day.around(day, 0)?, at + 1)))
    }

    /// "morning", "night": hours of a day.
    pub(super) fn day_part(&self, at: usize, day: Date) -> Parsed<Period> {
        let (from, until) = match self.word(at) {
            "morning" => (5, 12),
            "afternoon" => (12, 18),
            "evening" => (18, 24),
            "night" => (18, 30),
            _ => return None,
        };
        Some((Period::hours(day, from, until)?, at + 1))
    }

    /// How many: a number, a word for one, "a couple of", "a few".
    pub(super) fn count(&self, at: usize) -> Parsed<HowMany> {
        let exactly = |count: i64| Some((HowMany { least: count, most: count }, at + 1));
        let token = self.tokens.get(at).filter(|token| token.opens)?;
        if let TokenKind::Number(count, _) = token.kind {
            return if (1..=999).contains(&count) { exactly(i64::from(count)) } else { None };
        }
        let article = usize::from(self.word(at) == "a");
        match self.word(at + article) {
            "couple" => {
                let end = at + article + 1;
                let end = end + usize::from(self.word(end) == "of");
                return Some((HowMany { least: 2, most: 2 }, end));
            }
            "few" => return Some((HowMany { least: 2, most: 5 }, at + article + 1)),
            "several" => return Some((HowMany { least: 3, most: 7 }, at + 1)),
            _ => {}
        }
        const WORDS: &[&str] = &[
            "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
            "eleven", "twelve",
        ];
        if matches!(self.word(at), "a" | "an") {
            return exactly(1);
        }
        let index = WORDS.iter().position(|word| *word == self.word(at))?;
        exactly(i64::try_from(index).ok()? + 1)
    }

    /// "3 days ago", "a couple of weeks ago", "2w ago", "half an hour ago".
    pub(super) fn ago(&self, at: usize) -> Parsed<Period> {
        if self.word(at) == "half" && self.word(at + 1) == "an" && self.word(at + 2) == "hour" {
            let period = Unit::Minute.about(self.anchor, -30)?;
            return (self.word(at + 3) == "ago").then_some((period, at + 4));
        }
        let (count, next) = self.count(at)?;
        // The unit of "2w" stands at the number.
        let unit = Unit::named(self.raw(next))?;
        let back = self.word(next + 1) == "back" && count.most > 1 && unit.grain() != Grain::Hour;
        if self.word(next + 1) != "ago" && !back {
            return None;
        }
        let near = unit.about(self.anchor, -count.least)?;
        let far = unit.about(self.anchor, -count.most)?;
        Some((Period { from: far.from, ..near }, next + 2))
    }

    /// "two weeks from now".
    fn hence(&self, at: usize) -> Parsed<Period> {
        let (count, next) = self.count(at)?;
        let unit = Unit::named(self.word(next))?;
        if self.word(next + 1) != "from" || !matches!(self.word(next + 2), "now" | "today") {
            return None;
        }
        Some((unit.about(self.anchor, count.most)?, next + 3))
    }

    /// "in two weeks". A lone day or week, and anything shorter, is more often a duration, and so
    /// is what was done in that time.
    pub(super) fn ahead(&self, at: usize) -> Parsed<Period> {
        const DONE: &[&str] = &[
            "done",
            "finished",
            "built",
            "written",
            "completed",
            "shipped",
            "made",
            "took",
            "implemented",
            "grew",
            "times",
            "once",
            "twice",
            "often",
            "fit",
            "fits",
        ];
        let (count, next) = self.count(at + 1).filter(|_| self.word(at) == "in")?;
        let unit = Unit::named(self.word(next)).filter(|unit| unit.grain() != Grain::Hour)?;
        let done = at > 0 && DONE.contains(&self.raw(at - 1));
        let in_all = count.most == 1 || done || count.least != count.most;
        (!in_all).then_some((unit.about(self.anchor, count.most)?, next + 1))
    }

    /// "the last 3 days", "past two months", "the past week", "the next few weeks".
    fn rolling(&self, at: usize) -> Parsed<Period> {
        let first = self.past_the(at);
        let past = match self.word(first) {
            "last" | "past" | "previous" => true,
            "next" | "coming" => false,
            _ => return None,
        };
        let sign = if past { 1 } else { -1 };
        if let Some((count, next)) = self.count(first + 1)
            && !matches!(self.word(first + 1), "a" | "an")
        {
            let unit = Unit::named(self.raw(next))?;
            return Some((unit.rolling(self.anchor, sign * count.most)?, next + 1));
        }
        let unit = Unit::named(self.word(first + 1))?;
        let alone = match self.word(first) {
            "past" => true,
            "last" => first > at && !matches!(unit, Unit::Day | Unit::Minute),
            _ => false,
        };
        let whole = alone && self.word(first + 2) != "of" && !self.raw(first + 1).ends_with('s');
        whole.then_some((unit.rolling(self.anchor, sign)?, first + 2))
    }

    /// A week, month, quarter or year, in the singular.
    fn whole_unit(&self, at: usize) -> Parsed<Unit> {
        match self.word(at) {
            "week" => Some((Unit::Week, at + 1)),
            "month" => Some((Unit::Month, at + 1)),
            "quarter" => Some((Unit::Quarter, at + 1)),
            "year" => Some((Unit::Year, at + 1)),
            _ => None,
        }
    }

    /// "last week", "this month", "next year", "last weekend", "Tuesday of last week".
    fn calendar_unit(&self, at: usize) -> Parsed<Period> {
        if let Some((number, next)) = self.weekday(at) {
            let next = next + usize::from(self.word(next) == "of");
            self.chooser(next)?;
            let (week, end) = self.calendar_unit(next).filter(|(p, _)| p.grain == Grain::Week)?;
            if self.word(end - 1) != "week" {
                return None;
            }
            let day = add_days(week.first_day()?, i64::from(number))?;
            return Some((Unit::Day.around(day, 0)?, end));
        }
        if self.word(at) == "the" && self.word(at + 1) == "past" && self.word(at + 2) == "weekend" {
            return Some((self.weekend_of(-1)?, at + 3));
        }
        let (choice, next) = self.chooser(at)?;
        let ahead = match choice {
            Choice::Over => -1,
            Choice::Coming => 1,
            Choice::Latest | Choice::Current | Choice::Ahead => 0,
        };
        if self.word(next) == "weekend" {
            return Some((self.weekend_of(ahead)?, next + 1));
        }
        let (unit, end) = self.whole_unit(next)?;
        (self.word(end) != "of").then_some((unit.around(self.anchor.day, ahead)?, end))
    }

    /// The weekend of this week, or of one ahead.
    pub(super) fn weekend_of(&self, ahead: i64) -> Option<Period> {
        let saturday = add_days(monday(self.anchor.day)?, 5 + 7 * ahead)?;
        Period::days(saturday, add_days(saturday, 2)?, Grain::Week)
    }

    /// "over the weekend": the latest that has begun.
    pub(super) fn weekend(&self, at: usize, lead: Lead) -> Parsed<Period> {
        let spoken = !matches!(lead, Lead::Nothing | Lead::Range);
        if !spoken || self.word(at) != "the" || self.word(at + 1) != "weekend" {
            return None;
        }
        let this = self.weekend_of(0)?;
        let begun = this.from <= self.anchor.now;
        let period = if begun || lead == Lead::By { this } else { self.weekend_of(-1)? };
        Some((period, at + 2))
    }

    /// "the week of May 8th", "the first week of June", "the last week of 2022".
    pub(super) fn week_of(&self, at: usize) -> Parsed<Period> {
        let first = self.past_the(at);
        if self.word(first) == "week" && self.word(first + 1) == "of" {
            let (day, end) = self.whole(first + 2, Lead::In)?;
            let whole = Unit::Week.around(day.first_day()?, 0)?;
            return (day.grain == Grain::Day).then_some((whole, end));
        }
        if self.word(first + 1) != "week" || self.word(first + 2) != "of" {
            return None;
        }
        let number = place(self.raw(first));
        if number.is_none() && self.word(first) != "last" {
            return None;
        }
        let (whole, end) = self.whole(first + 3, Lead::In)?;
        if whole.grain < Grain::Month {
            return None;
        }
        let from = match number {
            Some(number) => add_days(whole.first_day()?, 7 * i64::from(number) - 7)?,
            None => add_days(Anchor::new(whole.until)?.day, -7)?,
        };
        Some((Period::days(from, add_days(from, 7)?, Grain::Week)?, end))
    }

    /// "early June", "mid-March", "the end of last year", "the beginning of the month".
    pub(super) fn part(&self, at: usize, lead: Lead) -> Parsed<Period> {
        let first = self.past_the(at);
        let (third, next) = match (self.word(first), self.word(first + 1)) {
            ("early", _) => (Third::Early, first + 1),
            ("late", _) => (Third::Late, first + 1),
            ("mid", _) => (Third::Mid, first + 1),
            ("start" | "beginning", "of") => (Third::Early, first + 2),
            ("middle", "of") => (Third::Mid, first + 2),
            ("end", "of") => (Third::Late, first + 2),
            _ => return None,
        };
        let glued = self.is_sign(next, &['-']);
        let next = next + usize::from(glued || matches!(self.word(next), "in"));
        if let Some((unit, end)) = self.whole_unit(self.past_the(next))
            && end == next + 2
        {
            return Some((unit.around(self.anchor.day, 0)?.third(third)?, end));
        }
        let inner = if lead == Lead::By { Lead::By } else { Lead::In };
        let (whole, end) = if glued { self.glued(next)? } else { self.whole(next, inner)? };
        Some((whole.third(third)?, end))
    }

    /// What follows a hyphen: "mid-March".
    fn glued(&self, at: usize) -> Parsed<Period> {
        let mut tokens = self.tokens.get(at..)?.iter().take(6).copied().collect::<Vec<_>>();
        tokens.first_mut()?.opens = true;
        let rest = Grammar { tokens: &tokens, anchor: self.anchor };
        let (period, end) = rest.whole(0, Lead::In)?;
        Some((period, at + end))
    }
}

impl Period {
    /// The early, middle or late third of a stretch of some length.
    fn third(self, third: Third) -> Option<Self> {
        let (first, last) = (self.first_day()?, Anchor::new(self.until)?.day);
        let (unit, one, two) = match self.grain {
            Grain::Hour | Grain::Day => return None,
            Grain::Week => (Unit::Day, 2, 4),
            Grain::Month => (Unit::Day, 10, 20),
            Grain::Season | Grain::Quarter => (Unit::Month, 1, 2),
            Grain::Year => (Unit::Month, 4, 8),
        };
        let (one, two) = (unit.step(first, one)?, unit.step(first, two)?);
        let (from, until) = match third {
            Third::Early => (first, one),
            Third::Mid => (one, two),
            Third::Late => (two, last),
        };
        Self::days(from, until, self.grain)
    }
}
