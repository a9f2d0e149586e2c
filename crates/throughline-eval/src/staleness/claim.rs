//! What agents and people say about a project: claims with values of its files in them, and claims that
//! are tied to nothing.

use super::dice::Dice;
use super::model::{Item, Role, Tongue, Tree, Value};

/// How a claim is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sort {
    Constant,
    /// The file is named without its folder.
    BareName,
    Returned,
    AtLine,
    Key,
    DottedKey,
    Dependency,
    Release,
    Documented,
    Measured,
    Variable,
    HandLine,
    HandBlock,
    HandFile,
    HandGit,
    HandFolder,
    HandKey,
    HandVariable,
    Nothing,
}

impl Sort {
    pub(crate) const ALL: [Self; 19] = [
        Self::Constant,
        Self::BareName,
        Self::Returned,
        Self::AtLine,
        Self::Key,
        Self::DottedKey,
        Self::Dependency,
        Self::Release,
        Self::Documented,
        Self::Measured,
        Self::Variable,
        Self::HandLine,
        Self::HandBlock,
        Self::HandFile,
        Self::HandGit,
        Self::HandFolder,
        Self::HandKey,
        Self::HandVariable,
        Self::Nothing,
    ];

    /// How many of a hundred claims.
    fn share(self) -> usize {
        match self {
            Self::Constant => 15,
            Self::BareName => 3,
            Self::AtLine | Self::Key => 11,
            Self::Returned => 7,
            Self::Dependency => 6,
            Self::DottedKey
            | Self::Release
            | Self::Documented
            | Self::Measured
            | Self::HandLine
            | Self::HandKey => 4,
            Self::Variable
            | Self::HandVariable
            | Self::HandBlock
            | Self::HandFile
            | Self::HandGit
            | Self::HandFolder => 2,
            Self::Nothing => 13,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant in a file",
            Self::BareName => "constant, file without its folder",
            Self::Returned => "what a function returns",
            Self::AtLine => "path:line",
            Self::Key => "key of a config file",
            Self::DottedKey => "section.key of a config file",
            Self::Dependency => "version of a dependency",
            Self::Release => "version of the project",
            Self::Documented => "what a document says",
            Self::Measured => "measurement of a file",
            Self::Variable => "environment variable",
            Self::HandLine => "--watch file:PATH#L",
            Self::HandBlock => "--watch file:PATH#L-L",
            Self::HandFile => "--watch file:PATH",
            Self::HandGit => "--watch git:FILE",
            Self::HandFolder => "--watch git:FOLDER",
            Self::HandKey => "--watch flag:FILE#key",
            Self::HandVariable => "--watch flag:env:NAME",
            Self::Nothing => "nothing to bind",
        }
    }
}

/// What the claim is about, and so what makes it false.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum About {
    Item(usize),
    /// How a file behaves: who changes it may change that.
    File(usize),
    /// An environment variable, by its place.
    Variable(usize),
    Nothing,
}

/// What moves it by design, though its value may stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Nothing but its own line or value.
    Narrow,
    /// The lines of its function or section.
    Block,
    File,
    /// Paths at the last commit.
    Committed(String),
}

/// A claim as it is told.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub(crate) sort: Sort,
    pub(crate) text: String,
    pub(crate) about: About,
    pub(crate) scope: Scope,
    pub(crate) watch: Option<String>,
    pub(crate) kind: &'static str,
    /// Told by an agent, which saw it.
    pub(crate) by_agent: bool,
}

/// Environment variables of a project, and their values before and after.
pub(crate) const VARIABLES: [(&str, &str, &str); 4] = [
    ("DEPOT_POOL_SIZE", "24", "48"),
    ("DEPOT_REGION", "eu-west-1", "us-east-1"),
    ("INGEST_BATCH_ROWS", "600", "900"),
    ("WEB_LOG_LEVEL", "debug", "warn"),
];

/// Claims about a project, so many.
pub(crate) fn claims(tree: &Tree, dice: &mut Dice, count: usize) -> Vec<Claim> {
    let mut sorts: Vec<Sort> = Vec::new();
    while sorts.len() < count {
        let mut hundred: Vec<Sort> =
            Sort::ALL.iter().flat_map(|sort| std::iter::repeat_n(*sort, sort.share())).collect();
        dice.shuffle(&mut hundred);
        sorts.extend(hundred);
    }
    let mut told: Vec<Claim> = Vec::new();
    for (at, sort) in sorts.into_iter().cycle().enumerate() {
        let claim = claim(tree, dice, sort);
        if told.iter().all(|one| one.text != claim.text) {
            told.push(claim);
        }
        if told.len() >= count || at > count * 20 {
            break;
        }
    }
    told
}

