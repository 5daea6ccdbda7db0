//! Formats of texts in custom resources: a server and [`TextFormat`] take the same texts.

use std::collections::BTreeSet;

use fastrand::Rng;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DynamicObject, PostParams};
use kubernetes_kinds::Release;
use kubernetes_validation::TextFormat;
use serde_json::{Map, Value, json};

use super::run;
use crate::cases::number;
use crate::cluster::definitions::define;

/// Texts that have a format, or nearly.
const TEXTS: &[&str] = &[
    "",
    "0123456789abcdefABCDEF01",
    "10.0.0.0/8",
    "10.0.0.1/33",
    "10.0.0.1/08",
    "010.0.0.1/8",
    "fe80::/10",
    "fe80::1%eth0/64",
    "::ffff:1.2.3.4/128",
    "010.0009.1.01/8",
    "::ffff:01.2.3.4/128",
    "10.0.0.0/",
    "10.0.0.0/+8",
    "10.0.0.1",
    "010.0009.1.01",
    "0.0.0.0000",
    "010.000.1.01",
    "256.1.1.1",
    "1.2.3",
    "1.2.3.4.5",
    "::",
    "::1",
    "fe80::1%eth0",
    "::ffff:1.2.3.4",
    "::ffff:01.2.3.4",
    "1:2:3:4:5:6:7:8",
    "1::2::3",
    "12345::",
    "2024-05-17",
    "2024-5-17",
    "2024-02-30",
    "2023-02-29",
    "0000-01-01",
    "+024-01-01",
    "2024-05-17T03:04:05Z",
    "2024-05-17t03:04:05.123456789z",
    "2024-05-17T03:04:05.5+01:00",
    "2024-05-17T03:04:05-99:99",
    "2024-05-17T03:04:05x5Z",
    "2024-05-17T03:04:05.Z",
    "2024-05-17T03:04:05",
    "2024-05-17T24:00:00Z",
    "2024-05-17T23:60:00Z",
    "2024-05-17T23:59:60Z",
    "2024-02-30T03:04:05Z",
    "2024-05-17T03:04:05Ztomorrow",
    "2024-05-17 03:04:05Z",
    "#fff",
    "fff",
    "#12345g",
    "#123456",
    "1234567",
    "00:1a:2b:3c:4d:5e",
    "00-1a-2b-3c-4d-5e",
    "001a.2b3c.4d5e",
    "00:1a:2b:3c:4d:5e:6f:70",
    "0011.2233.4455.6677",
    "00:1a:2b:3c:4d",
    "00:1a-2b:3c:4d:5e",
    "123-45-6789",
    "123 45 6789",
    "123456789",
    "123--45-6789",
    "6ac0d2c4-4f0b-4f7c-9d6e-0c1c3d9b7a11",
    "6AC0D2C44F0B3F7C9D6E0C1C3D9B7A11",
    "6ac0d2c4-4f0b-5f7c-ad6e-0c1c3d9b7a11",
    "6ac0d2c44f0b-5f7c-7d6e0c1c3d9b7a11",
    "6ac0d2c4-4f0b-4f7c-9d6e-0c1c3d9b7a1",
    "{6ac0d2c4-4f0b-4f7c-9d6e-0c1c3d9b7a11}",
    "4111-1111-1111-1111",
    "378282246310005",
    "1h30m",
    "3 days and 2 hours",
    "12 34h 1 month",
    "a.b@example.com",
    "J. Q <a@example.com> (c)",
    "team: a@b;",
    "=?utf-8?q?J=4a?= <a@b>",
    "=?foo?q?J?= <a@b>",
    "my-host.example.com",
    "a-b",
    "\u{e9}.example.\u{e9}\u{e9}",
    "\u{1f600}",
    "0-306-40615-2",
    "080442957X",
    "978-0-306-40615-7",
    "rgb( 1 , 22 , 199 )",
    "rgb(249,250,255)",
    "ftp://u:p@example.com/a?b#c",
    "x://[fe80::1%25en0]/%41",
    "/a/b",
];

