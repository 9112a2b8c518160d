//! The limit of open files: raised at start; the limit of connections is derived from it.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// File descriptors kept for the database, uploads and everything else but connections.
const RESERVED: u64 = 128;

/// Raises the soft limit of open files to the hard limit and returns it; `None` for no limit.
pub fn raise() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    // If that fails, the old limit stays in effect.
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    }
}

/// The number of connections that `files` descriptors allow, at most `wanted`; 0 means no limit.
pub fn fit(wanted: usize, files: Option<u64>) -> usize {
    let wanted = if wanted == 0 { usize::MAX } else { wanted };
    let Some(files) = files else { return wanted };
    let room = files - RESERVED.min(files / 2);
    wanted.min(usize::try_from(room).unwrap_or(usize::MAX)).max(1)
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
