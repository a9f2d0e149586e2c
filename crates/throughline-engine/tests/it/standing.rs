//! What must hold whatever an agent calls, in whatever order: what a person said stands, and an
//! agent's word stays an agent's.

use throughline_core::permission::Door;
use throughline_core::policy::Policy;
use throughline_core::{Authority, Kind, Relation, SessionId, Slot, State};
use throughline_engine::{
    AgentCorrection, Ask, Card, Clock, Context, Edits, Engine, Filter, Keep, NewMemory, Project,
    ShelfClaim, ShelfRules, Showed,
};

const RULE: &str = "Deploys to production need two approvals";
const FACT: &str = "The staging database runs Postgres 16";
/// Calls of one agent.
const CALLS: usize = 30;
/// Agents that try.
const AGENTS: u64 = 12;
/// Ways to call.
const WAYS: usize = 20;

struct Attack {
    engine: Engine,
    person: Context,
    /// What the person said, with its words.
    said: Vec<(String, &'static str)>,
    random: fastrand::Rng,
    told: Vec<String>,
}

impl Attack {
    fn new(folder: &std::path::Path, seed: u64) -> Self {
        let root = folder.join(format!("project-{seed}"));
        std::fs::create_dir(&root).unwrap();
        let engine = Engine::open(&folder.join(format!("home-{seed}")), Clock::System).unwrap();
        let person = Context::user(Project::at(&root).unwrap());
        let rule = NewMemory { kind: Kind::Principle, ..NewMemory::new(RULE) };
        let slot = Slot::parse("staging|runs|Postgres 16|one").unwrap();
        let fact = NewMemory { slot: Some(slot), ..NewMemory::new(FACT) };
        let said = [(rule, RULE), (fact, FACT)].map(|(new, words)| {
            (engine.keeping(&person).remember(&new).unwrap().card.memory.id.to_string(), words)
        });
        let random = fastrand::Rng::with_seed(seed);
        Self { engine, person, said: said.into(), random, told: Vec::new() }
    }

    fn agent(&mut self) -> Context {
        let doors = [Door::Tools, Door::AgentShell, Door::MemoryTool, Door::ServerMemory];
        let session = SessionId(format!("s{}", self.random.u8(0..3)));
        let door = doors[self.random.usize(0..doors.len())];
        Context { door, session: Some(session), ..self.person.clone() }
    }

    fn everything(&self) -> Vec<Card> {
        let filter = Filter { all: true, ..Filter::default() };
        let reader = self.engine.now_reader().unwrap();
        self.engine.looking(&self.person).list(&*reader, &filter).unwrap().items
    }

    fn any(&mut self) -> String {
        let ids: Vec<String> =
            self.everything().iter().map(|card| card.memory.id.to_string()).collect();
        ids[self.random.usize(0..ids.len())].clone()
    }

    fn words(&mut self) -> String {
        let words = [
            "Deploys to production need no approval",
            RULE,
            "The staging database runs MySQL 9",
            FACT,
        ];
        let end =
            if self.random.bool() { String::new() } else { format!(" ({})", self.random.u8(..)) };
        format!("{}{end}", words[self.random.usize(0..words.len())])
    }

    /// One call, which may fail.
    fn call(&mut self) {
        let (agent, way) = (self.agent(), self.random.usize(0..WAYS));
        let (one, other, words) = (self.any(), self.any(), self.words());
        self.told.push(format!("{way} by {} on {one}, {other}: {words}", agent.door));
        let engine = &self.engine;
        let (one, other) = (one.as_str(), other.as_str());
        match way {
            0..=2 => {
                let ranks = [Authority::UserStated, Authority::Observed, Authority::External];
                let kinds = [Kind::Principle, Kind::Fact, Kind::Preference, Kind::Decision];
                let slot = Slot::parse("staging|runs|MySQL 9|one").unwrap();
                let new = NewMemory {
                    authority: ranks[self.random.usize(0..3)],
                    kind: kinds[self.random.usize(0..4)],
                    slot: self.random.bool().then_some(slot),
                    importance: Some(1.0),
                    pinned: self.random.u8(0..4) == 0,
                    ..NewMemory::new(&words)
                };
                drop(engine.keeping(&agent).remember(&new));
            }
            3 | 4 => {
                let said = AgentCorrection { content: &words, slot: None, evidence: Some(&words) };
                drop(engine.keeping(&agent).propose(one, &said));
            }
            5 => drop(engine.keeping(&agent).correct(one, &words, None)),
            6 => drop(engine.watching(&agent).verify(one, Showed::Confirmed, Some(&words))),
            7 => drop(engine.watching(&agent).verify(one, Showed::Refuted, Some(&words))),
            8 => drop(engine.keeping(&agent).archive(one, Some("old"))),
            9 => drop(engine.keeping(&agent).forget(one, Some("old"))),
            10 => drop(engine.keeping(&agent).supersede(one, other)),
            11 => drop(engine.keeping(&agent).link(one, Relation::Contradicts, other, None)),
            12 => drop(engine.keeping(&agent).link(one, Relation::Because, other, None)),
            13 => drop(engine.keeping(&agent).unlink(one, Relation::Contradicts, other, None)),
            14 => drop(engine.keeping(&agent).undo(None)),
            15 => {
                let content = Some(words);
                drop(engine.keeping(&agent).edit(one, &Edits { content, ..Edits::default() }));
                drop(engine.keeping(&agent).pin(one, false));
                drop(engine.keeping(&agent).confirm(one));
                drop(engine.keeping(&agent).unarchive(one));
                drop(engine.keeping(&agent).unsupersede(one));
                drop(engine.keeping(&agent).tag(one, &["x".to_owned()], &[]));
                drop(engine.erasing().purge(&agent, &[one.to_owned()], true));
                drop(engine.reviewing(&agent).resolve_contest(one, Keep::B));
            }
            16 => drop(engine.looking(&agent).rate(one, false)),
            17 => drop(engine.sleeping(&self.person).sleep(&mut |_| ())),
            _ => {
                // A tool keeps what the person said, and takes it away again.
                let claims = |_: &str, entry: &throughline_engine::ShelfEntry| ShelfClaim {
                    content: entry.text.clone(),
                    about: None,
                };
                let authority = Authority::Observed;
                let keeping = ShelfRules { shelves: &["file"], claims: &claims, authority };
                let taken = self.random.bool();
                let done = engine.keeping(&agent).reshelve(keeping, |shelves| {
                    if taken {
                        shelves.on("file").clear();
                    } else {
                        let entry = shelves.entry("/memories/a", &words);
                        shelves.on("file").push(entry);
                    }
                    Ok(())
                });
                drop(done);
            }
        }
    }

