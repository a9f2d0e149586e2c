//! What is not said in English, and what the reader is not sure of: nothing is guessed, and the agent is
//! asked to keep it.

use serde_json::json;
use throughline_core::asking::LINE;

use crate::harness::Home;
use crate::hooking::{Agent, PATIENT, run};

/// A rule, a changed value and a plain request, each with words to find it by, and the sentence of the
/// rule.
struct Spoken {
    language: &'static str,
    prompts: [(&'static str, &'static str); 3],
    rule: &'static str,
}

const SPOKEN: &[Spoken] = &[
    Spoken {
        language: "German",
        prompts: [
            (
                "Migrationen laufen bei uns nur noch nachts nach zwei Uhr. Bau das bitte in den Job ein.",
                "Migrationen nachts",
            ),
            (
                "Die Staging-Datenbank läuft übrigens seit gestern auf Postgres 16, nicht mehr auf 14.",
                "Staging-Datenbank Postgres",
            ),
            (
                "Kannst du bitte die Tests im Ordner billing aufräumen und die doppelten entfernen.",
                "doppelten Tests aufräumen",
            ),
        ],
        rule: "Migrationen laufen bei uns nur noch nachts nach zwei Uhr.",
    },
    Spoken {
        language: "French",
        prompts: [
            (
                "On ne pousse jamais directement sur main chez nous. Ouvre une branche pour ce correctif.",
                "pousse directement branche",
            ),
            (
                "Le cache des sessions est passé de Redis à Valkey la semaine dernière.",
                "cache sessions Valkey",
            ),
            (
                "Peux-tu relancer la compilation et me dire ce qui casse encore dans le module de paie.",
                "relancer la compilation paie",
            ),
        ],
        rule: "On ne pousse jamais directement sur main chez nous.",
    },
    Spoken {
        language: "Spanish",
        prompts: [
            (
                "Los importes se guardan siempre en céntimos, nunca con decimales. Corrige el cálculo del pedido.",
                "importes céntimos",
            ),
            (
                "El límite de la cola ahora es de 500 mensajes, antes eran 200.",
                "límite cola mensajes",
            ),
            (
                "Renombra la función de la página de inicio y actualiza las llamadas que queden.",
                "renombra función página",
            ),
        ],
        rule: "Los importes se guardan siempre en céntimos, nunca con decimales.",
    },
    Spoken {
        language: "Chinese",
        prompts: [
            ("以后提交信息一律用英文写。先把这个分支整理一下。", "提交信息一律用英文"),
            (
                "测试环境的数据库昨天升级到了 Postgres 16，不再是 14 了。",
                "测试环境的数据库 Postgres",
            ),
            ("帮我把登录页面的按钮颜色改成蓝色，再跑一遍测试。", "登录页面的按钮颜色"),
        ],
        rule: "以后提交信息一律用英文写。",
    },
    Spoken {
        language: "Japanese",
        prompts: [
            (
                "本番へのデプロイは必ず木曜日の午前中に行います。まずスクリプトを直してください。",
                "本番 デプロイ 木曜日",
            ),
            ("キューの上限は200件から500件に変わりました。", "キューの上限"),
            (
                "ログイン画面のボタンの色を青に変えて、テストも直しておいて。",
                "ログイン画面 ボタンの色",
            ),
        ],
        rule: "本番へのデプロイは必ず木曜日の午前中に行います。",
    },
];

/// How often the agent is asked in what it is told.
fn asked(told: &str) -> usize {
    told.matches(LINE).count()
}

#[test]
fn nothing_is_kept_of_other_languages_and_every_turn_is_found() {
    for spoken in SPOKEN {
        let home = Home::new();
        let agent = Agent::new(&home, "march");
        for (prompt, _) in spoken.prompts {
            agent.hears(prompt);
            agent.answers("OK.");
        }
        agent.tell_at(None, "SessionEnd", &json!({ "reason": "exit" }));
        let kept = home.texts(&["list", "--all"]);
        assert!(kept.is_empty(), "{}: {kept:?}", spoken.language);
        for (prompt, words) in spoken.prompts {
            let found = home.page(&["recall", words, "--episodes"]);
            let begins: String = prompt.chars().take(8).collect();
            assert!(found.contains(&begins), "{}: {words}: {found}", spoken.language);
            let read = home.json(&["read", prompt]);
            assert_eq!((&read["english"], &read["pieces"]), (&json!(false), &json!([])), "{read}");
        }
        let page = home.page(&["read", spoken.rule]);
        assert!(page.contains("not in English: nothing is kept automatically"), "{page}");
    }
}

#[test]
fn with_our_tools_the_agent_is_asked_once_for_each_turn_in_another_language() {
    for spoken in SPOKEN {
        let home = Home::new();
        let agent = Agent::new(&home, "march");
        let (rule, _) = spoken.prompts[0];
        assert_eq!(asked(&agent.hears(rule)), 0, "no tools are connected");
        drop(home.mcp());
        for (prompt, _) in spoken.prompts {
            let told = agent.hears(prompt);
            assert_eq!(asked(&told), 1, "{}: {prompt}: {told}", spoken.language);
            agent.answers("OK.");
        }
        home.run(&["config", "set", "agent.ask", "false"]);
        assert_eq!(asked(&agent.hears(rule)), 0, "it is switched off");
    }
}

