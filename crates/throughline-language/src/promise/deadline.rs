//! Deadlines: a day as people write it down, "fri 27 november", "before Jan 5", "eod friday", "within 10 days".
//!
//! [`throughline_core::when`] reads what is told, and mostly looks back. What is promised lies ahead, so much that is doubtful
//! in a tale is certain here: a date without its year is the next one.

use jiff::ToSpan as _;
use jiff::civil::Date;

/// A day named in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Deadline {
    /// The byte at which its naming begins.
    pub(super) start: usize,
    /// The last day.
    pub(super) day: Date,
}

/// A date that no word announces is not meant to lie further ahead: "the letter of 20 Feb".
const UNANNOUNCED_DAYS_MAX: i32 = 183;

const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const SHORT_WEEKDAYS: &[&str] =
    &["mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun"];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const NUMBERS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];
/// Words before a deadline.
const LEADS: &[&str] =
    &["by", "before", "until", "till", "due", "on", "eod", "eob", "cob", "latest"];

/// The first deadline of a text, seen from the day of whoever speaks.
pub(super) fn deadline(text: &str, today: Date) -> Option<Deadline> {
    let text = Text::of(text, today);
    (0..text.words.len()).find_map(|at| {
        let day = text.deadline(at)?;
        (day >= today).then_some(Deadline { start: text.words[at].start, day })
    })
}

/// A word in lower case, without the signs around it.
struct DeadlineWord {
    text: String,
    start: usize,
    /// Whether it ends in a full stop, as "30.11." does.
    dotted: bool,
}

struct Text {
    words: Vec<DeadlineWord>,
    today: Date,
}

/// Something read, and the place after it.
type Read<T> = Option<(T, usize)>;

