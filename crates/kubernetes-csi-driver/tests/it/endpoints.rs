//! Endpoints, and the sockets at them.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use kubernetes_csi_driver::{Access, Driver, Endpoint, ServeError, Services};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::support::ready;

#[test]
fn spellings() {
    let unix = |path: &str| Endpoint::Unix(path.into());
    let named = |name: &str| Endpoint::Abstract(name.to_owned());
    let tcp = |address: &str| Endpoint::Tcp(address.parse().unwrap());
    let longest = format!("/{}", "a".repeat(106));
    let name = "a".repeat(107);
    for (text, expected) in [
        ("unix:///csi/csi.sock", unix("/csi/csi.sock")),
        ("unix:/csi/csi.sock", unix("/csi/csi.sock")),
        ("/csi/csi.sock", unix("/csi/csi.sock")),
        ("UNIX:///Csi/csi.sock", unix("/Csi/csi.sock")),
        ("unix:///a b/ä", unix("/a b/ä")),
        (&longest, unix(&longest)),
        ("unix-abstract:csi", named("csi")),
        ("unix-abstract:a/b:@", named("a/b:@")),
        ("unix://@csi", named("csi")),
        (&format!("unix://@{name}"), named(&name)),
        ("tcp://127.0.0.1:10000", tcp("127.0.0.1:10000")),
        ("TCP://[::1]:1", tcp("[::1]:1")),
    ] {
        assert_eq!(text.parse(), Ok(expected.clone()), "{text}");
        // What is printed is a spelling, too.
        assert_eq!(expected.to_string().parse(), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_no_endpoint() {
    let longer = format!("unix:///{}", "a".repeat(107));
    let long_name = format!("unix-abstract:{}", "a".repeat(108));
    let path = "has no absolute path";
    let name = "has no name of 1 to 107 bytes without NUL";
    let address = "has no address and port";
    let length = "has a path of more than 107 bytes, which no socket can have";
    for (text, fault) in [
        ("", path),
        ("csi.sock", path),
        ("unix:", path),
        ("unix://", path),
        ("unix://csi.sock", path),
        ("unix:@csi", path),
        ("http://127.0.0.1:80", path),
        ("ünix:///a", path),
        ("unix:///a\0b", "has a path with NUL"),
        (&longer, length),
        ("unix-abstract:", name),
        ("unix://@", name),
        ("unix-abstract:a\0b", name),
        (&long_name, name),
        ("tcp://", address),
        ("tcp://127.0.0.1", address),
        ("tcp://localhost:80", address),
        ("tcp://127.0.0.1:65536", address),
    ] {
        let error = text.parse::<Endpoint>().unwrap_err();
        let expected = format!(
            "the endpoint {text:?} {fault}; endpoints are `unix:///PATH`, `unix-abstract:NAME` and \
             `tcp://ADDRESS:PORT`"
        );
        assert_eq!(error.to_string(), expected);
    }
}

fn services() -> Services {
    Driver::new("fake.csi.example.com", "1").build().unwrap()
}

/// A server in the background.
struct Running {
    stop: oneshot::Sender<()>,
    served: JoinHandle<Result<(), ServeError>>,
}

impl Running {
    fn at(endpoint: Endpoint, access: Access) -> Self {
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(async move {
            let stopped = async { drop(stopped.await) };
            services().serve_with(&endpoint, access, stopped).await
        });
        Self { stop, served }
    }

    async fn at_path(path: &Path, access: Access) -> Self {
        let running = Self::at(Endpoint::Unix(path.to_owned()), access);
        ready(path).await;
        running
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.served.await.unwrap().unwrap();
    }
}

/// Returns why nobody can listen at a path.
async fn refusal(path: &Path) -> String {
    let endpoint = Endpoint::Unix(path.to_owned());
    let stop = std::future::pending();
    let services = services();
    let served = services.serve(&endpoint, stop);
    let served = tokio::time::timeout(Duration::from_secs(10), served);
    match served.await.expect("it listens").unwrap_err() {
        ServeError::Listen { endpoint, source } => {
            assert_eq!(endpoint, Endpoint::Unix(path.to_owned()));
            source.to_string()
        }
        other => panic!("{other}"),
    }
}

/// Returns the names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

/// Speaks HTTP/2 as far as its settings, which the server answers with its own.
fn speaks_http2(mut stream: impl Read + Write) -> bool {
    let settings_without_entries = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    stream
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        .unwrap();
    stream.write_all(&settings_without_entries).unwrap();
    let mut frame = [0; 9];
    stream.read_exact(&mut frame).is_ok() && frame[3] == 4
}

async fn is_served(connect: impl FnOnce() -> bool + Send + 'static) -> bool {
    tokio::task::spawn_blocking(connect).await.unwrap()
}

fn at(path: &Path) -> impl FnOnce() -> bool + Send + 'static {
    let path = path.to_owned();
    move || speaks_http2(UnixStream::connect(path).unwrap())
}

#[tokio::test]
async fn the_socket_is_removed_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("csi.sock");
    let running = Running::at_path(&path, Access::default()).await;
    assert!(is_served(at(&path)).await);
    assert_eq!(names(folder.path()), ["csi.sock"]);
    running.stop().await;
    assert_eq!(names(folder.path()), [""; 0]);
}

#[tokio::test]
async fn the_socket_of_another_process_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("csi.sock");
    let running = Running::at_path(&path, Access::default()).await;
    // It is moved, so that the other one can't have its inode.
    fs::rename(&path, folder.path().join("moved")).unwrap();
    let other = UnixListener::bind(&path).unwrap();
    running.stop().await;
    assert!(path.exists());
    drop(other);
}

