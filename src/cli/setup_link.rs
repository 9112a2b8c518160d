//! `formsvc setup-link`: a new one-time link to make the first account.

use serde_json::json;

use crate::cli::args::Serve;
use crate::cli::failure::{Exit, Failure};
use crate::cli::settings::Cx;
use crate::cli::{addresses, beside, output};
use crate::ops::setup;

/// Prints the link; the one before it ends.
pub fn make(cx: &Cx, flags: Serve) -> Result<(), Failure> {
    let names_listener = !flags.listen.is_empty() || flags.tls_cert.is_some();
    let service = cx.service(flags)?;
    let (made, last) = beside(cx, |app| {
        Ok((setup::new_link(app)?, app.config.base_url.clone()))
    })?;
    // What is said now, then what the last server said of itself, then where one would listen.
    let base_url = match service.config.base_url {
        named if !named.is_empty() => named,
        _ if names_listener || last.is_empty() => addresses::address_of(&service.transport),
        _ => last,
    };
    let Some((link, expires_at)) = made else {
        return Err(Failure::new(
            Exit::NotFoundOrExists,
            "there is an account already: make more with formsvc user create",
        ));
    };
    let url = addresses::setup(&base_url, &link);
    if cx.out.json {
        let document = json!({"setup_link": url, "expires_at": expires_at.to_string()});
        return output::print(&document.to_string());
    }
    output::print(&url)
}