/// The formats that a server knows.
fn known(release: Release) -> impl Iterator<Item = TextFormat> {
    let new = [TextFormat::LongName, TextFormat::ShortName];
    let is_known =
        move |format: &TextFormat| release >= Release::new(1, 35) || !new.contains(format);
    TextFormat::ALL.into_iter().filter(is_known)
}

/// A text with a character more, less or other.
fn changed(rng: &mut Rng) -> String {
    let mut text: Vec<_> = rng
        .choice(TEXTS)
        .copied()
        .unwrap_or_default()
        .chars()
        .collect();
    let characters: Vec<_> = "0123456789abcdefgAFTtZz+.:-/#% é".chars().collect();
    for _ in 0..rng.usize(..3) {
        let character = characters[rng.usize(..characters.len())];
        let at = rng.usize(..=text.len());
        match rng.u8(..3) {
            0 => text.insert(at, character),
            1 if at < text.len() => text[at] = character,
            _ if at < text.len() => drop(text.remove(at)),
            _ => {}
        }
    }
    text.into_iter().collect()
}

fn definition() -> CustomResourceDefinition {
    let property = |format: TextFormat| json!({"type": "string", "format": format.name()});
    let properties = TextFormat::ALL.map(|format| (format.name().to_owned(), property(format)));
    let properties: Map<_, _> = properties.into_iter().collect();
    let version = json!({
        "name": "v1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
    });
    let definition = json!({
        "metadata": {"name": "texts.formats.example.com"},
        "spec": {
            "group": "formats.example.com", "scope": "Cluster",
            "names": {"plural": "texts", "kind": "Text"}, "versions": [version],
        },
    });
    serde_json::from_value(definition).unwrap()
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn a_server_takes_the_same_texts() {
    run(async |server| {
        define(&server.client, &[definition()]).await;
        let resource = ApiResource {
            group: "formats.example.com".to_owned(),
            version: "v1".to_owned(),
            api_version: "formats.example.com/v1".to_owned(),
            kind: "Text".to_owned(),
            plural: "texts".to_owned(),
        };
        let api: Api<DynamicObject> = Api::all_with(server.client.clone(), &resource);
        let dry = PostParams {
            dry_run: true,
            ..PostParams::default()
        };
        let mut rng = Rng::with_seed(number("E2E_SEED", 1));
        let random = (0..number("E2E_FORMATS", 1000)).map(|_| changed(&mut rng));
        let texts = TEXTS.iter().map(|text| (*text).to_owned()).chain(random);
        let (mut matched, mut differences) = (BTreeSet::new(), Vec::new());
        for text in texts {
            let fields = TextFormat::ALL.map(|format| (format.name().to_owned(), json!(text)));
            let fields = Value::Object(fields.into_iter().collect());
            let object = DynamicObject::new("text", &resource).data(fields);
            let refused: BTreeSet<String> = match api.create(&dry, &object).await {
                Ok(_) => BTreeSet::new(),
                Err(kube::Error::Api(status)) => {
                    let causes = status.details.unwrap().causes.into_iter();
                    causes
                        .inspect(|cause| assert_eq!(cause.reason, "FieldValueTypeInvalid"))
                        .map(|cause| cause.field)
                        .collect()
                }
                Err(error) => panic!("{text:?}: {error}"),
            };
            for format in known(server.release) {
                let is_taken = !refused.contains(format.name());
                if is_taken != format.matches(&text) {
                    differences.push(format!("{text:?} {}: {is_taken}", format.name()));
                } else if is_taken {
                    matched.insert(format.name());
                }
            }
        }
        assert_eq!(differences, [""; 0]);
        assert_eq!(matched.len(), known(server.release).count(), "{matched:?}");
    });
}