#[tokio::test]
async fn a_stale_socket_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("csi.sock");
    drop(UnixListener::bind(&path).unwrap());
    // The inode stays taken, so that the new one is another.
    fs::hard_link(&path, folder.path().join("stale")).unwrap();
    let stale = fs::metadata(&path).unwrap().ino();
    let running = Running::at(Endpoint::Unix(path.clone()), Access::default());
    while fs::metadata(&path).map_or(stale, |found| found.ino()) == stale {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(is_served(at(&path)).await);
    running.stop().await;
}

/// A driver that was killed while it made its socket has left one of another name.
#[tokio::test]
async fn what_an_earlier_start_has_left_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("csi.sock");
    let hidden = format!(".csi.sock.{}", std::process::id());
    drop(UnixListener::bind(folder.path().join(hidden)).unwrap());
    let running = Running::at_path(&path, Access::default()).await;
    assert_eq!(names(folder.path()), ["csi.sock"]);
    running.stop().await;
}

#[tokio::test]
async fn what_is_in_use_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let live = folder.path().join("live.sock");
    let _listener = UnixListener::bind(&live).unwrap();
    let inode = fs::metadata(&live).unwrap().ino();
    let expected = "another process listens there; stop it first";
    assert_eq!(
        refusal(&live).await,
        format!("{}: {expected}", live.display())
    );
    assert_eq!(fs::metadata(&live).unwrap().ino(), inode);

    let file = folder.path().join("file");
    fs::write(&file, "data").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&live, &link).unwrap();
    let directory = folder.path().join("directory");
    fs::create_dir(&directory).unwrap();
    for path in [&file, &link, &directory] {
        let expected = "there is a file that is no socket; remove it";
        assert_eq!(
            refusal(path).await,
            format!("{}: {expected}", path.display())
        );
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "data");
    assert!(link.is_symlink() && directory.is_dir());
    assert_eq!(names(folder.path()).len(), 4);
}

#[tokio::test]
async fn a_missing_folder() {
    let folder = tempfile::tempdir().unwrap();
    let refused = refusal(&folder.path().join("missing/csi.sock")).await;
    assert_eq!(refused, "No such file or directory (os error 2)");
}

/// Returns a path of a number of bytes in a folder.
fn of_length(folder: &Path, length: usize) -> PathBuf {
    let name = length - folder.as_os_str().len() - 1;
    folder.join("s".repeat(name))
}

#[tokio::test]
async fn paths_of_the_greatest_length() {
    let folder = tempfile::tempdir().unwrap();
    let longer = of_length(folder.path(), 108);
    let expected = "it has more than 107 bytes, which no socket can have";
    assert_eq!(
        refusal(&longer).await,
        format!("{}: {expected}", longer.display())
    );
    for length in 95..=107 {
        let path = of_length(folder.path(), length);
        let running = Running::at_path(&path, Access::default()).await;
        assert!(is_served(at(&path)).await, "{length}");
        running.stop().await;
        assert_eq!(names(folder.path()), [""; 0]);
    }
}

#[tokio::test]
async fn modes_and_owners() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("csi.sock");
    let own = fs::metadata(folder.path()).unwrap();
    let owned = Access {
        owner: Some(1234),
        group: Some(5678),
        ..Access::default()
    };
    let open = Access {
        mode: 0o666,
        ..Access::default()
    };
    let mut table = vec![
        (Access::default(), 0o600, own.uid(), own.gid()),
        (open, 0o666, own.uid(), own.gid()),
    ];
    match own.uid() {
        0 => table.push((owned, 0o600, 1234, 5678)),
        _ => eprintln!("owners are left out, since they need root"),
    }
    for (access, mode, owner, group) in table {
        let running = Running::at_path(&path, access).await;
        let found = fs::metadata(&path).unwrap();
        assert!(found.file_type().is_socket());
        assert_eq!(found.mode() & 0o7777, mode);
        assert_eq!((found.uid(), found.gid()), (owner, group));
        running.stop().await;
    }
}

#[tokio::test]
async fn an_abstract_socket() {
    let name = format!("kubernetes-csi-driver-{}", std::process::id());
    let running = Running::at(Endpoint::Abstract(name.clone()), Access::default());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let mut found = UnixStream::connect_addr(&address);
    while found.is_err() {
        tokio::time::sleep(Duration::from_millis(1)).await;
        found = UnixStream::connect_addr(&address);
    }
    let stream = found.unwrap();
    assert!(is_served(move || speaks_http2(stream)).await);
    let stop = std::future::pending();
    let services = services();
    let second = services.serve(&Endpoint::Abstract(name), stop).await;
    assert!(matches!(second, Err(ServeError::Listen { .. })));
    running.stop().await;
    assert!(UnixStream::connect_addr(&address).is_err());
}

#[tokio::test]
async fn an_address() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let running = Running::at(Endpoint::Tcp(address), Access::default());
    let mut found = TcpStream::connect(address);
    while found.is_err() {
        tokio::time::sleep(Duration::from_millis(1)).await;
        found = TcpStream::connect(address);
    }
    let stream = found.unwrap();
    assert!(is_served(move || speaks_http2(stream)).await);
    running.stop().await;
    assert!(TcpStream::connect(address).is_err());
}
