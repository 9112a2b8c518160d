//! Fields that public queries may search by and show (spec 2.4, 2.5), and the conditions of a visitor's search. Pure:
//! the linked entries and forms have been looked up.

mod displayed;
mod searched;

pub use displayed::{Displayed, RowCx};
pub use searched::{By, SearchOption, Searched};

use crate::base::text::texts::Texts;
use crate::fields::kind::{Facets, Kind};
use crate::fields::links::LinkedData;
use crate::fields::links::associated::{self, Associated};
use crate::fields::system::{self, SystemField};
use crate::fields::{Field, Fields};
use crate::model::settings::Settings;

/// A form as public queries see it.
#[derive(Clone, Copy)]
pub struct QueriedForm<'f> {
    pub fields: &'f Fields,
    pub scene: &'f str,
    pub settings: &'f Settings,
    /// Results that the service adds to its entries.
    pub results: &'f [&'static SystemField],
    /// The forms that it links to.
    pub found: &'f LinkedData,
}

/// The field of a name in a query.
enum QueriedName<'f> {
    /// A question.
    Field(&'f Field),
    /// A value that the service adds to an entry.
    System(&'static SystemField),
    /// A field of the form that a question links to.
    Linked(Associated<'f>),
}

impl<'f> QueriedName<'f> {
    /// All that a query might name: system fields, questions, and what they link to.
    fn all(form: QueriedForm<'f>) -> impl Iterator<Item = Self> {
        let own = system::SYSTEM.iter().filter(|field| field.is_of_every_entry());
        let system = own.chain(form.results.iter().copied());
        let questions = form.fields.iter().flat_map(move |field| {
            let linked = associated::all(field, form.found).into_iter();
            let linked = linked.filter(Associated::is_public).map(QueriedName::Linked);
            std::iter::once(QueriedName::Field(field)).chain(linked)
        });
        questions.chain(system.map(QueriedName::System))
    }

    fn code(&self) -> String {
        match self {
            Self::Field(field) => field.api_code.clone(),
            Self::System(field) => field.name.to_owned(),
            Self::Linked(linked) => linked.name(),
        }
    }

    fn label(&self, texts: &Texts) -> String {
        match self {
            Self::Field(field) => field.label.clone(),
            Self::System(field) => field.label(texts),
            Self::Linked(linked) => linked.label(texts),
        }
    }

    fn facets(&self) -> Facets {
        match self {
            Self::Field(field) => field.row.facets,
            Self::System(field) => field.facets,
            Self::Linked(linked) => linked.sub.facets(),
        }
    }

    fn kind(&self) -> &dyn Kind {
        match self {
            Self::Field(field) => field.kind.as_ref(),
            Self::System(field) => field.kind,
            Self::Linked(linked) => linked.sub.kind(),
        }
    }

    /// The type of its values, as of a question.
    fn type_name(&self) -> &'static str {
        let system = match self {
            Self::Field(field) => return field.row.name,
            Self::System(field) => field,
            Self::Linked(linked) => match linked.sub {
                associated::Sub::Field(field) => return field.row.name,
                associated::Sub::System(field) => field,
            },
        };
        system.type_name()
    }
}
