//! The settings of webhooks.

use crate::base::config::Webhooks;
use crate::cli::config::args::WebhookFlags;
use crate::cli::config::layers::Layers;
use crate::cli::config::path_setting::{PathSetting, certificates};
use crate::cli::config::values;
use crate::cli::failure::Failure;
use crate::outbound::client::Client;

/// Reads the settings of webhooks.
pub fn read(layers: &Layers, flags: WebhookFlags) -> Result<Webhooks, Failure> {
    let is_allowed = flags.allow_private_webhooks.then_some(true);
    let may_be_private = layers.or("allow-private-webhooks", is_allowed, values::truth, false)?;
    let ca = layers.one("webhook-ca", flags.webhook_ca.map(PathSetting), PathSetting::read)?;
    let are_certificates = |pem: &[u8]| Client::new(false, Some(pem)).is_some();
    let ca = ca.map(|path| certificates("webhook-ca", &path, are_certificates));
    Ok(Webhooks { may_be_private, ca: ca.transpose()? })
}
