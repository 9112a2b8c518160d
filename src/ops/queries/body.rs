//! Bodies that write public queries (spec 2.3): read against the form, all faults at once.

use serde_json::json;

use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason, Things};
use crate::base::text;
use crate::base::text::phrase::{Phrase, phrase};
use crate::base::text::texts::texts;
use crate::fields::filter::{self, Filter};
use crate::fields::images::{Images, NOTHING};
use crate::fields::kind::Cx;
use crate::fields::public_query::{Displayed, QueriedForm, Searched};
use crate::fields::texts::rich_text;
use crate::model::public_query::{
    BackgroundImage, Content, DisplayRule, Highlight, Messages, Operand, Rules, SearchButton, SearchField, SearchGroup,
};

const MAX_NAME: usize = 200;
const MAX_DESCRIPTION: usize = 10_000;
const MAX_BUTTON: usize = 60;
const MAX_LABEL: usize = 500;
const MAX_CODE: usize = 200;
const MAX_GROUPS: usize = 20;
const MAX_POSITION: i64 = 1_000;
const IMAGE_PURPOSE: &str = "opensearch_header_image";
const CONDITION_KEYS: [&str; 3] = ["field", "operator", "value"];

/// The context that a body is read in.
pub struct BodyCx<'a> {
    /// The form, if there is one.
    pub form: Option<QueriedForm<'a>>,
    pub cx: &'a Cx<'a>,
    pub images: &'a Images,
    /// Whether the image that is named by its id is one of a query.
    pub is_query_image: bool,
}

impl BodyCx<'static> {
    fn of_none() -> Self {
        static NO_FORM: std::sync::LazyLock<Cx<'static>> = std::sync::LazyLock::new(Cx::of_none);
        Self { form: None, cx: &NO_FORM, images: &NOTHING, is_query_image: false }
    }
}

/// The content of a new query before anything is set.
pub fn defaults(locale: &str) -> Content {
    let texts = texts(locale);
    Content {
        name: String::new(),
        description: None,
        enabled: true,
        allow_to_export_results: false,
        rules: Rules {
            search_button: SearchButton { text: "Search".to_owned(), color: "#2563EB".to_owned() },
            messages: Messages { has_result: texts.say("query-has-result"), no_result: texts.say("query-no-result") },
            background_image: None,
            search: Vec::new(),
            display: Vec::new(),
            scope: Vec::new(),
        },
    }
}

/// Reads a body over the content set so far. A new query `is_new` must name the fields that it searches and shows.
pub fn read(reader: &mut Reader, set: Content, is_new: bool, cx: &BodyCx) -> Content {
    let Content { name, description, enabled, allow_to_export_results, rules: mut set } = set;
    let name = if is_new || reader.contains_key("name") { reader.text("name", MAX_NAME) } else { name };
    let description = reader.patch_text("description", MAX_DESCRIPTION).over(description);
    let enabled = reader.bool("enabled", enabled);
    let allow_to_export_results = reader.bool("allow_to_export_results", allow_to_export_results);
    reader.opt_object("search_button", |button| {
        if button.contains_key("text") {
            set.search_button.text = button.text("text", MAX_BUTTON);
        }
        if let Some(color) = color(button, "color") {
            set.search_button.color = color;
        }
        button.close();
    });
    reader.opt_object("messages", |messages| {
        if let Some(text) = message(messages, "has_result") {
            set.messages.has_result = text;
        }
        if let Some(text) = message(messages, "no_result") {
            set.messages.no_result = text;
        }
        messages.close();
    });
    let image = reader.opt_object("header", |header| {
        let image = header.patch("background_image", |header| background_image(header, cx));
        header.close();
        image
    });
    if let Some(image) = image {
        set.background_image = image.over(set.background_image);
    }
    if let Some(search) = search_groups(reader, is_new, cx) {
        set.search = search;
    }
    if let Some(display) = display_rules(reader, is_new, cx) {
        set.display = display;
    }
    if let Some(scope) = scope(reader, cx) {
        set.scope = scope;
    }
    reader.close();
    Content { name, description, enabled, allow_to_export_results, rules: set }
}

/// The JSON Schema of the body of `create`.
pub fn create_schema() -> Json {
    Reader::describe(|reader| {
        reader.text("form_token", MAX_CODE);
        read(reader, defaults("en"), true, &BodyCx::of_none());
    })
}

