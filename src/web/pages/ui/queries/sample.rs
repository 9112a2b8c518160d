//! The parts of a query's page with their states, for the page of all parts.

use maud::{Markup, Render, html};

use crate::base::text::texts::texts;
use crate::web::pages::ui::field::Choice;
use crate::web::pages::ui::queries::editor::{PartForm, QueryEditor};
use crate::web::pages::ui::queries::focal::{FocalPoint, POINTS};
use crate::web::pages::ui::queries::search::{Checked, SearchField, SearchGroup, SearchGroups, SearchWords};
use crate::web::pages::ui::queries::shown::{ShownField, ShownFields, ShownWords};
use crate::web::pages::ui::settings::sections::SettingsSection;
use crate::web::pages::ui::words::name;

/// A query whose page is off, with a fault in each of its parts.
pub fn editor(long: &str, picture: &str) -> Markup {
    let part = |id: &'static str, title: &str, content: Markup| SettingsSection {
        id,
        title: title.to_owned(),
        text: "A line about it".to_owned(),
        is_open: true,
        content: PartForm {
            action: "#query",
            csrf: "x",
            version: "1",
            is_changed: id == "sample-search",
            is_focused: false,
            content,
            save: "Save",
            unsaved: "Not saved yet",
        }
        .render(),
        ..SettingsSection::default()
    };
    QueryEditor {
        parts: vec![
            part("sample-search", "Search", search(long)),
            part("sample-shows", "Shows", shows(long)),
            part("sample-page", "Page", focal(picture)),
        ],
        page: "",
        title: "The page as visitors see it",
        instead: html! { p { "The page is switched off" } },
        see: "See the page",
        texts: texts("en"),
    }
    .render()
}

fn wrong<T>(value: T, fault: &str) -> Checked<T> {
    Checked { value, fault: fault.to_owned() }
}

fn search(long: &str) -> Markup {
    let text = str::to_owned;
    let words = SearchWords {
        group: text("Group"),
        operand: text("Visitors fill in"),
        all: text("every field"),
        any: text("one field or more"),
        field: text("Field"),
        compared: text("Found by"),
        exact: text("the whole value"),
        part: text("a part of it"),
        label: text("Other label"),
        add_field: text("Add a field"),
        add_group: text("Add a group"),
        remove: text("Remove"),
        remove_group: text("Remove group"),
        and: text("and"),
    };
    let field = |fault: &str| SearchField {
        fields: wrong(["Email", long].map(|label| Choice::new(label, label, false)).into(), fault),
        fuzzy: wrong(true, ""),
        label: wrong(text("Your email"), ""),
    };
    let groups = vec![
        SearchGroup { is_any: true, fault: String::new(), fields: vec![field(""), field("It stands here twice")] },
        SearchGroup { is_any: false, fault: text("Add at least one field"), fields: Vec::new() },
    ];
    SearchGroups { name: "sample-groups", fault: String::new(), groups, focus: None, words: &words }.render()
}

fn shows(long: &str) -> Markup {
    let text = str::to_owned;
    let words = ShownWords {
        shown: text("Shows"),
        up: text("Move up"),
        down: text("Move down"),
        more: text("How it is shown"),
        label: text("Other label"),
        masked: text("Mask the value"),
        editable: text("Visitors may change it"),
        color: text("Highlight color"),
        pick: text("Highlight color: choose"),
        no_color: text("No highlight"),
        position: text("Place"),
        position_notes: text("The lowest number comes first."),
    };
    let field = |label: &str, is_shown: bool| ShownField {
        code: text("field_1"),
        label: name(label),
        is_shown: wrong(is_shown, ""),
        ..ShownField::default()
    };
    let fields = vec![
        ShownField { state: text("masked"), ..field("Email", true) },
        ShownField {
            masked: Some(wrong(true, "")),
            editable: Some(wrong(true, "Not this one")),
            color: wrong(text("red"), "Enter a color"),
            is_open: true,
            ..field(long, true)
        },
        field("Town", false),
    ];
    ShownFields { name: "sample-fields", fault: text("Tick at least one field"), fields, words: &words }.render()
}

fn focal(picture: &str) -> Markup {
    FocalPoint {
        label: "What stays in view",
        notes: "This point is never cut off.",
        picture,
        names: ["sample-x", "sample-y"],
        labels: ["From the left", "From the top"],
        values: [wrong("25".to_owned(), ""), wrong("many".to_owned(), "Enter a number")],
        points: POINTS.iter().map(|(id, ..)| (*id).to_owned()).collect(),
    }
    .render()
}
