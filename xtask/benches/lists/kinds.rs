//! Reading and writing the lists of each kind in all ways.

use std::any::Any;
use std::marker::PhantomData;
use std::str::FromStr;

use k8s_openapi::api::{apps, core, storage};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta};
use k8s_openapi::serde::Serialize;
use k8s_openapi::serde::de::DeserializeOwned;
use k8s_openapi::{List, ListableResource, Metadata, Resource};
use kubernetes_kinds::Lean;
use kubernetes_kinds::protobuf::{self, DecodeError, Envelope, Field, Input, Message};
use serde_json::{Value, json};

use crate::messages::k8s::io::api::{
    apps::v1 as apps_messages, core::v1 as core_messages, storage::v1 as storage_messages,
};

/// A way to read or to write a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As JSON, by our types.
    Json,
    /// As JSON, by our types without `managedFields`.
    JsonLean,
    /// As JSON, by k8s-openapi's types.
    Peer,
    /// As protobuf, by our types.
    Protobuf,
    /// As protobuf, by our types without `managedFields`.
    ProtobufLean,
    /// As protobuf, by prost's types.
    Prost,
}

/// The names of the ways on the command line.
const WAYS: [(&str, Way); 6] = [
    ("json", Way::Json),
    ("json-lean", Way::JsonLean),
    ("k8s-openapi", Way::Peer),
    ("protobuf", Way::Protobuf),
    ("protobuf-lean", Way::ProtobufLean),
    ("prost", Way::Prost),
];

impl Way {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        WAYS.iter().find(|(_, way)| *way == self).unwrap().0
    }

    /// True if the body is JSON.
    pub fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::JsonLean | Self::Peer)
    }
}

impl FromStr for Way {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = WAYS.iter().find(|(name, _)| *name == text);
        found.map(|(_, way)| *way).ok_or_else(|| {
            let names = WAYS.map(|(name, _)| name);
            format!("no way `{text}`; there are: {}", names.join(", "))
        })
    }
}

/// A kind whose lists are read and written.
pub trait Kind {
    /// The name of the kind.
    fn name(&self) -> &'static str;

    /// Reads a body. prost reads the message that is in it.
    fn read(&self, way: Way, body: &[u8]) -> Box<dyn Any>;

    /// Writes a list that was read in the same way, and is not lean.
    fn write(&self, way: Way, list: &dyn Any) -> Vec<u8>;

    /// Panics unless all ways read and write the same.
    fn check(&self, json: &[u8]);
}

/// Our list, our kind, k8s-openapi's kind, and prost's list.
struct Types<O, K, P, M>(PhantomData<(O, K, P, M)>);

/// A kind or a list of ours.
trait Ours: Field + Message + Resource + Serialize + DeserializeOwned {}

impl<T: Field + Message + Resource + Serialize + DeserializeOwned> Ours for T {}

impl<O, K, P, M> Kind for Types<O, K, P, M>
where
    O: Ours + 'static,
    K: Ours + ListableResource + Metadata<Ty = ObjectMeta> + 'static,
    P: ListableResource + Serialize + DeserializeOwned + 'static,
    M: prost::Message + Default + 'static,
{
    fn name(&self) -> &'static str {
        K::KIND
    }

    fn read(&self, way: Way, body: &[u8]) -> Box<dyn Any> {
        match way {
            Way::Json => Box::new(from_json::<O>(body)),
            Way::JsonLean => Box::new(from_json::<List<Lean<K>>>(body)),
            Way::Peer => Box::new(from_json::<List<P>>(body)),
            Way::Protobuf => Box::new(protobuf::from_slice::<O>(body).unwrap()),
            Way::ProtobufLean => Box::new(lean_list::<K>(body).unwrap()),
            Way::Prost => {
                let envelope = Envelope::read(body).unwrap();
                Box::new(M::decode(envelope.object).unwrap())
            }
        }
    }

    fn write(&self, way: Way, list: &dyn Any) -> Vec<u8> {
        match way {
            Way::Json => serde_json::to_vec(of::<O>(list)).unwrap(),
            Way::Peer => serde_json::to_vec(of::<List<P>>(list)).unwrap(),
            Way::Protobuf => protobuf::to_vec(of::<O>(list)),
            Way::Prost => of::<M>(list).encode_to_vec(),
            Way::JsonLean | Way::ProtobufLean => panic!("{} is not written", way.name()),
        }
    }

    fn check(&self, json: &[u8]) {
        let mut expected = expected::<K>(json);
        let list = self.read(Way::Json, json);
        let body = self.write(Way::Protobuf, &*list);
        let again = self.read(Way::Protobuf, &body);
        same(
            &self.write(Way::Peer, &*self.read(Way::Peer, json)),
            &expected,
        );
        same(&self.write(Way::Json, &*list), &expected);
        same(&self.write(Way::Json, &*again), &expected);
        // What prost writes is what ours reads. It leaves out empty values of maps.
        let message = self.write(Way::Prost, &*self.read(Way::Prost, &body));
        assert!(message.len() <= Envelope::read(&body).unwrap().object.len());
        let mut read = O::zero();
        protobuf::read_message(&mut read, Input::new(&message)).unwrap();
        same(&self.write(Way::Json, &read), &expected);
        for (way, body) in [(Way::JsonLean, json), (Way::ProtobufLean, &body)] {
            let list = self.read(way, body);
            let items = &of::<List<Lean<K>>>(&*list).items;
            let expected = expected["items"].as_array_mut().unwrap();
            assert_eq!(items.len(), expected.len());
            for (item, expected) in items.iter().zip(expected) {
                let metadata = expected["metadata"].as_object_mut().unwrap();
                metadata.remove("managedFields");
                same(&serde_json::to_vec(&**item).unwrap(), expected);
            }
        }
    }
}