/// The JSON Schema of the body of `update`.
pub fn update_schema() -> Json {
    Reader::describe(|reader| {
        read(reader, defaults("en"), false, &BodyCx::of_none());
    })
}

fn color(reader: &mut Reader, key: &str) -> Option<String> {
    reader.note(key, || json!({"type": "string", "pattern": "^#[0-9A-Fa-f]{6}$"}));
    let text = reader.opt_text(key, 64)?;
    let digits = text.strip_prefix('#').unwrap_or_default();
    if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        reader.fault(key, Reason::MustBe(Expected::Other("a colour such as #2563EB")));
        return None;
    }
    Some(text.to_ascii_uppercase())
}

fn message(reader: &mut Reader, key: &str) -> Option<String> {
    let clean = rich_text::read(reader, key, &NOTHING)?;
    reader.note(key, || json!({"maxLength": MAX_DESCRIPTION}));
    if text::length(&clean) > MAX_DESCRIPTION {
        reader.fault(key, Reason::TooLong { most: MAX_DESCRIPTION });
    }
    Some(clean)
}

fn background_image(header: &mut Reader, cx: &BodyCx) -> Option<BackgroundImage> {
    header.opt_object("background_image", |image| {
        let faults = image.issues().count();
        let by_id = image.has("id");
        let found = cx.images.read_one(image, IMAGE_PURPOSE);
        let mut percent = |key: &str| {
            image.note(key, || json!({"type": ["number", "null"], "minimum": 0, "maximum": 100}));
            let given = image.opt_number(key);
            if given.is_some_and(|percent| !(0.0..=100.0).contains(&percent)) {
                image.fault(key, Reason::between(0, 100));
            }
            given
        };
        let (position_x, position_y) = (percent("position_x"), percent("position_y"));
        if by_id && !cx.is_query_image && image.issues().count() == faults {
            image.fault("id", Reason::other("is not an image of a query of this organization"));
        }
        image.close();
        Some(BackgroundImage { id: found?.id, position_x, position_y })
    })?
}

fn search_groups(reader: &mut Reader, is_new: bool, cx: &BodyCx) -> Option<Vec<SearchGroup>> {
    let all = cx.form.map(Searched::all);
    let mut seen = Vec::new();
    let mut group = |group: &mut Reader| {
        let operand = group.word("operand", &Operand::ALL.map(|it| (it.name(), it)));
        let fields = group.objects("fields", |field| {
            let it = search_field(field, all.as_deref(), &mut seen);
            field.close();
            it
        });
        group.note("fields", || json!({"minItems": 1}));
        if fields.as_ref().is_some_and(Vec::is_empty) {
            group.fault("fields", at_least_one("field"));
        }
        group.close();
        SearchGroup { operand: operand.unwrap_or(Operand::And), fields: fields.unwrap_or_default() }
    };
    const KEY: &str = "search_field_rules";
    let groups = if is_new {
        reader.objects(KEY, &mut group)
    } else {
        refuse_null(reader, KEY);
        reader.opt_objects(KEY, &mut group)
    };
    reader.note(KEY, || json!({"minItems": 1, "maxItems": MAX_GROUPS}));
    match groups.as_ref().map(Vec::len) {
        Some(0) => reader.fault(KEY, at_least_one("group")),
        Some(count) if count > MAX_GROUPS => {
            reader.fault(KEY, Reason::too_many(MAX_GROUPS, Things::Other("groups")));
        }
        _ => {}
    }
    groups
}

fn search_field(reader: &mut Reader, all: Option<&[Searched]>, seen: &mut Vec<String>) -> SearchField {
    let code = reader.text("field", MAX_CODE);
    let label = label(reader);
    let fuzzy = reader.bool("fuzzy", false);
    if let Some(all) = all
        && !code.is_empty()
    {
        match all.iter().find(|it| it.code() == code) {
            None => {
                let codes = all.iter().map(Searched::code);
                reader.fault("field", not_one_of(codes, "searchable"));
            }
            Some(it) if fuzzy && !it.may_be_fuzzy() => {
                let message = phrase!("is not possible for {}: it is found by its whole value", it.type_name());
                reader.fault("fuzzy", Reason::other(message));
            }
            Some(_) => {}
        }
    }
    refuse_double(reader, &code, seen);
    SearchField { field: code, label, fuzzy }
}

