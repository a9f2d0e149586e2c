//! Vectors from servers.

use serde_json::{Value, json};
use throughline_llm::{Client, ModelSettings, Provider};
use throughline_testing::server::{Heard, Reply, Server};

fn client(provider: Provider, server: &Server) -> Client {
    Client::new(
        ModelSettings::new(provider, "e5", Some(&server.address), None).expect("it can be made"),
    )
    .expect("it can be made")
}

fn texts_of(heard: &Heard) -> Vec<String> {
    serde_json::from_value(heard.body["input"].clone()).expect("it can be made")
}

#[test]
fn vectors_come_back_in_order_and_of_length_one() {
    let openai = Server::start(|heard| {
        // Told last first, as a server may.
        let texts = texts_of(heard).into_iter().enumerate().rev();
        let data: Vec<Value> =
            texts.map(|(at, text)| json!({"index": at, "embedding": [text.len(), 4]})).collect();
        Reply::json(&json!({"data": data}))
    });
    let ollama = Server::start(|heard| {
        let rows: Vec<Value> = texts_of(heard).iter().map(|text| json!([text.len(), 4])).collect();
        Reply::json(&json!({"embeddings": rows}))
    });
    for (provider, server) in [(Provider::Openai, openai), (Provider::Ollama, ollama)] {
        let texts: Vec<String> = (0..130).map(|at| "x".repeat(3 + at % 5)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let client = client(provider, &server);
        let vectors = client.embed(&texts).unwrap();
        assert_eq!(server.heard().len(), 3, "64 texts at a time");
        assert_eq!(vectors.len(), 130);
        assert!((vectors[0][0] - 0.6).abs() < 1e-6 && (vectors[0][1] - 0.8).abs() < 1e-6);
        assert!((vectors[129][0] - vectors[4][0]).abs() < 1e-6);
        assert_eq!(client.embedding_name(), format!("{}/e5", provider.as_str()));
    }
}

#[test]
fn what_is_no_vector_is_refused() {
    for rows in
        [json!([[0, 0]]), json!([[1], [2]]), json!([["a"]]), json!([]), json!([[]]), json!("no")]
    {
        let server = Server::start(move |_| Reply::json(&json!({"embeddings": rows})));
        assert!(client(Provider::Ollama, &server).embed(&["one"]).is_err());
    }
    let server = Server::start(|_| Reply::json(&json!({"embeddings": [[1, 2], [1]]})));
    assert!(client(Provider::Ollama, &server).embed(&["one", "two"]).is_err());
}

#[test]
fn who_makes_no_vectors_says_so() {
    let server = Server::start(|_| Reply::json(&json!({})));
    let error = client(Provider::Anthropic, &server).embed(&["one"]).unwrap_err();
    assert!(error.to_string().contains("makes no vectors"), "{error}");
    assert_eq!(server.heard().len(), 0);
}
