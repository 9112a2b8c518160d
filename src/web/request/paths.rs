//! Classifies request paths before routing: below the base address, API or page, open to other origins.

/// Where supervisors ask whether the service works. They ask the service itself, not through a proxy.
const HEALTH: [&str; 2] = ["/healthz", "/readyz"];

/// The path below the base address: without that address's path at the front, or at the end of a well-known address
/// (RFC 8414). `None` for a path outside, which may be another service's.
pub fn below<'p>(base: &str, path: &'p str) -> Option<&'p str> {
    if base.is_empty() || HEALTH.contains(&path) {
        return Some(path);
    }
    if path == base {
        return Some("/");
    }
    let is_path = |rest: &&str| rest.starts_with('/');
    let inside = path.strip_prefix(base).filter(is_path);
    let well_known = || path.strip_suffix(base).filter(|rest| rest.starts_with("/.well-known/"));
    inside.or_else(well_known)
}

/// The OAuth consent page, which has an address among the API's.
pub const AUTHORIZE: &str = "/api/v1/oauth/authorize";

/// Whether the path belongs to the API.
pub fn is_api(path: &str) -> bool {
    path.starts_with("/api/") || path.starts_with("/.well-known/")
}

/// Whether the path answers programs, in JSON.
pub fn is_for_programs(path: &str) -> bool {
    is_api(path) || path.starts_with("/uploads/")
}

/// Whether CORS allows any origin: the API and the upload addresses it gives out, but not the consent page, which
/// only browsers visit (RFC 9700 section 2.6).
pub fn is_open(path: &str) -> bool {
    is_for_programs(path) && path != AUTHORIZE
}

/// Whether the path is that of a signed link, which people open in a browser.
pub fn is_signed_link(path: &str) -> bool {
    path.starts_with("/files/") || path.starts_with("/certificates/")
}

/// Whether the path serves files: no answer there may run in a browser (S9).
pub fn serves_files(path: &str) -> bool {
    let folders = ["/files/", "/images/", "/uploads/", "/certificates/"];
    folders.iter().any(|folder| path.starts_with(folder))
}
