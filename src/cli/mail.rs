//! The settings of mail: the server, its password and certificates, and the sender. They are read together, since none
//! is useful alone.

use crate::base::config::{Mail, MailLimits};
use crate::cli::config::certificates::certificates;
use crate::cli::config::flags::Flags;
use crate::cli::config::layers::Layers;
use crate::cli::config::rows::MailSettings;
use crate::cli::failure::Failure;
use crate::jobs::smtp;

/// Reads the settings of mail; `None` if there is no server.
pub fn read(layers: &Layers, flags: &Flags<MailSettings>) -> Result<Option<Mail>, Failure> {
    let refused = |fault: &str| match flags.give(&["smtp-url", "mail-from"]) {
        true => Failure::usage(fault),
        false => Failure::configuration(fault),
    };
    let settings = layers.read(flags)?;
    let password = settings.smtp_password;
    let limits = MailLimits {
        per_recipient: settings.mail_per_recipient,
        per_sender: settings.mail_per_sender,
        per_form: settings.mail_per_form,
        per_day: settings.mail_per_day,
    };
    let Some(server) = settings.smtp_url else {
        return Ok(None);
    };
    let Some(from) = settings.mail_from else {
        return Err(refused("smtp-url needs a sender: set mail-from, such as \"Forms <forms@example.org>\""));
    };
    match (&server.user, &password) {
        (Some(_), None) => {
            return Err(refused(
                "smtp-url names a user: set the password with FORMSVC_SMTP_PASSWORD or FORMSVC_SMTP_PASSWORD_FILE",
            ));
        }
        (None, Some(_)) => {
            return Err(refused("smtp-password needs a user: name one in smtp-url, as in smtp://user@host"));
        }
        _ => {}
    }
    let ca = settings.smtp_ca.map(|path| certificates("smtp-ca", &path, smtp::are_certificates));
    let ca = ca.transpose()?;
    Ok(Some(Mail { server, password, from, ca, limits }))
}