impl Text {
    fn of(text: &str, today: Date) -> Self {
        let sign = |c: char| ",;:!?()[]\"'.".contains(c);
        let words = text.split_whitespace().map(|word| {
            let start = word.as_ptr().addr() - text.as_ptr().addr();
            let plain = word.trim_matches(sign);
            DeadlineWord { text: plain.to_lowercase(), start, dotted: word.ends_with('.') }
        });
        Self { words: words.collect(), today }
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| &word.text)
    }

    /// The last day that the words from a place on name.
    fn deadline(&self, at: usize) -> Option<Date> {
        let next = self.past_leads(at);
        let is_led = next > at;
        if let Some(day) = self.stretch(at).or_else(|| self.end_of(next)) {
            return Some(day);
        }
        let before = at > 0 && ["every", "each", "last"].contains(&self.word(at - 1));
        let (day, _) = self.day(next, is_led).filter(|_| !before)?;
        if self.words[at..next].iter().any(|word| word.text == "before") {
            day.checked_sub(1.day()).ok()
        } else {
            Some(day)
        }
    }

    /// The place behind "by", "due on", "no later than", "end of day": what announces a deadline.
    fn past_leads(&self, at: usize) -> usize {
        let mut next = at;
        loop {
            next += match (self.word(next), self.word(next + 1), self.word(next + 2)) {
                ("no", "later", "than") | ("end", "of", "day" | "business") => 3,
                (lead, ..) if LEADS.contains(&lead) => 1,
                ("the" | "this" | "next" | "coming", ..) if next > at => 1,
                _ => return next,
            }
        }
    }

    /// "within 10 days", "in two weeks", "in a month".
    fn stretch(&self, at: usize) -> Option<Date> {
        if !["in", "within"].contains(&self.word(at)) {
            return None;
        }
        let count = match self.word(at + 1) {
            "a" | "an" => 1,
            word => {
                let named = NUMBERS.iter().position(|number| *number == word);
                named.map_or_else(|| word.parse::<i64>().ok(), |at| i64::try_from(at + 1).ok())?
            }
        };
        let span = match self.word(at + 2) {
            "day" | "days" => count.days(),
            "week" | "weeks" => count.weeks(),
            "month" | "months" => count.months(),
            _ => return None,
        };
        self.today.checked_add(span).ok().filter(|_| (1..=999).contains(&count))
    }

    /// "end of the month", "eoy": the last day of a stretch of the calendar.
    fn end_of(&self, at: usize) -> Option<Date> {
        let unit = match (self.word(at), self.word(at + 1)) {
            ("eow", _) => "week",
            ("eom", _) => "month",
            ("eoq", _) => "quarter",
            ("eoy", _) => "year",
            ("end", "of") => match self.word(at + 2) {
                "the" | "this" => self.word(at + 3),
                unit => unit,
            },
            _ => return None,
        };
        match unit {
            // A week of work ends on Friday; at the weekend it is the next one.
            "week" => self.next_weekday(4),
            "month" => Some(self.today.last_of_month()),
            "quarter" => {
                let last = (self.today.month() - 1) / 3 * 3 + 3;
                Some(Date::new(self.today.year(), last, 1).ok()?.last_of_month())
            }
            "year" => Some(self.today.last_of_year()),
            _ => None,
        }
    }

    /// A day: "friday", "friday 27 nov", "nov 29", "30.11.", "19/11", "the 20th".
    fn day(&self, at: usize, is_led: bool) -> Read<Date> {
        if let Some(weekday) = self.weekday(at) {
            let next = at + 1 + usize::from(self.word(at + 1) == "the");
            let date = self.date(next, true).or_else(|| self.day_of_month(next));
            return date.or_else(|| Some((self.next_weekday(weekday)?, at + 1)).filter(|_| is_led));
        }
        let of_month = || self.day_of_month(at).filter(|_| is_led && self.word(at - 1) == "the");
        self.date(at, is_led).or_else(of_month)
    }

    fn weekday(&self, at: usize) -> Option<i8> {
        let word = self.word(at);
        let is_it =
            |day: &&str| *day == word || SHORT_WEEKDAYS.contains(&word) && day.starts_with(word);
        WEEKDAYS.iter().position(is_it).and_then(|day| i8::try_from(day).ok())
    }

    /// The next such weekday; today, if it is one.
    fn next_weekday(&self, weekday: i8) -> Option<Date> {
        let ahead = (weekday - self.today.weekday().to_monday_zero_offset()).rem_euclid(7);
        self.today.checked_add(i64::from(ahead).days()).ok()
    }

    /// A day and a month, with the year where it is said.
    fn date(&self, at: usize, is_led: bool) -> Read<Date> {
        if let Some((day, month)) = self.in_figures(at, is_led) {
            return Some((self.ahead(day, month, is_led)?, at + 1));
        }
        // "May" and "march" are verbs, too.
        let is_verb = !is_led && ["may", "march"].contains(&self.word(at));
        let (month, day, next) = if let Some(month) = self.month(at).filter(|_| !is_verb) {
            let next = at + 1 + usize::from(self.word(at + 1) == "the");
            (month, self.day_number(next)?, next + 1)
        } else {
            let day = self.day_number(at)?;
            let next = at + 1 + usize::from(self.word(at + 1) == "of");
            (self.month(next)?, day, next + 1)
        };
        match self.word(next).parse::<i16>().ok().filter(|year| (1900..2100).contains(year)) {
            Some(year) => Some((Date::new(year, month, day).ok()?, next + 1)),
            None => Some((self.ahead(day, month, is_led)?, next)),
        }
    }

    /// "27/11", "12/15", "30.11.": a day and a month, where no other reading is possible.
    fn in_figures(&self, at: usize, is_led: bool) -> Option<(i8, i8)> {
        let word = self.words.get(at).filter(|_| is_led)?;
        if let Some((day, month)) = word.text.split_once('.') {
            let (day, month) = (day.parse().ok()?, month.parse().ok()?);
            return (word.dotted || self.weekday(at.checked_sub(1)?).is_some())
                .then_some((day, month));
        }
        let (one, two) = word.text.split_once('/')?;
        let (one, two) = (one.parse::<i8>().ok()?, two.parse::<i8>().ok()?);
        match (one, two) {
            _ if one > 12 || one == two => Some((one, two)),
            _ if two > 12 => Some((two, one)),
            _ => None,
        }
    }

    /// "the 24th".
    fn day_of_month(&self, at: usize) -> Read<Date> {
        let day = self.day_number(at).filter(|_| self.is_ordinal(at))?;
        let days = (0..=3).filter_map(|ahead| {
            let month = self.today.first_of_month().checked_add(i64::from(ahead).months()).ok()?;
            Date::new(month.year(), month.month(), day).ok()
        });
        Some((days.into_iter().find(|day| *day >= self.today)?, at + 1))
    }

    fn is_ordinal(&self, at: usize) -> bool {
        ["st", "nd", "rd", "th"].iter().any(|end| self.word(at).ends_with(end))
    }

    fn day_number(&self, at: usize) -> Option<i8> {
        let word = self.word(at);
        let digits = if self.is_ordinal(at) { word.get(..word.len() - 2)? } else { word };
        digits.parse::<i8>().ok().filter(|day| (1..=31).contains(day))
    }

    fn month(&self, at: usize) -> Option<i8> {
        let word = self.word(at);
        let is_it = |month: &&str| {
            *month == word || *word == month[..3] || word == "sept" && *month == "september"
        };
        MONTHS.iter().position(is_it).and_then(|month| i8::try_from(month + 1).ok())
    }

    /// The next day of that name.
    fn ahead(&self, day: i8, month: i8, is_led: bool) -> Option<Date> {
        let years = [self.today.year(), self.today.year().checked_add(1)?];
        let next = years.into_iter().filter_map(|year| Date::new(year, month, day).ok());
        let next = next.into_iter().find(|day| *day >= self.today)?;
        let near = self.today.until(next).is_ok_and(|far| far.get_days() <= UNANNOUNCED_DAYS_MAX);
        (is_led || near).then_some(next)
    }
}
