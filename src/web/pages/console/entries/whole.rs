//! An entry's answers as its form's people read them: on its page, on paper, and as plain text.

use maud::{Markup, Render, html};

use crate::base::error::Result;
use crate::base::json::Json;
use crate::fields::kind::Cx;
use crate::model::entry::Entry;
use crate::ops::entries::Shape;
use crate::ops::entries::shown_answers::EntryColumn;
use crate::web::pages::console::entries::value;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::ui::entries::answers::Answers;
use crate::web::pages::ui::words::joined;

/// An entry with its values, in the order of its form.
pub struct WholeEntry<'a> {
    frame: &'a FormFrame<'a>,
    shape: &'a Shape,
    entry: &'a Entry,
    columns: Vec<EntryColumn<'a>>,
    /// None where there is no answer.
    cells: Vec<Option<Json>>,
}

impl<'a> WholeEntry<'a> {
    /// # Errors
    /// Internal, when the stored text is damaged.
    pub fn of(frame: &'a FormFrame<'a>, shape: &'a Shape, entry: &'a Entry) -> Result<Self> {
        let columns = EntryColumn::all(&shape.parsed);
        let cells = shape.cells(entry, &columns, &shape.cx(frame.call.now))?;
        Ok(Self { frame, shape, entry, columns, cells })
    }

    /// Its number as a title.
    pub fn title(&self) -> String {
        self.frame.texts.fill("entries-entry", &[("serial", self.entry.serial.into())])
    }

    /// The time of the entry, and the user who entered it.
    pub fn origin(&self) -> Markup {
        let cx = self.shape.cx(self.frame.call.now);
        let facts = self.pairs().filter(|(column, _)| is_origin(column)).map(|(column, cell)| {
            let value = cell.as_ref().map(|cell| value::whole(self.frame, column, cell, &cx));
            value
                .map(|value| {
                    let label = self.words(column);
                    html! { (label) (self.frame.texts.colon(&label)) (value) }
                })
                .unwrap_or_default()
        });
        joined(&facts.collect::<Vec<_>>())
    }

    /// The questions that were answered.
    pub fn answered(&self) -> Markup {
        self.list(|column, cell| matches!(column, EntryColumn::Question(_)) && cell.is_some())
    }

    /// The questions that were not, and how many they are.
    pub fn unanswered(&self) -> (usize, Markup) {
        let is_blank =
            |column: &EntryColumn, cell: &Option<Json>| matches!(column, EntryColumn::Question(_)) && cell.is_none();
        let count = self.pairs().filter(|(column, cell)| is_blank(column, cell)).count();
        (count, self.list(is_blank))
    }

    /// The other facts about it; nothing if there are none.
    pub fn facts(&self) -> Markup {
        let is_unchanged = self.entry.updated_at == self.entry.created_at;
        let is_fact = |column: &EntryColumn, cell: &Option<Json>| {
            let is_other = matches!(column, EntryColumn::System(_)) && !is_origin(column);
            is_other && cell.is_some() && !(is_unchanged && column.name() == "updated_at")
        };
        if self.pairs().any(|(column, cell)| is_fact(column, cell)) { self.list(is_fact) } else { Markup::default() }
    }

    fn pairs(&self) -> impl Iterator<Item = (&EntryColumn<'a>, &Option<Json>)> {
        self.columns.iter().zip(&self.cells)
    }

    fn list(&self, is_wanted: impl Fn(&EntryColumn, &Option<Json>) -> bool) -> Markup {
        let cx = self.shape.cx(self.frame.call.now);
        let lines = self.pairs().filter(|(column, cell)| is_wanted(column, cell)).map(|(column, cell)| {
            let value = cell.as_ref().map(|cell| value::whole(self.frame, column, cell, &cx)).unwrap_or_default();
            (self.label(column), value)
        });
        Answers { lines: lines.collect(), blank: self.frame.say("receipt-blank") }.render()
    }

    fn label(&self, column: &EntryColumn) -> Markup {
        match column {
            EntryColumn::Question(_) => html! { bdi lang=[self.frame.owners_lang()] { (self.words(column)) } },
            EntryColumn::System(_) => html! { (self.words(column)) },
        }
    }

    fn words(&self, column: &EntryColumn) -> String {
        match column {
            EntryColumn::Question(field) if field.label.is_empty() => self.frame.say("form-unnamed"),
            EntryColumn::Question(field) => field.label.clone(),
            EntryColumn::System(field) => field.label(self.frame.texts),
        }
    }

    /// The answers as plain text: each question above its answer.
    pub fn text(&self) -> String {
        let cx = self.shape.cx(self.frame.call.now);
        let answered = self.pairs().filter_map(|(column, cell)| {
            let cell = cell.as_ref().filter(|_| matches!(column, EntryColumn::Question(_)))?;
            Some(format!("{}\n{}", self.words(column), plain(column, cell, &cx)))
        });
        let head = format!("{} – {}", self.frame.view.form.name, self.title());
        std::iter::once(head).chain(answered).collect::<Vec<_>>().join("\n\n")
    }
}

/// True for a column that says where the entry comes from.
fn is_origin(column: &EntryColumn) -> bool {
    ["created_at", "creator_name"].contains(&column.name())
}

fn plain(column: &EntryColumn, value: &Json, cx: &Cx) -> String {
    let kind = column.kind();
    if kind.has_files() { kind.text(value, cx) } else { kind.lines(value, cx).join("\n") }
}
