//! Input that no server sends: an error that says where, or the result that Go has.

mod envelope;
mod numbers;
mod repeated;
mod schemas;
mod sorts;
mod zeros;

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, MicroTime, Time};
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kubernetes_kinds::protobuf::{Input, Output, message, read_message, write_message};
use kubernetes_kinds::wire;

#[derive(Clone, Debug, PartialEq)]
enum Mode {
    Fast,
    Unknown(kubernetes_kinds::UnknownValue),
}

wire::enumeration! {
    Mode {
        "Fast" => Fast,
    }
}

/// A field of each sort.
#[derive(Clone, Debug, Default, PartialEq)]
struct Thing {
    text: String,
    flag: bool,
    small: i32,
    large: i64,
    ratio: f64,
    bytes: ByteString,
    part: Option<Box<Thing>>,
    texts: Vec<String>,
    parts: Option<Vec<Thing>>,
    map: BTreeMap<String, String>,
    mode: Option<Mode>,
    time: Option<Time>,
    micro: Option<MicroTime>,
    amount: Option<Quantity>,
    port: Option<IntOrString>,
    raw: Option<RawExtension>,
    owned: Option<FieldsV1>,
    numbers: Option<Vec<i64>>,
    amounts: Option<BTreeMap<String, Quantity>>,
    named: BTreeMap<String, Thing>,
    inner: Option<i32>,
    innermost: Option<String>,
    omitted: Option<String>,
}

message! {
    Thing {
        1 => text,
        2 => flag,
        3 => small,
        4 => large,
        5 => ratio,
        6 => bytes,
        7 => part,
        8 => texts,
        9 => parts,
        10 => map,
        11 => mode,
        12 => time,
        13 => micro,
        14 => amount,
        15 => port,
        16 => raw,
        17 => owned,
        18 => numbers,
        19 => amounts,
        20 => named,
        21/1 => inner,
        21/2/1 => innermost,
        1023 always => omitted,
    }
}

const VARINT: u64 = 0;
const EIGHT: u64 = 1;
const LENGTH: u64 = 2;
const GROUP: u64 = 3;
const END: u64 = 4;
const FOUR: u64 = 5;

fn read(bytes: &[u8]) -> Result<Thing, String> {
    let mut thing = Thing::default();
    match read_message(&mut thing, Input::new(bytes)) {
        Ok(()) => Ok(thing),
        Err(error) => Err(error.to_string()),
    }
}

/// The error of reading.
fn error(bytes: &[u8]) -> String {
    read(bytes).expect_err(&format!("{bytes:?}"))
}

fn written(thing: &Thing) -> Vec<u8> {
    let mut output = Output::default();
    write_message(thing, &mut output);
    output.into_vec()
}

/// The bytes of a number.
fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn tag(number: u64, wire: u64) -> Vec<u8> {
    varint(number << 3 | wire)
}

/// A field that is a number.
fn number(field: u64, value: u64) -> Vec<u8> {
    [tag(field, VARINT), varint(value)].concat()
}

/// A field that is bytes, text or a message.
fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [&*tag(field, LENGTH), &varint(value.len() as u64), value].concat()
}
