//! Row-level security that somebody switched off: whoever is no member of a space sees nothing of it all the same, and is told
//! what to do.

use serde_json::json;

use crate::harness::{Home, administer};
use crate::hooking::{Agent, diagnosis, rows};

/// Anna owns the project, Ben was dismissed from it, and Cara never was a member. They share the folder.
struct Team {
    anna: Home,
    others: [Home; 2],
    schema: String,
}

impl Team {
    fn new() -> Self {
        let first = Home::on_server(18);
        first.json(&["list"]);
        let url = first.store_url().expect("it is on a server");
        let schema = url.rsplit_once("schema=").expect("a schema").1.to_owned();
        let (anna, ben) = (first.of_person("tl_anna"), first.of_person("tl_ben"));
        let cara = first.of_person("tl_cara");
        for home in [&anna, &ben, &cara] {
            home.json(&["config", "set", "project.join", "auto"]);
        }
        let team = Self { anna, others: [ben, cara], schema };
        team.anna.remember_with(&["The door code is xylophone", "--tag", "door"]);
        team.anna.json(&["--scope", "global", "remember", "Anna hides a xylophone at home"]);
        Agent::new(&team.anna, "a").hears("We keep the xylophone behind the staging database.");
        team.anna.json(&["store", "admit", "tl_ben"]);
        let folder = team.folder();
        team.others[0].from(&folder).json(&["remember", "The lift is broken"]);
        team.anna.json(&["store", "dismiss", "tl_ben"]);
        team
    }

    fn folder(&self) -> String {
        self.anna.project().to_str().expect("a plain name").to_owned()
    }

    fn alter(&self, table: &str, what: &str) {
        administer(&format!("ALTER TABLE {}.{table} {what} ROW LEVEL SECURITY", self.schema));
    }

    fn walled(&self) -> Vec<String> {
        let tables = administer(&format!(
            "SELECT relname FROM pg_class WHERE relrowsecurity AND relnamespace = '{}'::regnamespace
             ORDER BY 1",
            self.schema
        ));
        tables.lines().map(str::to_owned).collect()
    }
}

#[test]
fn with_the_wall_of_any_table_down_nobody_sees_what_is_others_and_all_are_told_what_to_run() {
    let team = Team::new();
    let tables = team.walled();
    assert_eq!(tables.len(), 27, "{tables:?}");
    for table in &tables {
        team.alter(table, "DISABLE");
        for home in &team.others {
            let (code, error) = home.from(&team.folder()).error(&["search", "xylophone"]);
            assert_eq!((code, &error["code"]), (1, &json!("unfit")), "{table}: {error}");
            let told = error["message"].as_str().expect("a text");
            let runs = format!("ALTER TABLE {}.{table} ENABLE ROW LEVEL SECURITY", team.schema);
            assert!(told.contains(&runs) && !told.contains("xylophone"), "{table}: {told}");
        }
        team.alter(table, "ENABLE");
    }
    // Walls that stand show nobody anything either, and everything goes on.
    for home in &team.others {
        assert_eq!(home.from(&team.folder()).texts(&["search", "xylophone"]), [""; 0]);
    }
    assert_eq!(team.anna.texts(&["search", "door code"])[0], "The door code is xylophone");
}

#[test]
fn with_a_wall_down_no_command_and_no_hook_says_what_is_others_and_turns_wait() {
    let team = Team::new();
    let ben = &team.others[0];
    let folder = team.folder();
    team.alter("memory", "DISABLE");
    let file = ben.arg("export.jsonl");
    for args in [
        &["list", "--all"][..],
        &["recall", "what is the door code"],
        &["--scope", "global", "list"],
        &["log"],
        &["stats", "--all"],
        &["status"],
        &["export", "--output", &file],
        &["store", "members"],
        &["remember", "The lift works again"],
    ] {
        let run = ben.from(&folder).run(args);
        assert_eq!(run.code, 1, "{args:?}: {}", run.stdout);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains("row-level security is off"), "{args:?}: {said}");
        assert!(!said.contains("xylophone"), "{args:?}: {said}");
    }
    let doctor = diagnosis(ben, "database");
    assert!(doctor[0].contains("row-level security is off"), "{doctor:?}");
    let agent = Agent { home: ben, session: "b".to_owned(), folder: team.anna.project() };
    for (event, fields) in [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "What is the door code of the xylophone?"})),
    ] {
        let run = agent.call(event, &fields, &[]);
        assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{event}: {}", run.stderr);
    }
    // Nothing is lost: it comes in with the next session once the wall stands, and Anna's memory is as it was.
    team.alter("memory", "ENABLE");
    administer(&format!(
        "INSERT INTO {0}.member SELECT space, 'tl_ben', 'member' FROM {0}.member WHERE role = 'tl_anna'
           AND standing = 'owner'",
        team.schema
    ));
    let before = rows(&team.anna, "episode");
    Agent { session: "later".to_owned(), ..agent }.call("SessionStart", &json!({}), &[]);
    assert_eq!(rows(&team.anna, "episode"), before + 1);
    team.anna.json(&["search", "door code"]);
    assert_eq!(team.anna.json(&["doctor", "--rebuild-check"])["ok"], true);
}

#[test]
fn a_projects_own_files_never_say_where_memory_is_kept() {
    let home = Home::new();
    let nowhere = "postgresql://anna@127.0.0.1:1/memory";
    let settings = format!("[store]\nurl = \"{nowhere}\"\n");
    let folder = home.project();
    for name in ["config.toml", "throughline.toml", ".throughline.toml", ".throughline/config.toml"]
    {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder can be made");
        std::fs::write(file, &settings).expect("a file can be written");
    }
    let env = format!("THROUGHLINE_STORE_URL={nowhere}\n");
    std::fs::write(folder.join(".env"), env).expect("a file can be written");
    home.remember("Staging runs Postgres 16");
    assert!(home.database().exists(), "it is in the home's own file");
    assert_eq!(home.json(&["config", "get", "store.url"])["value"], "");
    let agent = Agent::new(&home, "a");
    agent.hears("We deploy on Mondays because the team is there.");
    agent.ends();
    assert_eq!(home.json(&["status"])["queue"], 0);
}
