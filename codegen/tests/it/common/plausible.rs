//! Documents that nobody wrote: names short, long and reserved, every type and format, lists and
//! maps in each other, objects inside others, required and not, with and without kinds.

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// Names of properties, of which some mean something in Rust or in the generated code.
const NAMES: &[&str] = &[
    "a",
    "b",
    "on",
    "id",
    "type",
    "self",
    "gen",
    "fn",
    "r",
    "T",
    "Port",
    "$ref",
    "x-y",
    "2nd",
    "value",
    "values",
    "name",
    "namespace",
    "items",
    "metadata",
    "spec",
    "status",
    "kind",
    "new",
    "default",
    "from",
    "into",
    "object",
    "fields",
    "field",
    "map",
    "key",
    "lost",
    "theirs",
    "at",
    "to",
    "result",
    "unknownFields",
    "option",
    "vec",
    "string",
    "aVeryLongNameOfAPropertyThatNoLineOfCodeHasRoomFor",
    "nodeID",
    "URLs",
    "isEnabled",
    "count",
    "size",
    "replicas",
    "data",
    "raw",
    "at_time",
    "merge",
    "convert",
    "wire",
    "serializer",
    "path",
    "other",
    "old",
    "target",
    "checker",
    "error",
];

const DESCRIPTIONS: &[&str] = &[
    "",
    "A value.",
    "See `name` and [there](https://example.com/a_b).",
    "Odd ` tick and */ and \"#.",
    "<b>bold</b> & <script>x</script>",
    "- one\n- two\n\n    code\n\nEnd.",
    "1. first\n2. second",
    "Ends with a backslash \\",
    "https://example.com/<id>?a=b",
    "# Title\n\n> quote",
    "| a | b |",
    "```\nfenced\n",
    "A_b __c__ *d* ~e~",
    "\u{202e}\u{e9}\u{1f600}",
];

const VALUES: &[&str] = &[
    "",
    "a",
    "A",
    "Unknown",
    "Other",
    "Self",
    "self",
    "in-tree",
    "cert sign",
    "1",
    "1.5",
    "+1",
    "-1",
    "*",
    "true",
    "None",
    "String",
    "ReadWriteOnce",
    "kubernetes.io/x",
    "SIGRTMIN+1",
    "Ok",
    "T",
];

const FORMATS: &[&str] = &[
    "date-time",
    "date",
    "byte",
    "binary",
    "password",
    "uuid",
    "email",
    "ipv4",
    "cidr",
    "duration",
    "int-or-string",
    "hostname",
    "k8s-short-name",
    "x",
];

/// Schemas of other crates.
const EXTERNAL: &[&str] = &[
    "io.k8s.api.core.v1.PersistentVolumeSpec",
    "io.k8s.api.core.v1.Toleration",
    "io.k8s.apimachinery.pkg.api.resource.Quantity",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Condition",
    "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector",
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
];

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/// The names of the types of a document.
const TYPES: &[&str] = &[
    "Apple",
    "BananaSplit",
    "CSIThing",
    "D",
    "Entry",
    "FigList",
    "Grape2",
];

/// A document whose schemas have a prefix. The same seed gives the same document.
pub(crate) fn document(seed: u64, prefix: &str) -> String {
    let mut rng = Rng::with_seed(seed);
    let types = &TYPES[..rng.usize(1..=TYPES.len())];
    let mut maker = Maker { rng, prefix, types };
    let mut schemas = Map::new();
    let mut paths = Map::new();
    for name in types {
        let schema = match maker.rng.u8(0..10) {
            0 => maker.enumeration(),
            1 => json!({"type": "object", "description": maker.description()}),
            2 => maker.scalar(),
            3..=5 => {
                maker.kind(name, &mut schemas, &mut paths);
                continue;
            }
            _ => maker.object(2),
        };
        schemas.insert(format!("{prefix}{name}"), schema);
    }
    for name in EXTERNAL {
        schemas.insert((*name).to_owned(), json!({"type": "object"}));
    }
    for name in ["ObjectMeta", "ListMeta"] {
        schemas.insert(format!("{META}{name}"), json!({"type": "object"}));
    }
    let document = json!({
        "openapi": "3.0.0", "paths": paths, "components": {"schemas": schemas},
    });
    document.to_string()
}

struct Maker<'a> {
    rng: Rng,
    prefix: &'a str,
    types: &'a [&'a str],
}

