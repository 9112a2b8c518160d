//! `linked_form`: a link to an entry of another form. The kind never looks entries up: it names those it needs, and
//! finds them among those loaded for the request.

mod link_check;
mod stored_link;

use maud::{Markup, html};
use serde::Serialize;
use serde_json::json;

use crate::base::issue::{Issue, Issues};
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::base::text;
use crate::fields::columns::{Cell, Column};
use crate::fields::filter::cond::{self, Cond, Key, Op};
use crate::fields::inputs;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{BuildCx, Control, Cx, Facets, InputCx, Item, Kind, KindRow, Linking, Parts, Sample, Sheet};
use crate::fields::kinds::linked_form::stored_link::StoredLink;
use crate::fields::links::linked::number_text;
use crate::fields::links::{
    DisplayedField, Link, LinkRules, LinkTarget, LinkedEntry, LinkedForm, Offer, associated, token_of,
};
use crate::fields::report::texts::Texts;

pub static KIND: KindRow = KindRow {
    name: "linked_form",
    facets: Facets {
        searchable: true,
        displayable: true,
        conditions: Some("Filter the linked entry's fields: `field_1_associated_field_2`."),
        ..Facets::NONE
    },
    build,
    samples: &[
        Sample {
            definition: r#"{"form_token": "LinkedForm", "search_fields": ["field_1"],
                "display_fields": [{"api_code": "field_1", "public": true}, {"api_code": "field_2", "public": true, "protected": true}]}"#,
            write: r#""0000000000000000000001""#,
            stored: r#"{"form_token": "LinkedForm", "entry_token": "0000000000000000000001", "serial_number": 1}"#,
            text: "Ada Lovelace",
        },
        Sample {
            definition: r#"{"form_token": "LinkedForm", "search_fields": [], "display_fields": [], "multiple": false}"#,
            write: r#"{"entry_token": "0000000000000000000002"}"#,
            stored: r#"{"form_token": "LinkedForm", "entry_token": "0000000000000000000002", "serial_number": 2}"#,
            text: "#2",
        },
    ],
};

const UNKNOWN: Reason = Reason::NotLinkedEntry;

#[derive(Serialize)]
struct LinkedFormKind {
    #[serde(flatten)]
    rules: LinkRules,
    multiple: bool,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    for (key, widget) in [("form_token", "form"), ("search_fields", "found"), ("display_fields", "shown")] {
        reader.note(key, || json!({"x-ui": widget}));
    }
    let form_token = reader.text("form_token", 64);
    if !reader.has("search_fields") {
        reader.fault("search_fields", Reason::Required);
    }
    let search_fields = reader.opt_texts("search_fields", 64, |_| Ok(())).unwrap_or_default();
    if !reader.has("display_fields") {
        reader.fault("display_fields", Reason::Required);
    }
    let display_fields = reader
        .opt_objects("display_fields", |item| {
            let api_code = item.text("api_code", 64);
            if !item.has("public") {
                item.fault("public", Reason::Required);
            }
            DisplayedField { api_code, public: item.bool("public", false), protected: item.bool("protected", false) }
        })
        .unwrap_or_default();
    reader.note("multiple", || json!({"enum": [false, null]}));
    if reader.bool("multiple", false) {
        reader.fault("multiple", Reason::MustBe(Expected::Other("false")));
    }
    let rules = LinkRules { form_token, search_fields, display_fields };
    let is_as_before = cx.old.and_then(|old| old.link_rules()) == Some(&rules);
    if let Some(found) = cx.found.filter(|_| !is_as_before) {
        link_check::check(&rules, found, reader.issues());
    }
    Box::new(LinkedFormKind { rules, multiple: false })
}

impl LinkedFormKind {
    fn link(&self, entry: &str) -> Link {
        Link { form: self.rules.form_token.clone(), entry: entry.to_owned() }
    }

