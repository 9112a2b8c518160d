//! The markup of grids: a real table on wide screens and cards on a phone, and cells that are fields of their own.
//! Nothing is validated here.

use maud::{Markup, PreEscaped, html};

use crate::base::json::Json;
use crate::fields::grid::Named;
use crate::fields::kind::{InputCx, ShownFault};
use crate::fields::{Field, inputs, values};

/// Whether a table with this many columns, and this many finger-wide controls in a row, fits a form on a wide screen.
/// Others stay lists of cards.
pub const fn fits_table(columns: usize, controls: usize) -> bool {
    columns <= 7 && controls <= 10
}

/// So many columns are equally wide.
const EVEN: usize = 5;

/// A table of statements. With `is_cleared`, each has a button to clear it. `cells` draws the `td` cells of one.
pub fn table<'n>(
    cx: &InputCx,
    statements: &'n [Named],
    columns: &[&str],
    is_table: bool,
    is_cleared: bool,
    mut cells: impl FnMut(&'n Named) -> Markup,
) -> Markup {
    html! {
        // The group's own id, so that an error's link leads to it.
        div.grid.as-table[is_table].even[is_table && columns.len() <= EVEN] id=(cx.name) {
            table {
                thead {
                    tr {
                        td {}
                        @for column in columns { th scope="col" dir="auto" lang=[cx.owners_lang()] { (column) } }
                    }
                }
                tbody {
                    (inputs::rows(statements.iter().map(|statement| {
                        let path = format!(".{}", statement.api_code);
                        let fault = cx.fault_at(&path);
                        html! {
                            tr data-cell={ (cx.name) (path) } {
                                th scope="row" {
                                    span id={ (cx.name) (path) "-label" } dir="auto" lang=[cx.owners_lang()] { (statement.label) }
                                    @if is_cleared {
                                        @let name = format!("{}{path}", cx.name);
                                        (inputs::clear(cx, &name, Some(&format!("{name}-label"))))
                                    }
                                    (said(cx, &path, fault))
                                }
                                (cells(statement))
                            }
                        }
                    })))
                }
            }
        }
    }
}

/// The message at a path inside the value.
pub fn said(cx: &InputCx, path: &str, fault: Option<&str>) -> Markup {
    html! {
        @if let Some(fault) = fault { p.fault id={ (cx.name) (path) "-fault" } { (fault) } }
    }
}

/// The ids that describe a cell's control: those of the field, and that of the cell's own message.
pub fn described(cx: &InputCx, path: &str, fault: Option<&str>) -> Option<String> {
    let own = fault.map(|_| format!("{}{path}-fault", cx.name));
    let ids: Vec<&str> =
        [cx.described_by, own.as_deref().unwrap_or_default()].into_iter().filter(|id| !id.is_empty()).collect();
    (!ids.is_empty()).then(|| ids.join(" "))
}

/// The faults inside one cell, with paths relative to it.
pub fn faults_within(cx: &InputCx, path: &str) -> Vec<ShownFault> {
    let within = |fault: &ShownFault| {
        let rest = fault.path.strip_prefix(path)?;
        (rest.is_empty() || rest.starts_with(['.', '['])).then(|| ShownFault { path: rest.to_owned(), ..fault.clone() })
    };
    cx.faults.iter().filter_map(within).collect()
}

/// One cell that is a field of its own, with its label.
pub struct Cell<'a> {
    pub field: &'a Field,
    /// The cell's path in the value: `[2].field_1`, `.taste.field_2`.
    pub path: String,
    /// The name of its row, for screen readers.
    pub row: &'a str,
    /// Whether the owner wrote that name, rather than the service.
    pub is_row_owners: bool,
    /// The value in the write shape; `None` if nothing was given and the default shows.
    pub value: Option<&'a Json>,
    pub required: bool,
}

impl Cell<'_> {
    /// Draws label, notes, fault and control.
    pub fn draw(&self, cx: &InputCx) -> Markup {
        let name = format!("{}{}", cx.name, self.path);
        let faults = faults_within(cx, &self.path);
        let fault = faults.first().map(|fault| fault.text.as_str());
        let default = values::default_of(self.field, cx.cx);
        let label = format!("{} ({})", self.field.label, self.row);
        let limits = self.field.kind.limits(cx.texts, cx.cx);
        let wanted = self.field.format_hint();
        let described: Vec<String> = [
            self.field.notes.is_some().then(|| format!("{name}-notes")),
            fault.map(|_| format!("{name}-fault")),
            limits.is_some().then(|| format!("{name}-limits")),
            wanted.is_some().then(|| format!("{name}-wanted")),
        ]
        .into_iter()
        .flatten()
        .collect();
        let described = described.join(" ");
        let input = self.field.kind.input(&InputCx {
            name: &name,
            label: &label,
            value: self.value.unwrap_or(&default),
            required: self.required,
            placeholder: self.field.placeholder.as_deref(),
            invalid: fault.is_some(),
            faults: &faults,
            described_by: &described,
            ..*cx
        });
        let words = html! {
            bdi lang=[cx.owners_lang()] { (self.field.label) }
            span.visually-hidden { " (" bdi lang=[cx.owners_lang().filter(|_| self.is_row_owners)] { (self.row) } ")" }
            @if self.required { " " span.mark { (cx.texts.say("form-required")) } }
        };
        let rest = html! {
            @if let Some(notes) = &self.field.notes {
                div.notes.rich id={ (name) "-notes" } lang=[cx.owners_lang()] { (PreEscaped(notes)) }
            }
            (said(cx, &self.path, fault))
            @if let Some(wanted) = wanted {
                p.limits id={ (name) "-wanted" } lang=[cx.owners_lang()] { bdi { (wanted) } }
            }
            @if let Some(limits) = limits { p.limits id={ (name) "-limits" } { (limits) } }
            (input)
        };
        html! {
            div.cell.wrong[fault.is_some()] data-cell=(name) {
                @if self.field.kind.is_group() {
                    fieldset aria-describedby=[(!described.is_empty()).then_some(&described)] {
                        legend.cell-label { (words) }
                        (rest)
                    }
                } @else {
                    label.cell-label for=(name) { (words) }
                    (rest)
                }
            }
        }
    }
}