impl Maker<'_> {
    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.rng.usize(..of.len())]
    }

    fn description(&mut self) -> &'static str {
        self.one(DESCRIPTIONS)
    }

    fn reference(name: &str) -> Value {
        json!({"$ref": format!("#/components/schemas/{name}")})
    }

    fn own(&mut self) -> Value {
        let name = self.one(self.types);
        Self::reference(&format!("{}{name}", self.prefix))
    }

    fn kind(
        &mut self,
        name: &str,
        schemas: &mut Map<String, Value>,
        paths: &mut Map<String, Value>,
    ) {
        let gvk = |kind: &str| json!({"group": "example.com", "version": "v1", "kind": kind});
        let meta = |name: &str| Self::reference(&format!("{META}{name}"));
        let mut schema = self.object(2);
        schema["properties"]["metadata"] = meta("ObjectMeta");
        schema["x-kubernetes-group-version-kind"] = json!([gvk(name)]);
        let plural = format!("{}s", name.to_lowercase());
        let scope = if self.rng.bool() {
            "namespaces/{namespace}/"
        } else {
            ""
        };
        let list = json!({"get": {
            "x-kubernetes-action": "list", "responses": {}, "x-kubernetes-group-version-kind": gvk(name),
        }});
        paths.insert(format!("/apis/example.com/v1/{scope}{plural}"), list);
        if self.rng.bool() {
            let list = format!("{name}List");
            let item = Self::reference(&format!("{}{name}", self.prefix));
            schemas.insert(
                format!("{}{list}", self.prefix),
                json!({
                    "type": "object", "required": ["items"], "properties": {
                        "metadata": meta("ListMeta"), "items": {"type": "array", "items": item},
                    },
                    "x-kubernetes-group-version-kind": [gvk(&list)],
                }),
            );
        }
        schemas.insert(format!("{}{name}", self.prefix), schema);
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for _ in 0..self.rng.usize(1..8) {
            let name = self.one(NAMES);
            let mut property = self.value(depth);
            if self.rng.bool() {
                property["description"] = self.description().into();
            }
            // A type that holds itself can't be required.
            let own = property
                .get("$ref")
                .or_else(|| property.pointer("/allOf/0/$ref"));
            let own = own.is_some_and(|to| to.to_string().contains(self.prefix));
            if self.rng.u8(0..3) == 0 && !required.contains(&name) && !own {
                required.push(name);
            }
            properties.insert(name.to_owned(), property);
        }
        let mut schema = json!({
            "type": "object", "description": self.description(), "properties": properties,
        });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        match self.rng.u8(0..12) {
            0 => schema["x-kubernetes-preserve-unknown-fields"] = true.into(),
            1 => schema["additionalProperties"] = self.scalar(),
            _ => {}
        }
        schema
    }

    fn value(&mut self, depth: usize) -> Value {
        let nested = if depth > 0 { 14 } else { 9 };
        match self.rng.u8(0..nested) {
            0..=3 => self.scalar(),
            4 => self.own(),
            5 => Self::reference(self.one(EXTERNAL)),
            6 => self.enumeration(),
            7 => self.anything(),
            8 => json!({"allOf": [self.own()], "x-kubernetes-map-type": "atomic"}),
            9 | 10 => {
                let mut list = json!({"type": "array", "items": self.value(depth - 1)});
                if self.rng.bool() {
                    list["x-kubernetes-list-type"] = self.one(&["atomic", "set"]).into();
                }
                list
            }
            11 | 12 => {
                json!({"type": "object", "additionalProperties": self.value(depth - 1)})
            }
            _ => self.object(depth - 1),
        }
    }

    fn scalar(&mut self) -> Value {
        match self.rng.u8(0..6) {
            0 => json!({"type": "boolean"}),
            1 => {
                let format = self.one(&["int32", "int64", "uint8", "uint64"]);
                json!({"type": "integer", "format": format})
            }
            2 => json!({"type": "number", "format": self.one(&["float", "double"])}),
            3 => json!({"type": "integer"}),
            4 => json!({"type": "string", "format": self.one(FORMATS)}),
            _ => json!({"type": "string"}),
        }
    }

    fn enumeration(&mut self) -> Value {
        let mut values: Vec<&str> = VALUES.to_vec();
        self.rng.shuffle(&mut values);
        values.truncate(self.rng.usize(1..6));
        json!({"type": "string", "enum": values})
    }

    fn anything(&mut self) -> Value {
        match self.rng.u8(0..6) {
            0 => json!({}),
            1 => json!({"type": "object"}),
            2 => json!({"x-kubernetes-preserve-unknown-fields": true}),
            3 => json!({"x-kubernetes-int-or-string": true}),
            4 => json!({"oneOf": [{"type": "string"}, {"type": "boolean"}]}),
            _ => json!({"type": "array"}),
        }
    }
}
