//! `formsvc setup-link`: a new one-time link to create the first account.

use serde_json::json;

use crate::cli::config::rows::Serve;
use crate::cli::config::settings::Cx;
use crate::cli::failure::{Exit, Failure};
use crate::cli::server::addresses;
use crate::cli::{output, with_app};
use crate::ops::accounts::setup;

/// Prints a new link; the previous one becomes invalid. Fails if there is an account already.
pub fn make(cx: &Cx, flags: &Serve) -> Result<(), Failure> {
    let names_listener = flags.addresses.give(&["listen"]) || flags.tls.give(&["tls-cert"]);
    let service = cx.service(flags)?;
    let (new_link, last_address) = with_app(cx, |app| Ok((setup::new_link(app)?, app.config.base_url.clone())))?;
    // In order: the setting, the address of the last server, the address that a server would listen on.
    let base_url = match service.config.base_url {
        named if !named.is_empty() => named,
        _ if names_listener || last_address.is_empty() => addresses::address_of(&service.transport),
        _ => last_address,
    };
    let Some((link, expires_at)) = new_link else {
        return Err(Failure::new(
            Exit::NotFoundOrExists,
            "there is an account already: create more with formsvc user create",
        ));
    };
    let url = addresses::setup(&base_url, &link);
    if cx.out.json {
        let document = json!({"setup_link": url, "expires_at": expires_at.to_string()});
        return output::print(&document.to_string());
    }
    output::print(&url)
}