    /// The chosen entry, as a selected radio button.
    fn row(&self, cx: &InputCx, id: &str, form: &LinkedForm, entry: &LinkedEntry, chosen: bool) -> Markup {
        let label = self.rules.label(form, entry, cx.cx);
        let details = self.rules.details(form, entry, cx.cx);
        html! {
            label.choice for=(id) {
                input type="radio" id=(id) name=(cx.name) value=(entry.entry.token) checked[chosen]
                    data-label=(label);
                span.choice-label lang=[cx.owners_lang()] {
                    bdi { (label) }
                    @for (name, text) in &details {
                        span.linked-detail { bdi { (name) } ": " bdi { (text) } }
                    }
                }
            }
        }
    }
}

impl Kind for LinkedFormKind {
    fn read_schema(&self) -> Json {
        let values = json!({"type": "object"});
        json!({"oneOf": [
            {
                "type": "object",
                "required": ["deleted"],
                "properties": {"deleted": {"const": true}},
                "additionalProperties": false,
            },
            {
                "type": "object",
                "required": ["entry_token", "serial_number", "associated_fields", "display_fields"],
                "properties": {
                    "entry_token": {"type": "string"},
                    "serial_number": {"type": "integer"},
                    "associated_fields": values,
                    "display_fields": values,
                },
                "additionalProperties": false,
            },
        ]})
    }

    fn write_schema(&self) -> Json {
        json!({"anyOf": [
            {"type": "string", "description": "The token of an entry of the linked form"},
            {
                "type": "object",
                "required": ["entry_token"],
                "properties": {"entry_token": {"type": "string"}},
            },
        ]})
    }

    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        let Some(token) = token_of(&raw) else {
            at.push(if raw["deleted"] == json!(true) { UNKNOWN } else { Reason::MustBe(Expected::LinkedEntry) });
            return Json::Null;
        };
        if text::is_blank(token) {
            return Json::Null;
        }
        match cx.found.target(&self.link(token)) {
            LinkTarget::There(_, linked) => json!(StoredLink {
                form_token: Some(&self.rules.form_token),
                entry_token: Some(linked.entry.token.as_str()),
                serial_number: Some(linked.entry.serial),
            }),
            LinkTarget::Gone | LinkTarget::Unknown => {
                at.push(UNKNOWN);
                Json::Null
            }
        }
    }

    fn reads_as_stored(&self) -> bool {
        false
    }

    /// A link to the form that the field referred to earlier is dropped.
    fn prune(&self, stored: Json, _: &Cx) -> Json {
        let is_of_form = StoredLink::of(&stored).form_token == Some(&self.rules.form_token);
        if is_of_form { stored } else { Json::Null }
    }

    fn read(&self, stored: &Json, cx: &Cx) -> Json {
        let stored = StoredLink::of(stored);
        let (associated, display) = match cx.found.target(&stored.link()) {
            LinkTarget::Gone => return json!({"deleted": true}),
            LinkTarget::Unknown => (json!({}), json!({})),
            LinkTarget::There(form, entry) => {
                (self.rules.associated(form, entry, cx), self.rules.display(form, entry, cx))
            }
        };
        json!({
            "entry_token": stored.entry_token,
            "serial_number": stored.serial_number,
            "associated_fields": associated,
            "display_fields": display,
        })
    }

    /// The entry's label; nothing if the entry is gone, which counts as blank (contract section 4).
    fn text(&self, stored: &Json, cx: &Cx) -> String {
        let stored = StoredLink::of(stored);
        match cx.found.target(&stored.link()) {
            LinkTarget::Gone => String::new(),
            LinkTarget::Unknown => number_text(stored.serial_number.unwrap_or_default()),
            LinkTarget::There(form, entry) => self.rules.label(form, entry, cx),
        }
    }

    fn lines(&self, stored: &Json, cx: &Cx) -> Vec<String> {
        let label = self.text(stored, cx);
        Some(label).filter(|label| !label.is_empty()).into_iter().collect()
    }

    fn keys(&self, stored: &Json, cx: &Cx) -> Vec<Key> {
        let link = StoredLink::of(stored).link();
        let label = match cx.found.target(&link) {
            LinkTarget::Gone => return Vec::new(),
            LinkTarget::Unknown => None,
            LinkTarget::There(form, entry) => Some(Key::label(&self.rules.label(form, entry, cx))),
        };
        [Key::Code(link.entry)].into_iter().chain(label).collect()
    }

    /// By the entry's token or label. Filters don't use this, because a linked field is filtered by its sub-fields; the
    /// exact search of a public query does.
    fn condition(&self, op: Op, value: &Json, _: &Cx) -> Result<Cond, Issue> {
        let by_token = cond::by_key(op, value, &|value| match value.as_str() {
            Some("") => Err(Reason::Empty),
            Some(token) => Ok(Key::Code(token.to_owned())),
            None => Err(Reason::MustBe(Expected::Text)),
        })?;
        let called = value.as_str().filter(|_| op == Op::Eq).map(Key::label);
        Ok(match called {
            Some(label) => Cond::Any(vec![by_token, Cond::In(vec![label])]),
            None => by_token,
        })
    }

    /// Hides the form, and all but its public fields.
    fn for_respondent(&self) -> Json {
        let shown = self.rules.display_fields.iter();
        json!({
            "search_fields": self.rules.searched(true).collect::<Vec<_>>(),
            "display_fields": shown.filter(|shown| shown.public).collect::<Vec<_>>(),
            "multiple": false,
        })
    }

    /// A default whose entry is gone is null.
    fn resolve_default(&self, raw: &Json, cx: &Cx) -> Json {
        let target = token_of(raw).map(|token| cx.found.target(&self.link(token)));
        match target {
            Some(LinkTarget::There(..)) => raw.clone(),
            _ => Json::Null,
        }
    }

    fn tally(&self, room: Room) -> Box<dyn Tally + '_> {
        Box::new(Texts::new(room))
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }

    fn linking(&self) -> Option<&dyn Linking> {
        Some(self)
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }
}

