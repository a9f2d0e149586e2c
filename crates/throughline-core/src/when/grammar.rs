//! How times are put together: between, from, since, before, and what may stand there.
//!
//! Every rule takes the place where it begins and returns what it read and the place after it.
//! No rule looks further ahead than a dozen tokens.

use super::calendar::{Anchor, Choice, Naming, Period, Unit, add_days};
use super::token::{Token, TokenKind};
use super::{Grain, TimeSpan};

/// A text taken apart, and the moment it was written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grammar<'a> {
    pub(super) tokens: &'a [Token<'a>],
    pub(super) anchor: Anchor,
}

/// The word before a time. It tells how much a doubtful name, such as "may", may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    Nothing,
    In,
    On,
    Since,
    Until,
    /// Before or after.
    Beside,
    By,
    /// One end of a range.
    Range,
}

/// Something read, and the place after it.
pub(super) type Parsed<T> = Option<(T, usize)>;

/// One end of a range.
#[derive(Debug, Clone, Copy)]
enum Side {
    Day(i8),
    Named(Naming),
}

impl<'a> Grammar<'a> {
    /// The time named here, whole.
    pub(super) fn mention(&self, at: usize) -> Parsed<TimeSpan> {
        let repeats = at > 0 && matches!(self.raw(at - 1), "every" | "each" | "per" | "any");
        if repeats || !self.tokens.get(at)?.opens {
            return None;
        }
        let (span, end) = self
            .range(at)
            .or_else(|| self.open(at))
            .or_else(|| self.led(at).map(|(period, end)| (period.into(), end)))?;
        let ordered = span.from.zip(span.until).is_none_or(|(from, until)| from < until);
        (ordered && self.tokens[end - 1].closes).then_some((span, end))
    }

