//! `/forms/{form_token}/entries`: a form's entries as a table, and each of them on its own page.

pub mod address;
pub mod bulk;
pub mod chosen;
mod columns;
pub mod conditions;
pub mod editor;
pub mod entry;
pub mod import;
mod keys;
mod narrowed;
pub mod print;
pub mod sent_conditions;
pub mod state;
pub mod subjects;
pub mod trash;
mod value;
pub mod views;
mod whole;

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::error::{Error, Result};
use crate::base::issue::Issues;
use crate::model::caller::Caller;
use crate::ops::entries::entry_lists::{self, ListRequest, Listed};
use crate::ops::entries::shown_answers::EntryColumn;
use crate::web::pages::console;
use crate::web::pages::console::entries::address::ListAddress;
use crate::web::pages::console::entries::columns::ShownColumns;
use crate::web::pages::console::entries::conditions::FilterBar;
use crate::web::pages::console::entries::views::ViewBar;
use crate::web::pages::console::form_frame::{FormFrame, FormPage};
use crate::web::pages::console::jobs as job_page;
use crate::web::pages::console::widgets;
use crate::web::pages::console::{bookings, checkin};
use crate::web::pages::ui::button::{Button, Press};
use crate::web::pages::ui::entries::beside::EntryBeside;
use crate::web::pages::ui::entries::selection::{NewEntries, SelectMode, Selection, hidden_ticks, tick};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::head::PageHead;
use crate::web::pages::ui::layout::Page;
use crate::web::pages::ui::menu::{Menu, MenuItem};
use crate::web::pages::ui::notice::{Notice, Tone, message};
use crate::web::pages::ui::section::{EmptyState, Section};
use crate::web::pages::ui::table::{Column, Direction, Holds, Narrow, PageLink, Pager, Sort, Table};
use crate::web::pages::ui::toolbar::{Search, Toolbar};
use crate::web::request::call::Call;
use crate::web::request::paging::PagedList;
use crate::web::request::reply::{Answer, Reply};
use crate::web::request::session;

/// `GET /forms/{form_token}/entries`
pub fn show(call: &Call, caller: &Caller) -> Result<Reply> {
    let frame = FormFrame::load(call, caller)?;
    let rows = sent_conditions::of_rows(&frame);
    let address = ListAddress::of(call, rows.as_ref().map(|sent| sent.filters.clone()));
    let page = EntriesPage { address, frame };
    if let Some(sent) = rows {
        // One list has one address, however it was asked for.
        let list = format!("/forms/{}/entries", page.token());
        let to = page.address.leads(&list, &sent.adds().collect::<Vec<_>>(), &[]);
        return Ok(session::to_page(&call.app.config, &to).into());
    }
    if let Some(more) = columns::sent(call) {
        let list = format!("/forms/{}/entries", page.token());
        let more: Vec<(&str, &str)> = more.iter().map(|(name, value)| (*name, value.as_str())).collect();
        return Ok(session::to_page(&call.app.config, &page.address.leads(&list, &more, &[])).into());
    }
    if let Some(cell) = call.query("cell") {
        let to = narrowed::address(&page.frame, &page.address, &cell)?;
        return Ok(session::to_page(&call.app.config, &to).into());
    }
    let read = page.read();
    Ok(page.answer(read)?.into())
}

struct EntriesPage<'a> {
    frame: FormFrame<'a>,
    address: ListAddress,
}

/// A page of the list, with the cursors beside it.
struct Found {
    listed: Listed,
    next: Option<String>,
    previous: Option<String>,
    last: Option<String>,
}

