//! Scenarios, made from a seed: who says what, in which words.

use super::phrases::{self, Phrase};
use super::topics::{Family, Topic};

/// Numbers from a seed (splitmix64), the same on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    pub(crate) fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Yes in so many of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// What happens in a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    Direct,
    Update,
    Gone,
    Revert,
    Scoped,
    Quoted,
    Hypothetical,
    ThirdParty,
    ToolOutput,
    SelfResolving,
    Retelling,
}

impl Form {
    /// As often as it stands here.
    const MIX: [Self; 24] = [
        Self::Direct,
        Self::Quoted,
        Self::Update,
        Self::Hypothetical,
        Self::Gone,
        Self::Direct,
        Self::ThirdParty,
        Self::Update,
        Self::SelfResolving,
        Self::Revert,
        Self::Scoped,
        Self::ToolOutput,
        Self::Direct,
        Self::Quoted,
        Self::Update,
        Self::Hypothetical,
        Self::Gone,
        Self::Direct,
        Self::ThirdParty,
        Self::Update,
        Self::SelfResolving,
        Self::Revert,
        Self::Scoped,
        Self::Retelling,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Update => "update",
            Self::Gone => "gone",
            Self::Revert => "revert",
            Self::Scoped => "scoped",
            Self::Quoted => "quoted",
            Self::Hypothetical => "hypothetical",
            Self::ThirdParty => "third party",
            Self::ToolOutput => "tool output",
            Self::SelfResolving => "self-resolving",
            Self::Retelling => "retelling",
        }
    }

    /// Whether a value changes.
    pub(crate) fn is_event(self) -> bool {
        match self {
            Self::Direct | Self::Update | Self::Gone | Self::Revert | Self::Scoped => true,
            Self::Quoted
            | Self::Hypothetical
            | Self::ThirdParty
            | Self::ToolOutput
            | Self::SelfResolving
            | Self::Retelling => false,
        }
    }

    fn table(self, dice: &mut Dice) -> &'static str {
        match self {
            Self::Direct => phrases::DIRECT,
            Self::Update => phrases::UPDATE,
            Self::Gone => phrases::GONE,
            // What is taken back must first have been said.
            Self::Revert => dice.pick(&[phrases::DIRECT, phrases::UPDATE]),
            Self::Scoped => phrases::SCOPED,
            Self::Quoted => phrases::QUOTED,
            Self::Hypothetical => phrases::HYPOTHETICAL,
            Self::ThirdParty => phrases::THIRD_PARTY,
            Self::ToolOutput => phrases::TOOL_OUTPUT,
            Self::SelfResolving => phrases::SELF_RESOLVING,
            Self::Retelling => phrases::RETELLING,
        }
    }
}

/// Who says what may or may not change something.
#[derive(Debug, Clone)]
pub(crate) enum Told {
    /// A person, perhaps right after the agent stated the old value.
    Prompt { text: String, after: Option<String> },
    /// A tool printed it.
    Tool { command: String, output: String },
    /// The agent said it by itself.
    Agent(String),
}

/// One scenario.
#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    pub(crate) number: usize,
    pub(crate) family: Family,
    pub(crate) form: Form,
    pub(crate) old: String,
    pub(crate) new: String,
    /// Whether the new value is said at all.
    pub(crate) says_new: bool,
    pub(crate) establish: String,
    /// Other things that are said beside it.
    pub(crate) beside: Vec<String>,
    pub(crate) told: Told,
    /// "We went back to …"
    pub(crate) back: Option<String>,
    pub(crate) ask: String,
    /// What the agent may say later, although it no longer holds.
    pub(crate) stale: Option<String>,
    /// Who else is talked of.
    pub(crate) who: &'static str,
    pub(crate) small_talk: [&'static str; 2],
    /// The old session comes back under its own name, or under another, as a resumed one does.
    pub(crate) resumed: bool,
}

/// What a neighbour is called that has the old value too, and keeps it.
pub(crate) const NEIGHBOURS: [&str; 2] = ["training sandbox", "style guide"];

