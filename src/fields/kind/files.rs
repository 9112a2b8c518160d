//! Requirements of a kind on files.

use crate::fields::files::rules::FileRules;
use crate::fields::kind::Kind;

/// A kind whose values are files.
pub trait Files {
    /// Which files it takes.
    fn file_rules(&self) -> FileRules<'_>;

    /// The largest file that the definition asks for, in MB; the server takes no larger ones than it is
    /// told to.
    fn largest_file_mb(&self) -> Option<u64> {
        None
    }
}

impl dyn Kind + '_ {
    /// Which files its values are, where they are files.
    pub fn file_rules(&self) -> Option<FileRules<'_>> {
        self.files().map(Files::file_rules)
    }

    /// Whether a value may hold files.
    pub fn has_files(&self) -> bool {
        let mut columns = self.sub_fields().iter();
        self.files().is_some() || columns.any(|column| column.kind.has_files())
    }
}
