//! Parallel: two plain statements of one build, such as a person makes one after the other to tell of several things.

/// How two statements of one build differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parallel {
    /// The things they speak of bear two marks of one sort: "zone a1 is owned by Kim", "zone a2 is owned by Lee".
    OtherThing,
    /// They say two sorts of things of one subject, or two of one sort of two subjects: "the cart is written in Go", "the cart
    /// is owned by Ana"; "Lou is the contact at Visa", "Mo is the contact at Amex".
    OtherMatter,
    /// They say of one subject what it uses: "the worker uses Node 18", "the worker uses Postgres 16".
    OtherUse,
}

/// Words of a statement that can be compared with another one.
const WORDS_MAX: usize = 12;
const ARTICLES: &[&str] = &["the", "a", "an", "our", "my"];
const BEING: &[&str] = &["is", "are", "was", "were", "gets", "get", "be", "been", "has", "have"];
const PREPOSITIONS: &[&str] = &[
    "in", "on", "by", "to", "with", "at", "from", "for", "after", "before", "over", "under",
    "into", "out", "off", "as", "behind", "through", "via",
];

/// Returns how two statements of one build differ; `None` where they are not of one build, or differ in a value alone.
pub fn parallel(held: &str, said: &str) -> Option<Parallel> {
    let (held, said) = (words_of(held)?, words_of(said)?);
    let shared = held.iter().zip(&said).take_while(|(a, b)| a.text == b.text).count();
    let (left, right) = (&held[shared..], &said[shared..]);
    if other_mark(left, right) {
        return Some(Parallel::OtherThing);
    }
    if shared == 0 {
        return two_places(&held, &said).then_some(Parallel::OtherMatter);
    }
    if held[shared - 1].is(&["use", "uses"]) {
        return Some(Parallel::OtherUse);
    }
    let [one, other] = [left, right].map(|rest| predicate(rest, held[shared - 1].is(BEING)));
    let (one, other) = (one?, other?);
    let apart = !left.iter().any(|word| right.iter().any(|other| other.text == word.text));
    (one != other && apart).then_some(Parallel::OtherMatter)
}

/// A word, and whether it is written as a plain one: a name, a number and a path are values.
#[derive(Debug, Clone)]
struct PlainWord {
    text: String,
    plain: bool,
}

impl PlainWord {
    fn is(&self, words: &[&str]) -> bool {
        words.contains(&&*self.text)
    }

    /// Whether it is the mark of one of several things: "a1", "eu-2", "14".
    fn is_mark(&self) -> bool {
        self.text.len() <= 6 && self.text.chars().any(|c| c.is_ascii_digit())
    }
}

/// The words of a statement without its articles; `None` of what is no short plain sentence.
fn words_of(text: &str) -> Option<Vec<PlainWord>> {
    let text = text.trim().trim_end_matches('.');
    if text.contains(['\n', ';', '?', '!', ',', ':', '(']) && !text.contains("://")
        || text.contains(". ")
    {
        return None;
    }
    let plain = |word: &str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let words = text
        .split_whitespace()
        .map(|word| PlainWord { text: word.to_lowercase(), plain: plain(word) });
    let words: Vec<PlainWord> = words.filter(|word| !word.is(ARTICLES)).collect();
    (2..=WORDS_MAX).contains(&words.len()).then_some(words)
}

/// Whether two rests begin with two marks, go on in the same words and end in other ones.
fn other_mark(left: &[PlainWord], right: &[PlainWord]) -> bool {
    let ([one, left @ ..], [other, right @ ..]) = (left, right) else { return false };
    let same = left.iter().zip(right).take_while(|(a, b)| a.text == b.text).count();
    one.is_mark() && other.is_mark() && 0 < same && same < left.len() && same < right.len()
}

/// The word that says what is told of a subject: the verb before a preposition, or the preposition behind a form of "be".
fn predicate(rest: &[PlainWord], after_being: bool) -> Option<&str> {
    let is_led = rest.first().is_some_and(|word| word.is(BEING));
    if is_led && rest[0].is(&["has", "have"]) {
        return Some("has");
    }
    let verb = if is_led { rest.get(1)? } else { rest.first()? };
    let is_preposition = |at: usize| rest.get(at).is_some_and(|word| word.is(PREPOSITIONS));
    let at = usize::from(is_led);
    let leads = is_preposition(at) && (is_led || after_being) && rest.len() > at + 1;
    let has_object = is_preposition(at + 1) || !is_led && !after_being && is_preposition(at + 2);
    (verb.plain && (leads || has_object)).then_some(&*verb.text)
}

/// Whether two statements of one length differ in the subject and again behind what both say.
fn two_places(held: &[PlainWord], said: &[PlainWord]) -> bool {
    let differ: Vec<bool> = held.iter().zip(said).map(|(a, b)| a.text != b.text).collect();
    let first = differ.iter().take_while(|differs| **differs).count();
    let shared = differ[first..].iter().take_while(|differs| !**differs).count();
    held.len() == said.len()
        && (1..=2).contains(&first)
        && shared >= 2
        && first + shared < differ.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_one_build_are_about_two_matters() {
        for (held, said, how) in [
            ("cart-api is owned by Ana", "cart-api is deployed with helm", Parallel::OtherMatter),
            ("billing-api is written in go", "billing-api talks to kafka", Parallel::OtherMatter),
            ("ledger stores files on S3", "ledger is written in go", Parallel::OtherMatter),
            (
                "the mobile app talks to kafka",
                "the mobile app gets built by Jenkins",
                Parallel::OtherMatter,
            ),
            ("The gateway has 3 replicas.", "the gateway logs to loki", Parallel::OtherMatter),
            ("Lou is the contact at Visa", "Mo is the contact at Amex", Parallel::OtherMatter),
            ("zone a1 is owned by Kim", "zone a2 is owned by Lee", Parallel::OtherThing),
            ("rack 12 is cooled by air", "rack 14 is cooled by water", Parallel::OtherThing),
            ("the worker uses Node 18", "the worker uses Postgres 16", Parallel::OtherUse),
        ] {
            assert_eq!(parallel(held, said), Some(how), "{held} / {said}");
            assert_eq!(parallel(said, held), Some(how), "{said} / {held}");
        }
    }

    #[test]
    fn what_differs_in_a_value_alone_or_is_told_freely_is_not_of_one_build() {
        for (held, said) in [
            ("The queue is rabbitmq.", "the queue is nats"),
            ("The relay is on a1.", "the relay is on a2"),
            ("Staging runs Postgres 14.", "staging runs Postgres 16"),
            ("Sessions last 30 minutes", "sessions last an hour"),
            ("uploads go to S3", "uploads go straight to gcs"),
            ("The team prefers tabs", "the team prefers spaces"),
            ("The release is on Friday", "the release is on Monday"),
            ("PHP is 8.1 on the hosting.", "hoster forced 8.3, white screen now, here the log"),
            ("The blog is hosted on Netlify.", "we moved the blog. it runs on cloudflare"),
            ("Gerd has the dome key.", "key's in the lockbox"),
        ] {
            assert_eq!(parallel(held, said), None, "{held} / {said}");
        }
    }
}