impl Parts for LinkedFormKind {
    fn items(&self) -> Vec<Item<'_>> {
        // Another form would remove every link, so the form is an item whose loss is reported like any other.
        vec![Item { list: "form_token", code: &self.rules.form_token, label: &self.rules.form_token }]
    }

    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        StoredLink::of(stored).form_token.into_iter().collect()
    }
}

impl Linking for LinkedFormKind {
    fn link_rules(&self) -> &LinkRules {
        &self.rules
    }

    fn wants(&self, raw: &Json) -> Vec<Link> {
        let token = token_of(raw).filter(|token| !token.is_empty());
        token.map(|token| self.link(token)).into_iter().collect()
    }

    fn links(&self, stored: &Json) -> Vec<Link> {
        vec![StoredLink::of(stored).link()]
    }
}

impl Sheet for LinkedFormKind {
    /// The entry's token, and the values displayed for a link.
    fn sheet_columns(&self, cx: &Cx) -> Vec<Column> {
        let form = cx.found.form(&self.rules.form_token);
        let shown = self.rules.displayed(cx.respondent).map(|code| {
            let field = form.and_then(|form| form.fields.get(code));
            Column { code: associated::name("", code), label: field.map_or(code, |field| &field.label).to_owned() }
        });
        std::iter::once(Column::whole()).chain(shown).collect()
    }

    /// Blank if the entry is gone: that link could not be written again.
    fn sheet_cells(&self, stored: &Json, cx: &Cx) -> Vec<Cell> {
        let stored = StoredLink::of(stored);
        let token = || Cell::text(stored.entry_token.unwrap_or_default());
        match cx.found.target(&stored.link()) {
            LinkTarget::Gone => Vec::new(),
            LinkTarget::Unknown => vec![token()],
            LinkTarget::There(form, entry) => {
                let shown = self.rules.displayed(cx.respondent).map(|code| {
                    let field = form.fields.get(code);
                    let text = field.and_then(|field| form.text(field, &entry.values, cx));
                    Cell::text(text.unwrap_or_default())
                });
                std::iter::once(token()).chain(shown).collect()
            }
        }
    }

