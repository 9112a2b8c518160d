//! The columns of a list of entries: those named in its address, and the choice of them.

use maud::{Markup, Render, html};

use crate::ops::entries::shown_answers::EntryColumn;
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::ui::button::Button;
use crate::web::pages::ui::entries::columns::{ColumnChoice, ColumnRow, MOVE, TICK, WIDTH};
use crate::web::pages::ui::field::{Choice, SelectField};
use crate::web::pages::ui::section::Disclosure;
use crate::web::pages::ui::table::Width;
use crate::web::request::call::Call;

/// Columns that a table has at most.
const MOST: usize = 40;
/// Questions that are shown where no columns are chosen.
const FIRST_QUESTIONS: usize = 8;
/// The parameter that keeps the choice open, and names the column that was moved.
const CHOOSING: &str = "choosing";

/// The columns of an address: `columns=field_1,field_3:wide&freeze=field_1`.
#[derive(Clone, Default)]
pub struct ChosenColumns {
    /// In their order, with their widths; none where nothing was chosen.
    list: Option<Vec<(String, Width)>>,
    /// The last one that stays in view.
    freeze: Option<String>,
}

impl ChosenColumns {
    pub fn of(call: &Call) -> Self {
        let given = |name: &str| call.query(name).filter(|text| !text.is_empty());
        // A form of ticks names each column by itself, in the order of its rows.
        let ticked = call.pairs().filter(|(key, _)| key == TICK).map(|(_, name)| {
            let width = given(&format!("{WIDTH}{name}")).and_then(|width| Width::by_name(&width));
            (name.into_owned(), width.unwrap_or_default())
        });
        let mut ticked: Vec<(String, Width)> = ticked.collect();
        if let Some((way, name)) = given(MOVE).as_deref().and_then(|asked| asked.split_once(':')) {
            move_one(&mut ticked, name, way == "up");
        }
        let listed = given("columns").map(|list| list.split(',').map(read).collect());
        Self { list: if ticked.is_empty() { listed } else { Some(ticked) }, freeze: given("freeze") }
    }

    /// The columns of a saved address.
    pub fn kept(columns: Option<&str>, freeze: Option<String>) -> Self {
        Self { list: columns.map(|list| list.split(',').map(read).collect()), freeze }
    }

    /// As `columns` has them.
    pub fn text(&self) -> Option<String> {
        let write = |(name, width): &(String, Width)| match width {
            Width::Normal => name.clone(),
            other => format!("{name}:{}", other.name()),
        };
        self.list.as_ref().map(|list| list.iter().map(write).collect::<Vec<_>>().join(","))
    }

    pub fn freeze(&self) -> Option<String> {
        self.freeze.clone()
    }
}

/// The parameters after which the form of the choice was sent: one list has one address. A column that one of its
/// buttons moved keeps the choice open.
pub fn sent(call: &Call) -> Option<Vec<(&'static str, String)>> {
    let moved = call.query(MOVE).and_then(|asked| Some(asked.split_once(':')?.1.to_owned()));
    let is_sent = moved.is_some() || call.pairs().any(|(name, _)| name == TICK);
    is_sent.then(|| moved.map(|name| (CHOOSING, name)).into_iter().collect())
}

fn read(text: &str) -> (String, Width) {
    let (name, width) = text.split_once(':').unwrap_or((text, ""));
    (name.to_owned(), Width::by_name(width).unwrap_or_default())
}

fn move_one(list: &mut [(String, Width)], name: &str, is_up: bool) {
    let Some(at) = list.iter().position(|(own, _)| own == name) else {
        return;
    };
    let other = if is_up { at.checked_sub(1) } else { Some(at + 1).filter(|next| *next < list.len()) };
    if let Some(other) = other {
        list.swap(at, other);
    }
}

/// The columns of a table.
pub struct ShownColumns<'f> {
    pub columns: Vec<EntryColumn<'f>>,
    widths: Vec<Width>,
    /// How many of them stay in view; the number before them does where one does.
    pub frozen: usize,
    /// True if more were chosen than a table has.
    pub is_cut: bool,
}

impl<'f> ShownColumns<'f> {
    /// The chosen columns; without a choice, the time of submission and the first questions.
    pub fn of(frame: &'f FormFrame, chosen: &ChosenColumns) -> Self {
        let all = EntryColumn::all(&frame.view.parsed);
        let mut shown: Vec<(EntryColumn, Width)> = match &chosen.list {
            Some(list) => {
                let mut named: Vec<(EntryColumn, Width)> = Vec::new();
                for (name, width) in list {
                    let is_new = named.iter().all(|(column, _)| column.name() != name);
                    let column = all.iter().find(|column| column.name() == name && is_new);
                    named.extend(column.map(|column| (*column, *width)));
                }
                named
            }
            None => first(all).map(|column| (column, Width::Normal)).collect(),
        };
        let is_cut = shown.len() > MOST;
        shown.truncate(MOST);
        let last = chosen.freeze.as_deref();
        let frozen = shown.iter().position(|(column, _)| Some(column.name()) == last).map_or(0, |at| at + 1);
        let (columns, widths) = shown.into_iter().unzip();
        Self { columns, widths, frozen, is_cut }
    }

