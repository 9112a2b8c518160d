//! Passphrases of backups, typed where none is set.

use std::io::{IsTerminal as _, stdin};

use crate::base::config::Backups;
use crate::base::secret::Secret;
use crate::base::text::escaped;
use crate::cli::config::backup_settings;
use crate::cli::config::settings::Cx;
use crate::cli::failure::Failure;

/// The passphrase of a backup: from the settings, or typed.
pub fn of_backup(cx: &Cx, settings: &Backups, shown: &str) -> Option<Secret> {
    if settings.passphrase.is_some() || !cx.may_ask || !stdin().is_terminal() {
        return settings.passphrase.clone();
    }
    let typed = rpassword::prompt_password(format!("Passphrase of {}: ", escaped(shown)));
    typed.ok().map(Secret::new).filter(|it| !it.reveal().is_empty())
}

/// Asks for a passphrase to encrypt with. `None` if nobody can be asked.
pub fn new(cx: &Cx) -> Result<Option<Secret>, Failure> {
    if !cx.may_ask || !stdin().is_terminal() {
        return Ok(None);
    }
    let ask = |prompt: &str| {
        let typed = rpassword::prompt_password(prompt).map(Secret::new);
        typed.map_err(|e| Failure::usage(format!("the passphrase can't be read: {e}")))
    };
    let passphrase = ask("Passphrase of the backup: ")?;
    if !backup_settings::is_long(&passphrase) {
        return Err(Failure::usage("the passphrase is too short: use at least 8 characters"));
    }
    if ask("Repeat the passphrase: ")?.reveal() != passphrase.reveal() {
        return Err(Failure::usage("the two passphrases differ: run the command again"));
    }
    Ok(Some(passphrase))
}
