//! The effective settings as plain data; `cli` is the only reader of flags, environment and files.

use std::path::PathBuf;

use ipnet::IpNet;

/// What the service needs to know of its surroundings.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where everything is kept.
    pub data_dir: PathBuf,
    /// The public address, without a slash at its end; it may have a path. Every absolute URL is built
    /// from it and never from a request header.
    pub base_url: String,
    /// Networks whose forwarding headers count (S7).
    pub trusted_proxies: Vec<IpNet>,
    /// How often clients may call.
    pub limits: Limits,
    /// What is logged of each request.
    pub access_log: AccessLog,
    /// The largest file that is taken, in MB of 1,048,576 bytes.
    pub max_upload_mb: u64,
    /// How much of the disk must stay free, in the same MB, and 2% of it besides: below that nothing more is taken
    /// in. 0 is no floor.
    pub min_free_mb: u64,
}

impl Config {
    /// `max_upload_mb` where nothing else is set.
    pub const MAX_UPLOAD_MB: u64 = 100;
    /// `min_free_mb` where nothing else is set.
    pub const MIN_FREE_MB: u64 = 256;

    /// Whether the public address is https: decides cookies and HSTS.
    pub fn is_https(&self) -> bool {
        self.base_url.starts_with("https://")
    }

    /// The path part of the public address: empty or `/forms`, without a slash at its end.
    pub fn base_path(&self) -> &str {
        let rest = self.base_url.split_once("://").map_or("", |(_, rest)| rest);
        rest.find('/').map_or("", |slash| &rest[slash..])
    }

    /// Scheme, host and port of the public address, as browsers send it in `Origin`.
    pub fn origin(&self) -> &str {
        &self.base_url[..self.base_url.len() - self.base_path().len()]
    }
}

/// What is logged of each request, once it was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessLog {
    /// Nothing, but at level debug. Of a small server's log, what went wrong should be most: a proxy in front has
    /// such lines already, and where there is none they would fill the disk with what nobody reads.
    #[default]
    Off,
    /// A line, without the client's address.
    On,
    /// A line with it.
    Address,
}

/// Requests a minute (contract section 1). `on: false` lifts these three; S14's and S25's stay.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Whether they hold.
    pub on: bool,
    /// API requests a token.
    pub api: u32,
    /// Submissions an address and form.
    pub submissions: u32,
    /// Sign-ins an address.
    pub sign_ins: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            on: true,
            api: 600,
            submissions: 600,
            sign_ins: 10,
        }
    }
}
