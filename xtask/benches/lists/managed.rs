//! The `managedFields` of an object, as a server keeps them.

use serde_json::{Map, Value, json};

/// The fields that one client has written.
pub struct Entry {
    /// The client.
    pub manager: &'static str,
    /// The subresource that it has written, if not the object itself.
    pub subresource: Option<&'static str>,
    /// The JSON pointers of the fields.
    pub fields: &'static [&'static str],
}

/// The lists whose elements have an owner each, with the fields that tell them apart.
const MAPS: [(&str, &[&str]); 10] = [
    ("addresses", &["type"]),
    ("conditions", &["type"]),
    ("containers", &["name"]),
    ("env", &["name"]),
    ("hostIPs", &["ip"]),
    ("ownerReferences", &["uid"]),
    ("podIPs", &["ip"]),
    ("ports", &["containerPort", "protocol"]),
    ("volumeMounts", &["mountPath"]),
    ("volumes", &["name"]),
];

/// The objects that are no pointers in Go, so that they have no owner but those of their fields.
const PARTS: [&str; 9] = [
    "capacity", "fieldRef", "metadata", "nodeInfo", "source", "spec", "status", "strategy",
    "template",
];

/// Returns the entries of an object, in JSON.
pub fn managed_fields(object: &str, api_version: &str, entries: &[Entry]) -> String {
    let object: Value = serde_json::from_str(object).unwrap();
    let one = |entry: &Entry| {
        let mut fields = json!({});
        for pointer in entry.fields {
            let mut place = &mut fields;
            for part in pointer.split('/').skip(1) {
                place = &mut place[format!("f:{}", part.replace("~1", "/"))];
            }
            let name = pointer.rsplit('/').next().unwrap();
            *place = owned(name, object.pointer(pointer).expect(pointer));
        }
        let subresource = entry.subresource;
        let subresource = subresource.map(|name| format!(r#","subresource":"{name}""#));
        format!(
            r#"{{"manager":"{}","operation":"Update","apiVersion":"{api_version}","time":"<changed>","fieldsType":"FieldsV1","fieldsV1":{fields}{}}}"#,
            entry.manager,
            subresource.unwrap_or_default()
        )
    };
    let entries: Vec<_> = entries.iter().map(one).collect();
    format!("[{}]", entries.join(","))
}

/// Returns which parts of a value have an owner.
fn owned(name: &str, value: &Value) -> Value {
    let mut parts = Map::new();
    match value {
        Value::Object(fields) => {
            if !PARTS.contains(&name) && !fields.is_empty() {
                parts.insert(".".to_owned(), json!({}));
            }
            for (name, value) in fields {
                parts.insert(format!("f:{name}"), owned(name, value));
            }
        }
        Value::Array(elements) if name == "finalizers" => {
            parts.insert(".".to_owned(), json!({}));
            let each = elements
                .iter()
                .map(|value| (format!("v:{value}"), json!({})));
            parts.extend(each);
        }
        Value::Array(elements) => {
            let keys = MAPS.iter().find(|(list, _)| *list == name);
            for element in keys.map(|_| elements).into_iter().flatten() {
                let keys = keys.map_or(&[][..], |(_, keys)| keys);
                let key: Map<_, _> = keys
                    .iter()
                    .filter_map(|key| Some(((*key).to_owned(), element.get(key)?.clone())))
                    .collect();
                parts.insert(format!("k:{}", Value::Object(key)), owned("", element));
            }
        }
        _ => {}
    }
    Value::Object(parts)
}