fn claim(tree: &Tree, dice: &mut Dice, sort: Sort) -> Claim {
    let by_agent = dice.chance(40);
    let plain = |text: String, about: About| Claim {
        sort,
        text,
        about,
        scope: Scope::Narrow,
        watch: None,
        kind: "fact",
        by_agent,
    };
    match sort {
        Sort::Nothing => nothing(tree, dice),
        Sort::Variable | Sort::HandVariable => {
            let at = dice.below(VARIABLES.len());
            let (name, value, _) = VARIABLES[at];
            let by_hand = sort == Sort::HandVariable;
            let text = if by_hand {
                format!("On this machine {} is {value}", human(name))
            } else {
                fill(dice.pick(&VARIABLE), &[("{name}", name), ("{value}", value)])
            };
            let watch = by_hand.then(|| format!("flag:env:{name}"));
            Claim { watch, ..plain(text, About::Variable(at)) }
        }
        Sort::Measured => {
            let sources = files(tree, Tongue::is_source);
            let file = dice.pick(&sources);
            let number = (1_013 + dice.below(7_000)).to_string();
            let path = &tree.files[file].path;
            let text = fill(dice.pick(&MEASURED), &[("{path}", path), ("{number}", &number)]);
            Claim { scope: Scope::File, ..plain(text, About::File(file)) }
        }
        Sort::Constant
        | Sort::BareName
        | Sort::Returned
        | Sort::AtLine
        | Sort::Key
        | Sort::DottedKey
        | Sort::Dependency
        | Sort::Release
        | Sort::Documented
        | Sort::HandLine
        | Sort::HandBlock
        | Sort::HandFile
        | Sort::HandGit
        | Sort::HandFolder
        | Sort::HandKey => {
            let item = dice.pick(&items(tree, |one| suits(sort, one)));
            let text = about_item(tree, dice, sort, item);
            let (watch, scope) = by_hand(tree, sort, item);
            Claim { watch, scope, ..plain(text, About::Item(item)) }
        }
    }
}

fn suits(sort: Sort, item: &Item) -> bool {
    match sort {
        Sort::Constant | Sort::BareName => item.role == Role::Constant,
        Sort::Returned | Sort::HandBlock => item.role == Role::Returned,
        Sort::AtLine | Sort::HandFile | Sort::HandGit | Sort::HandFolder => {
            matches!(item.role, Role::Constant | Role::Returned | Role::Key)
        }
        Sort::HandLine => matches!(item.role, Role::Constant | Role::Key | Role::Said),
        Sort::Key | Sort::DottedKey => item.role == Role::Key,
        Sort::HandKey => matches!(item.role, Role::Key | Role::Dependency | Role::Release),
        Sort::Dependency => item.role == Role::Dependency,
        Sort::Release => item.role == Role::Release,
        Sort::Documented => item.role == Role::Said,
        Sort::Measured | Sort::Variable | Sort::HandVariable | Sort::Nothing => false,
    }
}

fn items(tree: &Tree, suits: impl Fn(&Item) -> bool) -> Vec<usize> {
    (0..tree.items.len()).filter(|at| suits(&tree.items[*at])).collect()
}

fn files(tree: &Tree, suits: impl Fn(Tongue) -> bool) -> Vec<usize> {
    (0..tree.files.len()).filter(|at| suits(tree.files[*at].tongue)).collect()
}

/// `retry_timeout_ms`, as one would say it.
fn human(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() && words.ends_with(|last: char| last.is_lowercase()) {
            words.push(' ');
        }
        words.push(if c == '_' { ' ' } else { c });
    }
    words.to_lowercase()
}

fn fill(template: &str, with: &[(&str, &str)]) -> String {
    with.iter().fold(template.to_owned(), |text, (from, to)| text.replace(from, to))
}

