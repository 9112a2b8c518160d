//! Values of an entry as visitors see them.

use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::Field;
use crate::fields::columns::Cell;
use crate::fields::kind::{Cx, Kind};
use crate::fields::public_query::{QueriedForm, QueriedName};
use crate::fields::values::{self, Values};
use crate::model::entry::Entry;

/// A field that a query may show.
pub struct Displayed<'f> {
    of: QueriedName<'f>,
    is_scored: bool,
}

/// The entry of a row, read.
pub struct RowCx<'r> {
    pub entry: &'r Entry,
    pub values: &'r Values,
    /// `x_field_certificate` in its read shape.
    pub certificate: Json,
    pub cx: Cx<'r>,
}

impl<'f> Displayed<'f> {
    /// All that queries of a form may show.
    pub fn all(form: QueriedForm<'f>) -> Vec<Self> {
        let shown = QueriedName::all(form).filter(|of| of.facets().displayable);
        shown.map(|of| Self { is_scored: is_scored(form, &of), of }).collect()
    }

    /// The field of a name; `None` if queries may not show it.
    pub fn find(form: QueriedForm<'f>, code: &str) -> Option<Self> {
        Self::all(form).into_iter().find(|it| it.code() == code)
    }

    /// Its name in queries.
    pub fn code(&self) -> String {
        self.of.code()
    }

    /// Its own label.
    pub fn label(&self, texts: &Texts) -> String {
        self.of.label(texts)
    }

    /// The type of its values.
    pub fn type_name(&self) -> &'static str {
        self.of.type_name()
    }

    /// Whether visitors may be let change it.
    pub fn may_be_editable(&self) -> bool {
        matches!(self.of, QueriedName::Field(_)) && !self.is_scored
    }

    /// Whether its values can be masked.
    pub fn may_be_protected(&self) -> bool {
        self.of.facets().protectable
    }

    /// The question itself, where it is one.
    pub fn field(&self) -> Option<&'f Field> {
        match self.of {
            QueriedName::Field(field) => Some(field),
            QueriedName::System(_) | QueriedName::Linked(_) => None,
        }
    }

    /// The kind of its values.
    pub fn kind(&self) -> &dyn Kind {
        self.of.kind()
    }

    /// Whether its value is the link to a certificate.
    pub fn is_certificate(&self) -> bool {
        matches!(self.of, QueriedName::System(field) if field.is_link())
    }

    /// The stored value of an entry; `None` where it is blank.
    fn stored(&self, row: &RowCx) -> Option<Json> {
        let stored = match &self.of {
            QueriedName::Field(field) => values::today(field, row.values.get(&field.api_code), &row.cx),
            QueriedName::System(field) => Some(field.stored(row.entry, &row.cx)),
            QueriedName::Linked(linked) => linked.stored(row.values.get(&linked.field.api_code), &row.cx),
        };
        stored.filter(|stored| !stored.is_null())
    }

    /// Whether visitors see parts of its values only.
    pub fn is_masked(&self, protected: bool) -> bool {
        let by_link = matches!(&self.of, QueriedName::Linked(linked) if linked.is_protected());
        (protected || by_link) && self.may_be_protected()
    }

    /// The value in its read shape, or as masked text.
    pub fn read(&self, row: &RowCx, protected: bool) -> Json {
        if self.is_certificate() {
            return row.certificate.clone();
        }
        let kind = self.kind();
        match self.stored(row) {
            None => kind.empty(),
            Some(stored) if self.is_masked(protected) => kind.masked(&stored, &row.cx),
            Some(stored) => kind.read(&stored, &row.cx),
        }
    }

    /// The content of the question's control; `None` for other fields.
    pub fn on_page(&self, row: &RowCx, protected: bool) -> Option<Json> {
        let field = self.field()?;
        if self.is_masked(protected) {
            return Some(self.read(row, protected));
        }
        let stored = row.values.get(&field.api_code);
        Some(values::on_page(field, stored, &row.cx))
    }

    /// The value for people, line by line.
    pub fn lines(&self, row: &RowCx, protected: bool) -> Vec<String> {
        let kind = self.kind();
        match self.stored(row) {
            None => Vec::new(),
            Some(stored) if self.is_masked(protected) => {
                vec![kind.mask(&kind.text(&stored, &row.cx))]
            }
            Some(stored) => kind.lines(&stored, &row.cx),
        }
    }

    /// The value in a spreadsheet.
    pub fn cell(&self, row: &RowCx, protected: bool) -> Cell {
        let kind = self.kind();
        match self.stored(row) {
            None if self.is_certificate() => Cell::text(row.certificate["url"].as_str().unwrap_or_default()),
            None => Cell::Blank,
            Some(stored) if self.is_masked(protected) => Cell::text(kind.mask(&kind.text(&stored, &row.cx))),
            Some(Json::Number(number)) => Cell::Number(number),
            Some(stored) => match kind.sheet_cells(&stored, &row.cx).as_slice() {
                [Cell::Date(date)] if kind.sub_fields().is_empty() => Cell::date(date.as_str()),
                _ => Cell::text(kind.text(&stored, &row.cx)),
            },
        }
    }

    /// Whether a masked value sent back is the one that is stored (S70).
    pub fn is_mask_of(&self, given: &Json, row: &RowCx, protected: bool) -> bool {
        self.is_masked(protected) && *given == self.read(row, protected)
    }
}

/// Whether the exam scores a question.
fn is_scored(form: QueriedForm, of: &QueriedName) -> bool {
    let QueriedName::Field(field) = of else {
        return false;
    };
    let question = form.settings.exam.questions.get(&field.api_code);
    form.scene == "exam" && question.is_some_and(|question| question["scored"] != false)
}