/// Returns the JSON that is written of a list: with the names in the items, and without null.
fn expected<K: Resource>(json: &[u8]) -> Value {
    let mut list: Value = serde_json::from_slice(json).unwrap();
    without_null(&mut list);
    for item in list["items"].as_array_mut().unwrap() {
        item["apiVersion"] = json!(K::API_VERSION);
        item["kind"] = json!(K::KIND);
    }
    list
}

fn without_null(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(without_null);
        }
        Value::Array(elements) => elements.iter_mut().for_each(without_null),
        _ => {}
    }
}

/// Panics at the first place where what was written differs.
fn same(written: &[u8], expected: &Value) {
    let written: Value = serde_json::from_slice(written).unwrap();
    if let Some(path) = difference(&written, expected) {
        let pointer = written.pointer(&path);
        panic!("{path}: {pointer:?}, not {:?}", expected.pointer(&path));
    }
}

/// Returns the JSON pointer of the first part that differs.
fn difference(one: &Value, other: &Value) -> Option<String> {
    let under = |name: String, one: &Value, other: &Value| {
        let path = difference(one, other)?;
        Some(format!("/{}{path}", name.replace('/', "~1")))
    };
    match (one, other) {
        _ if one == other => None,
        (Value::Object(one), Value::Object(other)) => one
            .keys()
            .chain(other.keys())
            .find_map(|name| under(name.clone(), one.get(name)?, other.get(name)?))
            .or(Some(String::new())),
        (Value::Array(one), Value::Array(other)) => (one.iter().zip(other).enumerate())
            .find_map(|(at, (one, other))| under(at.to_string(), one, other))
            .or(Some(String::new())),
        _ => Some(String::new()),
    }
}

fn of<T: 'static>(list: &dyn Any) -> &T {
    list.downcast_ref().expect("read in the same way")
}

/// Reads text, as kube does of the bytes of an answer.
fn from_json<T: DeserializeOwned>(body: &[u8]) -> T {
    serde_json::from_str(std::str::from_utf8(body).unwrap()).unwrap()
}

/// Reads a list of lean objects as `kubernetes-protobuf` does: `List` of k8s-openapi is no message.
fn lean_list<K>(body: &[u8]) -> Result<List<Lean<K>>, DecodeError>
where
    K: Ours + ListableResource + Metadata<Ty = ObjectMeta>,
{
    let envelope = Envelope::read(body)?;
    envelope.expect(K::API_VERSION, K::LIST_KIND)?;
    let mut metadata = ListMeta::default();
    let mut items = Vec::<Lean<K>>::new();
    let mut input = Input::new(envelope.object);
    while let Some((number, wire)) = input.tag()? {
        match number {
            1 => metadata.read(wire, &mut input)?,
            2 => items.read(wire, &mut input)?,
            _ => input.skip(wire)?,
        }
    }
    Ok(List { metadata, items })
}

fn types<O, K, P, M>() -> Box<dyn Kind>
where
    Types<O, K, P, M>: Kind + 'static,
{
    Box::new(Types::<O, K, P, M>(PhantomData))
}

/// All kinds that are measured.
pub fn kinds() -> Vec<Box<dyn Kind>> {
    vec![
        types::<
            core_v1::PersistentVolumeList,
            core_v1::PersistentVolume,
            core::v1::PersistentVolume,
            core_messages::PersistentVolumeList,
        >(),
        types::<
            core_v1::PersistentVolumeClaimList,
            core_v1::PersistentVolumeClaim,
            core::v1::PersistentVolumeClaim,
            core_messages::PersistentVolumeClaimList,
        >(),
        types::<
            storage_v1::VolumeAttachmentList,
            storage_v1::VolumeAttachment,
            storage::v1::VolumeAttachment,
            storage_messages::VolumeAttachmentList,
        >(),
        types::<core_v1::PodList, core_v1::Pod, core::v1::Pod, core_messages::PodList>(),
        types::<core_v1::NodeList, core_v1::Node, core::v1::Node, core_messages::NodeList>(),
        types::<
            apps_v1::DeploymentList,
            apps_v1::Deployment,
            apps::v1::Deployment,
            apps_messages::DeploymentList,
        >(),
    ]
}
