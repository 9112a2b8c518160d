//! The subjects that the entries of a form can be filtered by: their number, the columns of their list, and the columns
//! of tables and matrices, of which any row counts.

use std::borrow::Cow;

use crate::fields::kind::Kind;
use crate::fields::system;
use crate::ops::entries::shown_answers::EntryColumn;
use crate::web::pages::console::entries::columns;
use crate::web::pages::console::entries::narrowed::SERIAL;
use crate::web::pages::console::form_frame::FormFrame;

pub struct FilterSubject<'f> {
    /// As conditions name it: `field_3`, `field_3.field_1`, `created_at`.
    pub name: Cow<'f, str>,
    pub label: String,
    /// The language of its label, if it is not the page's.
    pub lang: Option<&'f str>,
    pub kind: &'f dyn Kind,
    /// Whether it is a property of every entry.
    pub is_system: bool,
}

impl<'f> FilterSubject<'f> {
    /// All of them, in the order of the list's columns; of some nothing but the name can be compared.
    pub fn all(frame: &'f FormFrame) -> Vec<Self> {
        let serial = system::by_name(SERIAL).map(EntryColumn::System);
        let shown = serial.into_iter().chain(EntryColumn::all(&frame.view.parsed));
        shown.flat_map(|column| std::iter::once(Self::of(frame, &column)).chain(Self::inside(frame, &column))).collect()
    }

    fn of(frame: &'f FormFrame, column: &EntryColumn<'f>) -> Self {
        Self {
            name: Cow::Borrowed(column.name()),
            label: columns::label(frame, column),
            lang: columns::lang_of(frame, column),
            kind: column.kind(),
            is_system: matches!(column, EntryColumn::System(_)),
        }
    }

    /// The columns of a table or a matrix.
    fn inside(frame: &'f FormFrame, column: &EntryColumn<'f>) -> Vec<Self> {
        let outer = Self::of(frame, column);
        let subs = column.kind().sub_fields().iter().map(|sub| {
            let inner = columns::label(frame, &EntryColumn::Question(sub));
            let words = [("question", outer.label.as_str().into()), ("part", inner.into())];
            Self {
                name: Cow::Owned(format!("{}.{}", outer.name, sub.api_code)),
                label: frame.texts.fill("entries-filter-part", &words),
                kind: sub.kind.as_ref(),
                ..outer
            }
        });
        subs.collect()
    }
}
