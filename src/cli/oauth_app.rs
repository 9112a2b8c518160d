//! `formsvc app`: third-party applications that users can give access.

use serde_json::json;

use crate::base::json::Json;
use crate::cli::config::args::App;
use crate::cli::config::settings::Cx;
use crate::cli::failure::Failure;
use crate::cli::{confirm, with_app};
use crate::model::oauth::Client;
use crate::model::scope::{Scope, Scopes};
use crate::ops::oauth::clients::{self, NewApp};

pub fn run(cx: &Cx, command: App) -> Result<(), Failure> {
    match command {
        App::Create { name, redirect_uri, scope, public } => create(cx, name, redirect_uri, &scope, public),
        App::List => list(cx),
        App::Delete { id } => delete(cx, &id),
    }
}

fn create(cx: &Cx, name: String, redirect_uris: Vec<String>, scopes: &[Scope], is_public: bool) -> Result<(), Failure> {
    let scopes: Scopes = match scopes {
        [] => Scope::ALL.into_iter().collect(),
        some => some.iter().copied().collect(),
    };
    let new = NewApp { name, redirect_uris, scopes, is_public };
    let made = with_app(cx, |app| Ok(clients::create(app, new)?))?;
    let secret = made.secret.as_ref().map(|secret| secret.reveal());
    if secret.is_some() {
        cx.out.note("this secret is shown only once");
    }
    let text = match secret {
        Some(secret) => format!("client_id      {}\nclient_secret  {secret}", made.client_id),
        None => format!("client_id  {}", made.client_id),
    };
    let document = json!({"client_id": made.client_id, "client_secret": secret});
    cx.out.result(&text, &document)
}

fn list(cx: &Cx) -> Result<(), Failure> {
    let clients = with_app(cx, |app| Ok(clients::list(app)?))?;
    let documents: Vec<Json> = clients.iter().map(document).collect();
    let rows: Vec<Vec<String>> = clients.iter().map(row).collect();
    let names = ["client_id", "name", "kind", "redirect_uris", "scopes", "created"];
    cx.out.table(&names, &rows, &documents.into())
}

fn row(client: &Client) -> Vec<String> {
    let kind = if client.is_public() { "public" } else { "confidential" };
    vec![
        client.client_id.clone(),
        client.name.clone(),
        kind.to_owned(),
        client.redirect_uris.join(" "),
        client.scopes.to_string(),
        client.created_at.to_string(),
    ]
}

fn document(client: &Client) -> Json {
    json!({
        "client_id": client.client_id,
        "name": client.name,
        "redirect_uris": client.redirect_uris,
        "scopes": client.scopes.iter().map(Scope::name).collect::<Vec<_>>(),
        "public": client.is_public(),
        "created_at": client.created_at.to_string(),
    })
}

fn delete(cx: &Cx, client_id: &str) -> Result<(), Failure> {
    let client = with_app(cx, |app| Ok(clients::show(app, client_id)?))?;
    let question = format!("Delete the app {} and revoke all its access?", client.name);
    confirm::confirm(cx, &question)?;
    with_app(cx, |app| Ok(clients::delete(app, client.client_id)?))?;
    cx.out.note(&format!("{} is deleted", client.name));
    cx.out.result("", &json!({"client_id": client_id, "deleted": true}))
}
