//! The database itself: its file and data dir, connections, migrations, the writer, and long reads.

pub mod after_job;
pub mod backoff;
pub(in crate::store) mod batch;
pub(in crate::store) mod canary;
pub mod checkpoints;
pub mod connection;
pub mod data_dir;
pub(in crate::store) mod dir_handle;
pub(in crate::store) mod disk;
pub mod file_system;
pub(in crate::store) mod reader_cache;
pub(in crate::store) mod row_secrets;
pub(in crate::store) mod row_tokens;
pub(in crate::store) mod rows;
pub mod schema;
pub mod searches;
pub mod tx;
pub mod write_metrics;
pub mod writer;