impl Scenario {
    /// The scenario of a number.
    pub(crate) fn make(seed: u64, number: usize) -> Self {
        let place = u64::try_from(number).unwrap_or(0);
        let mut dice = Dice::new(seed ^ place.wrapping_mul(0xD1B5_4A32_D192_ED03));
        let form = Form::MIX[number % Form::MIX.len()];
        let family = Family::ALL[number % Family::ALL.len()];
        let topics = family.topics();
        let (topic, phrase) = fitting(&mut dice, form, &topics);
        let old = dice.pick(&topic.values);
        let others: Vec<&str> = topic.values.iter().copied().filter(|one| *one != old).collect();
        let new = dice.pick(&others);
        let who = dice.pick(&phrases::OTHERS);
        let fill = |words: &str| fill(words, &topic, old, new, who);
        let told = told(&mut dice, form, &phrase, &fill, &topic, old);
        let back = (form == Form::Revert).then(|| {
            let back = any(&mut dice, phrases::REVERT, topic.class);
            dressed(&mut dice, &fill(back.words), true)
        });
        let decided = family == Family::Decisions && dice.chance(75);
        let table = if decided { phrases::ESTABLISH_DECISION } else { phrases::ESTABLISH };
        let establish = any(&mut dice, table, topic.class);
        let establish = cased(&mut dice, &fill(establish.words));
        let beside = beside(&mut dice, &topic, &phrase, old);
        let ask = dice.pick(&topic.asks).to_owned();
        let stale = dice.chance(50).then(|| format!("As far as I know {}.", topic.claim(old)));
        Self {
            number,
            family,
            form,
            says_new: phrase.says_new,
            establish,
            beside,
            told,
            back,
            ask,
            stale,
            who,
            small_talk: [dice.pick(&phrases::SMALL_TALK), dice.pick(&phrases::SMALL_TALK)],
            resumed: dice.chance(50),
            old: old.to_owned(),
            new: new.to_owned(),
        }
    }
}

/// A topic and a phrasing that fits it. Every phrasing of a form comes up equally often.
fn fitting(dice: &mut Dice, form: Form, topics: &[Topic]) -> (Topic, Phrase) {
    let fits = |phrase: &Phrase| topics.iter().any(|topic| phrase.classes.contains(topic.class));
    let mut all = phrases::read(form.table(dice));
    all.retain(|phrase| fits(phrase) && (form != Form::Revert || phrase.says_new));
    let phrase = dice.pick(&all);
    let mine: Vec<&Topic> =
        topics.iter().filter(|topic| phrase.classes.contains(topic.class)).collect();
    (dice.pick(&mine).clone(), phrase)
}

fn any(dice: &mut Dice, table: &'static str, class: char) -> Phrase {
    let mut all = phrases::read(table);
    all.retain(|phrase| phrase.classes.contains(class));
    dice.pick(&all)
}

fn told(
    dice: &mut Dice,
    form: Form,
    phrase: &Phrase,
    fill: &dyn Fn(&str) -> String,
    topic: &Topic,
    old: &str,
) -> Told {
    match form {
        Form::ToolOutput => {
            let (command, output) = phrase.words.split_once('|').unwrap_or(("cat", phrase.words));
            Told::Tool { command: command.to_owned(), output: fill(output) }
        }
        Form::Retelling => Told::Agent(fill(phrase.words)),
        Form::Direct
        | Form::Update
        | Form::Gone
        | Form::Revert
        | Form::Scoped
        | Form::Quoted
        | Form::Hypothetical
        | Form::ThirdParty
        | Form::SelfResolving => Told::Prompt {
            text: dressed(dice, &fill(phrase.words), !phrase.answers && form != Form::Quoted),
            after: phrase.answers.then(|| format!("{}.", capital(&topic.claim(old)))),
        },
    }
}

