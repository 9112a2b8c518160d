//! The values of the settings of mail: a server and a sender.

use percent_encoding::percent_decode_str;
use url::Url;

use crate::base::config::{MailSender, MailServer};
use crate::ops::accounts::users;

/// The ports of submission (RFC 6409) and of the same over TLS (RFC 8314).
const SUBMISSION: u16 = 587;
const SUBMISSIONS: u16 = 465;

/// 1 or more.
pub fn limit(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "must be a number of emails, 1 or more".to_owned())
}

/// `smtp://user@host:port` or `smtps://…`, without a password.
pub fn server_of(text: &str) -> Result<MailServer, String> {
    let fault = || "must be smtp://user@host:port or smtps://user@host:port".to_owned();
    let url = Url::parse(text).map_err(|_| fault())?;
    let implicit_tls = match url.scheme() {
        "smtp" => false,
        "smtps" => true,
        _ => return Err(fault()),
    };
    if url.password().is_some() {
        return Err("must not hold the password: set FORMSVC_SMTP_PASSWORD or FORMSVC_SMTP_PASSWORD_FILE".to_owned());
    }
    let is_bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
    let host = url.host_str().filter(|host| !host.is_empty() && is_bare);
    let host = host.ok_or_else(fault)?;
    let user = percent_decode_str(url.username()).decode_utf8();
    let user = user.map_err(|_| fault())?.into_owned();
    if user.chars().any(char::is_control) {
        return Err(fault());
    }
    Ok(MailServer {
        implicit_tls,
        host: host.trim_matches(['[', ']']).to_owned(),
        port: url.port().unwrap_or(if implicit_tls { SUBMISSIONS } else { SUBMISSION }),
        user: Some(user).filter(|user| !user.is_empty()),
    })
}

/// `forms@example.org` or `Forms <forms@example.org>`.
pub fn sender(text: &str) -> Result<MailSender, String> {
    let (name, address) = match text.trim().strip_suffix('>').and_then(|text| text.split_once('<')) {
        Some((name, address)) => (name.trim().trim_matches('"'), address.trim()),
        None => ("", text.trim()),
    };
    if !users::is_email(address) || !address.is_ascii() || name.chars().any(char::is_control) {
        return Err("must be an address such as forms@example.org, or Forms <forms@example.org>".to_owned());
    }
    Ok(MailSender { name: (!name.is_empty()).then(|| name.to_owned()), address: address.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers() {
        for (text, shown) in [
            ("smtp://mail.example.org", "smtp://mail.example.org:587"),
            ("smtps://mail.example.org/", "smtps://mail.example.org:465"),
            ("smtp://ann@127.0.0.1:25", "smtp://ann@127.0.0.1:25"),
            ("smtps://ann%40example.org@mail.example.org", "smtps://ann@example.org@mail.example.org:465"),
            ("smtp://[::1]:2525", "smtp://[::1]:2525"),
        ] {
            let server = server_of(text).expect(text);
            assert_eq!(server.to_string(), shown);
        }
        assert!(server_of("smtp://[::1]:2525").expect("a server").is_loopback());
        for text in [
            "",
            "mail.example.org",
            "http://mail.example.org",
            "smtp://",
            "smtp://ann:secret@mail.example.org",
            "smtp://mail.example.org/x",
            "smtp://mail.example.org?tls=no",
        ] {
            assert!(server_of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn senders() {
        for (text, shown) in [
            ("forms@example.org", "forms@example.org"),
            (" Forms <forms@example.org> ", "Forms <forms@example.org>"),
            ("\"Forms, Inc.\" <forms@example.org>", "Forms, Inc. <forms@example.org>"),
            ("<forms@example.org>", "forms@example.org"),
        ] {
            assert_eq!(sender(text).map(|it| it.to_string()), Ok(shown.to_owned()));
        }
        for text in ["", "forms", "Forms forms@example.org", "a\r\nb <forms@example.org>", "李@example.org"] {
            assert!(sender(text).is_err(), "{text}");
        }
    }
}