const CONSTANT: [&str; 9] = [
    "{name} is {value} in {root}/{path}",
    "{name} in {path} is {value}",
    "`{name}` is set to {value} in `{path}`",
    "{path} defines {name} = {value}",
    "The value of {name} ({path}) is {value}",
    "In {path} the constant {name} is {value}.",
    "We keep {name} at {value}, see {path}",
    "{name} is {value} (defined in `{path}`)",
    "{path}: {name} is {value} by default",
];
const QUOTED: [&str; 2] = ["{name} in {path} is \"{value}\"", "{path} sets `{name}` to `{value}`"];
const RETURNED: [&str; 4] = [
    "{name}() in {path} returns at most {value}",
    "`{name}` in `{path}` caps rows at {value}",
    "In {path}, {name} never gives back more than {value}",
    "{path}: `{name}()` stops at {value}",
];
const AT_LINE: [&str; 5] = [
    "{path}:{line} sets the {human} to {value}",
    "The {human} is {value}, see {path}:{line}",
    "{human} = {value} ({path}, line {line})",
    "`{path}:{line}` is where the {human} of {value} comes from",
    "At {path}#L{line} the {human} is {value}",
];
const KEY: [&str; 6] = [
    "{name} is {value} in {path}",
    "{path} sets {name} to {value}",
    "`{name}` in `{path}` is {value}",
    "In {path}, {section} {name} is {value}",
    "{path} has {name}: {value} under {section}",
    "The {section} {name} is {value} ({path})",
];
const DOTTED: [&str; 3] = [
    "{path}#{dotted} is {value}",
    "`{dotted}` in {path} is {value}",
    "{dotted} = {value} in {path}",
];
const DEPENDENCY: [&str; 6] = [
    "We depend on {name} {value}",
    "{name} is pinned to {value} in {path}",
    "{path} asks for {name} {value}",
    "The project uses {name}@{value}",
    "{name} = \"{value}\" in {path}",
    "{path}#{dotted} is {value}",
];
const RELEASE: [&str; 4] = [
    "{path}#{dotted} is {value}",
    "`{name}` in {path} is {value}",
    "{path} says {name} = \"{value}\"",
    "{path} is at {name} {value}",
];
const DOCUMENTED: [&str; 3] = [
    "{path} says that {name} {value} is needed",
    "According to {path} we need {name} {value} or later",
    "{path} asks for {name} {value}",
];
const BY_HAND: [&str; 3] = [
    "The {human} is {value}",
    "{human} is {value} at the moment",
    "We run with a {human} of {value}",
];
const VARIABLE: [&str; 3] =
    ["{name} is {value} here", "{name}={value} in this environment", "`{name}` is set to {value}"];
const MEASURED: [&str; 4] = [
    "{path} handles {number} requests per second, measured on the bench box",
    "The benchmark of {path} takes {number} ms",
    "p99 latency of {path} is {number} ms",
    "Peak memory of {path} is {number} MB",
];

fn about_item(tree: &Tree, dice: &mut Dice, sort: Sort, at: usize) -> String {
    let item = &tree.items[at];
    let words = matches!(item.value, Value::Word(_));
    let forms: &[&str] = match sort {
        Sort::Constant | Sort::Key if words && dice.chance(60) => &QUOTED,
        Sort::Constant | Sort::BareName => &CONSTANT,
        Sort::Returned => &RETURNED,
        Sort::AtLine => &AT_LINE,
        Sort::Key => &KEY,
        Sort::DottedKey => &DOTTED,
        Sort::Dependency => &DEPENDENCY,
        Sort::Release => &RELEASE,
        Sort::Documented => &DOCUMENTED,
        Sort::HandLine
        | Sort::HandBlock
        | Sort::HandFile
        | Sort::HandGit
        | Sort::HandFolder
        | Sort::HandKey
        | Sort::HandVariable
        | Sort::Measured
        | Sort::Variable
        | Sort::Nothing => &BY_HAND,
    };
    let section = item.dotted.rsplit_once('.').map_or("", |(section, _)| section);
    let whole = tree.files[item.file].path.as_str();
    let name = whole.rsplit('/').next().unwrap_or(whole);
    let path = if sort == Sort::BareName { name } else { whole };
    let line = tree.place(at).map_or(0, |at| at + 1).to_string();
    let spoken = match item.role {
        Role::Key => format!("{section} {}", human(&item.name)),
        Role::Constant | Role::Returned | Role::Dependency | Role::Release | Role::Said => {
            human(&item.name)
        }
    };
    fill(
        dice.pick(forms),
        &[
            ("{name}", &item.name),
            ("{dotted}", &item.dotted),
            ("{section}", section),
            // As agents write it.
            ("{root}/", if sort == Sort::BareName { "" } else { "{root}/" }),
            ("{path}", path),
            ("{line}", &line),
            ("{human}", &spoken),
            ("{value}", &item.value.said()),
        ],
    )
}