/// What else is told in the first session.
fn beside(dice: &mut Dice, topic: &Topic, phrase: &Phrase, old: &str) -> Vec<String> {
    let mut said = Vec::new();
    if dice.chance(50) {
        let family = dice.pick(&Family::ALL);
        let topics = family.topics();
        let other = &topics[dice.below(topics.len())];
        let shares = other.values.iter().any(|value| topic.values.contains(value));
        if other.noun != topic.noun && !shares {
            said.push(format!("{}.", capital(&other.claim(dice.pick(&other.values)))));
        }
    }
    if phrase.names_subject && dice.chance(30) {
        said.push(match topic.class {
            'R' => format!("The style guide is maintained by {old}."),
            'A' => format!("The quota of the training sandbox is {old}."),
            _ => format!("The training sandbox uses {old}."),
        });
    }
    said
}

fn fill(words: &str, topic: &Topic, old: &str, new: &str, who: &str) -> String {
    let parts = [
        ("{Cn}", topic.claim(new)),
        ("{Co}", topic.claim(old)),
        ("{N}", new.to_owned()),
        ("{O}", old.to_owned()),
        ("{np}", topic.noun.to_owned()),
        ("{area}", topic.area.to_owned()),
        ("{who}", who.to_owned()),
        ("\\n", "\n".to_owned()),
    ];
    parts.iter().fold(words.to_owned(), |words, (name, part)| words.replace(name, part))
}

/// In the middle of a request, in a hurry, or as it is.
fn dressed(dice: &mut Dice, text: &str, may_open: bool) -> String {
    let opening = if may_open && dice.chance(30) { dice.pick(&phrases::OPENINGS) } else { "" };
    let mut text = format!("{opening}{text}");
    let asks = text.ends_with(['.', '?', '!', '`', '"', '\'', ')', '”']);
    if !text.contains('\n') && dice.chance(30) {
        if !asks {
            text.push('.');
        }
        text.push_str(dice.pick(&phrases::REQUESTS));
    }
    cased(dice, &text)
}

/// As people type.
fn cased(dice: &mut Dice, text: &str) -> String {
    let mut text = match dice.below(10) {
        0..=2 => text.to_lowercase(),
        3..=6 => sentences(text),
        _ => text.to_owned(),
    };
    if dice.chance(8) {
        text = text.replace("n't", "nt").replace("it's", "its");
    }
    text
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(chars).collect()
}

/// Every sentence with a capital letter.
fn sentences(text: &str) -> String {
    let parts: Vec<String> = text.split(". ").map(capital).collect();
    parts.join(". ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [Form; 11] = [
        Form::Direct,
        Form::Update,
        Form::Gone,
        Form::Revert,
        Form::Scoped,
        Form::Quoted,
        Form::Hypothetical,
        Form::ThirdParty,
        Form::ToolOutput,
        Form::SelfResolving,
        Form::Retelling,
    ];

    #[test]
    fn the_same_seed_makes_the_same_scenarios_and_another_does_not() {
        let all = |seed| (0..48).map(|at| format!("{:?}", Scenario::make(seed, at))).collect();
        let one: Vec<String> = all(7);
        assert_eq!(one, all(7));
        assert_ne!(one, all(8));
    }

    #[test]
    fn there_are_enough_subjects_and_phrasings_that_nobody_can_learn_them_by_heart() {
        let topics: usize = Family::ALL.iter().map(|family| family.topics().len()).sum();
        assert!(topics >= 60, "{topics}");
        for form in FORMS {
            let phrasings = phrases::read(form.table(&mut Dice::new(1))).len();
            assert!(phrasings >= 12, "{}: {phrasings}", form.name());
        }
        assert!(phrases::read(phrases::REVERT).len() >= 12);
    }

    #[test]
    fn nothing_is_left_unfilled() {
        for at in 0..480 {
            let scenario = format!("{:?}", Scenario::make(3, at));
            for part in ["{N}", "{O}", "{Cn}", "{Co}", "{np}", "{area}", "{who}"] {
                assert!(!scenario.contains(part), "{scenario}");
            }
        }
    }
}
