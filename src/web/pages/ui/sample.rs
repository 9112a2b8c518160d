//! A page of all parts with their states, for tests only: the browser tests look at it in every light. It is in the
//! tree, so that they need no address of the program, and a change of a part is seen in the change of a file.

use std::fs;
use std::path::Path;

use maud::{Markup, Render, html};
use warp::http::StatusCode;

use crate::base::config::Config;
use crate::base::text::texts;
use crate::web::assets;
use crate::web::pages::ui::button::{Button, Press, Weight};
use crate::web::pages::ui::chip::Chip;
use crate::web::pages::ui::copyable::Copyable;
use crate::web::pages::ui::dialog::Dialog;
use crate::web::pages::ui::entries::answers::{self, Answers, FileLink};
use crate::web::pages::ui::entries::sample as entries_sample;
use crate::web::pages::ui::field::{Choice, FileField, LineField, SelectField, TickField, line_field};
use crate::web::pages::ui::form::PostForm;
use crate::web::pages::ui::form_head::{FormHead, Tab};
use crate::web::pages::ui::forms::sample as forms_sample;
use crate::web::pages::ui::head::{Back, PageHead, PlainCard};
use crate::web::pages::ui::layout::{Page, PageShape};
use crate::web::pages::ui::list::{Row, list, plain_list};
use crate::web::pages::ui::menu::{Menu, MenuItem};
use crate::web::pages::ui::notice::{Notice, Summary, SummaryLine, Tone};
use crate::web::pages::ui::queries::sample as queries_sample;
use crate::web::pages::ui::report::sample as report_sample;
use crate::web::pages::ui::section::{Disclosure, EmptyState, Question, Section};
use crate::web::pages::ui::sign::Sign;
use crate::web::pages::ui::site_head::{SiteHead, SiteLink};
use crate::web::pages::ui::table::{Column, Direction, Holds, Narrow, PageLink, Pager, Sort, Table};
use crate::web::pages::ui::toolbar::{Search, Toolbar};
use crate::web::pages::ui::words::{self, code, facts, muted, row, small};

const PLACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/console/parts.html");
const TONES: [(Tone, &str); 4] =
    [(Tone::Note, "Not published"), (Tone::Good, "Open"), (Tone::Warn, "Closes today"), (Tone::Bad, "Full")];
const LONG: &str = "How did you like the lectures on the difference engine this spring, and Donaudampfschifffahrt?";

#[test]
fn the_page_of_parts_is_up_to_date() {
    let drawn = page();
    let kept = fs::read_to_string(Path::new(PLACE)).unwrap_or_default();
    if drawn != kept {
        fs::write(PLACE, drawn).expect("the page can be written");
        panic!("{PLACE} was not up to date, and is now: look at it with the browser tests");
    }
}

/// Each file that it loads is beside it.
fn page() -> String {
    let config = Config::sample(Path::new("/nowhere"), "https://forms.example");
    let texts = texts::texts("en");
    let header = SiteHead {
        label: "Account",
        home: "#forms".to_owned(),
        picture: assets::address(&config, "icon.svg"),
        links: ["Forms", "People", "Profile"]
            .map(|label| SiteLink { address: format!("#{label}"), label, is_here: label == "Forms" })
            .into(),
        find: "Go to",
        account: "ada.lovelace@example.com",
        csrf: "x",
        sign_out_address: "#sign-out".to_owned(),
        sign_out: "Sign out",
    };
    let content = html! {
        (form_head())
        (head())
        (notices())
        (buttons())
        (fields())
        (toolbar())
        (tables())
        (forms_sample::folders(section("side", "Folders", folders())))
        (section("columns", "Choice of columns", entries_sample::columns(LONG)))
        (lists())
        (details())
        (entry())
        (questions())
        (report_sample::cards(LONG))
        (queries_sample::editor(LONG, &assets::address(&config, "icon.svg")))
    };
    let page = Page::new(&config, texts, PageShape::Console, "Parts").header(header.render());
    let page = page.script("copy.js").script("password.js");
    let answer = page.answer(StatusCode::OK, &content);
    let text = String::from_utf8(answer.body.to_vec()).expect("a text");
    let text = text.replace(&assets::address(&config, ""), "");
    // Where a line ends means nothing before these.
    ["<link", "<body", "<section", "<li", "<tr", "<dialog", "<div class=\"card"]
        .iter()
        .fold(text, |text, tag| text.replace(&format!(">{tag}"), &format!(">\n{tag}")))
        + "\n"
}