    /// The word at a place that can continue a phrase; empty where there is none.
    pub(super) fn word(&self, at: usize) -> &'a str {
        match self.tokens.get(at) {
            Some(token) if token.opens && token.kind == TokenKind::Word => token.lower,
            _ => "",
        }
    }

    /// What is written at a place, whatever it is.
    pub(super) fn raw(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.lower)
    }

    pub(super) fn is_title(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.title)
    }

    pub(super) fn is_sign(&self, at: usize, signs: &[char]) -> bool {
        matches!(self.tokens.get(at), Some(Token { kind: TokenKind::Sign(c), .. }) if signs.contains(c))
    }

    /// The place after `the`, if it stands here.
    pub(super) fn past_the(&self, at: usize) -> usize {
        at + usize::from(self.word(at) == "the")
    }

    /// Whether what stands here is counted by the number before it: "3 files", "2000 ms".
    pub(super) fn is_counted(&self, at: usize) -> bool {
        const UNITS: &[&str] = &[
            "ms",
            "ns",
            "us",
            "s",
            "sec",
            "px",
            "kb",
            "mb",
            "gb",
            "tb",
            "kib",
            "mib",
            "gib",
            "am",
            "pm",
            "of",
            "percent",
            "people",
            "x",
            "or",
            "more",
            "other",
            "different",
            "new",
        ];
        const NOT_COUNTED: &[&str] =
            &["was", "is", "has", "does", "its", "this", "as", "us", "various", "always"];
        let word = self.word(at);
        let plural = word.ends_with('s') && !word.ends_with("ss") && !NOT_COUNTED.contains(&word);
        !self.is_title(at) && (plural || UNITS.contains(&word))
    }

    /// "between 3 and 9 June", "from March to May", "June 3-9", "May 3 to May 9".
    fn range(&self, at: usize) -> Parsed<TimeSpan> {
        let (first, joiners): (usize, &[&str]) = match self.word(at) {
            "between" => (at + 1, &["and"]),
            "from" => (at + 1, &["to", "until", "till", "through"]),
            "on" | "in" => (at + 1, &["to", "through"]),
            _ => (at, &["to", "through"]),
        };
        let bare = joiners.len() == 2;
        let (one, middle) = self.side(first)?;
        let dashed = bare && self.is_sign(middle, &['-', '–']);
        if !dashed && !joiners.contains(&self.word(middle)) {
            return None;
        }
        let (two, end) = self.side(middle + 1)?;
        let (one, two) = match (one, two) {
            (Side::Named(one), Side::Named(two)) => (one, two),
            (Side::Day(day), Side::Named(two @ Naming::Date { year, month, .. })) => {
                (Naming::Date { year, month, day }, two)
            }
            (Side::Named(one @ Naming::Date { year, month, .. }), Side::Day(day)) => {
                (one, Naming::Date { year, month, day })
            }
            _ => return None,
        };
        let is_date = |naming| matches!(naming, Naming::Date { .. } | Naming::Month { .. });
        if bare && !(is_date(one) && is_date(two)) {
            return None;
        }
        let day = self.anchor.day;
        let (one, two) = if one.is_certain() && !two.is_certain() {
            let one = one.resolve(day, Choice::Latest)?;
            (one, two.resolve(one.first_day()?, Choice::Ahead)?)
        } else {
            let two = two.resolve(day, Choice::Latest)?;
            (one.resolve(two.first_day()?, Choice::Latest)?, two)
        };
        let grain = one.grain.min(two.grain);
        let span = TimeSpan { from: Some(one.from), until: Some(two.until), grain };
        (one.from < two.from).then_some((span, end))
    }

    fn side(&self, at: usize) -> Parsed<Side> {
        if let Some((naming, _, end)) = self.named(at, Lead::Range) {
            return Some((Side::Named(naming), end));
        }
        if let Some((period, end)) = self.relative(at) {
            return Some((Side::Named(Naming::Fixed(period)), end));
        }
        let at = self.past_the(at);
        let (TokenKind::Number(day, _) | TokenKind::Ordinal(day)) = self.tokens.get(at)?.kind
        else {
            return None;
        };
        let day = i8::try_from(day).ok().filter(|day| (1..=31).contains(day))?;
        (!self.is_counted(at + 1)).then_some((Side::Day(day), at + 1))
    }

    /// "since Monday", "before May 2024": one end stays open.
    fn open(&self, at: usize) -> Parsed<TimeSpan> {
        let (lead, skip) = match (self.word(at), self.word(at + 1)) {
            ("since", _) => (Lead::Since, 1),
            ("after" | "before", _) => (Lead::Beside, 1),
            ("prior" | "up", "to") => {
                (if self.word(at) == "up" { Lead::Until } else { Lead::Beside }, 2)
            }
            ("until" | "till" | "til", _) => (Lead::Until, 1),
            ("by", _) => (Lead::By, 1),
            _ => return None,
        };
        let (period, end) = self.period(at + skip, lead)?;
        let grain = period.grain;
        let (from, until) = match (lead, self.word(at)) {
            (Lead::Since, _) => (Some(period.from), None),
            (Lead::Beside, "after") => (Some(period.until), None),
            (Lead::Beside, _) => (None, Some(period.from)),
            _ => (None, Some(period.until)),
        };
        Some((TimeSpan { from, until, grain }, end))
    }

    /// A time with or without a word before it: "in May", "over the weekend", "yesterday".
    fn led(&self, at: usize) -> Parsed<Period> {
        let lead = match self.word(at) {
            "in" | "during" | "within" => Lead::In,
            "on" | "over" | "at" => Lead::On,
            _ => return self.period(at, Lead::Nothing),
        };
        let no_lead = matches!(self.word(at + 1), "today" | "yesterday" | "tomorrow" | "tonight");
        if no_lead || self.ago(at + 1).is_some() {
            return None;
        }
        self.ahead(at).or_else(|| self.period(at + 1, lead))
    }

    /// A stretch with both ends.
    pub(super) fn period(&self, at: usize, lead: Lead) -> Parsed<Period> {
        self.offset(at).or_else(|| self.plain(at, lead))
    }

    /// A stretch that is not told by its distance from another.
    fn plain(&self, at: usize, lead: Lead) -> Parsed<Period> {
        self.part(at, lead).or_else(|| self.week_of(at)).or_else(|| self.whole(at, lead))
    }

    /// A stretch that is not told as a part of another.
    pub(super) fn whole(&self, at: usize, lead: Lead) -> Parsed<Period> {
        self.relative(at).or_else(|| self.chosen(at, lead)).or_else(|| self.weekend(at, lead))
    }

    /// A named time, seen from now, with the part of the day where one follows.
    fn chosen(&self, at: usize, lead: Lead) -> Parsed<Period> {
        let (naming, choice, end) = self.named(at, lead)?;
        let choice =
            choice.unwrap_or(if lead == Lead::By { Choice::Ahead } else { Choice::Latest });
        let period = naming.resolve(self.anchor.day, choice)?;
        if period.grain == Grain::Day
            && let Some((part, end)) = self.day_part(end, period.first_day()?)
        {
            return Some((part, end));
        }
        Some((period, end))
    }

    /// "the day before yesterday", "two weeks after the 12th of June", "the week before last".
    fn offset(&self, at: usize) -> Parsed<Period> {
        let first = self.past_the(at);
        if self.word(first + 1) == "before"
            && self.word(first + 2) == "last"
            && self.relative(first + 2).is_none()
        {
            return self.before_last(first).map(|period| (period, first + 3));
        }
        let whole = first > at;
        let (count, place) = match self.count(at) {
            Some((count, place)) if count.least == count.most => (count.most, place),
            Some(_) => return None,
            None => (1, first),
        };
        let unit =
            Unit::named(self.word(place)).filter(|unit| unit.step(self.anchor.day, 0).is_some())?;
        let sign = match self.word(place + 1) {
            "before" => -1,
            "after" => 1,
            _ => return None,
        };
        let (period, end) = self.plain(place + 2, Lead::Beside)?;
        let edge = if sign < 0 {
            period.first_day()?
        } else {
            add_days(Anchor::new(period.until)?.day, -1)?
        };
        if whole && unit != Unit::Day {
            let other = unit.step(edge, sign)?;
            let (from, until) =
                if sign < 0 { (other, edge) } else { (add_days(edge, 1)?, add_days(other, 1)?) };
            return Some((Period::days(from, until, unit.grain())?, end));
        }
        let anchor = Anchor { day: edge, ..self.anchor };
        Some((unit.about(anchor, sign * count)?, end))
    }

    fn before_last(&self, at: usize) -> Option<Period> {
        let day = self.anchor.day;
        match self.word(at) {
            "night" => Period::hours(add_days(day, -2)?, 18, 30),
            "weekend" => self.weekend_of(-2),
            word => match (Unit::named(word), self.weekday(at)) {
                (Some(unit), _) if unit != Unit::Day => unit.around(day, -2),
                (None, Some((number, end))) if end == at + 1 => {
                    let last = Naming::Weekday(number).resolve(day, Choice::Over)?;
                    Unit::Day.around(add_days(last.first_day()?, -7)?, 0)
                }
                _ => None,
            },
        }
    }
}

impl From<Period> for TimeSpan {
    fn from(period: Period) -> Self {
        Self { from: Some(period.from), until: Some(period.until), grain: period.grain }
    }
}
