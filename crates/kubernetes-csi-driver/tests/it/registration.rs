//! Registration, with a kubelet that a test plays.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kubernetes_csi_driver::{Driver, KubeletRegistration, ServeError, Services};
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, Value};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tonic::Status;

use crate::support::{Call, Logs, channel, ready};

/// The driver's own socket on the host.
const SOCKET: &str = "/var/lib/kubelet/plugins/fake.csi.example.com/csi.sock";

/// A driver that registers, and a kubelet that has its folder.
struct Kubelet {
    folder: TempDir,
    protocol: DescriptorPool,
    stop: oneshot::Sender<()>,
    registered: JoinHandle<Result<(), ServeError>>,
}

fn services() -> Services {
    Driver::new("fake.csi.example.com", "1").build().unwrap()
}

fn protocol() -> DescriptorPool {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/kubelet/v1.37");
    let mut compiler = protox::Compiler::new([folder]).unwrap();
    compiler.open_file("pluginregistration.proto").unwrap();
    compiler.descriptor_pool()
}

impl Kubelet {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let registration = KubeletRegistration::new(folder.path(), SOCKET);
        let (stop, stopped) = oneshot::channel();
        let registered = tokio::spawn(async move {
            let stopped = async { drop(stopped.await) };
            services().register(&registration, stopped).await
        });
        let kubelet = Self {
            folder,
            protocol: protocol(),
            stop,
            registered,
        };
        ready(&kubelet.path()).await;
        kubelet
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("fake.csi.example.com@reg.sock")
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect()
    }

    fn inode(&self) -> Option<u64> {
        Some(fs::metadata(self.path()).ok()?.ino())
    }

    /// Waits for a socket that isn't the one of that inode.
    async fn another(&self, inode: u64) {
        while self.inode().is_none_or(|found| found == inode) {
            sleep(Duration::from_millis(10)).await;
        }
    }

    fn message(&self, name: &str) -> MessageDescriptor {
        let name = format!("pluginregistration.{name}");
        self.protocol.get_message_by_name(&name).unwrap()
    }

    async fn call(&self, name: &str, request: &DynamicMessage) -> Result<Vec<u8>, Status> {
        let call = Call {
            path: format!("/pluginregistration.Registration/{name}"),
            ..Call::of("", request)
        };
        let mut answers = call.send(&channel(&self.path())).await?;
        Ok(answers.pop().unwrap())
    }

    async fn info(&self) -> DynamicMessage {
        let request = DynamicMessage::new(self.message("InfoRequest"));
        let answer = self.call("GetInfo", &request).await.unwrap();
        DynamicMessage::decode(self.message("PluginInfo"), &*answer).unwrap()
    }

    /// Tells the driver whether it is registered.
    async fn notify(&self, error: &str) {
        let mut status = DynamicMessage::new(self.message("RegistrationStatus"));
        status.set_field_by_name("plugin_registered", Value::Bool(error.is_empty()));
        status.set_field_by_name("error", Value::String(error.to_owned()));
        self.call("NotifyRegistrationStatus", &status)
            .await
            .unwrap();
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.registered.await.unwrap().unwrap();
        assert!(fs::read_dir(self.folder.path()).unwrap().next().is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_driver_is_registered() {
    let logs = Logs::capture();
    let kubelet = Kubelet::start().await;
    let info = kubelet.info().await;
    let text = |field| {
        info.get_field_by_name(field)
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(text("type"), "CSIPlugin");
    assert_eq!(text("name"), "fake.csi.example.com");
    assert_eq!(text("endpoint"), SOCKET);
    let versions = info.get_field_by_name("supported_versions").unwrap();
    assert_eq!(
        versions.as_list(),
        Some(&[Value::String("1.0.0".to_owned())][..])
    );
    kubelet.notify("").await;
    let log = logs.take();
    assert!(
        log.contains("INFO") && log.contains("registered with the kubelet"),
        "{log}"
    );
    // The kubelet ignores names with a dot at the start; no such is left.
    assert_eq!(kubelet.names(), ["fake.csi.example.com@reg.sock"]);
    // The same socket stays.
    let inode = kubelet.inode();
    sleep(Duration::from_secs(60)).await;
    assert_eq!(kubelet.inode(), inode);
    kubelet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_is_refused_tries_again() {
    let logs = Logs::capture();
    let kubelet = Kubelet::start().await;
    let first = kubelet.inode().unwrap();
    // The inode of the first one stays taken.
    fs::hard_link(kubelet.path(), kubelet.folder.path().join("first")).unwrap();
    let begin = Instant::now();
    kubelet.notify("there is another one").await;
    assert!(
        logs.take()
            .contains("the kubelet refuses the driver: there is another one")
    );
    let again = timeout(Duration::from_secs(60), kubelet.another(first));
    again.await.expect("it doesn't try again");
    let took = begin.elapsed();
    assert!(took > Duration::from_secs(4), "{took:?}");
    assert_eq!(
        kubelet
            .info()
            .await
            .get_field_by_name("type")
            .unwrap()
            .as_str(),
        Some("CSIPlugin")
    );
    fs::remove_file(kubelet.folder.path().join("first")).unwrap();
    kubelet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_socket_that_is_removed_is_made_anew() {
    let kubelet = Kubelet::start().await;
    let first = kubelet.inode().unwrap();
    fs::rename(kubelet.path(), kubelet.folder.path().join("first")).unwrap();
    let again = timeout(Duration::from_secs(60), kubelet.another(first));
    again.await.expect("it isn't made anew");
    kubelet.info().await;
    fs::remove_file(kubelet.folder.path().join("first")).unwrap();
    kubelet.stop().await;
}

/// A kubelet that keeps its connection doesn't keep the driver from making the socket anew.
#[tokio::test(start_paused = true)]
async fn a_kubelet_that_keeps_its_connection() {
    let kubelet = Kubelet::start().await;
    let first = kubelet.inode().unwrap();
    let kept = std::os::unix::net::UnixStream::connect(kubelet.path()).unwrap();
    sleep(Duration::from_secs(1)).await;
    fs::rename(kubelet.path(), kubelet.folder.path().join("first")).unwrap();
    let again = timeout(Duration::from_secs(120), kubelet.another(first));
    again.await.expect("it isn't made anew");
    drop(kept);
    fs::remove_file(kubelet.folder.path().join("first")).unwrap();
    kubelet.stop().await;
}

#[tokio::test]
async fn a_missing_folder() {
    let registration = KubeletRegistration::new("/nonexistent/registration", SOCKET);
    let services = services();
    let failed = services.register(&registration, std::future::pending());
    assert!(matches!(failed.await, Err(ServeError::Listen { .. })));
}

/// The longest name of a driver in the kubelet's own folder has a path that a socket can have.
#[tokio::test(start_paused = true)]
async fn the_longest_name() {
    let name = "a".repeat(63);
    let root = tempfile::tempdir().unwrap();
    let padded =
        "x".repeat("/var/lib/kubelet/plugins_registry".len() - root.path().as_os_str().len() - 1);
    let folder = root.path().join(padded);
    fs::create_dir(&folder).unwrap();
    let services = Driver::new(&name, "1").build().unwrap();
    let registration = KubeletRegistration::new(&folder, SOCKET);
    let registered = tokio::spawn(async move {
        services
            .register(&registration, std::future::pending())
            .await
    });
    let path = folder.join(format!("{name}@reg.sock"));
    tokio::select! {
        () = ready(&path) => {}
        failed = registered => panic!("{failed:?}"),
    }
}
