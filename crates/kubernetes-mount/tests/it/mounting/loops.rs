//! Loop devices.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kubernetes_mount::exec::Local;
use kubernetes_mount::filesystem::{LoopDevice, LoopDevices, device_size};
use kubernetes_mount::testing::{FakeAnswer, FakeExec};
use root_tests::as_root;

use super::tools::Dir;

const LIST: &str =
    "losetup --list --noheadings --raw --output NAME,RO,AUTOCLEAR --associated /images/one";

fn fake(answers: &[&str]) -> (LoopDevices, Arc<FakeExec>) {
    let exec = answers.iter().fold(FakeExec::new(), |exec, answer| {
        exec.answer("losetup", FakeAnswer::success(answer))
    });
    let exec = Arc::new(exec);
    (LoopDevices::new(exec.clone()), exec)
}

#[test]
fn a_device_is_found_before_one_is_made() {
    let image = Path::new("/images/one");
    let make = "losetup --find --show /images/one";
    let make_read_only = "losetup --find --show --read-only /images/one";
    // What is listed, what is asked for, the commands after the list, and the device.
    let rows: [(&str, bool, &[&str], &str); 4] = [
        ("", false, &[make], "/dev/loop9"),
        ("/dev/loop3 0 0\n", false, &[], "/dev/loop3"),
        ("/dev/loop3 0 0\n", true, &[make_read_only], "/dev/loop9"),
        ("/dev/loop3 0 1\n/dev/loop4 1 0\n", true, &[], "/dev/loop4"),
    ];
    for (listed, read_only, commands, device) in rows {
        let (devices, exec) = fake(&[listed, "/dev/loop9\n"]);
        assert_eq!(
            devices.attach(image, read_only).unwrap(),
            Path::new(device),
            "{listed}"
        );
        assert_eq!(exec.commands(), [&[LIST], commands].concat());
    }
}

#[test]
fn an_ending_device_is_not_used_again() {
    let (devices, exec) = fake(&["/dev/loop3 0 1\n"]);
    let error = devices.attach(Path::new("/images/one"), false).unwrap_err();
    assert!(error.is_transient(), "{error}");
    assert_eq!(
        error.to_string(),
        "/dev/loop3 is being detached, and still in use"
    );
    assert_eq!(exec.commands(), [LIST]);
}

#[test]
fn strange_output_is_an_error() {
    let image = Path::new("/images/one");
    let (devices, _) = fake(&["/dev/loop3 0\n"]);
    let error = devices.of(image).unwrap_err().to_string();
    assert!(error.contains("three columns"), "{error}");
    for text in ["8:1\n", "8 1 2\n", "a:1 2\n"] {
        let error = fake(&[text]).0.files().unwrap_err().to_string();
        assert!(error.contains("three numbers"), "{error}");
    }
    let (devices, _) = fake(&["", "loop3\n"]);
    let error = devices.attach(image, false).unwrap_err().to_string();
    assert!(error.contains("not the path of a device"), "{error}");
}

#[test]
fn files_are_devices() {
    as_root(|| {
        let dir = Dir::new();
        let devices = LoopDevices::new(Arc::new(Local));
        let image = dir.image("image", 1 << 20);
        let found = |path: &Path, read_only| LoopDevice {
            path: path.to_owned(),
            read_only,
            is_ending: false,
        };
        let device = devices.attach(&image, false).unwrap();
        // By another path, and again.
        let link: PathBuf = image.with_file_name("link");
        std::fs::hard_link(&image, &link).unwrap();
        assert_eq!(devices.attach(&link, false).unwrap(), device);
        File::options()
            .write(true)
            .open(&device)
            .unwrap()
            .write_all(b"written")
            .unwrap();
        let reader = devices.attach(&image, true).unwrap();
        let all = devices.of(&image).unwrap();
        assert_eq!(all.len(), 2);
        assert!(all.contains(&found(&device, false)) && all.contains(&found(&reader, true)));
        let mut written = File::options().write(true).open(&reader).unwrap();
        assert!(written.write_all(b"read-only").is_err());
        drop(written);
        File::open(&device).unwrap().sync_all().unwrap();
        let mut start = [0; 7];
        File::open(&image).unwrap().read_exact(&mut start).unwrap();
        assert_eq!(&start, b"written");

        File::options()
            .write(true)
            .open(&image)
            .unwrap()
            .set_len(2 << 20)
            .unwrap();
        devices.resize(&device).unwrap();
        assert_eq!(device_size(&device).unwrap(), 2 << 20);
        assert_eq!(device_size(&reader).unwrap(), 1 << 20);

        let found = std::fs::metadata(&image).unwrap();
        let own = (found.dev(), found.ino());
        assert!(devices.files().unwrap().contains(&own));

        devices.detach(&device).unwrap();
        devices.detach(&reader).unwrap();
        assert_eq!(devices.of(&image).unwrap(), []);
        assert!(!devices.files().unwrap().contains(&own));
        assert!(devices.detach(&device).is_err());
        assert!(
            devices
                .attach(&image.with_file_name("none"), false)
                .is_err()
        );
    });
}
