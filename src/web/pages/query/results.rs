//! What a search found: one table, which the stylesheet turns into cards on narrow screens. Its roles are named, since
//! browsers forget those of a table that is drawn otherwise.

use maud::{Markup, html};

use crate::fields::local_number;
use crate::fields::rich_text;
use crate::ops::public_queries::export::{Format, MAX_ROWS};
use crate::ops::public_queries::search::{Results, Row};
use crate::ops::public_queries::visit::Column;
use crate::web::pages::query::frame::QueryPage;
use crate::web::pages::query::typed::Typed;
use crate::web::pages::query::{look, value};

/// Columns that fit beside each other on paper, and on any desk.
const FEW: usize = 4;
const MANY: usize = 6;

/// The results with all that belongs to them; `next` is the cursor of the next page.
pub fn draw(
    page: &QueryPage,
    typed: &Typed,
    found: &Results,
    rows: &[Row],
    next: Option<&str>,
) -> Markup {
    let texts = page.texts;
    let total = found.page.total;
    let messages = &page.open.query.content.rules.messages;
    let said = if rows.is_empty() {
        &messages.no_result
    } else {
        &messages.has_result
    };
    let is_first = page.call.query("cursor").is_none_or(|it| it.is_empty());
    let with_search = |more: &str| {
        let parameters = typed.parameters();
        format!("{}?{parameters}&{more}", page.address())
    };
    html! {
        section.query-results aria-labelledby="results" {
            div.query-bar {
                h2 #results tabindex="-1" { (counted(page, total)) }
                @if !rows.is_empty() && page.open.query.content.allow_to_export_results {
                    (exports(page, typed, total))
                }
            }
            @if !said.trim().is_empty() {
                div.rich.query-said lang=[page.owners_lang()] { (rich_text::drawn(said)) }
            }
            @if !rows.is_empty() { (table(page, typed, rows)) }
            @if next.is_some() || !is_first {
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

fn counted(page: &QueryPage, total: i64) -> String {
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

fn table(page: &QueryPage, typed: &Typed, rows: &[Row]) -> Markup {
    let texts = page.texts;
    let columns = page.open.columns();
    let ordered = look::ordered(&columns);
    let may_edit = rows.iter().any(|row| row.edit_token.is_some());
    let word = texts.say(if may_edit {
        "query-open-edit"
    } else {
        "query-open"
    });
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
                        th role="columnheader" scope="col" { span.visually-hidden { (word) } }
                    }
                }
                tbody role="rowgroup" {
                    @for (number, row) in rows.iter().enumerate() {
                        tr role="row" {
                            @for (place, (at, column, class)) in ordered.iter().enumerate() {
                                @let shown = row.values.get(*at).map(|it| value::draw(page, column, it));
                                @let content = html! {
                                    // Only seen: column headers say the same.
                                    span.cell-label aria-hidden="true" lang=[page.owners_lang()] { bdi { (label(column)) } }
                                    div.cell-value { (shown.unwrap_or_default()) }
                                };
                                @let class = class.as_ref().map(|class| format!("marked {class}"));
                                @if place == 0 {
                                    th role="rowheader" scope="row" class=[class] id={ "row-" (number) } { (content) }
                                } @else {
                                    td role="cell" class=[class] { (content) }
                                }
                            }
                            td.cell-link role="cell" {
                                a.button.quiet.small id={ "open-" (number) } href=(view(page, typed, row))
                                    aria-labelledby={ "open-" (number) " row-" (number) } { (word) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The address of a row's own page, which knows the way back to the search.
fn view(page: &QueryPage, typed: &Typed, row: &Row) -> String {
    let base = page.call.app.config.base_path();
    let parameters = typed.parameters();
    format!("{base}{}&{parameters}", row.view)
}