fn button(label: &str, weight: Weight) -> Markup {
    Button { label, weight, ..Button::default() }.render()
}

fn section(id: &str, title: &str, content: Markup) -> Markup {
    Section { id, title: html! { (title) }, content, ..Section::default() }.render()
}

fn form_head() -> Markup {
    let tab = |label, count: &str| Tab {
        address: format!("#{label}"),
        label,
        count: count.to_owned(),
        is_here: label == "Entries",
        is_second: label == "Settings",
    };
    let (name, rename) = forms_sample::name(LONG);
    FormHead {
        back: Back { address: "#forms", label: "Forms" },
        name,
        full_name: LONG,
        rename,
        is_title: false,
        chips: Chip { tone: Tone::Good, text: "Open" }.render(),
        menu: Some(Menu {
            id: "form-more",
            label: "More",
            about: Markup::default(),
            items: vec![MenuItem::Go { address: "#history", label: "History" }],
        }),
        more: "More",
        label: "Pages of this form",
        skip: "Skip the pages of this form",
        tabs: vec![tab("Entries", "12480"), tab("Share", ""), tab("Settings", "")],
    }
    .render()
}

fn head() -> Markup {
    PageHead {
        back: Some(Back { address: "#forms", label: "All forms" }),
        title: html! { "Summer party" },
        lead: html! { "What a page is about, in one sentence." },
        actions: html! { (button("Publish", Weight::Main)) (menu("head-menu", "More")) },
        ..PageHead::default()
    }
    .render()
}

fn notices() -> Markup {
    html! {
        (Summary {
            title: "Check the highlighted fields",
            lines: vec![
                SummaryLine { field: "wrong", text: "Email: enter an address, such as ann@example.org".to_owned() },
                SummaryLine { field: "", text: "The form has too many fields".to_owned() },
            ],
        })
        @for (tone, title) in TONES {
            (Notice { tone, title, text: "What it means, and what to do about it.", ..Notice::default() })
        }
        (Notice {
            tone: Tone::Bad,
            title: "Not saved: no connection",
            content: row(button("Try again", Weight::Quiet)),
            ..Notice::default()
        })
    }
}

fn buttons() -> Markup {
    let weights = [
        (Weight::Main, "Save"),
        (Weight::Quiet, "Cancel"),
        (Weight::Danger, "Delete the form"),
        (Weight::Sure, "Delete 412 entries"),
    ];
    let small =
        |label, weight| Button { label, weight, is_small: true, about: html! { "of Ada" }, ..Button::default() };
    let content = html! {
        (row(html! { @for (weight, label) in weights { (button(label, weight)) } }))
        (row(html! { @for (weight, label) in weights { (small(label, weight)) } }))
        (row(html! {
            (Button { label: "A link", press: Press::Go("link"), ..Button::default() })
            (Button { label: "A dialog", press: Press::Open("dialog"), ..Button::default() })
            (menu("menu", "A menu"))
        }))
        (row(html! { @for (tone, text) in TONES { (Chip { tone, text }) } }))
    };
    html! {
        (section("buttons", "Buttons and chips", content))
        (Dialog {
            id: "dialog",
            title: html! { "Move 412 entries to the trash?" },
            content: html! { p { "They can be restored for 30 days." } },
            actions: html! {
                (button("Move 412 entries", Weight::Sure))
                (Button { label: "Cancel", press: Press::Close("dialog"), ..Button::default() })
            },
        })
    }
}

fn menu(id: &str, label: &str) -> Markup {
    Menu {
        id,
        label,
        about: html! { "for Summer party" },
        items: vec![
            MenuItem::Go { address: "link", label: "Link" },
            MenuItem::Go { address: "share", label: "Share" },
            MenuItem::Post { action: "#copy", csrf: "x", label: "Make a copy" },
        ],
    }
    .render()
}