fn display_rules(reader: &mut Reader, is_new: bool, cx: &BodyCx) -> Option<Vec<DisplayRule>> {
    let all = cx.form.map(Displayed::all);
    let mut seen = Vec::new();
    let mut rule = |rule: &mut Reader| {
        let it = display_rule(rule, all.as_deref(), &mut seen);
        rule.close();
        it
    };
    const KEY: &str = "display_field_rules";
    let rules = if is_new {
        reader.objects(KEY, &mut rule)
    } else {
        refuse_null(reader, KEY);
        reader.opt_objects(KEY, &mut rule)
    };
    reader.note(KEY, || json!({"minItems": 1}));
    if rules.as_ref().is_some_and(Vec::is_empty) {
        reader.fault(KEY, at_least_one("rule"));
    }
    rules
}

fn display_rule(reader: &mut Reader, all: Option<&[Displayed]>, seen: &mut Vec<String>) -> DisplayRule {
    let code = reader.text("field", MAX_CODE);
    let label = label(reader);
    let editable = reader.bool("editable", false);
    let protected = reader.bool("protected", false);
    let highlight = reader.patch("highlight", read_highlight).over(None);
    if let Some(all) = all
        && !code.is_empty()
    {
        match all.iter().find(|it| it.code() == code) {
            None => {
                let codes = all.iter().map(Displayed::code);
                reader.fault("field", not_one_of(codes, "displayable"));
            }
            Some(it) if editable && !it.may_be_editable() => {
                let message = "is only possible for questions of this form that are not scored";
                reader.fault("editable", Reason::other(message));
            }
            Some(_) => {}
        }
    }
    refuse_double(reader, &code, seen);
    DisplayRule { field: code, label, editable, protected, highlight }
}

fn read_highlight(reader: &mut Reader) -> Option<Highlight> {
    reader.opt_object("highlight", |highlight| {
        if !highlight.has("color") {
            highlight.fault("color", Reason::Required);
        }
        let color = color(highlight, "color");
        if !highlight.has("position") {
            highlight.fault("position", Reason::Required);
        }
        let position = highlight.opt_int("position", 0..=MAX_POSITION);
        highlight.close();
        Some(Highlight { color: color?, position: position? })
    })?
}

fn scope(reader: &mut Reader, cx: &BodyCx) -> Option<Vec<Json>> {
    const KEY: &str = "scope_conditions";
    reader.note(KEY, filter::schema);
    refuse_null(reader, KEY);
    let given = reader.opt_list(KEY)?;
    let at = reader.issues();
    at.key(KEY, |at| {
        for (i, condition) in given.iter().enumerate() {
            let keys = condition.as_object().into_iter().flatten();
            for (key, _) in keys.filter(|(key, _)| !CONDITION_KEYS.contains(&key.as_str())) {
                at.index(i, |at| at.push_at(key, Reason::NotAllowed));
            }
        }
        if let Some(form) = cx.form {
            let conditions = Json::Array(given.clone());
            Filter::of_conditions(&conditions, form.fields, cx.cx, at);
        }
    });
    Some(given)
}

/// A label; a blank one counts as none.
fn label(reader: &mut Reader) -> Option<String> {
    reader.patch_text("label", MAX_LABEL).over(None).filter(|label| !text::is_blank(label))
}

/// A list that is null is none.
fn refuse_null(reader: &mut Reader, key: &str) {
    if !reader.is_describing() && reader.contains_key(key) && !reader.has(key) {
        reader.fault(key, Reason::MustBe(Expected::List));
    }
}

fn refuse_double(reader: &mut Reader, code: &str, seen: &mut Vec<String>) {
    if code.is_empty() {
        return;
    }
    if seen.iter().any(|known| known == code) {
        reader.fault("field", Reason::other("is named twice"));
    }
    seen.push(code.to_owned());
}

fn at_least_one(thing: &'static str) -> Reason {
    Reason::other(phrase!("must have at least one {}", Phrase::plain(thing)))
}

fn not_one_of(codes: impl Iterator<Item = String>, what: &'static str) -> Reason {
    let codes: Vec<String> = codes.collect();
    Reason::other(phrase!("is not a {} field of this form: use one of {}", Phrase::plain(what), codes.join(", ")))
}
