//! The limit of open files: raised at start, and the cap on connections fitted to it.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files kept for the database, uploads and everything else that is no connection.
const RESERVED: u64 = 128;

/// Raises the soft limit of open files to the hard one; answers what holds now, `None` for no limit.
pub fn raise() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    // A refusal leaves the old limit, which the cap is then fitted to.
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    }
}

/// The number of connections that `files` open files allow, at most `wanted`; 0 wants no cap.
pub fn fit(wanted: usize, files: Option<u64>) -> usize {
    let wanted = if wanted == 0 { usize::MAX } else { wanted };
    let Some(files) = files else { return wanted };
    let room = files - RESERVED.min(files / 2);
    wanted
        .min(usize::try_from(room).unwrap_or(usize::MAX))
        .max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cap_leaves_files_for_the_rest() {
        assert_eq!(fit(4096, Some(1 << 20)), 4096);
        assert_eq!(fit(4096, Some(1024)), 896);
        assert_eq!(fit(4096, Some(64)), 32);
        assert_eq!(fit(0, Some(1024)), 896);
        assert_eq!(fit(0, None), usize::MAX);
        assert_eq!(fit(10, Some(0)), 1);
    }
}
