//! The medium and the size limit of an emptyDir.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, EmptyDirVolumeSource, Pod, PodSpec};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kubernetes_kinds::quantity::Amount;

use crate::interfaces::VolumeHost;
use crate::{Error, Result};

/// The prefix of the resources and of the media of huge pages.
const HUGE_PAGES: &str = "hugepages-";

/// The medium of an emptyDir.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Medium {
    /// The node's disk.
    Disk,
    /// Memory, with a size in bytes.
    Memory {
        /// Half of the memory if it is not known.
        size: Option<u64>,
    },
    /// Huge pages of that size in bytes.
    HugePages {
        /// Bytes of a page.
        page: u64,
        /// The medium names no size: what is mounted already may have another one.
        any: bool,
    },
}

impl Medium {
    pub(super) fn of(
        host: &dyn VolumeHost,
        source: &EmptyDirVolumeSource,
        pod: &Pod,
    ) -> Result<Self> {
        // Read on any medium: a limit that isn't a quantity is wrong.
        let limit = source
            .size_limit
            .as_ref()
            .map(|limit| bytes("sizeLimit", limit))
            .transpose()?;
        match source.medium.as_deref().unwrap_or_default() {
            "" => Ok(Self::Disk),
            "Memory" => Ok(Self::Memory {
                size: memory_size(host, limit, pod)?,
            }),
            "HugePages" => Ok(Self::HugePages {
                page: only_page_size(pod)?,
                any: true,
            }),
            medium => match medium.strip_prefix("HugePages-") {
                Some(size) => Ok(Self::HugePages {
                    page: page_size(size, pod)?,
                    any: false,
                }),
                None => Err(Error::invalid(format!(
                    "the medium {medium:?} of an emptyDir is unknown; \
                     it is empty, Memory, HugePages or HugePages-SIZE"
                ))),
            },
        }
    }

    /// The type of the file system that is mounted, if any is.
    pub(super) fn fs_type(self) -> Option<&'static str> {
        match self {
            Self::Disk => None,
            Self::Memory { .. } => Some("tmpfs"),
            Self::HugePages { .. } => Some("hugetlbfs"),
        }
    }

    /// The options of the mount.
    pub(super) fn option(self) -> Option<String> {
        match self {
            Self::Disk => None,
            Self::Memory { size } => size.map(|size| format!("size={size}")),
            Self::HugePages { page, .. } => Some(format!("pagesize={page}")),
        }
    }
}

/// Returns bytes of a quantity. The text is for messages.
fn bytes(what: &str, quantity: &Quantity) -> Result<u64> {
    let amount = Amount::try_from(quantity)
        .map_err(|error| Error::invalid(format!("{what} {:?}: {error}", quantity.0)))?;
    amount
        .to_u64()
        .ok_or_else(|| Error::invalid(format!("{what} {:?} is negative or too large", quantity.0)))
}

/// The least of the limits that there are. Zero is none.
fn memory_size(host: &dyn VolumeHost, limit: Option<u64>, pod: &Pod) -> Result<Option<u64>> {
    let node = match host.node_allocatable() {
        Ok(resources) => resources
            .get("memory")
            .map(|memory| bytes("memory", memory))
            .transpose()?,
        Err(Error::NotSupported(_)) => None,
        Err(error) => return Err(error),
    };
    let limits = [limit, pod_memory_limit(pod)?, node];
    Ok(limits.into_iter().flatten().filter(|size| *size > 0).min())
}

/// Returns the limit of the Pod, or the sum of the limits of all containers if each has one, with
/// the overhead of the runtime class.
fn pod_memory_limit(pod: &Pod) -> Result<Option<u64>> {
    let Some(spec) = &pod.spec else {
        return Ok(None);
    };
    let Some(limit) = memory_limit(spec)?.filter(|limit| *limit > 0) else {
        return Ok(None);
    };
    let overhead = spec.overhead.as_ref().and_then(|all| all.get("memory"));
    let overhead = overhead
        .map(|memory| bytes("overhead", memory))
        .transpose()?;
    Ok(Some(limit.saturating_add(overhead.unwrap_or_default())))
}

fn memory_limit(spec: &PodSpec) -> Result<Option<u64>> {
    let limit = |resources: Option<&BTreeMap<String, Quantity>>| {
        resources
            .and_then(|limits| limits.get("memory"))
            .map(|limit| bytes("memory limit", limit))
            .transpose()
    };
    let of_pod = limit(spec.resources.as_ref().and_then(|own| own.limits.as_ref()))?;
    if of_pod.is_some() {
        return Ok(of_pod);
    }
    let of_container = |container: &Container| {
        limit(
            container
                .resources
                .as_ref()
                .and_then(|own| own.limits.as_ref()),
        )
    };
    let mut together = 0_u64;
    for container in &spec.containers {
        let Some(size) = of_container(container)? else {
            return Ok(None);
        };
        together = together.saturating_add(size);
    }
    // Init containers run one after the other, those that restart stay beside the rest.
    let (mut beside, mut alone) = (0_u64, 0_u64);
    for container in spec.init_containers.iter().flatten() {
        let Some(size) = of_container(container)? else {
            return Ok(None);
        };
        if container.restart_policy.as_deref() == Some("Always") {
            beside = beside.saturating_add(size);
            alone = alone.max(beside);
        } else {
            alone = alone.max(beside.saturating_add(size));
        }
    }
    Ok(Some(alone.max(beside.saturating_add(together))))
}

/// The sizes of huge pages that the Pod requests, as texts such as `2Mi`.
fn requested(pod: &Pod) -> Result<BTreeMap<u64, String>> {
    let mut found = BTreeMap::new();
    let Some(spec) = &pod.spec else {
        return Ok(found);
    };
    let init = spec.init_containers.iter().flatten();
    let of_containers = init
        .chain(&spec.containers)
        .filter_map(|container| container.resources.as_ref());
    for resources in of_containers.chain(&spec.resources) {
        // An API server makes requests of limits; a manifest may have these alone.
        for name in resources
            .requests
            .iter()
            .chain(&resources.limits)
            .flat_map(BTreeMap::keys)
        {
            if let Some(size) = name.strip_prefix(HUGE_PAGES) {
                found.insert(parsed(size)?, size.to_owned());
            }
        }
    }
    Ok(found)
}

fn parsed(size: &str) -> Result<u64> {
    let page = bytes("the size of huge pages", &Quantity(size.to_owned()))?;
    if page.is_power_of_two() {
        return Ok(page);
    }
    Err(Error::invalid(format!(
        "huge pages can't have the size {size:?}; 2Mi is one"
    )))
}

fn only_page_size(pod: &Pod) -> Result<u64> {
    let sizes = requested(pod)?;
    let mut found = sizes.keys();
    match (found.next(), found.next()) {
        (Some(size), None) => Ok(*size),
        (None, _) => Err(Error::invalid(
            "the medium HugePages needs a container that requests huge pages, \
             such as hugepages-2Mi",
        )),
        (Some(_), Some(_)) => Err(Error::invalid(format!(
            "the medium HugePages can't be used, because containers request several page sizes: \
             {}; name one, as in HugePages-2Mi",
            sizes.into_values().collect::<Vec<_>>().join(", ")
        ))),
    }
}

fn page_size(size: &str, pod: &Pod) -> Result<u64> {
    let page = parsed(size)?;
    if requested(pod)?.contains_key(&page) {
        return Ok(page);
    }
    Err(Error::invalid(format!(
        "the medium HugePages-{size} needs a container that requests hugepages-{size}"
    )))
}