/// What somebody names with `--watch`, and how far that reaches.
fn by_hand(tree: &Tree, sort: Sort, at: usize) -> (Option<String>, Scope) {
    let item = &tree.items[at];
    let file = &tree.files[item.file];
    let (path, place) = (&file.path, tree.place(at).unwrap_or(0));
    match sort {
        Sort::HandLine => (Some(format!("file:{path}#L{}", place + 1)), Scope::Narrow),
        Sort::HandBlock => {
            let block = file.lines.get(place).map_or(0, |line| line.block);
            let inside = |line: &&super::model::Line| line.block == block;
            let first = file.lines.iter().position(|line| line.block == block).unwrap_or(0);
            let last = first + file.lines.iter().filter(inside).count();
            (Some(format!("file:{path}#L{}-L{last}", first + 1)), Scope::Block)
        }
        Sort::HandFile => (Some(format!("file:{path}")), Scope::File),
        Sort::HandGit => (Some(format!("git:{path}")), Scope::Committed(path.clone())),
        Sort::HandFolder => {
            let folder = if file.folder().is_empty() { path } else { file.folder() };
            (Some(format!("git:{folder}")), Scope::Committed(folder.to_owned()))
        }
        Sort::HandKey => (Some(format!("flag:{path}#{}", key(tree, item))), Scope::Narrow),
        Sort::Constant
        | Sort::BareName
        | Sort::Returned
        | Sort::AtLine
        | Sort::Key
        | Sort::DottedKey
        | Sort::Dependency
        | Sort::Release
        | Sort::Documented
        | Sort::Measured
        | Sort::Variable
        | Sort::HandVariable
        | Sort::Nothing => (None, Scope::Narrow),
    }
}

/// A key as `--watch` takes it: in files of lines the last part alone.
fn key<'a>(tree: &Tree, item: &'a Item) -> &'a str {
    match tree.files[item.file].tongue {
        Tongue::Toml | Tongue::Json => &item.dotted,
        Tongue::Source(_) | Tongue::Yaml | Tongue::Ini | Tongue::Markdown => &item.name,
    }
}

const NOTHING: [(&str, &str); 20] = [
    ("I like short commit messages, {number} characters at most", "preference"),
    ("Keep functions in {path} below {number} lines", "principle"),
    ("We decided to use Postgres {number} because {path} needs row locks", "decision"),
    ("If {path} set {name} to {other} we would run out of memory", "fact"),
    ("Should {name} in {path} be {other}?", "fact"),
    ("> {name} in {path} is {value}", "fact"),
    ("The staging cluster lives in Frankfurt and has {number} nodes", "fact"),
    ("The limit in src/ghost/phantom.rs is {number}", "fact"),
    ("{name} in src/missing_{number}.rs is {value}", "fact"),
    ("{name} in {path} is {other}", "fact"),
    ("Release {number} went out at commit 4f2a91c", "fact"),
    ("The team has {number} people, three of them in Lisbon", "fact"),
    ("GET /api/orders answers with {number} rows a page", "fact"),
    ("Maria rotates the on-call phone every {number} days", "fact"),
    ("Anyone who touches {path} should ask Maria first", "principle"),
    ("We finished the move of {path} on Tuesday", "event"),
    ("I will look at {path} before Friday", "commitment"),
    ("The auditors read {path} last spring", "fact"),
    ("Our customers upload {number} files a day", "fact"),
    ("Look at src/ before you plan anything big", "fact"),
];

/// Something that is tied to no file of the project.
fn nothing(tree: &Tree, dice: &mut Dice) -> Claim {
    let (form, kind) = dice.pick(&NOTHING);
    let is_number =
        |one: &Item| one.role == Role::Constant && matches!(one.value, Value::Number(_));
    let item = &tree.items[dice.pick(&items(tree, is_number))];
    // A number that stands nowhere.
    let number = (7_001 + dice.below(2_000)).to_string();
    let text = fill(
        form,
        &[
            ("{path}", &tree.files[item.file].path),
            ("{name}", &item.name),
            ("{value}", &item.value.said()),
            ("{other}", &number),
            ("{number}", &number),
        ],
    );
    Claim {
        sort: Sort::Nothing,
        text,
        about: About::Nothing,
        scope: Scope::Narrow,
        watch: None,
        kind,
        by_agent: dice.chance(40),
    }
}
