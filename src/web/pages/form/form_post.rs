//! A post of a form page in either encoding: the fields as a tree, and the page's own inputs, whose names begin
//! with `_`.

use serde_json::Map;

use crate::base::issue::Issue;
use crate::base::json::Json;
use crate::base::reason::{FileFault, Reason};
use crate::fields::form_part::FormPart;
use crate::ops::capacity::holds::MAX_TOKEN;
use crate::ops::entries::linked_options::Find;
use crate::ops::files::form_uploads::{Refusal, TYPED};
use crate::ops::forms::published::Password;
use crate::web::forms::form_password;
use crate::web::request::call::Call;

const MAX_FINDS: usize = 50;
const MAX_LOST: usize = 100;
/// Before the name of an input whose file could not be taken for want of the password.
const LOST: &str = "_lost.";

/// Where the respondent wants to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A page back.
    Back,
    /// A page on.
    Next,
    /// The same page, with room for more.
    More,
    /// Only the faults, please.
    Check,
    /// Search the entries that a field may link to.
    Find,
    /// Done.
    Submit,
    /// The password was given.
    Open,
}

/// A post, read.
pub struct FormPost {
    /// Where to.
    pub action: Action,
    /// Whether the submission waits where there is no room.
    pub waits: bool,
    /// Whether our page made it: then a missing field was left empty.
    pub is_ours: bool,
    /// The page that was shown, from 0.
    pub page: usize,
    /// The stamp as it came.
    pub stamp: Option<String>,
    /// The name of this sending, so that two clicks store one entry.
    pub once: Option<String>,
    /// Whether the input that people don't see was filled in.
    pub is_trapped: bool,
    /// Whether the script saw a key, a touch or the browser fill something in.
    pub is_signed: bool,
    /// The form's password.
    pub password: Option<Password>,
    /// The fields that rules hid as the page was shown, with blanks between.
    pub hidden: Option<String>,
    /// The CSRF token, where somebody signed in posts.
    pub csrf: Option<String>,
    /// The version of the edited entry that the page showed.
    pub tag: Option<String>,
    /// The token of the page's hold.
    pub hold: Option<String>,
    /// From the form's address.
    pub x_field_1: Option<String>,
    /// Searches in other forms, by field.
    pub finds: Vec<Find>,
    /// Searches that the page has shown results of.
    found: Vec<Find>,
    /// Files that have to be chosen again now that the password is here, by the paths of the API.
    pub lost: Vec<Issue>,
    /// The fields.
    pub tree: FormPart,
    /// Faults of files, by the paths of the API.
    pub file_faults: Vec<Issue>,
    /// Why not all files could be taken.
    pub refusal: Option<Refusal>,
    /// The inputs that have files which are sent later.
    pub later: Vec<String>,
    /// The uploads of this post, each with its fingerprint.
    pub fingerprints: Vec<(String, String)>,
}

