//! Decides which process writes the write-ahead log back into the database file. The last server's setting is noted in
//! the database, so that no command run beside it takes frames out of the log that another program has not copied yet.

use rusqlite::Connection;

use crate::base::config::Checkpoints;

/// From this size in bytes on, a log that is left to another program means that this program is not there.
pub const LARGE_LOG: u64 = 256 << 20;

/// The setting that applies to this process. A server uses its own setting and notes it; other processes leave the log
/// alone if their own setting or the last server's says so.
pub(in crate::store) fn decide(connection: &Connection, setting: Checkpoints, is_server: bool) -> Checkpoints {
    let noted = noted(connection);
    if !is_server {
        // If it can't be read, the file is damaged, and stays as it is.
        return match (setting, noted) {
            (Checkpoints::Own, Ok(noted)) => noted,
            _ => Checkpoints::External,
        };
    }
    let noting = noted.and_then(|noted| match (noted == setting, setting) {
        (true, _) => Ok(0),
        (false, Checkpoints::Own) => connection.execute("DELETE FROM external_checkpoints", []),
        (false, Checkpoints::External) => connection.execute("INSERT INTO external_checkpoints (id) VALUES (1)", []),
    });
    if let Err(e) = noting {
        tracing::warn!("commands beside this server won't know who does checkpoints: {e}");
    }
    setting
}

fn noted(connection: &Connection) -> rusqlite::Result<Checkpoints> {
    let mut select = connection.prepare("SELECT 1 FROM external_checkpoints")?;
    Ok(match select.exists([])? {
        true => Checkpoints::External,
        false => Checkpoints::Own,
    })
}

/// Warns of a log that grows because nobody writes it back.
#[derive(Default)]
pub(in crate::store) struct LogWatch {
    /// The size at which it warns next.
    next: Option<u64>,
}

impl LogWatch {
    /// Takes the size of the log in bytes; true if there is reason to warn: when it is large, and whenever it has doubled
    /// since.
    pub fn is_alarming(&mut self, size: u64) -> bool {
        if size < LARGE_LOG {
            self.next = None;
            return false;
        }
        let is_due = self.next.is_none_or(|next| size >= next);
        if is_due {
            self.next = Some(size * 2);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_warns_when_the_log_is_large_and_each_time_it_has_doubled() {
        let mut watch = LogWatch::default();
        let sizes = [1, 2, 3, 4, 7, 8, 15, 1, 2].map(|n| n * LARGE_LOG / 2);
        let warned = sizes.map(|size| watch.is_alarming(size));
        let expected = [false, true, false, true, false, true, false, false, true];
        assert_eq!(warned, expected);
    }
}
