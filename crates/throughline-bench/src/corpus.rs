//! Made-up memories: words with the skewed frequencies of real text, the same on every run.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::ensure;
use throughline_core::evidence::Testimony;
use throughline_core::scope::{Scope, Space};
use throughline_core::{
    Actor, Authority, Batch, BatchId, Cause, Change, Kind, Memory, MemoryId, Timestamp,
};
use throughline_engine::Project;

/// Words in the vocabulary.
const VOCABULARY: usize = 20_000;
/// Memories in one batch of the import.
const BATCH: usize = 1_000;

pub(crate) struct Corpus {
    texts: Vec<String>,
}

impl Corpus {
    pub(crate) fn new(memories: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(7);
        let texts = (0..memories)
            .map(|n| {
                let length = random.usize(10..30);
                let words: Vec<String> = (0..length).map(|_| word(&mut random)).collect();
                format!("{} item{n}", words.join(" "))
            })
            .collect();
        Self { texts }
    }

    pub(crate) fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The id of the n-th memory, as text.
    pub(crate) fn id(&self, n: usize) -> String {
        id(n).to_string()
    }

    /// A text that is in no run before.
    #[expect(clippy::unused_self, reason = "it belongs to the corpus")]
    pub(crate) fn fresh(&self, run: usize) -> String {
        let mut random = fastrand::Rng::new();
        let words: Vec<String> = (0..18).map(|_| word(&mut random)).collect();
        format!("{} fresh{run}x{}", words.join(" "), random.u64(..))
    }

    /// Queries with rare words, with a usual mix, and with words that are nearly everywhere.
    #[expect(clippy::unused_self, reason = "it belongs to the corpus")]
    pub(crate) fn queries(&self) -> [(&'static str, String); 3] {
        [
            ("search, rare words", spelled(15_000) + " " + &spelled(17_000)),
            ("search, a usual mix", spelled(40) + " " + &spelled(900) + " " + &spelled(9_000)),
            ("search, the commonest words", spelled(0) + " " + &spelled(1) + " " + &spelled(2)),
        ]
    }

    /// The words of a question, as people ask: a rare one, two usual ones, two frequent ones.
    #[expect(clippy::unused_self, reason = "it belongs to the corpus")]
    pub(crate) fn question(&self, n: usize) -> String {
        [
            12_000 + n * 53 % 7_000,
            2_000 + n * 37 % 3_000,
            700 + n * 17 % 900,
            60 + n % 90,
            20 + n % 30,
        ]
        .map(spelled)
        .join(" ")
    }

    /// Imports the corpus into a new home through the program itself.
    pub(crate) fn fill(&self, folder: &Path, binary: &Path) -> anyhow::Result<PathBuf> {
        let project = folder.join("project");
        std::fs::create_dir(&project)?;
        let project = Project::at(&project)?;
        let file = folder.join("corpus.jsonl");
        self.write(&file, &project)?;
        let home = folder.join("home");
        let import = |trust: &[&str]| {
            Command::new(binary)
                .args(["import".as_ref(), file.as_os_str(), "--home".as_ref(), home.as_os_str()])
                .args(["--project".as_ref(), project.root.as_os_str()])
                .args(trust)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
        };
        // A program of before `--trust` believes every import.
        let imported = import(&["--trust"])?.success() || import(&[])?.success();
        ensure!(imported, "the corpus could not be imported");
        Ok(home)
    }

    fn write(&self, file: &Path, project: &Project) -> anyhow::Result<()> {
        let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
        writeln!(out, r#"{{"format":"throughline-log","version":1}}"#)?;
        let at = Timestamp::from_millis(1_760_000_000_000);
        let space = project.space();
        let scope = Scope { space, session: None };
        for (number, texts) in self.texts.chunks(BATCH).enumerate() {
            let mut changes = Vec::new();
            if number == 0 {
                let (key, name) = (project.key.as_str().to_owned(), project.name.clone());
                let (created_at, slept) = (at, None);
                changes.push(Change::AddSpace(Space { space, key, name, created_at, slept }));
            }
            for (n, text) in texts.iter().enumerate() {
                let id = id(number * BATCH + n);
                let memory = Memory::new(id, &scope, Kind::Fact, text, Authority::UserStated, at);
                changes.push(Change::Insert(Box::new(memory)));
                let said = Testimony::new(Authority::UserStated, at);
                changes.push(Change::Reinforce(said.about(space, id)));
            }
            let batch = Batch {
                id: BatchId(id(number + (1 << 40)).0),
                space,
                at,
                actor: Actor::System,
                cause: Cause::Import,
                session: None,
                reason: None,
                changes,
                extra: std::collections::BTreeMap::new(),
            };
            writeln!(out, "{}", serde_json::to_string(&batch)?)?;
        }
        Ok(out.flush()?)
    }
}

fn id(n: usize) -> MemoryId {
    let text = format!("01990000-0000-7000-8000-{n:012x}");
    text.parse().expect("the parts have the length of an id's parts")
}

/// A word by its rank: short and frequent first.
fn spelled(rank: usize) -> String {
    const SYLLABLES: [&str; 20] = [
        "ka", "lo", "mi", "ter", "ven", "dor", "sa", "pul", "qui", "rom", "bex", "nat", "gol",
        "hif", "zan", "wub", "cor", "tis", "jem", "fau",
    ];
    let mut rest = rank + 20;
    let mut word = String::new();
    while rest > 0 {
        word.push_str(SYLLABLES[rest % 20]);
        rest /= 20;
    }
    word
}

/// A word drawn so that its frequency falls with its rank, as in real text.
fn word(random: &mut fastrand::Rng) -> String {
    let skew = random.f64().powi(4);
    #[expect(clippy::cast_possible_truncation, reason = "a rank below the vocabulary's size")]
    #[expect(clippy::cast_sign_loss, reason = "the share is not negative")]
    #[expect(clippy::cast_precision_loss, reason = "the vocabulary is small")]
    let rank = (skew * VOCABULARY as f64) as usize;
    spelled(rank)
}
