//! What the process is before it touches anything: whose it is, which modes its files get, and that it
//! leaves no core behind; and what a file that grows too large or a panic means for it.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use rustix::fs::Mode;
use rustix::process::{
    DumpableBehavior, Gid, Resource, Rlimit, Signal, Uid, geteuid, set_dumpable_behavior,
    setrlimit, umask,
};
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::base::panics;
use crate::cli::failure::{Exit, Failure};
use crate::cli::output;

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
    outlive_file_limit();
    panics::report_to(|text| {
        if tracing::dispatcher::has_been_set() {
            tracing::error!("{text}");
        } else {
            output::complain(text);
        }
    });
}

/// A write beyond the limit of file sizes (`RLIMIT_FSIZE`) fails as one on a full disk does (S86): without a
/// handler its signal would end the process. The handler stays when the runtime that sets it is gone.
fn outlive_file_limit() {
    if let Ok(runtime) = Builder::new_current_thread().enable_io().build() {
        let _ = runtime.block_on(async { signal(SignalKind::from_raw(Signal::XFSZ.as_raw())) });
    }
}

/// Finds the data dir that a path leads to, and becomes its owner, when root runs a command on another user's. Must
/// come before the first thread and before anything in the folder is opened: whoever owns it may have planted links.
pub fn become_owner(data_dir: PathBuf) -> Result<PathBuf, Failure> {
    let found = data_dir.canonicalize();
    let Some((data_dir, there)) = found
        .and_then(|dir| Ok((dir.clone(), dir.metadata()?)))
        .ok()
    else {
        return Ok(data_dir); // Its absence is reported where it is opened.
    };
    let own = geteuid();
    if there.uid() == own.as_raw() {
        return Ok(data_dir);
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
        })?;
    Ok(data_dir)
}
