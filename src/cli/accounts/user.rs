//! `formsvc user`: accounts.

use std::io::{IsTerminal as _, Read as _};

use serde_json::json;

use crate::base::json::Json;
use crate::base::secret::Secret;
use crate::cli::accounts::token::note_expiry;
use crate::cli::config::args::User as Command;
use crate::cli::config::settings::Cx;
use crate::cli::confirm::confirm;
use crate::cli::failure::Failure;
use crate::cli::with_app;
use crate::model::user::{OrganizationRole, User};
use crate::ops::accounts::second_factor;
use crate::ops::accounts::users::{self, NewAccount, RemovedUser};

/// The name of the token that comes with an account.
const TOKEN_NAME: &str = "command line";

/// The most bytes read from standard input; a longer password would be refused anyway.
const MAX_PASSWORD_INPUT: u64 = 8 * 1024;

pub fn run(cx: &Cx, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create { email, name, organization, password_stdin, with_token } => {
            let password = password(cx, password_stdin)?;
            let has_password = password.is_some();
            let is_named = organization.is_some();
            let account =
                NewAccount { email, name, organization, password, locale: "en".to_owned(), timezone: "UTC".to_owned() };
            let (user, token) = with_app(cx, |app| {
                if with_token {
                    let (user, token) = users::create_with_token(app, account, TOKEN_NAME)?;
                    return Ok((user, Some(token)));
                }
                Ok((users::create(app, account)?, None))
            })?;
            note_organization(cx, &user, is_named);
            if !has_password {
                cx.out.note(&format!(
                    "nobody can sign in as {0} until there is a password: set one with formsvc user set-password {0}",
                    user.email
                ));
            }
            let Some(token) = token else { return cx.out.table(&COLUMNS, &[row(&user)], &document(&user)) };
            note_expiry(cx, &token);
            let mut document = document(&user);
            document["token"] = token.text.reveal().into();
            cx.out.result(token.text.reveal(), &document)
        }
        Command::List => {
            let people = with_app(cx, |app| Ok(users::list(app)?))?;
            let documents: Vec<Json> = people.iter().map(document).collect();
            let rows: Vec<Vec<String>> = people.iter().map(row).collect();
            cx.out.table(&COLUMNS, &rows, &documents.into())
        }
        Command::SetPassword { email, password_stdin } => {
            let Some(password) = password(cx, password_stdin)? else {
                return Err(Failure::usage(
                    "there is no password to set: give it on standard input with --password-stdin",
                ));
            };
            let user = with_app(cx, |app| Ok(users::set_password(app, &email, &password)?))?;
            cx.out.note(&format!("the password of {} is set", user.email));
            cx.out.result("", &document(&user))
        }
        Command::Disable { email } => {
            let left = with_app(cx, |app| Ok(users::disable(app, &email)?))?;
            cx.out.note(&format!("{} can no longer sign in", left.user.email));
            note_ownerless(cx, &left);
            cx.out.result("", &document(&left.user))
        }
        Command::Enable { email } => {
            let user = with_app(cx, |app| Ok(users::enable(app, &email)?))?;
            cx.out.note(&format!("{} can sign in again", user.email));
            cx.out.result("", &document(&user))
        }
        Command::Delete { email, forms_to } => {
            let forms = with_app(cx, |app| Ok(users::forms_of(app, &email)?))?;
            let fate = match (&forms_to, forms) {
                (_, 0) => String::new(),
                (None, forms) => format!(" and move {forms} of their forms to the trash"),
                (Some(heir), forms) => format!(" and give {forms} of their forms to {heir}"),
            };
            confirm(cx, &format!("Delete the account {email}{fate}?"))?;
            let left = with_app(cx, |app| Ok(users::delete(app, &email, forms_to.as_deref())?))?;
            cx.out.note(&format!("{} is deleted", left.user.email));
            note_ownerless(cx, &left);
            let document = json!({"id": left.user.token, "email": left.user.email, "deleted": true});
            cx.out.result("", &document)
        }
        Command::RemoveSecondFactor { email } => {
            let user = with_app(cx, |app| Ok(second_factor::remove(app, &email)?))?;
            cx.out.note(&format!("{} now signs in with the password alone", user.email));
            cx.out.result("", &document(&user))
        }
        Command::SetRole { email, role } => {
            let user = with_app(cx, |app| Ok(users::set_role(app, &email, role)?))?;
            cx.out.note(&format!("{} is {} of {}", user.email, role.name(), user.organization.name));
            cx.out.result("", &document(&user))
        }
    }
}

/// Prints the organisation that was chosen for a new user.
fn note_organization(cx: &Cx, user: &User, is_named: bool) {
    let name = &user.organization.name;
    cx.out.note(&match user.role {
        OrganizationRole::Member => format!("{} is a member of {name}", user.email),
        OrganizationRole::Owner if is_named => format!("{} is an owner of {name}", user.email),
        OrganizationRole::Owner => format!(
            "{} is an owner of the organization {name}, named after the account: forms don't show the name until an \
             owner sets one",
            user.email
        ),
    });
}

fn note_ownerless(cx: &Cx, left: &RemovedUser) {
    if left.is_ownerless {
        cx.out.note(&format!(
            "{} has no owner now: make somebody the owner with formsvc user set-role EMAIL owner",
            left.user.organization.name
        ));
    }
}

const COLUMNS: [&str; 6] = ["email", "name", "organization", "role", "disabled", "created"];

fn row(user: &User) -> Vec<String> {
    let disabled = user.disabled_at.map_or("-".to_owned(), |time| time.to_string());
    vec![
        user.email.clone(),
        user.name.clone(),
        user.organization.name.clone(),
        user.role.name().to_owned(),
        disabled,
        user.created_at.to_string(),
    ]
}

fn document(user: &User) -> Json {
    json!({
        "id": user.token,
        "email": user.email,
        "name": user.name,
        "locale": user.locale,
        "timezone": user.timezone,
        "organization": {
            "id": user.organization.token,
            "name": user.organization.name,
            "role": user.role.name(),
        },
        "created_at": user.created_at.to_string(),
        "disabled_at": user.disabled_at.map(Json::from),
    })
}

/// The password from standard input, its variable, or a prompt.
fn password(cx: &Cx, from_stdin: bool) -> Result<Option<Secret>, Failure> {
    let at_terminal = std::io::stdin().is_terminal();
    // At a terminal it is prompted for, so that it is not echoed.
    if from_stdin && !(at_terminal && cx.may_ask) {
        if at_terminal {
            cx.out.note("type the password, then press Enter and Ctrl-D");
        }
        let mut text = String::new();
        std::io::stdin()
            .take(MAX_PASSWORD_INPUT)
            .read_to_string(&mut text)
            .map_err(|e| Failure::usage(format!("the password can't be read: {e}")))?;
        let text = Secret::new(text);
        let line = text.reveal().trim_end_matches(['\r', '\n']);
        return Ok(Some(Secret::new(line.to_owned())));
    }
    if !from_stdin && let Some(password) = cx.password()? {
        return Ok(Some(password));
    }
    if !cx.may_ask || !at_terminal {
        return Ok(None);
    }
    let ask = |prompt: &str| {
        rpassword::prompt_password(prompt)
            .map(Secret::new)
            .map_err(|e| Failure::usage(format!("the password can't be read: {e}")))
    };
    let password = ask("Password: ")?;
    if password.reveal().is_empty() {
        return Ok(None);
    }
    if ask("Repeat the password: ")?.reveal() != password.reveal() {
        return Err(Failure::usage("the two passwords differ: run the command again"));
    }
    Ok(Some(password))
}
