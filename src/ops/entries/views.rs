//! Saved views of a form's entries: each person's own, and those that managers share with all who see the form.

use url::form_urlencoded;

use crate::base::error::{Error, Noun, Result};
use crate::base::id;
use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::Reason;
use crate::base::text::phrase::phrase;
use crate::fields::{Fields, number_of};
use crate::model::caller::Caller;
use crate::model::entry::saved_view::{LONGEST_NAME, LONGEST_QUERY, MOST_VIEWS, SavedView, ViewContent};
use crate::model::form::Form;
use crate::model::role::Role;
use crate::ops::app::App;
use crate::ops::forms::access::{self, Right};
use crate::store::db::tx::Tx;
use crate::store::entries::saved_views;

/// The key of a name in a body.
pub const NAME: &str = "view_name";
/// The characters of a new token.
const TOKEN: usize = 16;

/// A view as somebody sees it.
pub struct SeenView {
    pub view: SavedView,
    /// Its query, without conditions on questions that the form no longer has.
    pub query: String,
    /// Whether the form no longer has a question that it names.
    pub has_lost: bool,
    /// Whether they may change and delete it.
    pub may_change: bool,
}

/// The views of a form that the caller sees: the own and the shared ones.
///
/// # Errors
/// 404.
pub fn list(app: &App, caller: &Caller, form: &str) -> Result<Vec<SeenView>> {
    app.store.read(|tx| {
        let (form, role) = access::form_and_role(tx, caller, form, Right::Read)?;
        let parsed = app.cache.parsed(tx, &form)?;
        let views = saved_views::seen_by(tx, form.form_no, caller.user.id)?;
        let seen = views.into_iter().map(|view| {
            let query = fitting(&view.content.query, &parsed.definition.fields);
            let has_lost = query.is_some();
            let query = query.unwrap_or_else(|| view.content.query.clone());
            SeenView { query, has_lost, may_change: may_change(caller, &view, role), view }
        });
        Ok(seen.collect())
    })
}

/// Managers change shared views, everybody their own.
fn may_change(caller: &Caller, view: &SavedView, role: Role) -> bool {
    if view.content.is_shared { role >= Role::Manager } else { view.user == caller.user.id }
}

/// Saves a view with `view_name`, `query` and `is_shared`; its token.
///
/// # Errors
/// 403 for a shared one unless the caller manages the form, 404, 422.
pub fn create(app: &App, caller: &Caller, form: &str, body: Json) -> Result<String> {
    let mut at = Issues::new();
    let content = read(&mut Reader::new(body, &mut at));
    let (who, form) = (caller.clone(), form.to_owned());
    app.store.write(move |tx| {
        let (form, role) = access::form_and_role(tx, &who, &form, Right::Read)?;
        may_share(role, content.is_shared)?;
        let seen = saved_views::seen_by(tx, form.form_no, who.user.id)?;
        if seen.iter().filter(|view| view.user == who.user.id).count() >= MOST_VIEWS {
            at.push(Reason::other(phrase!(
                "you have {} views of this form already, the most you may have",
                MOST_VIEWS
            )));
        }
        check_name(tx, &who, &form, &content.name, 0, &mut at)?;
        at.into_result()?;
        let token = id::random(TOKEN);
        saved_views::insert(tx, &token, form.form_no, who.user.id, &content)?;
        Ok(token)
    })
}

fn read(reader: &mut Reader) -> ViewContent {
    ViewContent {
        name: reader.text(NAME, LONGEST_NAME),
        query: reader.opt_text("query", LONGEST_QUERY).unwrap_or_default(),
        is_shared: reader.opt_bool("is_shared").unwrap_or_default(),
    }
}

/// A change of a view; members that are not named stay as they are.
#[derive(Default)]
pub struct ViewChange {
    pub name: Option<String>,
    pub query: Option<String>,
    pub is_shared: Option<bool>,
}

/// Changes a view.
///
/// # Errors
/// 403, 404, 422.
pub fn update(app: &App, caller: &Caller, form: &str, view: &str, change: ViewChange) -> Result<()> {
    let (who, form, view) = (caller.clone(), form.to_owned(), view.to_owned());
    app.store.write(move |tx| {
        let (form, role, view) = changeable(tx, &who, &form, &view)?;
        let is_shared = change.is_shared.unwrap_or(view.content.is_shared);
        may_share(role, is_shared)?;
        let before = view.content;
        let body = serde_json::json!({
            NAME: change.name.unwrap_or(before.name),
            "query": change.query.unwrap_or(before.query),
            "is_shared": is_shared,
        });
        let mut at = Issues::new();
        let content = read(&mut Reader::new(body, &mut at));
        check_name(tx, &who, &form, &content.name, view.id, &mut at)?;
        at.into_result()?;
        saved_views::update(tx, view.id, &content)
    })
}

