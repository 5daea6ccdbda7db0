//! Checks of the fields of a request: each lacks one, or has one that is too large or malformed.

use std::collections::BTreeMap;
use std::sync::Arc;

use kubernetes_csi::v1::VolumeCapability;
use kubernetes_csi::v1::volume_capability::{AccessMode, AccessType, BlockVolume, MountVolume};
use tonic::Code;

use crate::call::Call;
use crate::check::{Check, Checked, Need};
use crate::context::Context;

/// Returns a valid request.
pub(crate) type Base<R> = for<'a> fn(&'a Context) -> BaseOf<'a, R>;
pub(crate) type BaseOf<'a, R> = std::pin::Pin<Box<dyn Future<Output = Checked<R>> + Send + 'a>>;

type Spoil<R> = Arc<dyn Fn(&mut R) + Send + Sync>;

/// The checks of the fields of a request.
pub(crate) struct Fields<R> {
    call: &'static str,
    needs: Vec<Need>,
    base: Base<R>,
    /// Codes for values that the driver refuses since it has never given them.
    of_ids: Vec<Code>,
    /// Codes for capabilities that it doesn't know.
    of_capabilities: Vec<Code>,
    accepts_ids: bool,
    pub(crate) checks: Vec<Check>,
}

impl<R: Call> Fields<R> {
    /// Returns no checks yet.
    pub(crate) fn of(call: &'static str, needs: &[Need], base: Base<R>) -> Self {
        Self {
            call,
            needs: needs.to_vec(),
            base,
            of_ids: vec![Code::InvalidArgument, Code::NotFound],
            of_capabilities: vec![Code::InvalidArgument],
            accepts_ids: false,
            checks: Vec::new(),
        }
    }

    /// Says that the call removes something, so that it succeeds for ids of nothing.
    pub(crate) fn removes(mut self) -> Self {
        self.accepts_ids = true;
        self
    }

    /// Says that the call is one of the node, where unsupported capabilities have a code of their
    /// own.
    pub(crate) fn on_node(mut self) -> Self {
        self.of_capabilities.push(Code::FailedPrecondition);
        self
    }

    /// Adds a check of a request that is refused with one of some codes.
    pub(crate) fn check(
        mut self,
        name: &str,
        codes: &[Code],
        accepts: bool,
        spoil: impl Fn(&mut R) + Send + Sync + 'static,
    ) -> Self {
        let (base, spoil): (Base<R>, Spoil<R>) = (self.base, Arc::new(spoil));
        let codes = codes.to_vec();
        self.checks.push(Check {
            name: format!("{}/{name}", self.call),
            needs: self.needs.clone(),
            run: Box::new(move |context| {
                let (spoil, codes) = (spoil.clone(), codes.clone());
                Box::pin(async move {
                    let mut request = base(context).await?;
                    spoil(&mut request);
                    match accepts {
                        true => context.ok_or(request, &codes).await.map(drop),
                        false => context.refused(request, &codes).await,
                    }
                })
            }),
        });
        self
    }

    /// Adds a check of a request that is refused as invalid.
    pub(crate) fn invalid(
        self,
        name: &str,
        spoil: impl Fn(&mut R) + Send + Sync + 'static,
    ) -> Self {
        self.check(name, &[Code::InvalidArgument], false, spoil)
    }

    /// Adds the check of a request without a field. The function empties the field.
    pub(crate) fn required(self, field: &str, empty: fn(&mut R)) -> Self {
        self.invalid(&format!("without_{field}"), empty)
    }

    /// Adds the checks of a field for an id.
    pub(crate) fn id(self, field: &str, limit: usize, get: fn(&mut R) -> &mut String) -> Self {
        self.invalid(&format!("without_{field}"), move |request| {
            get(request).clear()
        })
        .optional_id(field, limit, get)
    }

    /// Adds the check of a field for an id that can be empty.
    pub(crate) fn optional_id(
        self,
        field: &str,
        limit: usize,
        get: fn(&mut R) -> &mut String,
    ) -> Self {
        let (codes, accepts) = (self.of_ids.clone(), self.accepts_ids);
        self.check(&format!("long_{field}"), &codes, accepts, move |request| {
            *get(request) = "x".repeat(limit + 1);
        })
    }