    pub fn width(&self, at: usize) -> Width {
        self.widths.get(at).copied().unwrap_or_default()
    }
}

fn first(all: Vec<EntryColumn>) -> impl Iterator<Item = EntryColumn> {
    let mut questions = 0;
    all.into_iter().filter(move |column| match column {
        EntryColumn::Question(_) => {
            questions += 1;
            questions <= FIRST_QUESTIONS
        }
        EntryColumn::System(field) => field.name == "created_at",
    })
}

pub fn label(frame: &FormFrame, column: &EntryColumn) -> String {
    match column {
        EntryColumn::Question(field) if field.label.is_empty() => frame.say("form-unnamed"),
        EntryColumn::Question(field) => field.label.clone(),
        EntryColumn::System(field) => field.label(frame.texts),
    }
}

/// The language of a column's label, if it is not the page's.
pub fn lang_of<'f>(frame: &'f FormFrame, column: &EntryColumn) -> Option<&'f str> {
    match column {
        EntryColumn::Question(_) => frame.owners_lang(),
        EntryColumn::System(_) => None,
    }
}

/// The choice: the shown columns in their order, then the others.
pub fn choice(frame: &FormFrame, address: &ListAddress, shown: &ShownColumns) -> Markup {
    let moved = frame.call.query(CHOOSING);
    let words = |column: &EntryColumn| html! { bdi lang=[lang_of(frame, column)] { (label(frame, column)) } };
    let all = EntryColumn::all(&frame.view.parsed);
    let others = all.iter().filter(|column| shown.columns.iter().all(|own| own.name() != column.name()));
    let others = others.map(|column| ColumnRow {
        name: column.name(),
        label: words(column),
        is_shown: false,
        widths: Vec::new(),
        may_go_up: false,
        may_go_down: false,
        is_moved: false,
    });
    let rows = shown.columns.iter().enumerate().map(|(at, column)| {
        let widths = Width::ALL.map(|width| {
            let words = frame.say(&format!("entries-width-{}", width.name()));
            Choice::new(width.name(), words, width == shown.width(at))
        });
        ColumnRow {
            name: column.name(),
            label: words(column),
            is_shown: true,
            widths: widths.into(),
            may_go_up: at > 0,
            may_go_down: at + 1 < shown.columns.len(),
            is_moved: moved.as_deref() == Some(column.name()),
        }
    });
    let frozen = |at: usize| at + 1 == shown.frozen;
    let none = Choice::new("", frame.say("entries-freeze-none"), shown.frozen == 0);
    let ends = shown.columns.iter().enumerate().map(|(at, column)| Choice {
        lang: lang_of(frame, column),
        ..Choice::new(column.name(), html! { (label(frame, column)) }, frozen(at))
    });
    let freeze = SelectField {
        id: "freeze",
        name: "freeze",
        label: &frame.say("entries-freeze"),
        choices: std::iter::once(none).chain(ends).collect(),
        ..SelectField::default()
    };
    let title = frame.say("entries-columns");
    let content = ColumnChoice {
        action: &frame.address("entries"),
        kept: address.pairs_without(&["columns", "freeze"]),
        rows: rows.chain(others).collect(),
        label: &title,
        find: &frame.say("entries-columns-find"),
        width: &frame.say("entries-width"),
        up: &frame.say("entries-column-up"),
        down: &frame.say("entries-column-down"),
        freeze: freeze.render(),
        show: Button::quiet(&frame.say("entries-columns-show")).render(),
    };
    Disclosure { summary: &title, is_open: moved.is_some(), content: content.render() }.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_moved_among_their_neighbours() {
        let list = || ["a", "b", "c"].map(|name| (name.to_owned(), Width::Normal));
        for (name, is_up, expected) in
            [("b", true, "bac"), ("b", false, "acb"), ("a", true, "abc"), ("c", false, "abc"), ("x", true, "abc")]
        {
            let mut moved = list();
            move_one(&mut moved, name, is_up);
            assert_eq!(moved.map(|(name, _)| name).concat(), expected, "{name} {is_up}");
        }
    }

    #[test]
    fn widths_are_written_and_read_back() {
        let list = vec![read("field_1"), read("field_3:wide"), read("field_2:narrow"), read("field_4:huge")];
        let chosen = ChosenColumns { list: Some(list), freeze: None };
        assert_eq!(chosen.text().as_deref(), Some("field_1,field_3:wide,field_2:narrow,field_4"));
    }
}
