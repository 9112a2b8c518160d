//! The choice of columns with its states, for the page of all parts.

use maud::{Markup, Render};

use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::entries::columns::{ColumnChoice, ColumnRow};
use crate::web::pages::ui::field::{Choice, SelectField};
use crate::web::pages::ui::table::Width;
use crate::web::pages::ui::words;

/// Two shown columns and one that isn't.
pub fn columns(long: &str) -> Markup {
    let widths = || Width::ALL.map(|width| Choice::new(width.name(), width.name(), width == Width::Normal)).into();
    let row = |name: &'static str, label: &str, is_shown: bool, may_go_up: bool| ColumnRow {
        name,
        label: words::name(label),
        is_shown,
        widths: if is_shown { widths() } else { Vec::new() },
        may_go_up,
        may_go_down: is_shown && !may_go_up,
        is_moved: false,
    };
    let freeze = SelectField {
        id: "freeze",
        name: "freeze",
        label: "Keep in view up to",
        choices: ["No column", long].map(|label| Choice::new(label, label, false)).into(),
        ..SelectField::default()
    };
    ColumnChoice {
        action: "#columns",
        kept: vec![("sort", "x".to_owned())],
        rows: vec![row("a", "Town", true, false), row("b", long, true, true), row("c", "Phone", false, false)],
        label: "Columns",
        find: "Find a column",
        width: "Width of",
        up: "Move up",
        down: "Move down",
        freeze: freeze.render(),
        show: Button::quiet("Show these columns").render(),
    }
    .render()
}