#[test]
fn what_the_agent_quotes_in_another_language_is_the_users() {
    for spoken in SPOKEN {
        let home = Home::new();
        let agent = Agent::new(&home, "march");
        let mut tools = home.mcp();
        assert_eq!(asked(&agent.hears(spoken.prompts[0].0)), 1);
        let kept = tools.call("remember", json!({ "content": spoken.rule }));
        assert_eq!(kept["by"], "user_stated", "{}: {kept}", spoken.language);
        let own = tools.call("remember", json!({ "content": format!("{} XY", spoken.rule) }));
        assert_ne!(own["by"], "user_stated", "{}: {own}", spoken.language);
        agent.answers("OK.");
        agent.ends();
        home.assert_sound();
    }
}

#[test]
fn english_with_code_foreign_names_and_identifiers_is_read_as_english() {
    let home = Home::new();
    for prompt in [
        "Never rename kunden_nummer in src/abrechnung/rechnung_pruefen.rs, the ERP reads it by name.",
        "Frau Lindqvist from the Düsseldorf office owns the tax rules from now on.",
        "Here is the query:\n```sql\nSELECT größe, straße FROM bestellungen WHERE geprüft = wahr;\n```\n\
         We always run it against the replica, never against the primary.",
        "The button has to say 「保存」 on every page, never anything else.",
        "ok danke",
    ] {
        let read = home.json(&["read", prompt]);
        assert_eq!(read["english"], true, "{prompt}");
    }
}

#[test]
fn in_english_the_agent_is_asked_about_what_is_unclear_and_nothing_else() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    drop(home.mcp());
    for clear in [
        "Thanks, looks good!",
        "Run the tests in the billing folder and fix what fails.",
        "Which port does the gateway listen on?",
        "We never deploy on Fridays, only on Tuesdays and Thursdays.",
    ] {
        assert_eq!(asked(&agent.hears(clear)), 0, "{clear}");
        agent.answers("OK.");
    }
    let unclear: Vec<&str> = UNCLEAR.iter().copied().filter(|one| is_unsure(&home, one)).collect();
    let [first, second, third, ..] = unclear[..] else {
        panic!("the reader is sure of nearly all of these by now, find others: {unclear:?}")
    };
    let told = agent.hears(first);
    assert_eq!(asked(&told), 1, "{first}: {told}");
    agent.answers("OK.");
    assert_eq!(asked(&agent.hears(second)), 0, "not in two turns running");
    agent.answers("OK.");
    assert_eq!(asked(&agent.hears(third)), 1, "{third}");
    let told = home.json(&["told"]);
    let tokens = told["items"][0]["tokens"].as_u64().expect("a telling has its tokens");
    assert!((20..=60).contains(&tokens), "{told}");
}

/// Words of which even a person could not say whether they will matter later.
const UNCLEAR: &[&str] = &[
    "They like the wide one more.",
    "They like the tall one more.",
    "They like the thick one more.",
    "They like the dark one more.",
    "They like the light one more.",
    "They like the wooden one more.",
    "They like the low one more.",
    "They like the heavy one more.",
    "They like the small one more.",
    "They like the warm one more.",
    "They like the quick one more.",
];

/// Whether the reader thinks that it may last, and not that it does.
fn is_unsure(home: &Home, prompt: &str) -> bool {
    let read = home.json(&["read", prompt, "--before", "OK."]);
    let piece = &read["pieces"][0];
    let number = |value: &serde_json::Value| value.as_f64().expect("a share is a number");
    let claims = !["request", "question", "chatter", "report", "paste"]
        .contains(&piece["role"].as_str().expect("a piece has a role"));
    // Away from the borders, where the figure is rounded.
    let may_last = (0.16..0.49).contains(&number(&piece["lasting"]));
    claims && may_last && number(&piece["cautions"]["none"]) > 0.51 && piece["kept"] == false
}

#[test]
fn tools_that_were_connected_days_ago_do_not_count_and_other_tools_never_do() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    let (rule, _) = SPOKEN[0].prompts[0];
    drop(home.mcp_profile("server-memory"));
    assert_eq!(asked(&agent.hears(rule)), 0, "there is no such tool");
    drop(home.mcp());
    assert_eq!(asked(&agent.hears(rule)), 1);
    home.travel("2026-03-05");
    assert_eq!(asked(&agent.hears(rule)), 0, "that was three days ago");
}

#[test]
fn with_the_journal_off_or_where_nobody_hears_it_nothing_is_asked() {
    let home = Home::new();
    drop(home.mcp());
    let (rule, _) = SPOKEN[0].prompts[0];
    let payload = json!({ "conversation_id": "march", "hook_event_name": "beforeSubmitPrompt",
        "workspace_roots": [home.project()], "prompt": rule });
    let mut command = home.command();
    command.args(["hook", "beforeSubmitPrompt", "--agent", "cursor"]).envs([PATIENT]);
    let cursor = run(command, payload.to_string().as_bytes());
    assert_eq!((cursor.code, cursor.stdout.contains(LINE)), (0, false), "{}", cursor.stdout);

    home.run(&["config", "set", "journal.enabled", "false"]);
    assert_eq!(asked(&Agent::new(&home, "april").hears(rule)), 0, "nothing is to be kept");
}

#[test]
fn tools_of_another_project_do_not_count() {
    let home = Home::new();
    let mut elsewhere = Agent::new(&home, "march");
    drop(home.mcp());
    home.from("other");
    elsewhere.folder = home.outside("other");
    assert_eq!(asked(&elsewhere.hears(SPOKEN[0].prompts[0].0)), 0);
}
