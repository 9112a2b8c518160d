//! Process setup before anything else runs: user, file modes, no core dumps, the file size limit, and reporting of
//! panics.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use rustix::fs::Mode;
use rustix::process::{
    DumpableBehavior, Gid, Resource, Rlimit, Signal, Uid, geteuid, set_dumpable_behavior, setrlimit, umask,
};
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::base::panics;
use crate::cli::failure::{Exit, Failure};
use crate::cli::output;

/// New files are private to their owner (S76); secrets in memory never reach a core file (S78).
pub fn harden() {
    umask(Mode::RWXG | Mode::RWXO);
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    // If refused, the administrator's limits stay.
    let _ = setrlimit(Resource::Core, none);
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    survive_file_size_limit();
    panics::report_to(|text| {
        if tracing::dispatcher::has_been_set() {
            tracing::error!("{text}");
        } else {
            output::complain(text);
        }
    });
}

/// Makes a write beyond `RLIMIT_FSIZE` fail like one on a full disk (S86): without a handler, the signal would end the
/// process. The handler outlives the runtime that installs it.
fn survive_file_size_limit() {
    if let Ok(runtime) = Builder::new_current_thread().enable_io().build() {
        let _ = runtime.block_on(async { signal(SignalKind::from_raw(Signal::XFSZ.as_raw())) });
    }
}

/// Resolves the data dir's path; when root runs a command on another user's data dir, the process becomes its owner.
/// Must be called before the first thread starts and before anything in the folder is opened, since its owner may
/// have planted links. Fails if the folder is another user's and the process is not root.
pub fn become_owner(data_dir: PathBuf) -> Result<PathBuf, Failure> {
    let found = data_dir.canonicalize();
    let Some((data_dir, metadata)) = found.and_then(|dir| Ok((dir.clone(), dir.metadata()?))).ok() else {
        return Ok(data_dir); // A missing folder is reported when it is opened.
    };
    let user = geteuid();
    if metadata.uid() == user.as_raw() {
        return Ok(data_dir);
    }
    let shown = data_dir.display();
    if !user.is_root() {
        return Err(Failure::new(
            Exit::DataDir,
            format!("the data dir {shown} belongs to another user: run this as that user or as root"),
        ));
    }
    let gid = Gid::from_raw(metadata.gid());
    set_thread_groups(&[gid])
        .and_then(|()| set_thread_gid(gid))
        .and_then(|()| set_thread_uid(Uid::from_raw(metadata.uid())))
        .map_err(|e| {
            Failure::new(
                Exit::DataDir,
                format!("the data dir {shown} belongs to another user, who this can't become: {e}"),
            )
        })?;
    Ok(data_dir)
}
