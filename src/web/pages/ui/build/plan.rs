//! The plan of bookable times, and the variants of products: tables of small controls.

use maud::{Markup, Render, html};

use crate::web::pages::ui::build::panel::ACTION;
use crate::web::pages::ui::build::parts::act;

/// A control of a table.
#[derive(Default)]
pub struct Cell {
    pub name: String,
    pub label: String,
    pub value: String,
    /// The fault; empty if none.
    pub fault: String,
    /// The meaning of an empty value.
    pub blank: String,
}

impl Cell {
    fn draw(&self, kind: &str, mode: Option<&str>) -> Markup {
        let fault = (!self.fault.is_empty()).then(|| format!("{}-fault", self.name));
        // Text that is no time shows as it was typed.
        let is_time = kind == "time" && (self.value.is_empty() || is_clock(&self.value));
        html! {
            div.field.wrong[fault.is_some()] {
                input.input id=(self.name) name=(self.name) type=(if is_time { "time" } else { "text" }) value=(self.value)
                    inputmode=[mode] autocomplete="off" aria-label=(self.label) aria-describedby=[&fault]
                    placeholder=[(!self.blank.is_empty()).then_some(&self.blank)]
                    aria-invalid=[fault.is_some().then_some("true")];
                @if let Some(id) = &fault { p.fault id=(id) { (self.fault) } }
            }
        }
    }
}

fn is_clock(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 5 && bytes[2] == b':' && bytes.iter().enumerate().all(|(at, b)| at == 2 || b.is_ascii_digit())
}

/// The days of the week that can be booked, each with its places.
pub struct Week<'a> {
    pub name: &'a str,
    pub label: &'a str,
    pub notes: &'a str,
    /// The fault; empty if none.
    pub fault: String,
    /// From Monday on.
    pub days: Vec<Day>,
}

pub struct Day {
    /// The name of its tick.
    pub name: String,
    pub number: usize,
    pub label: String,
    pub is_open: bool,
    pub places: Cell,
}

impl Render for Week<'_> {
    fn render(&self) -> Markup {
        html! {
            fieldset.parts.plan-week id=(self.name) {
                legend { (self.label) }
                p.notes { (self.notes) }
                @if !self.fault.is_empty() { p.fault { (self.fault) } }
                @for day in &self.days {
                    div.week-day {
                        label.tick {
                            input name=(day.name) type="checkbox" value=(day.number) checked[day.is_open];
                            span { (day.label) }
                        }
                        (day.places.draw("text", Some("numeric")))
                    }
                }
            }
        }
    }
}

/// The times that can be booked.
pub struct Slots<'a> {
    pub name: &'a str,
    pub label: &'a str,
    pub notes: &'a str,
    /// The fault; empty if none.
    pub fault: String,
    pub rows: Vec<Slot>,
    /// A new one, for a script.
    pub template: Slot,
    /// The words of the buttons.
    pub add: &'a str,
    pub copy: &'a str,
    pub copy_workdays: &'a str,
    pub remove: &'a str,
}

pub struct Slot {
    pub prefix: String,
    pub code: String,
    /// The name of the day's control, its label and its fault.
    pub day: (String, String, String),
    /// Numbers and names of the days, and the chosen one.
    pub days: Vec<(usize, String, bool)>,
    pub from: Cell,
    pub to: Cell,
    pub places: Cell,
}

impl Render for Slots<'_> {
    fn render(&self) -> Markup {
        html! {
            fieldset.parts.plan-slots id=(self.name) data-parts=(self.name) {
                legend { (self.label) }
                p.notes { (self.notes) }
                @if !self.fault.is_empty() { p.fault { (self.fault) } }
                ol role="list" { @for slot in &self.rows { (self.row(slot)) } }
                template { (self.row(&self.template)) }
                div.row {
                    button.button.quiet.small type="submit" name=(ACTION) value={ (self.name) ".add" } data-add {
                        (self.add)
                    }
                    @if !self.rows.is_empty() {
                        (act(&format!("{}.workdays", self.name), self.copy_workdays))
                        (act(&format!("{}.week", self.name), self.copy))
                    }
                }
            }
        }
    }
}

impl Slots<'_> {
    fn row(&self, slot: &Slot) -> Markup {
        let (day, label, fault) = &slot.day;
        html! {
            li.part.slot {
                input type="hidden" name={ (slot.prefix) ".code" } value=(slot.code);
                select.input id=(day) name=(day) aria-label=(label) {
                    @for (number, name, is_chosen) in &slot.days {
                        option value=(number) selected[*is_chosen] { (name) }
                    }
                }
                @if !fault.is_empty() { p.fault { (fault) } }
                button.part-act type="submit" name=(ACTION) value={ (slot.prefix) ".remove" } title=(self.remove)
                    aria-label={ (self.remove) " " (slot.from.value) } { "×" }
                div.slot-times {
                    (slot.from.draw("time", None))
                    span aria-hidden="true" { "–" }
                    (slot.to.draw("time", None))
                    (slot.places.draw("text", Some("numeric")))
                }
            }
        }
    }
}

/// The variants of a product.
pub struct Variants<'a> {
    pub name: &'a str,
    pub label: &'a str,
    pub notes: &'a str,
    /// The fault; empty if none.
    pub fault: String,
    /// The headings: variant, price, stock.
    pub heads: [&'a str; 3],
    pub rows: Vec<Variant>,
    /// A button that draws the table again after its options changed.
    pub again: (String, &'a str),
}

pub struct Variant {
    pub label: String,
    /// Names and values of its options.
    pub options: Vec<(String, String)>,
    pub price: Cell,
    pub stock: Cell,
}

impl Render for Variants<'_> {
    fn render(&self) -> Markup {
        html! {
            fieldset.parts id=(self.name) data-fresh {
                legend { (self.label) }
                p.notes { (self.notes) }
                @if !self.fault.is_empty() { p.fault { (self.fault) } }
                @if !self.rows.is_empty() {
                    table.variants {
                        thead { tr { @for head in self.heads { th scope="col" { (head) } } } }
                        tbody {
                            @for row in &self.rows {
                                tr {
                                    th scope="row" {
                                        bdi { (row.label) }
                                        @for (name, value) in &row.options { input type="hidden" name=(name) value=(value); }
                                    }
                                    td { (row.price.draw("text", Some("decimal"))) }
                                    td { (row.stock.draw("text", Some("numeric"))) }
                                }
                            }
                        }
                    }
                }
                noscript { (act(&self.again.0, self.again.1)) }
            }
        }
    }
}