fn fields() -> Markup {
    let texts = texts::texts("en");
    let line = |name, label, value| LineField { name, label, value, ..LineField::default() };
    let choices =
        |chosen: &str| ["Viewer", "Editor", "Manager"].map(|label| Choice::new(label, label, label == chosen)).into();
    let password = LineField {
        kind: "password",
        autocomplete: "current-password",
        reveal: Some(texts),
        ..line("secret", "Password", "eleven kettles")
    };
    let notes = "Used for dates and times in new forms.";
    let fault = "Enter an email address, such as ann@example.org";
    let content = html! {
        (line_field(&LineField { notes, ..line("plain", "Name", "Ada Lovelace") }))
        (line_field(&LineField { notes, fault, kind: "email", autocomplete: "username", ..line("wrong", "Email", "ada") }))
        (line_field(&password))
        (line_field(&line("long", LONG, "")))
        (SelectField { id: "one", name: "one", label: "Role", choices: choices("Editor"), ..SelectField::default() })
        (TickField { name: "several", label: "Permissions", fault: "", choices: choices("Viewer") })
        (TickField { name: "several-wrong", label: "Permissions", fault: "Choose at least one", choices: choices("") })
        (FileField { name: "picture", label: "Picture", notes: "PNG or JPEG, up to 5 MB.", fault: "", accept: "image/png" })
        (button("Save", Weight::Main))
    };
    section("fields", "Fields", PostForm { csrf: "x", content, ..PostForm::default() }.render())
}

fn folders() -> Markup {
    let folder = |name: &str| Row {
        details: html! { a href="#folder" { (words::name(name)) } },
        facts: vec![html! { "3 forms" }],
        ..Row::default()
    };
    let field = LineField { name: "folder", label: "Folder name", ..LineField::default() };
    let form = |id| html! { (line_field(&LineField { id, ..field })) (button("Save", Weight::Quiet)) };
    html! {
        (list(["Events of the society", "2026"].map(folder)))
        (Disclosure { summary: "New folder", is_open: false, content: form("closed") })
        (Disclosure { summary: "Rename folder", is_open: true, content: form("open") })
    }
}

fn toolbar() -> Markup {
    let search = Search {
        action: "#search",
        name: "find",
        label: "Find a form by name",
        value: "",
        button: "Find",
        kept: vec![("folder", "x".to_owned())],
        narrowing: SelectField {
            id: "narrow",
            name: "folder",
            label: "Folder",
            choices: ["No folder", "Events of the society / 2026"].map(|name| Choice::new(name, name, false)).into(),
            about: html! { "of forms" },
        }
        .render(),
    };
    let end = html! { (button("Export", Weight::Quiet)) (button("Import", Weight::Quiet)) };
    Toolbar { start: search.render(), end }.render()
}

fn tables() -> Markup {
    let sort = |direction| Some(Sort { address: "#sort", direction });
    let columns = vec![
        Column { heading: "Form", sort: sort(Some(Direction::Ascending)), ..Column::default() },
        Column { heading: "Entries", holds: Holds::Numbers, sort: sort(None), ..Column::default() },
        Column { heading: "Last entry", ..Column::default() },
        Column { heading: "Role", ..Column::default() },
        Column { heading: "Actions", holds: Holds::Actions, ..Column::default() },
    ];
    let name = |text: &str| html! { a href="#form" { (words::name(text)) } };
    let cells = |at: usize, name: Markup, count: &str, last: &str, role: &str| {
        let actions = menu(&format!("row-{at}"), "Actions");
        vec![name, html! { (count) }, html! { @if !last.is_empty() { time { (last) } } }, html! { (role) }, actions]
    };
    let chip = |(tone, text)| html! { " " (Chip { tone, text }) };
    let forms = Table {
        caption: "3 forms",
        columns,
        rows: vec![
            cells(0, html! { (name("Summer party")) (chip(TONES[1])) }, "1,204", "2026-11-28 09:14", "Yours"),
            cells(1, html! { (name(LONG)) (chip(TONES[3])) }, "98", "2026-11-02 17:40", "Manager"),
            cells(2, html! { (name("Guest book")) (chip(TONES[0])) }, "0", "", "Viewer"),
        ],
        narrow: Narrow::Stack,
    };
    let headings: Vec<String> = (1..=9).map(|n| format!("Question number {n}")).collect();
    let newest_first = |at| if at == 0 { sort(Some(Direction::Descending)) } else { None };
    let columns = headings.iter().enumerate();
    let columns = columns.map(|(at, heading)| Column { heading, sort: newest_first(at), ..Column::default() });
    let entries = Table {
        caption: "Entries",
        columns: columns.collect(),
        rows: (1..=3).map(|row| (1..=9).map(|n| html! { (row * n * 1_001) }).collect()).collect(),
        narrow: Narrow::Scroll,
    };
    let pager = Pager {
        first: Some(PageLink { address: "#newest", label: "Newest" }),
        previous: Some(PageLink { address: "#newer", label: "Newer" }),
        next: Some(PageLink { address: "#older", label: "Older" }),
        last: Some(PageLink { address: "#oldest", label: "Oldest" }),
    };
    html! {
        (section("forms", "Table that stacks", html! { (forms) (pager) }))
        (section("entries", "Table that scrolls", html! { (entries) }))
    }
}

