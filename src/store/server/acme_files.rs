//! The ACME account and the certificate: files of mode 0600 in `keys/`. No backup contains them: a restored service
//! gets new ones, and the key of the service's name stays secret.

use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use zeroize::Zeroizing;

use crate::store::db::dir_handle::DirHandle;

const LARGEST: u64 = 1 << 20;

/// A kept file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcmeFile {
    Account,
    Certificate,
}

impl AcmeFile {
    fn name(self) -> &'static str {
        match self {
            Self::Account => "acme-account",
            Self::Certificate => "acme-certificate",
        }
    }

    /// The file's content; `None` if it is missing.
    pub fn read(self, data_dir: &Path) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        let read = || -> io::Result<_> {
            let mut bytes = Zeroizing::new(Vec::new());
            let file = folder(data_dir)?.read(self.name())?;
            file.take(LARGEST).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        match read() {
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    }

    /// Replaces the file's content.
    pub fn write(self, data_dir: &Path, bytes: &[u8]) -> io::Result<()> {
        folder(data_dir)?.replace(self.name(), bytes)
    }
}

fn folder(data_dir: &Path) -> io::Result<DirHandle> {
    DirHandle::open(&data_dir.join("keys"))
}