    fn assert_stands(&self) {
        let story = self.told.join("\n");
        for (id, words) in &self.said {
            let reader = self.engine.now_reader().unwrap();
            let card = self.engine.looking(&self.person).show(&*reader, id).unwrap();
            assert_eq!(card.memory.content, *words, "{story}");
            assert_eq!(card.memory.state, State::Confirmed, "{words}: {story}");
            assert_eq!(card.memory.authority, Authority::UserStated, "{words}: {story}");
            assert!(card.contested_by.is_empty(), "{words}: {story}");
            assert!(card.trust.value() >= 0.949, "{words}, {}: {story}", card.trust.value());
        }
        for card in self.everything() {
            if self.said.iter().any(|(id, _)| *id == card.memory.id.to_string()) {
                continue;
            }
            let (memory, trust) = (&card.memory, card.trust.value());
            assert!(!memory.authority.outranks(Authority::Observed), "{memory:?}: {story}");
            assert!(trust <= Authority::Observed.support() + 1e-9, "{trust}, {memory:?}: {story}");
            assert!(!memory.pinned, "{memory:?}: {story}");
        }
        let brief = self.engine.briefing(&self.person).brief(None, &[]).unwrap().text;
        assert!(brief.contains(RULE) && brief.contains(FACT), "{brief}: {story}");
    }
}

#[test]
fn whatever_an_agent_calls_what_a_person_said_stands_and_its_own_word_stays_its_own() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..AGENTS {
        let mut attack = Attack::new(folder.path(), seed);
        for _ in 0..CALLS {
            attack.call();
        }
        attack.assert_stands();
    }
}

const CONTRARY: &str = "Deploys to production need no approval";

/// The calls by which an agent once overruled the user, each at least once and some more often.
fn chain(seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut calls: Vec<u8> = (0..4).collect();
    for _ in 0..random.usize(0..4) {
        calls.push(random.u8(0..4));
    }
    random.shuffle(&mut calls);
    calls
}

/// The person's rule in a project of its own, and the brief after an agent has made some calls.
fn brief_after(engine: &Engine, root: &std::path::Path, calls: &[u8]) -> String {
    std::fs::create_dir(root).unwrap();
    let person = Context::user(Project::at(root).unwrap());
    let session = Some(SessionId("s1".to_owned()));
    let agent = Context { door: Door::Tools, session, ..person.clone() };
    let new = NewMemory { kind: Kind::Principle, ..NewMemory::new(RULE) };
    let user = engine.keeping(&person).remember(&new).unwrap().card.memory.id.to_string();
    let mut own = user.clone();
    for call in calls {
        match call {
            0 => {
                let ask = Ask::new("approvals for deploys", Policy::default().recall);
                engine.recalling(&agent).recall(&ask).unwrap();
            }
            1 => {
                let said =
                    AgentCorrection { content: CONTRARY, slot: None, evidence: Some("checked") };
                own = engine
                    .keeping(&agent)
                    .propose(&user, &said)
                    .unwrap()
                    .card
                    .memory
                    .id
                    .to_string();
            }
            2 => drop(engine.watching(&agent).verify(&own, Showed::Confirmed, Some("checked it"))),
            _ => drop(engine.keeping(&agent).archive(&user, Some("outdated"))),
        }
    }
    engine.briefing(&person).brief(None, &[]).unwrap().text
}

#[test]
fn the_users_rule_stands_in_the_brief_after_a_hundred_of_a_hundred_shuffled_chains() {
    /// Homes, so that they can be gone through side by side.
    const HOMES: u64 = 4;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::thread::scope(|scope| {
        for home in 0..HOMES {
            scope.spawn(move || {
                let place = folder.join(format!("home-{home}"));
                let engine = Engine::open(&place, Clock::System).unwrap();
                for seed in (0..100).filter(|seed| seed % HOMES == home) {
                    let calls = chain(seed);
                    let root = folder.join(format!("project-{seed}"));
                    let brief = brief_after(&engine, &root, &calls);
                    assert!(brief.contains(RULE), "{calls:?}: {brief}");
                    assert!(!brief.contains(CONTRARY), "{calls:?}: {brief}");
                }
            });
        }
    });
    let different: std::collections::BTreeSet<Vec<u8>> = (0..100).map(chain).collect();
    assert!(different.len() > 60, "{}", different.len());
}