/// Deletes a view.
///
/// # Errors
/// 403, 404.
pub fn delete(app: &App, caller: &Caller, form: &str, view: &str) -> Result<()> {
    let (who, form, view) = (caller.clone(), form.to_owned(), view.to_owned());
    app.store.write(move |tx| {
        let (_, _, view) = changeable(tx, &who, &form, &view)?;
        saved_views::delete(tx, view.id)
    })
}

fn changeable(tx: &Tx, caller: &Caller, form: &str, view: &str) -> Result<(Form, Role, SavedView)> {
    let (form, role) = access::form_and_role(tx, caller, form, Right::Read)?;
    let seen = saved_views::seen_by(tx, form.form_no, caller.user.id)?;
    let view = seen.into_iter().find(|one| one.token == view).ok_or(Error::NotFound(Noun::View))?;
    if may_change(caller, &view, role) { Ok((form, role, view)) } else { Err(Error::Forbidden) }
}

fn may_share(role: Role, is_shared: bool) -> Result<()> {
    if is_shared && role < Role::Manager { Err(Error::Forbidden) } else { Ok(()) }
}

/// Two views that somebody sees have two names.
fn check_name(tx: &Tx, caller: &Caller, form: &Form, name: &str, but: i64, at: &mut Issues) -> Result<()> {
    if !name.is_empty() && saved_views::is_taken(tx, form.form_no, caller.user.id, name, but)? {
        at.extend([Issue::new(NAME, Reason::Taken)]);
    }
    Ok(())
}

/// A query without the conditions, the order and the columns that name questions which are not in the form; `None` if
/// it names none of those.
fn fitting(query: &str, fields: &Fields) -> Option<String> {
    // Questions by their codes, also with a part behind a dot; other names are those of properties of every entry.
    let is_gone = |name: &str| {
        let code = name.split('.').next().unwrap_or_default();
        number_of(code).is_some() && fields.get(code).is_none()
    };
    let mut has_lost = false;
    let mut out = form_urlencoded::Serializer::new(String::new());
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let kept = match name.as_ref() {
            "filters" => {
                let conditions: Vec<Json> = serde_json::from_str(&value).unwrap_or_default();
                let held = conditions.len();
                let kept: Vec<Json> = conditions.into_iter().filter(|one| !names_one(one, &is_gone)).collect();
                has_lost |= kept.len() < held;
                if kept.is_empty() { String::new() } else { Json::Array(kept).to_string() }
            }
            "columns" => {
                let is_kept = |column: &&str| !is_gone(column.split(':').next().unwrap_or_default());
                let kept: Vec<&str> = value.split(',').filter(is_kept).collect();
                has_lost |= kept.len() < value.split(',').count();
                kept.join(",")
            }
            "sort" | "freeze" if is_gone(value.trim_start_matches('-')) => {
                has_lost = true;
                String::new()
            }
            _ => value.into_owned(),
        };
        if !kept.is_empty() {
            out.append_pair(&name, &kept);
        }
    }
    has_lost.then(|| out.finish())
}

/// Whether a condition, or one inside it, is about such a question.
fn names_one(condition: &Json, is_gone: &impl Fn(&str) -> bool) -> bool {
    match condition {
        Json::Object(members) => members.iter().any(|(key, value)| match (key.as_str(), value) {
            ("field", Json::String(name)) => is_gone(name),
            ("value", _) => false,
            (_, value) => names_one(value, is_gone),
        }),
        Json::Array(items) => items.iter().any(|item| names_one(item, is_gone)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_condition_names_questions_at_any_depth_and_not_in_its_value() {
        let is_gone = |name: &str| name.starts_with("field_2");
        let names = |condition: Json| names_one(&condition, &is_gone);
        assert!(names(json!({"field": "field_2", "operator": "null"})));
        assert!(names(json!({"any": [{"field": "field_1"}, {"field": "field_2.city"}]})));
        assert!(!names(json!({"field": "field_1", "operator": "eq", "value": {"field": "field_2"}})));
        assert!(!names(json!("field_2")));
    }
}
