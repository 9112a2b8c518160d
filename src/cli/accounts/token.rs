//! `formsvc token`: personal access tokens.

use serde_json::json;

use crate::base::clock::Time;
use crate::base::json::Json;
use crate::cli::config::args::Token;
use crate::cli::config::settings::Cx;
use crate::cli::config::values::Expiry;
use crate::cli::failure::Failure;
use crate::cli::with_app;
use crate::model::scope::{Scope, Scopes};
use crate::model::user::User;
use crate::ops::accounts::audit::By;
use crate::ops::accounts::tokens::{self, NewToken, TokenRow};
use crate::ops::accounts::users;

pub fn run(cx: &Cx, command: Token) -> Result<(), Failure> {
    match command {
        Token::Create { user, name, scope, expires } => create(cx, &user, name, scope.into_iter().collect(), expires),
        Token::List { user } => list(cx, user.as_deref()),
        Token::Revoke { id } => {
            with_app(cx, |app| Ok(tokens::revoke(app, id, None)?))?;
            cx.out.note(&format!("token {id} is revoked"));
            cx.out.result("", &json!({"id": id, "revoked": true}))
        }
    }
}

fn create(cx: &Cx, email: &str, name: String, scopes: Scopes, expires: Expiry) -> Result<(), Failure> {
    let life = match expires {
        Expiry::Never => None,
        Expiry::Secs(secs) => Some(secs),
    };
    let (token, user) = with_app(cx, |app| {
        let user = users::by_email(app, email)?;
        Ok((tokens::create(app, By::operator(user.organization.id), user.id, name.clone(), scopes, life)?, user))
    })?;
    note_expiry(cx, &token);
    let document = json!({
        "id": token.id,
        "token": token.text.reveal(),
        "user": user.email,
        "name": name,
        "scopes": scopes.iter().map(Scope::name).collect::<Vec<_>>(),
        "expires_at": token.expires_at.map(Json::from),
    });
    cx.out.result(token.text.reveal(), &document)
}

/// Prints the expiry of a new token.
pub fn note_expiry(cx: &Cx, token: &NewToken) {
    cx.out.note(&match token.expires_at {
        Some(end) => format!("this token is shown only once; it works until {end}"),
        None => "this token is shown only once; it works until it is revoked".to_owned(),
    });
}

fn list(cx: &Cx, email: Option<&str>) -> Result<(), Failure> {
    let (rows, people) = with_app(cx, |app| {
        let user = email.map(|email| users::by_email(app, email)).transpose()?;
        Ok((tokens::list(app, user.map(|user| user.id))?, users::list(app)?))
    })?;
    let documents: Vec<Json> = rows.iter().map(|row| document(row, &people)).collect();
    let shown = |time: Option<Time>| time.map_or("-".to_owned(), |time| time.to_string());
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.id.to_string(),
                email_of(row, &people).to_owned(),
                row.name.clone(),
                row.scopes.to_string(),
                row.expires_at.map_or("never".to_owned(), |time| time.to_string()),
                shown(row.last_used_at),
                shown(row.revoked_at),
            ]
        })
        .collect();
    let names = ["id", "user", "name", "scopes", "expires", "last used", "revoked"];
    cx.out.table(&names, &rows, &documents.into())
}

fn email_of<'a>(row: &TokenRow, people: &'a [User]) -> &'a str {
    people.iter().find(|user| user.id == row.user).map_or("", |user| &user.email)
}

fn document(row: &TokenRow, people: &[User]) -> Json {
    json!({
        "id": row.id,
        "user": email_of(row, people),
        "name": row.name,
        "scopes": row.scopes.iter().map(Scope::name).collect::<Vec<_>>(),
        "created_at": row.created_at.to_string(),
        "expires_at": row.expires_at.map(Json::from),
        "last_used_at": row.last_used_at.map(Json::from),
        "revoked_at": row.revoked_at.map(Json::from),
    })
}
