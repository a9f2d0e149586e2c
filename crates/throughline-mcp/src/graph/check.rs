//! Arguments against a schema, with the complaints of the official server.

use serde_json::Value;

/// What is wrong with a value, in the order of the schema.
pub(super) fn issues(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    look(schema, Some(value), "", &mut found);
    found
}

fn look(schema: &Value, value: Option<&Value>, path: &str, found: &mut Vec<String>) {
    let expected = schema["type"].as_str().unwrap_or("object");
    let received = value.map_or("undefined", name);
    if expected != received {
        let place = if path.is_empty() { String::new() } else { format!(" at {path}") };
        found.push(format!("Invalid input: expected {expected}, received {received}{place}"));
        return;
    }
    match value {
        Some(Value::Array(items)) => {
            for (at, item) in items.iter().enumerate() {
                look(&schema["items"], Some(item), &format!("{path}[{at}]"), found);
            }
        }
        Some(Value::Object(map)) => {
            // The order in which the official server looks.
            for wanted in schema["required"].as_array().into_iter().flatten() {
                let Some(wanted) = wanted.as_str() else { continue };
                let below =
                    if path.is_empty() { wanted.to_owned() } else { format!("{path}.{wanted}") };
                look(&schema["properties"][wanted], map.get(wanted), &below, found);
            }
        }
        _ => {}
    }
}

pub(super) fn name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn complaints_are_those_of_the_official_server() {
        let tool = super::super::tools().into_iter().find(|one| one.name == "create_entities");
        let schema = Value::Object((*tool.unwrap().input_schema).clone());
        for (given, expected) in [
            (json!({}), "Invalid input: expected array, received undefined at entities"),
            (
                json!({ "entities": "x" }),
                "Invalid input: expected array, received string at entities",
            ),
            (
                json!({ "entities": [{ "name": "A", "entityType": 5 }] }),
                "Invalid input: expected string, received number at entities[0].entityType\n\
                 Invalid input: expected array, received undefined at entities[0].observations",
            ),
            (
                json!({ "entities": [{ "name": "A", "entityType": "t", "observations": ["x", 5, null] }, 7] }),
                "Invalid input: expected string, received number at entities[0].observations[1]\n\
                 Invalid input: expected string, received null at entities[0].observations[2]\n\
                 Invalid input: expected object, received number at entities[1]",
            ),
        ] {
            assert_eq!(issues(&schema, &given).join("\n"), expected);
        }
        let whole = json!({ "entities": [{ "name": "A", "entityType": "t", "observations": [] }] });
        assert!(issues(&schema, &whole).is_empty());
    }
}