impl EntriesPage<'_> {
    fn read(&self) -> Result<Found> {
        let (call, caller) = (self.frame.call, self.frame.caller);
        let (filter, (order, descending)) = (self.address.filter()?, self.address.order()?);
        let list = PagedList::of_query(call, caller, &self.address.bound());
        let list = list.page(Some(caller.user.preferences.rows), call.query("cursor"));
        let request = ListRequest { filter, order, descending, fields: None, page: list.request()? };
        let listed = entry_lists::live(call.app, caller, self.token(), request, Issues::new())?.wait()?;
        let (next, previous) = (list.next_cursor(&listed.page), list.previous_cursor(listed.previous.as_deref()));
        let last = list.previous_cursor(next.as_ref().map(|_| entry_lists::LAST_PAGE));
        Ok(Found { listed, next, previous, last })
    }

    fn token(&self) -> &str {
        self.frame.view.form.token.as_str()
    }

    /// The page; faults of the address are shown above an empty list.
    fn answer(&self, read: Result<Found>) -> Result<Answer> {
        let frame = &self.frame;
        let (mut faults, mut is_opening) = (Vec::new(), false);
        let (status, content) = match read {
            Ok(found) => {
                let open = frame.call.query("open").and_then(|serial| serial.parse::<i64>().ok());
                is_opening = found.listed.page.rows.iter().any(|entry| Some(entry.serial) == open);
                (StatusCode::OK, self.list(&found)?)
            }
            Err(Error::BadRequest(text)) => (StatusCode::BAD_REQUEST, self.refused(&frame.texts.phrase(&text))),
            Err(Error::Invalid(issues)) => {
                let told = frame.told(&issues);
                faults = issues;
                (StatusCode::UNPROCESSABLE_ENTITY, self.refused(&told))
            }
            Err(other) => return Err(other),
        };
        let heading = frame.say("forms-entries");
        let title = frame.title(&heading);
        let views = ViewBar { frame, address: &self.address, path: "entries", more: &[], has_acts: true }.draw()?;
        let content = html! {
            (frame.head(FormPage::Entries, true))
            (job_page::open_jobs(frame)?)
            (self.done())
            (self.unfiltered())
            (views)
            (self.toolbar())
            (conditions::draw(&FilterBar::of(frame, &self.address, "entries"), &faults))
            (content)
            (keys::of_list(frame))
            (EntryBeside {
                title: &frame.say("entries-beside"),
                whole: &frame.say("entries-beside-whole"),
                close: &frame.say("keys-close"),
                divider: &frame.say("entries-beside-divider"),
                wider: &frame.say("entries-beside-wider"),
                narrower: &frame.say("entries-beside-narrower"),
                is_opening,
            })
        };
        let page = console::page(frame.call, &frame.caller.user, &frame.csrf, frame.texts, &title);
        let page = page.script("entries.js").script("columns.js").script("widths.js").script("conditions.js").framing();
        Ok(page.answer(status, &content))
    }

    /// A notice of the last action, with a link to undo it.
    fn done(&self) -> Markup {
        let frame = &self.frame;
        let given = frame.call.query("trashed").unwrap_or_default();
        let serials: Vec<i64> = given.split(',').filter_map(|serial| serial.parse().ok()).collect();
        if !frame.may_change_entries() || given.is_empty() {
            return Markup::default();
        }
        let title = match serials.as_slice() {
            [] => return message(Tone::Warn, &frame.say("entries-none-chosen"), ""),
            [serial] => frame.texts.fill("entries-trashed", &[("serial", (*serial).into())]),
            several => frame.texts.fill("entries-trashed-many", &[("count", several.len().into())]),
        };
        let undo = Button::quiet(&frame.say("entries-undo")).render();
        Notice {
            tone: Tone::Good,
            title: &title,
            text: "",
            content: PostForm {
                action: &self.address.leads(&frame.address("trash/chosen"), &[], &[]),
                csrf: &frame.csrf,
                content: html! { (hidden_ticks(&serials)) (undo) },
                ..PostForm::default()
            }
            .render(),
        }
        .render()
    }

    /// The actions on ticked entries, of which there are `total` on all pages.
    fn selection(&self, total: i64, shown: usize) -> Markup {
        let frame = &self.frame;
        let may_change = frame.may_change_entries();
        let (trash, print) = (frame.say("entries-to-trash"), frame.say("entries-print"));
        let files = [("csv", "CSV"), ("xlsx", "Excel")]
            .map(|(act, format)| (act, frame.texts.fill("entries-export-as", &[("format", format.into())])));
        let set = frame.say("entries-set");
        let changes = [("set", set.as_str()), ("trash", trash.as_str())];
        let changes = changes.into_iter().filter(|_| may_change);
        let everything = frame.texts.fill("entries-everything", &[("count", total.into())]);
        let bulk = self.address.leads(&frame.address("entries/bulk"), &[], &[]);
        let has_more = may_change && usize::try_from(total).is_ok_and(|total| total > shown);
        let acts = files.iter().map(|(act, label)| (*act, label.as_str())).chain([("print", print.as_str())]);
        Selection {
            action: &self.address.leads(&frame.address("entries/chosen"), &[], &[]),
            csrf: &frame.csrf,
            label: &frame.say("entries-chosen"),
            count: &frame.say("entries-chosen-count"),
            all: &frame.say("entries-choose-all"),
            everything: has_more.then_some((&bulk, &everything)),
            acts: acts.chain(changes).collect(),
        }
        .render()
    }

    /// Asks for entries that came after those on the page.
    fn new_entries(&self, found: &Found) -> Markup {
        let frame = &self.frame;
        let list = self.address.leads(&frame.address("entries"), &[], &[]);
        let (after, since) = (found.listed.newest.to_string(), frame.call.now.millis().to_string());
        NewEntries {
            state: &self.address.leads(
                &frame.address("entries/state"),
                &[("after", &after), ("since", &since)],
                &["columns", "freeze", "sort"],
            ),
            list: &list,
            show: &frame.say("entries-show-new"),
            changed: &frame.say("entries-changed-since"),
        }
        .render()
    }

    /// A notice that a column can't be filtered whose cell was to narrow the list.
    fn unfiltered(&self) -> Markup {
        let frame = &self.frame;
        let name = frame.call.query(narrowed::UNFILTERED).unwrap_or_default();
        let Some(column) = narrowed::column(frame, &name) else {
            return Markup::default();
        };
        let text = frame
            .texts
            .fill("entries-unfiltered", &[("column", widgets::isolated(&columns::label(frame, &column)).into())]);
        message(Tone::Warn, &text, "")
    }

    fn refused(&self, told: &str) -> Markup {
        let frame = &self.frame;
        let all = Button {
            label: &frame.say("entries-show-all"),
            press: Press::Go(&frame.address("entries")),
            ..Button::default()
        };
        Notice { tone: Tone::Bad, title: &frame.say("entries-refused"), text: told, content: all.render() }.render()
    }

    /// The search, and the actions on the whole list.
    fn toolbar(&self) -> Markup {
        let frame = &self.frame;
        let list = frame.address("entries");
        let search = Search {
            action: &list,
            name: "keyword",
            label: &frame.say("entries-search"),
            value: &self.address.keyword,
            button: &frame.say("linked-search"),
            kept: self.address.pairs_without(&["keyword"]),
            narrowing: Markup::default(),
        };
        let formats = [("csv", "CSV"), ("xlsx", "Excel"), ("json", "JSON")];
        let files = formats.map(|(format, label)| {
            (
                self.address.leads(
                    &frame.address("entries/export"),
                    &[("format", format)],
                    &["columns", "freeze", "sort"],
                ),
                label,
            )
        });
        let export = Menu {
            id: "export",
            label: &frame.say("entries-export"),
            about: Markup::default(),
            items: files.iter().map(|(address, label)| MenuItem::Go { address, label }).collect(),
        };
        let trash = Button {
            label: &frame.say("entries-trash"),
            press: Press::Go(&frame.address("trash")),
            is_small: true,
            ..Button::default()
        };
        let report = self.address.leads(&frame.address("report"), &[], &["columns", "freeze", "sort"]);
        let report = Button {
            label: &frame.say("report-title"),
            press: Press::Go(&report),
            is_small: true,
            ..Button::default()
        };
        // The tab leads to the report of all.
        let report = if self.address.is_all() { Markup::default() } else { report.render() };
        let add = self.address.leads(&frame.address("entries/new"), &[], &[]);
        let add =
            Button { label: &frame.say("editing-add"), press: Press::Go(&add), is_small: true, ..Button::default() };
        let import = Button {
            label: &frame.say("import"),
            press: Press::Go(&frame.address("entries/import")),
            is_small: true,
            ..Button::default()
        };
        let add = if frame.may_change_entries() {
            html! { (add) (import) }
        } else {
            Markup::default()
        };
        Toolbar {
            start: search.render(),
            end: html! { (add) (bookings::link(frame)) (checkin::link(frame)) (report) (export) (trash) },
        }
        .render()
    }

    fn list(&self, found: &Found) -> Result<Markup> {
        let frame = &self.frame;
        let Listed { page, warnings, .. } = &found.listed;
        let list = frame.address("entries");
        let is_all = self.address.is_all();
        let all = frame.view.form.entries_count;
        let count = match is_all {
            true => frame.texts.fill("entries-count", &[("count", page.total.into())]),
            false => frame.texts.fill("entries-found", &[("count", page.total.into()), ("all", all.into())]),
        };
        let page_at = |cursor: &Option<String>| {
            cursor.as_ref().map(|cursor| self.address.leads(&list, &[("cursor", cursor)], &[]))
        };
        let (previous, next, last) = (page_at(&found.previous), page_at(&found.next), page_at(&found.last));
        let first = previous.as_ref().map(|_| self.address.leads(&list, &[], &[]));
        let words = ["first", "before", "after", "last"].map(|which| frame.say(&format!("entries-page-{which}")));
        let [to_first, to_previous, to_next, to_last] = &words;
        let none = if is_all { frame.say("entries-none") } else { frame.say("entries-none-found") };
        let shown = ShownColumns::of(frame, &self.address.columns);
        Ok(html! {
            @for warning in warnings { (message(Tone::Warn, &warning.to_string(), "")) }
            (Section {
                id: "entries",
                title: html! { (count) },
                content: html! {
                    @if page.rows.is_empty() {
                        (EmptyState { text: &none, actions: self.empty_actions(is_all) })
                    } @else {
                        (self.new_entries(found))
                        (SelectMode { label: &frame.say("entries-select"), done: &frame.say("entries-select-done") })
                        div #column-choice { (columns::choice(frame, &self.address, &shown)) }
                        @if shown.is_cut { (message(Tone::Note, &frame.say("entries-columns-cut"), "")) }
                        (self.table(found, &shown, &frame.say("forms-entries"))?)
                        (self.selection(page.total, page.rows.len()))
                    }
                    (Pager {
                        first: first.as_deref().map(|address| PageLink { address, label: to_first }),
                        previous: previous.as_deref().map(|address| PageLink { address, label: to_previous }),
                        next: next.as_deref().map(|address| PageLink { address, label: to_next }),
                        last: last.as_deref().map(|address| PageLink { address, label: to_last }),
                    })
                },
                ..Section::default()
            })
        })
    }

    fn empty_actions(&self, is_all: bool) -> Markup {
        let (page, words) = if is_all { ("share", "forms-share") } else { ("entries", "entries-show-all") };
        let go = |words: &str, page: &str| {
            let (label, address) = (self.frame.say(words), self.frame.address(page));
            Button { label: &label, press: Press::Go(&address), ..Button::default() }.render()
        };
        let may_add = is_all && self.frame.may_change_entries();
        html! { (go(words, page)) @if may_add { (go("editing-add", "entries/new")) (go("import", "entries/import")) } }
    }

    fn table(&self, found: &Found, shown: &ShownColumns, caption: &str) -> Result<Markup> {
        let frame = &self.frame;
        let chosen = &shown.columns;
        let list = frame.address("entries");
        let Listed { shape, page, .. } = &found.listed;
        let cx = shape.cx(frame.call.now);
        let by_number = self.address.sorted_by(&list, "serial_number", true);
        let sorts: Vec<Option<(String, Option<Direction>)>> = std::iter::once(Some(by_number))
            .chain(chosen.iter().map(|column| {
                let is_largest_first = matches!(column, EntryColumn::System(_));
                column.is_sorted().then(|| self.address.sorted_by(&list, column.name(), is_largest_first))
            }))
            .collect();
        let number = frame.say("system-serial-number");
        let labels: Vec<String> =
            std::iter::once(number).chain(chosen.iter().map(|it| columns::label(frame, it))).collect();
        let holds = std::iter::once(Holds::Text).chain(chosen.iter().map(value::holds));
        let names = std::iter::once(narrowed::SERIAL).chain(chosen.iter().map(EntryColumn::name));
        let columns = labels.iter().zip(names).zip(holds).zip(&sorts).enumerate();
        let columns = columns.map(|(at, (((heading, name), holds), sort))| Column {
            heading,
            name,
            holds,
            sort: sort.as_ref().map(|(address, direction)| Sort { address, direction: *direction }),
            // The number stands before the chosen ones.
            width: at.checked_sub(1).map(|at| shown.width(at)).unwrap_or_default(),
            is_frozen: shown.frozen > 0 && at <= shown.frozen,
        });
        let rows = page.rows.iter().map(|entry| {
            let cells = shape.cells(entry, chosen, &cx)?;
            let address = self.address.leads(&frame.address(&format!("entries/{}", entry.serial)), &[], &[]);
            let label = frame.texts.fill("entries-choose", &[("serial", entry.serial.into())]);
            let first = html! { (tick(entry.serial, &label)) a href=(address) { (entry.serial) } };
            let others = chosen.iter().zip(&cells).map(|(column, cell)| {
                cell.as_ref().map(|cell| value::short(frame, column, cell, &cx)).unwrap_or_default()
            });
            Ok(std::iter::once(first).chain(others).collect())
        });
        let rows = rows.collect::<Result<Vec<Vec<Markup>>>>()?;
        Ok(Table { caption, columns: columns.collect(), rows, narrow: Narrow::Scroll }.render())
    }
}

/// A page about an entry; beside the table it has neither the navigation nor the form's head.
fn page_of_entry<'a>(frame: &'a FormFrame, title: &'a str) -> Page<'a> {
    let call = frame.call;
    if address::is_framed(call) {
        return console::framed_page(call, frame.texts, title).liked(frame.caller.user.preferences);
    }
    console::page(call, &frame.caller.user, &frame.csrf, frame.texts, title)
}

/// The head of such a page, with the way back to where it was opened.
fn head_of_entry(frame: &FormFrame, head: PageHead) -> Markup {
    let is_framed = address::is_framed(frame.call);
    html! {
        @if !is_framed { (frame.head(FormPage::Entries, false)) }
        (head)
    }
}