    /// The displayed values of an entry don't identify it.
    fn sheet_value(&self, cells: &[&str], _: &Cx, at: &mut Issues) -> Json {
        let token = cells.first().map(|cell| cell.trim()).unwrap_or_default();
        if token.is_empty() {
            let reason =
                "is linked by its token: put that into the question's own column, or leave these columns blank";
            at.push(Reason::other(reason));
        }
        json!(token)
    }
}

impl Control for LinkedFormKind {
    fn input(&self, cx: &InputCx) -> Markup {
        let nothing = Offer::default();
        let offer = cx.cx.found.offer(cx.name).unwrap_or(&nothing);
        let chosen = token_of(cx.value).map(|token| cx.cx.found.target(&self.link(token)));
        let chosen = match chosen {
            Some(LinkTarget::There(form, entry)) => Some((form, entry)),
            _ => None,
        };
        let chosen_token = chosen.map(|(_, entry)| &entry.entry.token);
        let others = offer.entries.iter().filter(|entry| Some(&entry.entry.token) != chosen_token);
        let form = cx.cx.found.form(&self.rules.form_token);
        let has_list = chosen.is_some() || !offer.entries.is_empty();
        let said = format!("{}-said", cx.name);
        let how = format!("{}-how", cx.name);
        let described = [inputs::described_by(cx), Some(&how)];
        let described = described.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let words = |id: &str| cx.texts.say(id);
        let count = cx.texts.fill("linked-count", &[("count", "#".into())]);
        // A keyword that is too short finds nothing, which says nothing about the entries.
        let is_short = text::length(offer.keyword.trim()) < 2 && !offer.may_browse;
        html! {
            div.linked data-linked=(cx.name) data-lang=[cx.owners_lang()] data-browse[offer.may_browse] data-found[!offer.keyword.is_empty()] data-clear=(words("linked-clear"))
                data-none=(words("linked-none")) data-more=(words("linked-more")) data-hint=(words("linked-hint"))
                data-longer=(words("linked-longer")) data-count=(count) data-failed=(words("linked-failed")) {
                p.limits id=(how) { (words("linked-how")) }
                div.linked-find {
                    svg.linked-glass viewBox="0 0 24 24" aria-hidden="true" { path d="M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM20 20l-4.9-4.9" {} }
                    input.input type="search" id=(cx.name) name=(format!("_find.{}", cx.name))
                        value=(offer.keyword) autocomplete="off" dir="auto"
                        placeholder=(cx.placeholder.map_or_else(|| words("linked-placeholder"), str::to_owned))
                        lang=[cx.placeholder.and(cx.owners_lang())] aria-label=(words("linked-search"))
                        aria-invalid=[cx.invalid.then_some("true")] aria-describedby=(described);
                    input type="hidden" name=(format!("_found.{}", cx.name)) value=(offer.keyword);
                    button.button.quiet name="_action" value="find" { (words("linked-find")) }
                }
                @if !offer.keyword.is_empty() || offer.may_browse {
                    p.linked-said id=(said) {
                        @if is_short { (words("linked-longer")) }
                        @else if offer.entries.is_empty() { (words("linked-none")) }
                        @else if offer.more { (words("linked-more")) }
                    }
                }
                @if has_list {
                    div.choices {
                        @if let Some((form, entry)) = chosen {
                            (self.row(cx, &format!("{}.chosen", cx.name), form, entry, true))
                        }
                        @if let Some(form) = form {
                            @for (i, entry) in others.enumerate() {
                                (self.row(cx, &format!("{}.{i}", cx.name), form, entry, false))
                            }
                        }
                        @if chosen.is_some() && !cx.required {
                            @let id = format!("{}.none", cx.name);
                            label.choice for=(id) {
                                input type="radio" id=(id) name=(cx.name) value="";
                                span.choice-label { (words("linked-nothing")) }
                            }
                        }
                    }
                }
            }
        }
    }

    fn script(&self) -> Option<&'static str> {
        Some("linked.js")
    }

    fn is_group(&self) -> bool {
        true
    }
}
