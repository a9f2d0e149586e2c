//! Patches: what fits the schema, and what is refused whole.

use serde_json::json;

use super::*;

fn reading(operation: &Value) -> PatchReading {
    read(&json!({"version": 1, "operations": [operation]}).to_string())
}

#[test]
fn a_patch_is_read_as_it_was_written() {
    let patch = Patch {
        version: VERSION,
        operations: vec![
            Operation::Remember(Remember {
                kind: Kind::Decision,
                content: "We use Postgres".to_owned(),
                label: Some("database".to_owned()),
                domain: Some("technical".to_owned()),
                slot: Slot::parse("project|uses|Postgres|many").ok(),
                because: vec!["JSON".to_owned()],
                triggers: vec!["psql".to_owned()],
                entities: vec![Named {
                    name: "Postgres".to_owned(),
                    kind: EntityKind::Tool,
                    aliases: vec!["PG".to_owned()],
                }],
                confidence: 0.85,
                quote: Some("we use Postgres".to_owned()),
                turn: Some(3),
            }),
            Operation::Correct(Correct {
                wrong: "npm".to_owned(),
                right: "We use pnpm".to_owned(),
                kind: Kind::Fact,
                slot: None,
                because: Vec::new(),
                confidence: 0.9,
                quote: None,
                turn: None,
            }),
            Operation::Retract(Retract {
                what: "We use Redis".to_owned(),
                confidence: 0.5,
                quote: None,
                turn: None,
                exact: false,
            }),
            Operation::Know {
                entity: Named {
                    name: "Ada".to_owned(),
                    kind: EntityKind::Person,
                    aliases: Vec::new(),
                },
            },
            Operation::Relate(Relate {
                from: "a".to_owned(),
                relation: Relation::DependsOn,
                to: "b".to_owned(),
                quote: None,
            }),
        ],
    };
    let json = serde_json::to_string(&patch).unwrap();
    assert_eq!(read(&json), PatchReading { patch, refused: Vec::new() });
}

#[test]
fn the_smallest_operation_is_enough() {
    let found = reading(&json!({"op": "remember", "kind": "fact", "content": "CI has no GPU"}));
    assert!(found.refused.is_empty(), "{:?}", found.refused);
    assert_eq!(found.patch.operations.len(), 1);
}

#[test]
fn what_does_not_fit_is_handed_back_with_the_reason() {
    let long = "x".repeat(TEXT_BYTES_MAX + 1);
    for (operation, why) in [
        (json!({"op": "forget", "what": "x"}), "unknown variant"),
        (json!({"what": "x"}), "op"),
        (json!("remember"), ""),
        (json!({"op": "remember", "kind": "fact", "content": "x", "mood": 1}), "mood"),
        (json!({"op": "remember", "kind": "rumour", "content": "x"}), "rumour"),
        (json!({"op": "remember", "kind": "fact"}), "content"),
        (json!({"op": "remember", "kind": "fact", "content": " . "}), "content is empty"),
        (json!({"op": "remember", "kind": "fact", "content": long}), "longer"),
        (json!({"op": "remember", "kind": "fact", "content": 7}), "invalid type"),
        (json!({"op": "remember", "kind": "fact", "content": "x", "confidence": 1.5}), "0..=1"),
        (json!({"op": "remember", "kind": "fact", "content": "x", "turn": -1}), "-1"),
        (
            json!({"op": "remember", "kind": "fact", "content": "x", "because": [""]}),
            "because is empty",
        ),
        (
            json!({"op": "remember", "kind": "fact", "content": "x", "triggers": vec!["a"; 99]}),
            "triggers has more",
        ),
        (
            json!({"op": "remember", "kind": "fact", "content": "x", "slot": {"subject": "a", "predicate": "b", "object": "c", "cardinality": "one", "x": 1}}),
            "unknown field x in slot",
        ),
        (json!({"op": "retract", "what": ""}), "what is empty"),
        (json!({"op": "relate", "from": "a", "relation": "loves", "to": "b"}), "loves"),
        (json!({"op": "know", "entity": {"name": "", "kind": "tool"}}), "name is empty"),
    ] {
        let found = reading(&operation);
        assert!(found.patch.operations.is_empty(), "{operation}");
        assert_eq!(found.refused.len(), 1, "{operation}");
        assert_eq!(found.refused[0].operation, operation.to_string());
        assert!(found.refused[0].why.contains(why), "{operation}: {}", found.refused[0].why);
    }
}

#[test]
fn what_fits_is_taken_though_its_neighbour_does_not() {
    let good = json!({"op": "retract", "what": "We use Redis"});
    let document = json!({"version": 1, "operations": [good, {"op": "?"}], "mood": "fine"});
    let found = read(&document.to_string());
    assert_eq!(found.patch.operations.len(), 1);
    assert_eq!(found.refused.len(), 2);
}

#[test]
fn a_document_that_is_none_is_handed_back_whole() {
    for document in
        ["", "no", "[]", "{}", "{\"version\": 2, \"operations\": []}", "{\"version\": 1}"]
    {
        let found = read(document);
        assert!(found.patch.operations.is_empty());
        assert_eq!(found.refused.len(), 1, "{document}");
        assert_eq!(found.refused[0].operation, document);
    }
    assert!(read(&"é".repeat(1_000_000)).refused[0].operation.len() <= REFUSED_BYTES_MAX);
}
