//! What a path says before any row is looked for: whether it is below the base address, and who asks there.

/// The path below the base address's own. Of a well-known address that one may stand at the end as well, where
/// RFC 8414 has it.
pub fn below<'p>(base: &str, path: &'p str) -> &'p str {
    if base.is_empty() {
        return path;
    }
    if path == base {
        return "/";
    }
    let is_path = |rest: &&str| rest.starts_with('/');
    let inside = path.strip_prefix(base).filter(is_path);
    let well_known = || {
        path.strip_suffix(base)
            .filter(|rest| rest.starts_with("/.well-known/"))
    };
    inside.or_else(well_known).unwrap_or(path)
}

/// Where people let applications act for them: a page among the API's addresses.
pub const AUTHORIZE: &str = "/api/v1/oauth/authorize";

/// Whether programs ask there, rather than people.
pub fn is_api(path: &str) -> bool {
    path.starts_with("/api/") || path.starts_with("/.well-known/")
}

/// Whether programs are answered there, in JSON.
pub fn is_for_programs(path: &str) -> bool {
    is_api(path) || path.starts_with("/uploads/")
}

/// Whether pages of any origin may ask there: what the API says about uploads must be of use where it is read. Where
/// people authorise applications nothing but a browser comes (RFC 9700 section 2.6).
pub fn is_open(path: &str) -> bool {
    is_for_programs(path) && path != AUTHORIZE
}

/// Whether files of others come and go there: nothing that is answered may do anything in a browser (S9).
pub fn is_of_files(path: &str) -> bool {
    let folders = ["/files/", "/images/", "/uploads/"];
    folders.iter().any(|folder| path.starts_with(folder))
}
