//! The settings of mail: the server, its password and certificates, and the sender. They are read together, since none
//! is of use alone.

use crate::base::config::{Mail, MailLimits};
use crate::cli::config::args::MailFlags;
use crate::cli::config::layers::Layers;
use crate::cli::config::mail_values::{SenderSetting, ServerSetting, limit, sender, server_of};
use crate::cli::config::path_setting::{PathSetting, certificates};
use crate::cli::failure::Failure;
use crate::jobs::smtp;

/// Reads the settings of mail; `None` if there is no server.
pub fn read(layers: &Layers, flags: MailFlags) -> Result<Option<Mail>, Failure> {
    let by_flag = flags.smtp_url.is_some() || flags.mail_from.is_some();
    let refused = |fault: &str| match by_flag {
        true => Failure::usage(fault),
        false => Failure::configuration(fault),
    };
    let server = flags.smtp_url.map(ServerSetting);
    let server = layers.one("smtp-url", server, |text| server_of(text).map(ServerSetting))?;
    let password = layers.secret("smtp-password")?;
    let from = flags.mail_from.map(SenderSetting);
    let from = layers.one("mail-from", from, |text| sender(text).map(SenderSetting))?;
    let ca = layers.one("smtp-ca", flags.smtp_ca.map(PathSetting), PathSetting::read)?;
    let standard = MailLimits::default();
    let or = |name, flag, default| layers.or(name, flag, limit, default);
    let limits = MailLimits {
        per_recipient: or("mail-per-recipient", flags.mail_per_recipient, standard.per_recipient)?,
        per_sender: or("mail-per-sender", flags.mail_per_sender, standard.per_sender)?,
        per_form: or("mail-per-form", flags.mail_per_form, standard.per_form)?,
        per_day: or("mail-per-day", flags.mail_per_day, standard.per_day)?,
    };
    let Some(ServerSetting(server)) = server else {
        return Ok(None);
    };
    let Some(SenderSetting(from)) = from else {
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
    let ca = ca.map(|path| certificates("smtp-ca", &path, smtp::are_certificates));
    let ca = ca.transpose()?;
    Ok(Some(Mail { server, password, from, ca, limits }))
}
