//! Functions of the run-time crate that do what one of CEL does.

use crate::model::{CelObject, CelType, Node};

/// A function, for operands of these types.
pub(super) struct Signature {
    /// The name in CEL.
    pub(super) name: &'static str,
    pub(super) takes: &'static [Sort],
    pub(super) call: Call,
    makes: Sort,
}

/// The form of a call in Rust.
#[derive(Clone, Copy)]
pub(super) enum Call {
    /// A function that can fail.
    Function(&'static str),
    /// A function that always has a result.
    Sure(&'static str),
    /// A method of the first operand.
    Method(&'static str),
    /// The same, which can fail.
    Tried(&'static str),
}

/// A type.
#[derive(Clone, Copy)]
pub(super) enum Sort {
    Bool,
    Int,
    Unsigned,
    Double,
    Duration,
    Time,
    Bytes,
    /// A list of whole numbers.
    Ints,
    /// A text, which is part of another.
    Text,
    /// A text of its own.
    NewText,
    Texts,
    /// Texts by key.
    TextsByKey,
    Dynamic,
    Object(CelObject),
    /// A format that there may be.
    MaybeFormat,
}

use Call::{Function, Method, Sure, Tried};
use Sort::{
    Bool, Bytes, Double, Duration, Dynamic, Int, Ints, NewText, Text, Texts, TextsByKey, Time,
    Unsigned,
};

const CIDR: Sort = Sort::Object(CelObject::Cidr);
const FORMAT: Sort = Sort::Object(CelObject::Format);
const IP: Sort = Sort::Object(CelObject::Ip);
const QUANTITY: Sort = Sort::Object(CelObject::Quantity);
const URL: Sort = Sort::Object(CelObject::Url);
const VERSION: Sort = Sort::Object(CelObject::Version);

const fn new(name: &'static str, takes: &'static [Sort], call: Call, makes: Sort) -> Signature {
    Signature {
        name,
        takes,
        call,
        makes,
    }
}

/// The first parts of names of functions.
pub(super) const NAMESPACES: [&str; 6] = ["format", "ip", "lists", "optional", "sets", "strings"];

/// Functions without a target.
pub(super) const GLOBAL: &[Signature] = &[
    new("bool", &[Text], Function("flag"), Bool),
    new("double", &[Int], Sure("double"), Double),
    new("bytes", &[Text], Method("as_bytes"), Bytes),
    new("double", &[Unsigned], Sure("double_unsigned"), Double),
    new("double", &[Text], Function("parsed"), Double),
    new("lists.range", &[Int], Function("range"), Ints),
    new("duration", &[Text], Function("duration"), Duration),
    new("int", &[Text], Function("int"), Int),
    new("int", &[Double], Function("truncated"), Int),
    new("int", &[Time], Method("unix"), Int),
    new("int", &[Unsigned], Function("signed"), Int),
    new("int", &[Dynamic], Tried("to_int"), Int),
    new("uint", &[Text], Function("unsigned"), Unsigned),
    new("uint", &[Int], Function("without_sign"), Unsigned),
    new("uint", &[Double], Function("truncated_unsigned"), Unsigned),
    new("uint", &[Dynamic], Tried("to_unsigned"), Unsigned),
    new("string", &[Bool], Sure("string"), NewText),
    new("string", &[Int], Sure("string"), NewText),
    new("string", &[Unsigned], Sure("string"), NewText),
    new("string", &[Bytes], Function("text_of"), Text),
    new("string", &[Double], Sure("general"), NewText),
    new("string", &[Duration], Sure("in_seconds"), NewText),
    new("string", &[Time], Method("to_text"), NewText),
    new("string", &[Dynamic], Tried("to_text"), NewText),
    new("double", &[Dynamic], Tried("to_double"), Double),
    new("timestamp", &[Text], Function("timestamp"), Time),
    new("timestamp", &[Int], Function("since_1970"), Time),
    new("isIP", &[Text], Sure("is_ip"), Bool),
    new("isCIDR", &[Text], Sure("is_cidr"), Bool),
    new("isURL", &[Text], Sure("is_url"), Bool),
    new("url", &[Text], Function("url"), URL),
    new("isQuantity", &[Text], Sure("is_quantity"), Bool),
    new("quantity", &[Text], Function("quantity"), QUANTITY),
    new("semver", &[Text], Function("semver"), VERSION),
    new(
        "semver",
        &[Text, Bool],
        Function("semver_normalized"),
        VERSION,
    ),
    new("isSemver", &[Text], Sure("is_semver"), Bool),
    new(
        "isSemver",
        &[Text, Bool],
        Sure("is_semver_normalized"),
        Bool,
    ),
    new("strings.quote", &[Text], Sure("quoted"), NewText),
    new(
        "format.named",
        &[Text],
        Sure("named_format"),
        Sort::MaybeFormat,
    ),
    new("sign", &[QUANTITY], Method("sign"), Int),
    new("ip", &[Text], Function("ip"), IP),
    new("ip.isCanonical", &[Text], Function("is_canonical_ip"), Bool),
    new("string", &[IP], Method("to_text"), NewText),
    new("cidr", &[Text], Function("cidr"), CIDR),
    new("string", &[CIDR], Method("to_text"), NewText),
];

/// Formats that rules name, and the function that looks for the format.
pub(super) const FORMATS: [(&str, &str); 13] = [
    ("format.byte", "is_base64"),
    ("format.dns1123Label", "is_dns1123_label"),
    ("format.dns1123LabelPrefix", "is_dns1123_label_prefix"),
    ("format.dns1123Subdomain", "is_dns1123_subdomain"),
    (
        "format.dns1123SubdomainPrefix",
        "is_dns1123_subdomain_prefix",
    ),
    ("format.dns1035Label", "is_dns1035_label"),
    ("format.dns1035LabelPrefix", "is_dns1035_label_prefix"),
    ("format.qualifiedName", "is_qualified_name"),
    ("format.labelValue", "is_label_value"),
    ("format.uri", "is_url"),
    ("format.uuid", "is_uuid"),
    ("format.date", "is_date"),
    ("format.datetime", "is_datetime"),
];

/// Functions with a target, which is the first operand.
pub(super) const METHODS: &[Signature] = &[
    new("startsWith", &[Text, Text], Method("starts_with"), Bool),
    new("endsWith", &[Text, Text], Method("ends_with"), Bool),
    new("contains", &[Text, Text], Method("contains"), Bool),
    new("lowerAscii", &[Text], Method("to_ascii_lowercase"), NewText),
    new("upperAscii", &[Text], Method("to_ascii_uppercase"), NewText),
    new("trim", &[Text], Method("trim"), Text),
    new("replace", &[Text, Text, Text], Method("replace"), NewText),
    new(
        "replace",
        &[Text, Text, Text, Int],
        Sure("replace_some"),
        NewText,
    ),
    new("split", &[Text, Text], Sure("split"), Texts),
    new("split", &[Text, Text, Int], Sure("split_some"), Texts),
    new("indexOf", &[Text, Text], Sure("index_of"), Int),
    new("indexOf", &[Text, Text, Int], Function("index_from"), Int),
    new("lastIndexOf", &[Text, Text], Sure("last_index_of"), Int),
    new(
        "lastIndexOf",
        &[Text, Text, Int],
        Function("last_index_from"),
        Int,
    ),
    new("charAt", &[Text, Int], Function("char_at"), Text),
    new("substring", &[Text, Int], Function("substring"), Text),
    new("substring", &[Text, Int, Int], Function("substring"), Text),
    new("getScheme", &[URL], Method("scheme"), NewText),
    new("getHost", &[URL], Method("host"), NewText),
    new("getHostname", &[URL], Method("hostname"), NewText),
    new("getPort", &[URL], Method("port"), NewText),
    new("getQuery", &[URL], Method("query"), TextsByKey),
    new("getEscapedPath", &[URL], Method("escaped_path"), NewText),
    new(
        "isGreaterThan",
        &[QUANTITY, QUANTITY],
        Method("is_greater_than"),
        Bool,
    ),
    new(
        "isLessThan",
        &[QUANTITY, QUANTITY],
        Method("is_less_than"),
        Bool,
    ),
    new(
        "compareTo",
        &[QUANTITY, QUANTITY],
        Method("compare_to"),
        Int,
    ),
    new(
        "isGreaterThan",
        &[VERSION, VERSION],
        Method("is_greater_than"),
        Bool,
    ),
    new(
        "isLessThan",
        &[VERSION, VERSION],
        Method("is_less_than"),
        Bool,
    ),
    new("compareTo", &[VERSION, VERSION], Method("compare_to"), Int),
    new("major", &[VERSION], Method("major"), Int),
    new("minor", &[VERSION], Method("minor"), Int),
    new("patch", &[VERSION], Method("patch"), Int),
    new("isInteger", &[QUANTITY], Method("is_integer"), Bool),
    new("asInteger", &[QUANTITY], Tried("as_integer"), Int),
    new(
        "asApproximateFloat",
        &[QUANTITY],
        Method("as_approximate_float"),
        Double,
    ),
    new("add", &[QUANTITY, QUANTITY], Tried("add"), QUANTITY),
    new("add", &[QUANTITY, Int], Tried("add_whole"), QUANTITY),
    new("sub", &[QUANTITY, QUANTITY], Tried("sub"), QUANTITY),
    new("sub", &[QUANTITY, Int], Tried("sub_whole"), QUANTITY),
    new("family", &[IP], Method("family"), Int),
    new("isUnspecified", &[IP], Method("is_unspecified"), Bool),
    new("isLoopback", &[IP], Method("is_loopback"), Bool),
    new(
        "isLinkLocalMulticast",
        &[IP],
        Method("is_link_local_multicast"),
        Bool,
    ),
    new(
        "isLinkLocalUnicast",
        &[IP],
        Method("is_link_local_unicast"),
        Bool,
    ),
    new("isGlobalUnicast", &[IP], Method("is_global_unicast"), Bool),
    new("containsIP", &[CIDR, IP], Method("contains_ip"), Bool),
    new("containsIP", &[CIDR, Text], Tried("contains_ip_text"), Bool),
    new("containsCIDR", &[CIDR, CIDR], Method("contains_cidr"), Bool),
    new(
        "containsCIDR",
        &[CIDR, Text],
        Tried("contains_cidr_text"),
        Bool,
    ),
    new(
        "validate",
        &[FORMAT, Text],
        Method("has_problems"),
        Sort::Object(CelObject::Problems),
    ),
    new("ip", &[CIDR], Method("ip"), IP),
    new("prefixLength", &[CIDR], Method("prefix_length"), Int),
    new("masked", &[CIDR], Method("masked"), CIDR),
];

/// Returns true if a function is there, for other types maybe.
pub(super) fn is_known(name: &str) -> bool {
    let mut all = GLOBAL.iter().chain(METHODS);
    all.any(|signature| signature.name == name)
}

impl Sort {
    pub(super) fn sort(self) -> CelType {
        match self {
            Bool => CelType::Bool,
            Int => CelType::Int,
            Unsigned => CelType::Unsigned,
            Bytes => CelType::Bytes,
            Ints => CelType::Made(Box::new(CelType::Int)),
            Double => CelType::Double,
            Duration => CelType::Duration,
            Time => CelType::Time,
            Text | NewText => CelType::Text,
            Texts => CelType::Made(Box::new(CelType::Text)),
            TextsByKey => CelType::Entries(Box::new(CelType::Text), Box::new(Texts.sort())),
            Dynamic => CelType::Dynamic,
            Sort::Object(object) => CelType::Object(object),
            Sort::MaybeFormat => CelType::Maybe(Box::new(FORMAT.sort())),
        }
    }
}

impl Signature {
    /// The result of a call.
    pub(super) fn made(&self, call: Node) -> (Node, CelType) {
        let node = match self.makes {
            NewText => Node::Made(Box::new(call)),
            _ => call,
        };
        (node, self.makes.sort())
    }
}
