//! What the process is before it touches anything: whose it is, which modes its files get, and that it
//! leaves no core behind.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::Mode;
use rustix::process::{
    DumpableBehavior, Gid, Resource, Rlimit, Uid, geteuid, set_dumpable_behavior, setrlimit, umask,
};
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};

use crate::cli::failure::{Exit, Failure};

/// Files are the owner's alone from their first byte (S76); memory with secrets is never written to a
/// core file (S78).
pub fn harden() {
    umask(Mode::RWXG | Mode::RWXO);
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    // Refusals leave what the administrator allows.
    let _ = setrlimit(Resource::Core, none);
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// Becomes the owner of the data dir, when root runs a command on another user's. Must come before
/// the first thread and before anything in the folder is opened: whoever owns it may have planted links.
///
/// # Errors
/// The folder is another user's, and this is not root.
pub fn become_owner(data_dir: &Path) -> Result<(), Failure> {
    let Ok(there) = std::fs::metadata(data_dir) else {
        return Ok(()); // Its absence is reported where it is opened.
    };
    let own = geteuid();
    if there.uid() == own.as_raw() {
        return Ok(());
    }
    let shown = data_dir.display();
    if !own.is_root() {
        return Err(Failure::new(
            Exit::DataDir,
            format!(
                "the data dir {shown} belongs to another user: run this as that user or as root"
            ),
        ));
    }
    let gid = Gid::from_raw(there.gid());
    set_thread_groups(&[gid])
        .and_then(|()| set_thread_gid(gid))
        .and_then(|()| set_thread_uid(Uid::from_raw(there.uid())))
        .map_err(|e| {
            Failure::new(
                Exit::DataDir,
                format!("the data dir {shown} belongs to another user, who this can't become: {e}"),
            )
        })
}

/// Warns where others may look into the data dir. What a server makes there is its owner's alone, so only
/// somebody else can have widened it.
pub fn warn_of_wide_modes(data_dir: &Path) {
    let mut wide = Vec::new();
    let keys = data_dir.join("keys");
    let inside = [data_dir, keys.as_path()].into_iter().flat_map(|folder| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path())
    });
    for path in inside.chain([data_dir.to_owned()]) {
        let mode = std::fs::symlink_metadata(&path).map_or(0, |there| there.mode());
        if mode & 0o077 != 0 {
            wide.push(path);
        }
    }
    if let Some(first) = wide.first() {
        tracing::warn!(
            "others may read {} in the data dir, such as {}: take their rights away with chmod -R go= {}",
            wide.len(),
            first.display(),
            data_dir.display()
        );
    }
}