    /// Adds the checks of a field for a name.
    pub(crate) fn name(self, get: fn(&mut R) -> &mut String) -> Self {
        self.invalid("without_name", move |request| get(request).clear())
            .invalid("long_name", move |request| {
                let name = get(request);
                *name = format!("{name:x<129}");
            })
            .invalid("control_character_in_name", move |request| {
                get(request).push('\u{7}')
            })
    }

    /// Adds the checks of a field for a path.
    pub(crate) fn path(self, field: &str, get: fn(&mut R) -> &mut String) -> Self {
        self.invalid(&format!("without_{field}"), move |request| {
            get(request).clear()
        })
        .optional_path(field, get)
    }

    /// Adds the check of a field for a path that can be empty.
    pub(crate) fn optional_path(self, field: &str, get: fn(&mut R) -> &mut String) -> Self {
        // csi-sanity expects that no volume is at a relative path.
        let codes = [Code::InvalidArgument, Code::NotFound];
        self.check(
            &format!("relative_{field}"),
            &codes,
            false,
            move |request| {
                *get(request) = "a/relative/path".to_owned();
            },
        )
    }

    /// Adds the check of a map with more than 4 KiB.
    pub(crate) fn map(self, field: &str, get: fn(&mut R) -> &mut BTreeMap<String, String>) -> Self {
        self.invalid(&format!("large_{field}"), move |request| {
            get(request).insert("key".to_owned(), "x".repeat(4094));
        })
    }

    /// Adds the check of secrets with more than 4 KiB.
    pub(crate) fn secrets(self) -> Self {
        self.invalid("large_secrets", |request| {
            if let Some(secrets) = request.secrets() {
                secrets.insert("key".to_owned(), "x".repeat(4094));
            }
        })
    }

    /// Adds the checks of how a volume is used.
    pub(crate) fn capability(self, get: fn(&mut R) -> Option<&mut VolumeCapability>) -> Self {
        let codes = self.of_capabilities.clone();
        let spoil = move |spoil: fn(&mut VolumeCapability)| {
            move |request: &mut R| {
                if let Some(capability) = get(request) {
                    spoil(capability);
                }
            }
        };
        self.invalid("without_access_type", spoil(|one| one.access_type = None))
            .invalid("without_access_mode", spoil(|one| one.access_mode = None))
            .invalid(
                "without_mode",
                spoil(|one| one.access_mode = Some(AccessMode { mode: 0 })),
            )
            .check(
                "undefined_mode",
                &codes,
                false,
                spoil(|one| one.access_mode = Some(AccessMode { mode: 99 })),
            )
    }

    /// Adds the checks of the size of a volume.
    pub(crate) fn size(
        self,
        get: fn(&mut R) -> &mut Option<kubernetes_csi::v1::CapacityRange>,
    ) -> Self {
        let codes = [Code::InvalidArgument, Code::OutOfRange];
        let set = move |required_bytes: i64, limit_bytes: i64| {
            move |request: &mut R| {
                *get(request) = Some(kubernetes_csi::v1::CapacityRange {
                    required_bytes,
                    limit_bytes,
                });
            }
        };
        self.invalid("size_without_bounds", set(0, 0))
            .check(
                "limit_below_required_size",
                &codes,
                false,
                set(2 << 30, 1 << 30),
            )
            .check("negative_required_size", &codes, false, set(-1, 0))
            .check("negative_size_limit", &codes, false, set(0, -1))
    }
}

/// Returns the other way to use a volume: as a device, or as a file system.
pub(crate) fn other_access(capability: &VolumeCapability) -> VolumeCapability {
    let access_type = match capability.access_type {
        Some(AccessType::Block(_)) => AccessType::Mount(MountVolume::default()),
        _ => AccessType::Block(BlockVolume {}),
    };
    VolumeCapability {
        access_type: Some(access_type),
        ..capability.clone()
    }
}

/// Makes the function that returns a valid request.
macro_rules! base {
    ($context:ident => $request:expr) => {{
        let base: $crate::fields::Base<_> = |$context| Box::pin(async move { Ok($request) });
        base
    }};
}
pub(crate) use base;
