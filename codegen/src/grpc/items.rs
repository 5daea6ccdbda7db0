//! The declarations of a `.proto` file, each with its place.

use prost_reflect::{DescriptorPool, DynamicMessage};
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto};

/// The kinds of declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Service,
    Rpc,
    Message,
    /// A field, with the type of its values.
    Field(FieldKind),
    Oneof,
    Enum,
    Value,
}

/// The types of fields that annotations tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    String,
    /// A map or a list, whose size is that of all its elements.
    Several,
    Other,
}

/// One declaration.
#[derive(Debug)]
pub(super) struct Item {
    /// The place as `SourceCodeInfo` spells it: numbers of fields of descriptors, and indices.
    pub(super) path: Vec<i32>,
    /// The full name: `csi.v1.Volume.volume_id`.
    pub(super) name: String,
    pub(super) kind: Kind,
    /// True if an option says that the specification may still change it.
    pub(super) is_alpha: bool,
    /// True if an option says that it's a secret.
    pub(super) is_secret: bool,
}

/// The start of the names of CSI's options for what may still change, as in `alpha_field`.
const ALPHA: &str = "alpha_";

/// CSI's option for secrets.
const SECRET: &str = "csi_secret";

// Numbers of fields in descriptor.proto, of which paths consist.
const FILE_MESSAGES: i32 = 4;
const FILE_ENUMS: i32 = 5;
const FILE_SERVICES: i32 = 6;
const SERVICE_METHODS: i32 = 2;
const MESSAGE_FIELDS: i32 = 2;
const MESSAGE_MESSAGES: i32 = 3;
const MESSAGE_ENUMS: i32 = 4;
const MESSAGE_ONEOFS: i32 = 8;
const ENUM_VALUES: i32 = 2;

/// Returns all declarations of a file but those of options.
pub(super) fn items(file: &FileDescriptorProto, pool: &DescriptorPool) -> Vec<Item> {
    let mut walk = Walk {
        pool,
        items: Vec::new(),
    };
    let package = file.package();
    for (index, service) in indexed(&file.service) {
        let name = format!("{package}.{}", service.name());
        let path = vec![FILE_SERVICES, index];
        walk.add(path.clone(), name.clone(), Kind::Service);
        for (index, method) in indexed(&service.method) {
            let path = [&*path, &[SERVICE_METHODS, index]].concat();
            walk.add(path, format!("{name}.{}", method.name()), Kind::Rpc);
        }
    }
    for (index, message) in indexed(&file.message_type) {
        walk.message(vec![FILE_MESSAGES, index], package, message);
    }
    for (index, declared) in indexed(&file.enum_type) {
        walk.enumeration(vec![FILE_ENUMS, index], package, declared);
    }
    walk.items
}

fn indexed<T>(all: &[T]) -> impl Iterator<Item = (i32, &T)> {
    (0..).zip(all)
}

struct Walk<'a> {
    pool: &'a DescriptorPool,
    items: Vec<Item>,
}

impl Walk<'_> {
    fn message(&mut self, path: Vec<i32>, scope: &str, message: &DescriptorProto) {
        let name = format!("{scope}.{}", message.name());
        self.add(path.clone(), name.clone(), Kind::Message);
        let inner = |part: i32, index: i32| [&*path, &[part, index]].concat();
        for (index, field) in indexed(&message.field) {
            let full = format!("{name}.{}", field.name());
            let kind = Kind::Field(self.field_kind(&name, field.name()));
            self.add(inner(MESSAGE_FIELDS, index), full, kind);
        }
        for (index, oneof) in indexed(&message.oneof_decl) {
            let full = format!("{name}.{}", oneof.name());
            self.add(inner(MESSAGE_ONEOFS, index), full, Kind::Oneof);
        }
        for (index, declared) in indexed(&message.enum_type) {
            self.enumeration(inner(MESSAGE_ENUMS, index), &name, declared);
        }
        for (index, nested) in indexed(&message.nested_type) {
            let is_map_entry = nested.options.as_ref().is_some_and(|o| o.map_entry());
            if !is_map_entry {
                self.message(inner(MESSAGE_MESSAGES, index), &name, nested);
            }
        }
    }

    fn enumeration(&mut self, path: Vec<i32>, scope: &str, declared: &EnumDescriptorProto) {
        let name = format!("{scope}.{}", declared.name());
        self.add(path.clone(), name.clone(), Kind::Enum);
        for (index, value) in indexed(&declared.value) {
            let path = [&*path, &[ENUM_VALUES, index]].concat();
            self.add(path, format!("{name}.{}", value.name()), Kind::Value);
        }
    }

    fn field_kind(&self, message: &str, name: &str) -> FieldKind {
        let message = self.pool.get_message_by_name(message);
        match message.and_then(|message| message.get_field_by_name(name)) {
            Some(field) if field.is_map() || field.is_list() => FieldKind::Several,
            Some(field) if field.kind() == prost_reflect::Kind::String => FieldKind::String,
            _ => FieldKind::Other,
        }
    }

    fn add(&mut self, path: Vec<i32>, name: String, kind: Kind) {
        let options = self.options(&name, kind);
        let has = |is: &dyn Fn(&str) -> bool| {
            let mut extensions = options.iter().flat_map(DynamicMessage::extensions);
            extensions.any(|(option, value)| is(option.name()) && value.as_bool() == Some(true))
        };
        self.items.push(Item {
            is_alpha: has(&|option| option.starts_with(ALPHA)),
            is_secret: has(&|option| option == SECRET),
            path,
            name,
            kind,
        });
    }

    /// Returns the options, with those that the file itself defines.
    fn options(&self, name: &str, kind: Kind) -> Option<DynamicMessage> {
        let (scope, last) = name.rsplit_once('.')?;
        match kind {
            Kind::Service => Some(self.pool.get_service_by_name(name)?.options()),
            Kind::Rpc => {
                let service = self.pool.get_service_by_name(scope)?;
                let mut methods = service.methods();
                Some(methods.find(|method| method.name() == last)?.options())
            }
            Kind::Message => Some(self.pool.get_message_by_name(name)?.options()),
            Kind::Field(_) => {
                let message = self.pool.get_message_by_name(scope)?;
                Some(message.get_field_by_name(last)?.options())
            }
            Kind::Oneof => None,
            Kind::Enum => Some(self.pool.get_enum_by_name(name)?.options()),
            Kind::Value => {
                let declared = self.pool.get_enum_by_name(scope)?;
                Some(declared.get_value_by_name(last)?.options())
            }
        }
    }
}