impl FormPost {
    /// Reads the body of a call.
    pub fn read(call: &Call) -> Self {
        let pairs = pairs(call);
        let posted = call.parts.map(|parts| &parts.posted);
        let files = posted.into_iter().flat_map(|posted| &posted.files);
        let one = |name: &str| {
            pairs.iter().find(|(key, value)| key == name && !value.is_empty()).map(|(_, value)| value.clone())
        };
        let action = match one("_action").as_deref() {
            Some("back") => Action::Back,
            Some("next") => Action::Next,
            Some("more") => Action::More,
            Some("check") => Action::Check,
            Some("find") => Action::Find,
            Some("open") => Action::Open,
            _ => Action::Submit,
        };
        let finds = |prefix: &str| -> Vec<Find> {
            let own = pairs.iter().filter_map(|(key, keyword)| {
                let field = key.strip_prefix(prefix)?.to_owned();
                let keyword = keyword.trim().to_owned();
                Some(Find { field, keyword })
            });
            own.take(MAX_FINDS).collect()
        };
        let page = one("_page").and_then(|page| page.parse().ok());
        let fields = pairs
            .iter()
            .filter(|(key, _)| !key.starts_with('_') && key != "x_field_1")
            .map(|(key, value)| (key.as_str(), value.as_str()));
        Self {
            action,
            waits: one("_action").as_deref() == Some("wait"),
            is_ours: page.is_some(),
            page: page.unwrap_or_default(),
            stamp: one("_time"),
            once: one("_once"),
            is_trapped: one(TRAP).is_some(),
            is_signed: one("_sign").is_some(),
            password: form_password::posted(call.app.keys(), call.param("form_token"), &pairs),
            hidden: one("_hidden"),
            csrf: one("_csrf"),
            tag: one("_tag"),
            hold: one("_hold").filter(|token| token.len() <= MAX_TOKEN),
            x_field_1: one("x_field_1"),
            finds: finds("_find."),
            found: finds("_found."),
            lost: lost(&pairs),
            later: later(&pairs, action),
            tree: FormPart::tree(fields),
            file_faults: posted.map_or_else(Vec::new, |posted| posted.faults.clone()),
            refusal: posted.and_then(|posted| posted.refused),
            fingerprints: files.map(|file| (file.upload.clone(), file.fingerprint.clone())).collect(),
        }
    }
}

impl FormPost {
    /// The action that the respondent wants, with these values typed. A new search text without a choice means a
    /// search, whichever button was pressed.
    pub fn intent(&self, values: &Map<String, Json>) -> Action {
        let is_new = |find: &Find| !self.found.contains(find);
        match self.action {
            Action::Next | Action::Submit if self.open_finds(values).iter().any(is_new) => Action::Find,
            action => action,
        }
    }

    /// The searches of fields in which nothing is chosen yet.
    pub fn open_finds(&self, values: &Map<String, Json>) -> Vec<Find> {
        let is_open = |find: &&Find| !find.keyword.is_empty() && values.get(&find.field).is_none_or(Json::is_null);
        self.finds.iter().filter(is_open).cloned().collect()
    }
}

/// The inputs that have files which come later: those that the script names, and typed names that become pictures when
/// all is sent.
fn later(pairs: &[(String, String)], action: Action) -> Vec<String> {
    let input = |(key, text): &(String, String)| match key.strip_suffix(TYPED) {
        _ if text.is_empty() => None,
        None => (key == "_file").then(|| text.clone()),
        Some(input) => (action != Action::Submit).then(|| input.to_owned()),
    };
    pairs.iter().filter_map(input).collect()
}

/// The input that only programs fill in.
pub const TRAP: &str = "_homepage";

/// The inputs of our page that a post of another one has for itself, or that are drawn anew.
const ASKED: [&str; 5] = ["_action", "_password", "_grant", "_csrf", "_file"];

fn pairs(call: &Call) -> Vec<(String, String)> {
    match call.parts {
        Some(parts) => parts.pairs.clone(),
        None => call.form(),
    }
}

/// The inputs that another page has to carry along so that nothing typed is lost: all that our page posted, except for
/// those that the other page has itself.
pub fn carried(call: &Call) -> Vec<(String, String)> {
    let mut pairs = pairs(call);
    if pairs.iter().all(|(name, _)| name != "_page") {
        return Vec::new();
    }
    pairs.retain(|(name, _)| !ASKED.contains(&name.as_str()));
    let lost = call.parts.iter().flat_map(|parts| &parts.posted.lost);
    pairs.extend(lost.map(|(input, file)| (format!("{LOST}{input}"), file.clone())));
    pairs
}

fn lost(pairs: &[(String, String)]) -> Vec<Issue> {
    let issue = |(name, file): &(String, String)| {
        let input = name.strip_prefix(LOST)?;
        Some(Issue::new(format!("field_values.{input}"), Reason::file(file, FileFault::ChooseAgain)))
    };
    pairs.iter().filter_map(issue).take(MAX_LOST).collect()
}
