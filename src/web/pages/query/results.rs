//! The results of a search: one table, which the stylesheet turns into cards on narrow screens. Its roles are named,
//! since browsers forget those of a table that is drawn otherwise.

use maud::{Markup, html};

use crate::fields::display::local_number;
use crate::fields::texts::rich_text;
use crate::ops::queries::export::{Format, MAX_ROWS};
use crate::ops::queries::search::ResultRow;
use crate::ops::queries::visit::Column;
use crate::web::pages::query::frame::{QueryPage, ShownResults};
use crate::web::pages::query::typed::Typed;
use crate::web::pages::query::{in_place, look, value};

/// Columns that fit beside each other on paper, and on any desk.
const FEW: usize = 4;
const MANY: usize = 6;

/// The results with all that belongs to them.
pub fn draw(page: &QueryPage, typed: &Typed, shown: &ShownResults) -> Markup {
    let texts = page.texts;
    let (rows, next) = (shown.rows, shown.next);
    let messages = &page.open.query.content.rules.messages;
    let said = if rows.is_empty() { &messages.no_result } else { &messages.has_result };
    let is_first = page.call.query("cursor").is_none_or(|it| it.is_empty());
    let with_search = |more: &str| {
        let parameters = typed.parameters();
        format!("{}?{parameters}&{more}", page.address())
    };
    let may_export = page.open.query.content.allow_to_export_results;
    html! {
        section.query-results aria-labelledby="results" {
            div.query-bar {
                h2 #results tabindex="-1" { (counted(page, shown.total)) }
                @if !rows.is_empty() && may_export && let Some(total) = shown.total {
                    (exports(page, typed, total))
                }
            }
            @if let Some(saved) = in_place::saved_elsewhere(page.call, page, rows) { (saved) }
            @if !said.trim().is_empty() && shown.total.is_some() {
                div.rich.query-said lang=[page.owners_lang()] { (rich_text::drawn(said)) }
            }
            @if !rows.is_empty() { (table(page, typed, shown)) }
            @if shown.total.is_none() {
                nav.row.query-pages aria-label=(texts.say("query-pages")) {
                    a.button.quiet href={ (in_place::address(page.call, typed, "")) "#results" } { (texts.say("query-all")) }
                }
            } @else if next.is_some() || !is_first {
                nav.row.query-pages aria-label=(texts.say("query-pages")) {
                    @if !is_first {
                        a.button.quiet href={ (page.search_address(typed)) "#results" } { (texts.say("query-first")) }
                    }
                    @if let Some(next) = next {
                        a.button.quiet rel="next" href={ (with_search(&format!("cursor={next}"))) "#results" } {
                            (texts.say("query-next"))
                        }
                    }
                }
            }
        }
    }
}

fn counted(page: &QueryPage, total: Option<i64>) -> String {
    let Some(total) = total else {
        return page.texts.say("query-edited-alone");
    };
    if total == 0 {
        return page.texts.say("query-none");
    }
    let shown = local_number::show(&total.to_string(), &page.open.form.locale);
    let args = [("count", total.into()), ("shown", shown.into())];
    page.texts.fill("query-count", &args)
}

fn exports(page: &QueryPage, typed: &Typed, total: i64) -> Markup {
    let texts = page.texts;
    if total > MAX_ROWS {
        let most = local_number::show(&MAX_ROWS.to_string(), &page.open.form.locale);
        return html! {
            p.muted.small { (texts.fill("query-export-many", &[("most", most.into())])) }
        };
    }
    html! {
        div.row.query-export {
            @for (name, format) in Format::ALL {
                @let word = match format { Format::Csv => "query-export-csv", Format::Xlsx => "query-export-xlsx" };
                a.button.quiet.small download href={ (page.address()) "/export?format=" (name) "&" (typed.parameters()) } {
                    (texts.say(word))
                }
            }
        }
    }
}

fn table(page: &QueryPage, typed: &Typed, shown: &ShownResults) -> Markup {
    let texts = page.texts;
    let columns = page.open.columns();
    let ordered = look::ordered(&columns);
    let may_edit = in_place::is_possible(page);
    let (word, edit) = (texts.say("query-open"), texts.say("query-edit"));
    let heading = if may_edit { texts.say("query-open-edit") } else { word.clone() };
    let is_many = columns.len() > MANY;
    let label = |column: &Column| column.label(texts);
    html! {
        div.table-wrap role=[is_many.then_some("region")] tabindex=[is_many.then_some("0")]
            aria-label=[is_many.then(|| texts.say("query-table"))] {
            table.results.few[columns.len() <= FEW] role="table" aria-labelledby="results" {
                thead role="rowgroup" {
                    tr role="row" {
                        @for (_, column, _) in &ordered {
                            th role="columnheader" scope="col" { bdi lang=[page.owners_lang()] { (label(column)) } }
                        }
                        th role="columnheader" scope="col" { span.visually-hidden { (heading) } }
                    }
                }
                tbody role="rowgroup" {
                    @for (number, row) in shown.rows.iter().enumerate() {
                        @let beside = shown.beside.filter(|beside| beside.entry == row.entry.token.as_str());
                        @let is_form = beside.is_some_and(|beside| beside.is_form);
                        tr class=[beside.map(|_| "has-beside")] role="row" {
                            @for (place, (at, column, class)) in ordered.iter().enumerate() {
                                @let value = row.values.get(*at).map(|it| value::draw(page, column, it));
                                @let content = html! {
                                    // Only seen: column headers say the same.
                                    span.cell-label aria-hidden="true" lang=[page.owners_lang()] { bdi { (label(column)) } }
                                    div.cell-value { (value.unwrap_or_default()) }
                                };
                                @let class = class.as_ref().map(|class| format!("marked {class}"));
                                @if place == 0 {
                                    th role="rowheader" scope="row" class=[class] id={ "row-" (number) } { (content) }
                                } @else {
                                    td role="cell" class=[class] { (content) }
                                }
                            }
                            td.cell-link role="cell" {
                                div.cell-links {
                                    a.button.quiet.small id={ "open-" (number) } href=(view(page, typed, row))
                                        aria-labelledby={ "open-" (number) " row-" (number) } { (word) }
                                    @if may_edit && !is_form {
                                        a.button.quiet.small id={ "edit-" (number) } href=(edit_address(page, typed, row))
                                            aria-labelledby={ "edit-" (number) " row-" (number) } { (edit) }
                                    }
                                }
                            }
                        }
                        @if let Some(beside) = beside {
                            tr.beside role="row" {
                                td role="cell" colspan=(ordered.len() + 1) { (beside.content) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The address of the results with a row's form in them.
fn edit_address(page: &QueryPage, typed: &Typed, row: &ResultRow) -> String {
    let more = format!("{}={}#edit", in_place::EDIT, row.entry.token);
    in_place::address(page.call, typed, &more)
}

/// The address of a row's own page, which knows the way back to the search.
fn view(page: &QueryPage, typed: &Typed, row: &ResultRow) -> String {
    let base = page.call.app.config.base_path();
    let parameters = typed.parameters();
    format!("{base}{}&{parameters}", row.view)
}
