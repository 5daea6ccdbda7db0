//! The fields of each source of a volume.

use kubernetes_kinds::Release;

use super::iscsi::is_iscsi_name;
use super::view::{
    AzureDisk, AzureFile, Cinder, Csi, FibreChannel, FlexVolume, Flocker, Glusterfs, HostPath,
    Iscsi, Nfs, Quobyte, ScaleIo, SecretReference, StorageOs,
};
use kubernetes_validation::{Checker, ErrorType, NameFormat, Path, Problem, to_value};

/// Checks that texts are not empty.
#[inline]
fn not_empty(fields: &[(&'static str, &str)], at: &Path<'_>, to: &mut Checker<'_>) {
    for (field, value) in fields {
        to.min_length(at.field(field), value);
    }
}

/// Checks that a path is not empty and has no `..`.
#[inline]
pub(super) fn contained(path: &str, at: Path<'_>, to: &mut Checker<'_>) {
    if to.min_length(at, path) && path.split('/').any(|part| part == "..") {
        to.invalid(at, "path.contained", path, "it must not contain `..`");
    }
}

const HOST_PATH_TYPES: [&str; 8] = [
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
];

#[inline]
pub(super) fn host_path(source: &HostPath<'_>, at: &Path<'_>, to: &mut Checker<'_>) {
    contained(source.path, at.field("path"), to);
    if let Some(kind) = source.kind.filter(|_| !source.path.is_empty()) {
        to.known(at.field("type"), kind, &HOST_PATH_TYPES);
    }
}

/// Checks the name and the partition of a disk.
#[inline]
pub(super) fn disk_partition(
    field: &'static str,
    name: &str,
    partition: i32,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    to.min_length(at.field(field), name);
    within_a_byte(partition, at.field("partition"), to);
}

#[inline]
fn within_a_byte(number: i32, at: Path<'_>, to: &mut Checker<'_>) {
    to.minimum(at, number, 0);
    to.maximum(at, number, 255);
}

#[inline]
pub(super) fn glusterfs(source: &Glusterfs<'_>, at: &Path<'_>, to: &mut Checker<'_>) {
    not_empty(
        &[("endpoints", source.endpoints), ("path", source.path)],
        at,
        to,
    );
    if let Some(namespace) = source.endpoints_namespace {
        to.format(
            at.field("endpointsNamespace"),
            namespace,
            NameFormat::DnsLabel,
        );
    }
}

#[inline]
pub(super) fn flocker(source: &Flocker<'_>, at: &Path<'_>, to: &mut Checker<'_>) {
    let (name, uuid) = (source.dataset_name, source.dataset_uuid);
    let message = "exactly one of datasetName and datasetUUID must be set";
    match (name, uuid) {
        ("", "") => to.required(*at, "oneOf", message),
        ("", _) | (_, "") => {}
        _ => to.invalid(*at, "oneOf", name, message),
    }
    if name.contains('/') {
        to.invalid(
            at.field("datasetName"),
            "flocker.name",
            name,
            "remove the `/`",
        );
    }
}

#[inline]
pub(super) fn nfs(source: &Nfs<'_>, at: &Path<'_>, to: &mut Checker<'_>) {
    not_empty(&[("server", source.server), ("path", source.path)], at, to);
    if !source.path.starts_with('/') {
        to.invalid(
            at.field("path"),
            "path.absolute",
            source.path,
            "start it with `/`",
        );
    }
}

/// The longest name of a tenant, a UUID.
const MAX_TENANT: usize = 64;

#[inline]
pub(super) fn quobyte(source: &Quobyte<'_>, at: &Path<'_>, to: &mut Checker<'_>) {
    let tenant = source.tenant;
    let registry = at.field("registry");
    if to.min_length(registry, source.registry) {
        if tenant.len() > MAX_TENANT {
            to.max_length(at.field("tenant"), tenant, MAX_TENANT, ErrorType::Required);
        } else if !source.registry.split(',').all(is_host_and_port) {
            let message = "it must be `host:port`, or several with commas between them";
            to.invalid(registry, "hostAndPort", source.registry, message);
        }
    }
    to.min_length(at.field("volume"), source.volume);
}

/// Returns true if Go's `net.SplitHostPort` can split the text; host and port may be empty.
#[inline]
fn is_host_and_port(text: &str) -> bool {
    match text.strip_prefix('[') {
        Some(rest) => rest.split_once(']').is_some_and(|(host, after)| {
            let port = after.strip_prefix(':');
            !host.contains('[') && port.is_some_and(|p| !p.contains([':', '[', ']']))
        }),
        None => text.split_once(':').is_some_and(|(host, port)| {
            !host.contains(['[', ']']) && !port.contains([':', '[', ']'])
        }),
    }
}

/// The most bytes of a volume's name and a portal if there is an `initiatorName`.
const MAX_PORTAL: usize = 64;

#[inline]
pub(super) fn iscsi(source: &Iscsi<'_>, name: &str, at: &Path<'_>, to: &mut Checker<'_>) {
    let portal = at.field("targetPortal");
    to.min_length(portal, source.target_portal);
    // The server joins the volume's name, which may be empty, and the portal with a colon.
    let length = name.len() + 1 + source.target_portal.len();
    if source.initiator_name.is_some() && length > MAX_PORTAL {
        let message = format!(
            "with initiatorName, the volume's name, a colon and the portal have {length} bytes; \
             at most {MAX_PORTAL} are allowed"
        );
        let at = portal.reported_as("targetportal");
        to.invalid(at, "iscsi.portal", source.target_portal, message);
    }
    if to.min_length(at.field("iqn"), source.iqn) {
        iscsi_name(source.iqn, at.field("iqn"), to);
    }
    within_a_byte(source.lun, at.field("lun"), to);
    let secret = at.field("secretRef");
    let chap = [source.chap_auth_discovery, source.chap_auth_session];
    match &source.secret_ref {
        None if chap.contains(&true) => {
            to.required(secret, "iscsi.chap", "CHAP needs a secret");
        }
        None => {}
        Some(reference) => {
            to.min_length(secret.field("name"), reference.name);
        }
    }
    if let Some(name) = source.initiator_name {
        iscsi_name(
            name,
            at.field("initiatorName").reported_as("initiatorname"),
            to,
        );
    }
}

#[inline]
fn iscsi_name(name: &str, at: Path<'_>, to: &mut Checker<'_>) {
    if !is_iscsi_name(name) {
        let message = "it must be an iSCSI name, such as iqn.2001-04.com.example:disk, \
                       eui. with 16 or naa. with 32 letters and digits";
        to.invalid(at, "iscsi.name", name, message);
    }
}

#[inline]
pub(super) fn cinder(source: &Cinder<'_>, at: &Path<'_>, to: &mut Checker<'_>) {
    to.min_length(at.field("volumeID"), source.volume_id);
    if let Some(secret) = &source.secret_ref {
        named_object(secret.name, secret.namespace, &at.field("secretRef"), to);
    }
}

/// Checks that a reference has a name and a namespace.
#[inline]
fn named_object(name: &str, namespace: &str, at: &Path<'_>, to: &mut Checker<'_>) {
    not_empty(&[("name", name), ("namespace", namespace)], at, to);
}

#[inline]
pub(super) fn fibre_channel(source: &FibreChannel<'_>, at: &Path<'_>, to: &mut Checker<'_>) {
    let (targets, ids) = (source.target_wwns, source.wwids);
    let message = "exactly one of targetWWNs and wwids must have entries";
    match (targets.is_empty(), ids.is_empty()) {
        (true, true) => to.required(at.field("targetWWNs"), "oneOf", message),
        (false, false) => to.invalid(at.field("targetWWNs"), "oneOf", targets, message),
        _ => {}
    }
    match source.lun {
        _ if targets.is_empty() => {}
        Some(lun) => within_a_byte(lun, at.field("lun"), to),
        None => to.required(at.field("lun"), "fc.lun", "targetWWNs need a lun"),
    }
}

/// The domains that are reserved for Kubernetes' own options.
const RESERVED: [&str; 2] = ["kubernetes.io", "k8s.io"];

#[inline]
pub(super) fn flex_volume(source: &FlexVolume<'_>, at: &Path<'_>, to: &mut Checker<'_>) {
    to.min_length(at.field("driver"), source.driver);
    let options = at.field("options");
    for key in source.options.keys() {
        let domain = key
            .split_once('/')
            .map_or(key.as_str(), |(domain, _)| domain);
        if RESERVED.iter().any(|reserved| is_in(domain, reserved)) {
            let message = "the domains kubernetes.io and k8s.io are reserved";
            to.invalid(options.key(key), "flex.reserved", key, message);
        }
    }
}

/// Returns true if a domain is the other or a subdomain of it, in any case of letters.
#[inline]
fn is_in(domain: &str, other: &str) -> bool {
    let domain = kubernetes_kinds::names::lowered(domain);
    let rest = domain.strip_suffix(other);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[inline]
pub(super) fn azure_file(source: &AzureFile<'_>, at: &Path<'_>, to: &mut Checker<'_>) {
    let fields = [
        ("secretName", source.secret_name),
        ("shareName", source.share_name),
    ];
    not_empty(&fields, at, to);
    if let Some(namespace) = source.secret_namespace {
        to.min_length(at.field("secretNamespace"), namespace);
    }
}

#[inline]
pub(super) fn azure_disk(source: &AzureDisk<'_>, at: &Path<'_>, to: &mut Checker<'_>) {
    not_empty(
        &[("diskName", source.disk_name), ("diskURI", source.disk_uri)],
        at,
        to,
    );
    if let Some(mode) = source.caching_mode {
        to.known(
            at.field("cachingMode"),
            mode,
            &["None", "ReadOnly", "ReadWrite"],
        );
    }
    let Some(kind) = source.kind else {
        return;
    };
    to.known(at.field("kind"), kind, &["Dedicated", "Managed", "Shared"]);
    let start = match kind {
        "Managed" => "/subscriptions/",
        _ => "https://",
    };
    if !source.disk_uri.starts_with(start) {
        let problem = Problem::new(ErrorType::NotSupported, "azure.uri");
        let message = format!("the URI of a disk of this kind starts with {start}");
        to.error(
            at.field("diskURI"),
            problem,
            to_value(source.disk_uri),
            message,
        );
    }
}

#[inline]
pub(super) fn scale_io(source: &ScaleIo<'_>, at: &Path<'_>, to: &mut Checker<'_>) {
    let fields = [
        ("gateway", source.gateway),
        ("system", source.system),
        ("volumeName", source.volume_name),
    ];
    not_empty(&fields, at, to);
}

#[inline]
pub(super) fn storage_os(source: &StorageOs<'_>, at: &Path<'_>, to: &mut Checker<'_>) {
    let name = source.volume_name;
    if to.min_length(at.field("volumeName"), name) {
        to.format(at.field("volumeName"), name, NameFormat::DnsLabel);
    }
    let namespace = source.volume_namespace;
    if !namespace.is_empty() {
        to.format(at.field("volumeNamespace"), namespace, NameFormat::DnsLabel);
    }
    if let Some(secret) = &source.secret_ref {
        named_object(secret.name, secret.namespace, &at.field("secretRef"), to);
    }
}

/// The longest name of a CSI driver.
const MAX_DRIVER_NAME: usize = 63;

/// Checks a CSI volume.
#[inline]
pub(super) fn csi_source(csi: &Csi<'_>, at: &Path<'_>, to: &mut Checker<'_>) {
    let driver = at.field("driver");
    // Until 1.35 an empty name isn't valid either.
    if to.min_length(driver, csi.driver) || to.target().is_before(Release::new(1, 36)) {
        to.max_length(driver, csi.driver, MAX_DRIVER_NAME, ErrorType::TooLong);
        to.format_lowered(driver, csi.driver, NameFormat::DnsSubdomain);
    }
    to.min_length(at.field("volumeHandle"), csi.volume_handle);
    let secrets = [
        (
            "controllerPublishSecretRef",
            &csi.controller_publish_secret_ref,
        ),
        (
            "controllerExpandSecretRef",
            &csi.controller_expand_secret_ref,
        ),
        ("nodePublishSecretRef", &csi.node_publish_secret_ref),
        ("nodeExpandSecretRef", &csi.node_expand_secret_ref),
    ];
    for (field, secret) in secrets {
        if let Some(secret) = secret {
            secret_reference(secret, &at.field(field), to);
        }
    }
}

#[inline]
fn secret_reference(secret: &SecretReference<'_>, at: &Path<'_>, to: &mut Checker<'_>) {
    let parts = [
        ("name", secret.name, NameFormat::DnsSubdomain),
        ("namespace", secret.namespace, NameFormat::DnsLabel),
    ];
    for (field, value, format) in parts {
        if to.min_length(at.field(field), value) {
            to.format(at.field(field), value, format);
        }
    }
}
