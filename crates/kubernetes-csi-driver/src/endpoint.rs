//! The sockets that a driver listens at.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;
use tokio::net::{TcpListener, UnixListener, UnixStream};

/// The place of a socket, as in the variable `CSI_ENDPOINT`.
///
/// ```
/// use kubernetes_csi_driver::Endpoint;
///
/// let endpoint: Endpoint = "unix:///csi/csi.sock".parse()?;
/// assert_eq!(endpoint, Endpoint::Unix("/csi/csi.sock".into()));
/// assert_eq!("/csi/csi.sock".parse(), Ok(endpoint));
/// assert!("csi.sock".parse::<Endpoint>().is_err());
/// # Ok::<(), kubernetes_csi_driver::EndpointError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// A socket in the file system: `unix:///csi/csi.sock`, `unix:/csi/csi.sock` or
    /// `/csi/csi.sock`.
    Unix(PathBuf),
    /// A socket of Linux without a file: `unix-abstract:name` or `unix://@name`.
    Abstract(String),
    /// An address, for tests: `tcp://127.0.0.1:10000`.
    Tcp(SocketAddr),
}

/// The longest path of a socket, in bytes.
const LONGEST: usize = 107;

/// A text that isn't an endpoint.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "the endpoint {text:?} {fault}; endpoints are `unix:///PATH`, `unix-abstract:NAME` and \
     `tcp://ADDRESS:PORT`"
)]
pub struct EndpointError {
    text: String,
    fault: &'static str,
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let fault = |fault| EndpointError {
            text: text.to_owned(),
            fault,
        };
        let lower = text.to_ascii_lowercase();
        let after = |scheme: &str| {
            let rest = lower.starts_with(scheme).then(|| text.get(scheme.len()..));
            rest.flatten()
        };
        if let Some(address) = after("tcp://") {
            let address = address
                .parse()
                .map_err(|_| fault("has no address and port"))?;
            return Ok(Self::Tcp(address));
        }
        if let Some(name) = after("unix-abstract:").or_else(|| after("unix://@")) {
            return match name.len() {
                1..=LONGEST if !name.contains('\0') => Ok(Self::Abstract(name.to_owned())),
                _ => Err(fault("has no name of 1 to 107 bytes without NUL")),
            };
        }
        let path = after("unix://").or_else(|| after("unix:")).unwrap_or(text);
        if !path.starts_with('/') {
            return Err(fault("has no absolute path"));
        }
        if path.contains('\0') {
            return Err(fault("has a path with NUL"));
        }
        if path.len() > LONGEST {
            return Err(fault(
                "has a path of more than 107 bytes, which no socket can have",
            ));
        }
        Ok(Self::Unix(path.into()))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix://{}", path.display()),
            Self::Abstract(name) => write!(f, "unix-abstract:{name}"),
            Self::Tcp(address) => write!(f, "tcp://{address}"),
        }
    }
}

/// The mode and the owner of a socket in the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The mode; 0600 by default.
    pub mode: u32,
    /// The user, if it isn't the process's own.
    pub owner: Option<u32>,
    /// The group, if it isn't the process's own.
    pub group: Option<u32>,
}

impl Default for Access {
    fn default() -> Self {
        Self {
            mode: 0o600,
            owner: None,
            group: None,
        }
    }
}

/// A socket in the file system that this process has made.
#[derive(Debug)]
pub(crate) struct Made {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl Made {
    fn at(path: &Path) -> io::Result<Self> {
        let found = std::fs::symlink_metadata(path)?;
        Ok(Self {
            path: path.to_owned(),
            device: found.dev(),
            inode: found.ino(),
        })
    }

    /// Returns true if it is still there, and not another one.
    pub(crate) fn is_there(&self) -> bool {
        let found = std::fs::symlink_metadata(&self.path);
        found.is_ok_and(|found| (found.dev(), found.ino()) == (self.device, self.inode))
    }
}

/// Removes the socket, unless another process has put one there.
impl Drop for Made {
    fn drop(&mut self) {
        if self.is_there() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A socket that is listened at.
#[derive(Debug)]
pub(crate) enum Listener {
    Unix(UnixListener, Option<Made>),
    Tcp(TcpListener),
}

impl Listener {
    /// Starts to listen. A socket that an earlier process has left is replaced; one at which
    /// somebody listens is an error.
    pub(crate) async fn bind(endpoint: &Endpoint, access: Access) -> io::Result<Self> {
        match endpoint {
            Endpoint::Unix(path) => {
                let (listener, made) = bind_at(path, access).await?;
                Ok(Self::Unix(listener, Some(made)))
            }
            Endpoint::Abstract(name) => {
                use std::os::linux::net::SocketAddrExt;
                let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
                let listener = std::os::unix::net::UnixListener::bind_addr(&address)?;
                listener.set_nonblocking(true)?;
                Ok(Self::Unix(UnixListener::from_std(listener)?, None))
            }
            Endpoint::Tcp(address) => TcpListener::bind(address).await.map(Self::Tcp),
        }
    }
}

/// Listens at a path. The socket gets its mode and owner before it is at the path, so that nobody
/// can connect before, and nobody finds one that doesn't answer.
async fn bind_at(path: &Path, access: Access) -> io::Result<(UnixListener, Made)> {
    if path.as_os_str().len() > LONGEST {
        let message = format!(
            "{}: it has more than {LONGEST} bytes, which no socket can have",
            path.display()
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    remove_stale(path).await?;
    let hidden = hidden_name(path);
    let made = path.with_file_name(&hidden);
    match std::fs::remove_file(&made) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = bind_hidden(&made, &hidden)?;
    let placed = || {
        std::fs::set_permissions(&made, std::fs::Permissions::from_mode(access.mode))?;
        if access.owner.is_some() || access.group.is_some() {
            chown(&made, access.owner, access.group)?;
        }
        std::fs::rename(&made, path)
    };
    if let Err(error) = placed() {
        let _ = std::fs::remove_file(&made);
        return Err(error);
    }
    Ok((listener, Made::at(path)?))
}

/// Returns the name that a socket has before it is at its path. It begins with a dot, so that the
/// kubelet doesn't look at it, and is short enough for [`bind_hidden`].
fn hidden_name(path: &Path) -> OsString {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let start = name.get(..72).unwrap_or(name);
    let end = format!(".{}", std::process::id());
    OsString::from_vec([b".", start, end.as_bytes()].concat())
}

/// Listens at a path that may be longer than that of a socket can be: through the descriptor of its
/// folder.
fn bind_hidden(path: &Path, name: &OsStr) -> io::Result<UnixListener> {
    match path.parent() {
        Some(folder) if path.as_os_str().len() > LONGEST => {
            let folder = File::open(folder)?;
            let by_descriptor = format!("/proc/self/fd/{}", folder.as_raw_fd());
            UnixListener::bind(Path::new(&by_descriptor).join(name))
        }
        _ => UnixListener::bind(path),
    }
}

/// Removes a socket at which nobody listens.
async fn remove_stale(path: &Path) -> io::Result<()> {
    let found = match std::fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let refused = |message: &str| {
        let message = format!("{}: {message}", path.display());
        io::Error::new(io::ErrorKind::AddrInUse, message)
    };
    if !found.file_type().is_socket() {
        return Err(refused("there is a file that is no socket; remove it"));
    }
    match UnixStream::connect(path).await {
        Ok(_) => Err(refused("another process listens there; stop it first")),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