fn lists() -> Markup {
    let role = |id: &str| {
        let choices = ["Viewer", "Editor"].map(|label| Choice::new(label, label, false)).into();
        let about = html! { "of " (id) };
        let select = SelectField { id, name: "role", label: "Role", choices, about: about.clone() };
        let set = Button { label: "Set role", is_small: true, about: about.clone(), ..Button::default() };
        let remove = Button { label: "Remove", weight: Weight::Danger, is_small: true, about, ..Button::default() };
        let content = html! { (select) (set) };
        html! { (PostForm { csrf: "x", content, is_row: true, ..PostForm::default() }) (remove) }
    };
    let person = |id: &str, name: &str| Row {
        title: words::name(name),
        chips: html! { (Chip { tone: Tone::Note, text: "you" }) (Chip { tone: Tone::Warn, text: "disabled" }) },
        facts: vec![html! { "ada.lovelace@example.com" }, html! {}, html! { "owner" }],
        actions: role(id),
        ..Row::default()
    };
    let scopes = ["form:read", "form:write", "entry:read"].map(|scope| html! { "Read forms " (code(scope)) });
    let token = Row {
        title: html! { "Nightly report" },
        details: plain_list(scopes),
        facts: vec![html! { "Expires: 2027-02-01" }, html! { "Last used: Never" }],
        ..Row::default()
    };
    let event = Row { facts: vec![html! { "A row of facts alone" }, html! { "2026-11-28" }], ..Row::default() };
    let long = person("bob", "Bob Wolfeschlegelsteinhausenbergerdorff");
    let rows = list([person("ada", "Ada"), long, token, event]);
    let first = button("Make a form", Weight::Main);
    html! {
        (section("list", "List", rows))
        (section("empty", "Empty lists", html! {
            (EmptyState { text: "No forms match “lectures”.", ..EmptyState::default() })
            (EmptyState { text: "No forms yet. Begin with a sample.", actions: first })
        }))
    }
}

fn details() -> Markup {
    let copyable = Copyable {
        id: "command",
        text: "curl https://forms.example/api/v1/forms -H 'Authorization: Bearer fsv_0123456789abcdefghijklmnop'",
        what: "the command",
        texts: texts::texts("en"),
    };
    let pairs = [("Email", html! { "ada@example.com" }), ("Organization", html! { "Analytical Society" })];
    section(
        "texts",
        "Texts",
        html! {
            p { "A text that says what is the case." }
            (muted("A text that recedes."))
            (small("Small print."))
            (facts(&pairs))
            (copyable)
            (words::code_block("formsvc serve --base-url https://forms.example"))
        },
    )
}

fn entry() -> Markup {
    let file = |name, content_type| FileLink {
        address: "#file",
        name,
        picture: name,
        size: "120 KB".to_owned(),
        content_type,
    };
    let several = ["Vegetarian".to_owned(), "Without nuts".to_owned()];
    let answers = Answers {
        lines: vec![
            (html! { "Your name" }, answers::lines(&["Ada Lovelace".to_owned()], None)),
            (html! { (LONG) }, Markup::default()),
            (html! { "Food" }, answers::lines(&several, None)),
            (
                html! { "Files" },
                answers::files(&[file("plan.pdf", "application/pdf"), file("voice.mp3", "audio/mpeg")]),
            ),
            (html! { "In a cell" }, answers::clipped(&[LONG; 3].join(" "), None)),
        ],
        blank: "Not answered".to_owned(),
    };
    section("entry", "Answers", answers.render())
}

fn questions() -> Markup {
    let buttons = html! { (button("Delete", Weight::Sure)) (button("Cancel", Weight::Quiet)) };
    let content = PostForm { csrf: "x", content: buttons, is_row: true, ..PostForm::default() }.render();
    let title = "Delete the folder “Events”?";
    html! {
        (Question { title, text: "Its forms move to the level above.", content, ..Question::default() })
        (PlainCard {
            sign: Some(Sign::Lock),
            title: "This link has been used",
            lead: html! { "Ask for another one." },
            content: html! { p { (button("Sign in", Weight::Quiet)) } },
        })
    }
}
