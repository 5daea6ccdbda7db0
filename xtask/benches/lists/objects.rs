//! Lists as an API server returns them: without blanks, with `managedFields`, and without
//! `apiVersion` and `kind` in the items.

use crate::managed::{Entry, managed_fields};
use crate::{nodes, pods, storage};

/// The objects of one kind.
pub struct Objects {
    /// The kind.
    pub kind: &'static str,
    /// Its group and version.
    pub api_version: &'static str,
    /// An object, with marks for what differs from one to the next, see [`fill`].
    pub template: &'static str,
    /// The clients that have written its fields.
    pub entries: &'static [Entry],
}

impl Objects {
    /// A list of so many objects, in JSON: as a server returns them, or as a client has them that
    /// sends no `managedFields`.
    pub fn list(&self, length: usize, is_managed: bool) -> Vec<u8> {
        let managed = match is_managed {
            true => managed_fields(self.template, self.api_version, self.entries),
            false => "null".to_owned(),
        };
        let template = without_blanks(self.template).replace("\"<managed>\"", &managed);
        let items: Vec<_> = (0..length).map(|at| fill(&template, at)).collect();
        let list = format!(
            r#"{{"kind":"{}List","apiVersion":"{}","metadata":{{"resourceVersion":"91844670"}},"items":[{}]}}"#,
            self.kind,
            self.api_version,
            items.join(",")
        );
        list.into_bytes()
    }
}

/// Returns the objects of a kind.
pub fn objects(kind: &str) -> Option<&'static Objects> {
    let all = [
        &storage::VOLUMES,
        &storage::CLAIMS,
        &storage::ATTACHMENTS,
        &pods::PODS,
        &nodes::NODES,
        &nodes::DEPLOYMENTS,
    ];
    all.into_iter().find(|objects| objects.kind == kind)
}

/// Puts what is of one object only in place of the marks.
fn fill(template: &str, at: usize) -> String {
    let mut text = String::with_capacity(template.len() + 1024);
    let mut parts = template.split('<');
    text.extend(parts.next());
    for part in parts {
        let (mark, rest) = part.split_once('>').unwrap();
        text += &value(mark, at);
        text += rest;
    }
    text
}

/// Returns the value of a mark: always the same for one object.
fn value(mark: &str, at: usize) -> String {
    let at = at as u64;
    let seed = mark
        .bytes()
        .fold(at, |seed, byte| seed.wrapping_mul(131) + u64::from(byte));
    let (one, other) = (mix(seed), mix(!seed));
    match mark {
        "uid" | "claim-uid" | "owner-uid" => format!(
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
            one >> 32,
            one as u16,
            (one >> 16) & 0xfff,
            (other >> 48) & 0xfff,
            other & 0xffff_ffff_ffff
        ),
        "hash" | "attachment" => format!("{one:016x}{other:016x}{:016x}{:016x}", !one, !other),
        "handle" => format!("vol-0{:016x}", one),
        "short" => format!("{:05x}", one & 0xf_ffff),
        "replica-set" => format!("{:010x}", (at / 3 * 7_919) & 0xff_ffff_ffff),
        "version" => (81_844_670 + 7 * at + (one & 3)).to_string(),
        "created" | "started" | "changed" => {
            let (day, minute) = (at / 1_440 % 28 + 1, at % 1_440);
            let (hour, minute) = (minute / 60, minute % 60);
            format!("2026-02-{day:02}T{hour:02}:{minute:02}:{:02}Z", one % 60)
        }
        "node" => format!(
            "ip-10-0-{}-{}.eu-west-1.compute.internal",
            at / 30 / 256 % 256,
            at / 30 % 256
        ),
        "self" => format!(
            "ip-10-0-{}-{}.eu-west-1.compute.internal",
            at / 256,
            at % 256
        ),
        "node-ip" => format!("10.0.{}.{}", at / 30 / 256 % 256, at / 30 % 256),
        "self-ip" => format!("10.0.{}.{}", at / 256, at % 256),
        "ip" => format!("10.{}.{}.{}", 64 + at / 65_536, at / 256 % 256, at % 256),
        "zone" => ["eu-west-1a", "eu-west-1b", "eu-west-1c"][at as usize % 3].to_owned(),
        "team" => (at % 50).to_string(),
        "size" => [8, 20, 50, 100][at as usize % 4].to_string(),
        "at" => at.to_string(),
        "app" => (at / 3).to_string(),
        _ => panic!("no mark <{mark}>"),
    }
}

/// Returns a number that looks random, and is the same for the same number.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Removes the blanks outside of strings.
fn without_blanks(json: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let keep = |c: &char| {
        let quote = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        in_string ^= quote;
        in_string || !c.is_whitespace()
    };
    json.chars().filter(keep).collect()
}
