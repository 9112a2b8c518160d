//! The file system that a directory is on. SQLite's locks and its shared-memory log are not reliable on network file
//! systems (S82).

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::store::db::dir_handle::DirHandle;
use crate::store::db::disk::{self, DiskSpace};

const MOUNTS: &str = "/proc/self/mountinfo";

/// Network file systems, by their Linux names.
const NETWORK: [&str; 19] = [
    "9p",
    "acfs",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "gfs",
    "gfs2",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "ocfs2",
    "smb3",
    "smbfs",
];

/// Network file systems that run in user space (FUSE), by the name after the dot: `fuse.sshfs`.
const NETWORK_FUSE: [&str; 14] = [
    "ceph",
    "cephfs",
    "davfs",
    "davfs2",
    "gcsfuse",
    "glusterfs",
    "goofys",
    "juicefs",
    "mount-s3",
    "rclone",
    "s3fs",
    "seaweedfs",
    "smbnetfs",
    "sshfs",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSystem {
    /// Its name, such as `ext4`.
    pub kind: String,
    pub mount_point: PathBuf,
}

impl FileSystem {
    /// The file system that a canonical path is on; `None` if the system does not tell.
    pub fn of(path: &Path) -> Option<Self> {
        let mounts = fs::read_to_string(MOUNTS).ok()?;
        Self::find(&mounts, path)
    }

    /// The longest mount point that is a prefix of the path. Of several at one path, the last hides the others.
    fn find(mounts: &str, path: &Path) -> Option<Self> {
        mounts
            .lines()
            .filter_map(mount)
            .filter(|mount| path.starts_with(&mount.mount_point))
            .max_by_key(|mount| mount.mount_point.as_os_str().as_bytes().len())
    }

    pub fn is_network(&self) -> bool {
        let kind = self.kind.as_str();
        match kind.strip_prefix("fuse.") {
            Some(kind) => NETWORK_FUSE.contains(&kind),
            None => NETWORK.contains(&kind),
        }
    }
}

/// The space on the file system of a directory.
pub fn space(folder: &Path) -> io::Result<DiskSpace> {
    disk::space(&DirHandle::open(folder)?)
}

/// Parses a line such as `36 35 98:0 / /mnt rw,noatime shared:1 - ext4 /dev/sda1 rw` (proc_pid_mountinfo(5)).
fn mount(line: &str) -> Option<FileSystem> {
    let (before, after) = line.split_once(" - ")?;
    Some(FileSystem {
        kind: after.split(' ').next()?.to_owned(),
        mount_point: unescape(before.split(' ').nth(4)?).into(),
    })
}

/// Decodes spaces, tabs, line feeds and backslashes, which are written as `\\040` and the like.
fn unescape(text: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(text.to_owned(), |text, (code, plain)| text.replace(code, plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 27 0:40 / /srv/a\\040b rw shared:1 master:2 - nfs4 host:/x rw,vers=4.2
31 27 0:41 / /srv rw - tmpfs tmpfs rw
32 27 0:42 / /over rw - nfs host:/y rw
33 32 0:43 / /over rw - xfs /dev/vdb rw
34 27 0:44 / /home/me rw - fuse.sshfs me@host: rw
broken
";

    #[test]
    fn the_nearest_mount_counts() {
        for (path, kind, is_network) in [
            ("/var/lib/formsvc", "ext4", false),
            ("/srv/data", "tmpfs", false),
            ("/srv/a b/data", "nfs4", true),
            ("/srv/a bc", "tmpfs", false),
            ("/over/data", "xfs", false),
            ("/home/me", "fuse.sshfs", true),
        ] {
            let found = FileSystem::find(MOUNTS, Path::new(path)).expect(path);
            assert_eq!((found.kind.as_str(), found.is_network()), (kind, is_network));
        }
        assert_eq!(FileSystem::find("", Path::new("/")), None);
    }

    #[test]
    fn a_folder_of_this_machine_has_one() {
        let root = Path::new("/");
        assert!(FileSystem::of(root).is_some_and(|found| found.mount_point == root));
        assert!(space(root).is_ok_and(|room| room.total > 0 && room.free <= room.total));
    }
}
