//! The settings of webhooks.

use crate::base::config::Webhooks;
use crate::cli::config::certificates::certificates;
use crate::cli::config::flags::Flags;
use crate::cli::config::layers::Layers;
use crate::cli::config::rows::WebhookSettings;
use crate::cli::failure::Failure;
use crate::outbound::client::Client;

/// Reads the settings of webhooks.
pub fn read(layers: &Layers, flags: &Flags<WebhookSettings>) -> Result<Webhooks, Failure> {
    let settings = layers.read(flags)?;
    let are_certificates = |pem: &[u8]| Client::new(false, Some(pem)).is_some();
    let ca = settings.webhook_ca.map(|path| certificates("webhook-ca", &path, are_certificates));
    Ok(Webhooks { may_be_private: settings.allow_private_webhooks, ca: ca.transpose()? })
}
