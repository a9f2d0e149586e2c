//! Times by name: dates, months, weekdays, quarters, seasons, years.

use super::calendar::{Choice, Naming};
use super::grammar::{Grammar, Lead, Parsed};
use super::token::TokenKind;

/// What a month's name is worth on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worth {
    /// Nothing else is called so: "October".
    Clear,
    /// People are called so too: "April", "June".
    Name,
    /// A common word: "may", "march".
    Common,
    /// Cut short: "Oct".
    Short,
}

impl Grammar<'_> {
    /// A time by name, with the choice where a word such as "last" makes it.
    pub(super) fn named(&self, at: usize, lead: Lead) -> Option<(Naming, Option<Choice>, usize)> {
        if let Some((choice, name)) = self.chooser(at) {
            let (naming, end) = self.choosable(name)?;
            return Some((naming, Some(choice), end));
        }
        let (naming, end) = self
            .date(at)
            .or_else(|| self.day_of_month(at, lead))
            .or_else(|| self.weekday_alone(at, lead))
            .or_else(|| self.month(at, lead))
            .or_else(|| self.quarter(at, lead))
            .or_else(|| self.season(at, lead))
            .or_else(|| self.year(at, lead))?;
        Some((naming, None, end))
    }

    /// "last", "this past", "next".
    pub(super) fn chooser(&self, at: usize) -> Parsed<Choice> {
        match (self.word(at), self.word(at + 1)) {
            ("this", "past") => Some((Choice::Over, at + 2)),
            ("this", "coming") => Some((Choice::Coming, at + 2)),
            ("last", _) => Some((Choice::Over, at + 1)),
            ("this", _) => Some((Choice::Current, at + 1)),
            ("next", _) => Some((Choice::Coming, at + 1)),
            _ => None,
        }
    }

    /// What may follow "last" and "next": a month, a weekday, a quarter, a season.
    fn choosable(&self, at: usize) -> Parsed<Naming> {
        if let Some((number, end)) = self.weekday(at) {
            return Some((Naming::Weekday(number), end));
        }
        if let Some((month, worth)) = self.month_name(at) {
            let trusted = match worth {
                Worth::Clear | Worth::Name => true,
                Worth::Common | Worth::Short => self.is_title(at) && !self.is_verb_ahead(at + 1),
            };
            if let Some((day, end)) = self.day_number(at + 1).filter(|_| trusted) {
                return Some((Naming::Date { year: None, month, day }, end));
            }
            return trusted.then_some((Naming::Month { year: None, month }, at + 1));
        }
        if let Some(number) = quarter_name(self.word(at)) {
            return Some((Naming::Quarter { year: None, number }, at + 1));
        }
        let number = season_name(self.word(at))?;
        let framework = self.is_title(at) && !self.word(at + 1).is_empty();
        (!framework).then_some((Naming::Season { year: None, number }, at + 1))
    }

    /// "7 May, 2023", "May 7th", "the 12th of June", "2023-05-07", "Monday, 8 May".
    fn date(&self, at: usize) -> Parsed<Naming> {
        if let Some((_, next)) = self.weekday(at) {
            let next = next + usize::from(self.is_sign(next, &[',']));
            return self.day_and_month(self.past_the(next), true);
        }
        if let TokenKind::Date(naming) = self.tokens.get(at)?.kind {
            return Some((naming, at + 1));
        }
        self.day_and_month(self.past_the(at), false)
    }

    /// A day and a month; one behind a weekday is sure.
    fn day_and_month(&self, at: usize, behind_weekday: bool) -> Parsed<Naming> {
        let ((month, worth), day, end, ordinal) = if let Some(month) = self.month_name(at) {
            let (day, end) = self.day_number(self.past_the(at + 1))?;
            (month, day, end, matches!(self.tokens[end - 1].kind, TokenKind::Ordinal(_)))
        } else {
            let (day, next) = self.day_number(at)?;
            let of = self.word(next) == "of";
            let next = next + usize::from(of);
            let ordinal = of || matches!(self.tokens[at].kind, TokenKind::Ordinal(_));
            (self.month_name(next)?, day, next + 1, ordinal)
        };
        let month_at = if self.month_name(at).is_some() { at } else { end - 1 };
        let year = self.year_after(end);
        let sure = behind_weekday || ordinal || year.is_some() || self.is_title(month_at);
        if !sure && matches!(worth, Worth::Common | Worth::Short) {
            return None;
        }
        let (year, end) = year.map_or((None, end), |(year, end)| (Some(year), end));
        jiff::civil::Date::new(year.unwrap_or(2000), month, day).ok()?;
        Some((Naming::Date { year, month, day }, end))
    }

    /// A number that may be a day of a month, "first" to "third" included.
    fn day_number(&self, at: usize) -> Parsed<i8> {
        let token = self.tokens.get(at).filter(|token| token.opens)?;
        let day = match token.kind {
            TokenKind::Ordinal(day) => day,
            TokenKind::Number(day, 1 | 2)
                if !self.is_counted(at + 1) || self.word(at + 1) == "of" =>
            {
                day
            }
            TokenKind::Word => match (token.lower, self.word(at + 1)) {
                ("first", "of") => 1,
                ("second", "of") => 2,
                ("third", "of") => 3,
                _ => return None,
            },
            TokenKind::Number(..) | TokenKind::Date(_) | TokenKind::Sign(_) | TokenKind::Other => {
                return None;
            }
        };
        let day = i8::try_from(day).ok().filter(|day| (1..=31).contains(day))?;
        Some((day, at + 1))
    }

    /// "on the 12th", where no noun follows.
    fn day_of_month(&self, at: usize, lead: Lead) -> Parsed<Naming> {
        const AFTER: &[&str] = &["", "we", "i", "you", "he", "she", "they", "at", "and", "when"];
        let certain =
            matches!(lead, Lead::On | Lead::Since | Lead::Until | Lead::Beside | Lead::By);
        let TokenKind::Ordinal(day) = self.tokens.get(at + 1)?.kind else { return None };
        let alone = AFTER.contains(&self.word(at + 2)) && self.tokens[at + 1].closes;
        let day = i8::try_from(day).ok().filter(|day| (1..=31).contains(day))?;
        let said = certain && self.word(at) == "the" && alone && !self.is_number(at + 2);
        said.then_some((Naming::DayOfMonth(day), at + 2))
    }

    fn is_number(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| matches!(token.kind, TokenKind::Number(..) | TokenKind::Other))
    }

    /// A weekday: Monday is 0. Cut short only where it is written large and is no other word.
    pub(super) fn weekday(&self, at: usize) -> Parsed<i8> {
        let number = match self.word(at) {
            "monday" => 0,
            "tuesday" => 1,
            "wednesday" => 2,
            "thursday" => 3,
            "friday" => 4,
            "saturday" => 5,
            "sunday" => 6,
            short if self.is_title(at) => match short {
                "mon" => 0,
                "tue" | "tues" => 1,
                "wed" => 2,
                "thu" | "thur" | "thurs" => 3,
                "fri" => 4,
                _ => return None,
            },
            _ => return None,
        };
        Some((number, at + 1))
    }

    /// A weekday by itself. "A Sunday" is no certain one, "Good Friday" is a day of its own.
    fn weekday_alone(&self, at: usize, lead: Lead) -> Parsed<Naming> {
        const BEFORE: &[&str] =
            &["a", "an", "the", "some", "ash", "good", "black", "easter", "palm", "cyber", "super"];
        const AFTER: &[&str] = &["mornings", "afternoons", "evenings", "nights"];
        let (number, end) = self.weekday(at)?;
        let whole = self.word(at).ends_with("day");
        let other = at > 0 && BEFORE.contains(&self.raw(at - 1)) || AFTER.contains(&self.word(end));
        let read = (whole || lead != Lead::Nothing) && !other;
        read.then_some((Naming::Weekday(number), end))
    }

    /// A month, with its year or alone.
    fn month(&self, at: usize, lead: Lead) -> Parsed<Naming> {
        let (month, worth) = self.month_name(at)?;
        if let Some((year, end)) = self.year_after(at + 1) {
            return Some((Naming::Month { year: Some(year), month }, end));
        }
        let title = self.is_title(at);
        let spoken = !matches!(lead, Lead::Nothing | Lead::On);
        let possessive = self.is_sign(at + 1, &['\'', '’']);
        let trusted = match worth {
            Worth::Clear => title || spoken,
            Worth::Name => spoken && lead != Lead::By && !possessive,
            Worth::Common => {
                spoken && lead != Lead::By && !possessive && !self.is_verb_ahead(at + 1)
            }
            Worth::Short => spoken && lead != Lead::By && !possessive && title,
        };
        trusted.then_some((Naming::Month { year: None, month }, at + 1))
    }

    /// Whether "may" or "march" before this place is a verb.
    fn is_verb_ahead(&self, at: usize) -> bool {
        matches!(
            self.word(at),
            "be" | "have"
                | "not"
                | "also"
                | "well"
                | "or"
                | "need"
                | "cause"
                | "still"
                | "want"
                | "never"
                | "only"
                | "contain"
                | "fail"
                | "break"
                | "cases"
                | "on"
                | "forward"
                | "help"
                | "take"
                | "require"
                | "use"
                | "work"
                | "happen"
                | "even"
                | "as"
        )
    }

    fn month_name(&self, at: usize) -> Option<(i8, Worth)> {
        Some(match self.word(at) {
            "january" => (1, Worth::Clear),
            "february" => (2, Worth::Clear),
            "march" => (3, Worth::Common),
            "april" => (4, Worth::Name),
            "may" => (5, Worth::Common),
            "june" => (6, Worth::Name),
            "july" => (7, Worth::Clear),
            "august" => (8, Worth::Name),
            "september" => (9, Worth::Clear),
            "october" => (10, Worth::Clear),
            "november" => (11, Worth::Clear),
            "december" => (12, Worth::Clear),
            "jan" => (1, Worth::Short),
            "feb" => (2, Worth::Short),
            "mar" => (3, Worth::Short),
            "apr" => (4, Worth::Short),
            "jun" => (6, Worth::Short),
            "jul" => (7, Worth::Short),
            "aug" => (8, Worth::Short),
            "sep" | "sept" => (9, Worth::Short),
            "oct" => (10, Worth::Short),
            "nov" => (11, Worth::Short),
            "dec" => (12, Worth::Short),
            _ => return None,
        })
    }

    /// A year that belongs to what was just read: "2023", ", 2023", "of last year", "'23".
    fn year_after(&self, at: usize) -> Parsed<i16> {
        let at = at + usize::from(self.is_sign(at, &[',']) || matches!(self.word(at), "of" | "in"));
        if self.is_sign(at, &['\'', '’'])
            && let Some(TokenKind::Number(year, 2)) =
                self.tokens.get(at + 1).map(|token| token.kind)
        {
            return Some((2000 + year, at + 2));
        }
        if let Some((choice, next)) = self.chooser(at)
            && self.word(next) == "year"
        {
            let ahead = match choice {
                Choice::Over => -1,
                Choice::Coming => 1,
                Choice::Latest | Choice::Current | Choice::Ahead => 0,
            };
            return Some((self.anchor.day.year().checked_add(ahead)?, next + 1));
        }
        self.year_number(at)
    }

    fn year_number(&self, at: usize) -> Parsed<i16> {
        let TokenKind::Number(year, 4) = self.tokens.get(at)?.kind else { return None };
        let is_year = (1900..2100).contains(&year) && self.tokens[at].opens;
        (is_year && !self.is_counted(at + 1)).then_some((year, at + 1))
    }

    /// A year alone. Only after a word that asks for a time, and near enough to be one.
    fn year(&self, at: usize, lead: Lead) -> Parsed<Naming> {
        let spoken = !matches!(lead, Lead::Nothing | Lead::On);
        let (year, end) = self.year_number(at).filter(|_| spoken)?;
        let near = (1950..=self.anchor.day.year().saturating_add(20)).contains(&year);
        near.then_some((Naming::Year(year), end))
    }

    /// "Q3 2025", "2025 Q3", "the third quarter of 2024", "in Q3".
    fn quarter(&self, at: usize, lead: Lead) -> Parsed<Naming> {
        if let Some((year, next)) = self.year_number(at)
            && let Some(number) = quarter_name(self.word(next))
        {
            return Some((Naming::Quarter { year: Some(year), number }, next + 1));
        }
        let first = self.past_the(at);
        let (number, next, said) = match (quarter_name(self.word(first)), self.word(first + 1)) {
            (Some(number), _) => (number, first + 1, false),
            (None, "quarter") => (place(self.word(first)).filter(|n| *n <= 4)?, first + 2, true),
            _ => return None,
        };
        match self.year_after(next) {
            Some((year, end)) => Some((Naming::Quarter { year: Some(year), number }, end)),
            None if said || matches!(lead, Lead::Nothing | Lead::On) => None,
            None => Some((Naming::Quarter { year: None, number }, next)),
        }
    }

    /// "summer 2022", "in the spring", "in winter".
    fn season(&self, at: usize, lead: Lead) -> Parsed<Naming> {
        let first = self.past_the(at);
        let number = season_name(self.word(first))?;
        if let Some((year, end)) = self.year_after(first + 1) {
            // Nobody knows which winter a year's winter is.
            let said = number != 3;
            return said.then_some((Naming::Season { year: Some(year), number }, end));
        }
        let noun_follows = !self.word(first + 1).is_empty();
        let spoken = lead != Lead::Nothing && !self.is_title(first);
        let doubtful =
            matches!(self.word(first), "spring" | "fall") && (first == at || noun_follows);
        (spoken && !doubtful).then_some((Naming::Season { year: None, number }, first + 1))
    }
}

fn quarter_name(word: &str) -> Option<i8> {
    match word {
        "q1" => Some(1),
        "q2" => Some(2),
        "q3" => Some(3),
        "q4" => Some(4),
        _ => None,
    }
}

/// The number of a place in a row: "first" is 1.
pub(super) fn place(word: &str) -> Option<i8> {
    match word {
        "first" | "1st" => Some(1),
        "second" | "2nd" => Some(2),
        "third" | "3rd" => Some(3),
        "fourth" | "4th" => Some(4),
        _ => None,
    }
}

fn season_name(word: &str) -> Option<i8> {
    match word {
        "spring" => Some(0),
        "summer" => Some(1),
        "autumn" | "fall" => Some(2),
        "winter" => Some(3),
        _ => None,
    }
}
