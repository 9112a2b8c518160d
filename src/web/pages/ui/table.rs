//! Tables, and the links between their pages.

use maud::{Markup, Render, html};

/// The kind of content of a column; it decides alignment.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Holds {
    #[default]
    Text,
    /// Figures, one below the other.
    Numbers,
    /// Buttons at the row's end. The heading is for screen readers only.
    Actions,
}

/// How much room the texts of a column take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    Narrow,
    #[default]
    Normal,
    Wide,
}

impl Width {
    pub const ALL: [Self; 3] = [Self::Narrow, Self::Normal, Self::Wide];

    pub fn name(self) -> &'static str {
        match self {
            Self::Narrow => "narrow",
            Self::Normal => "normal",
            Self::Wide => "wide",
        }
    }

    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|width| width.name() == name)
    }
}

/// The order of the rows by this column, and the address of another.
pub struct Sort<'a> {
    pub address: &'a str,
    /// None if the rows are in another column's order.
    pub direction: Option<Direction>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

#[derive(Default)]
pub struct Column<'a> {
    pub heading: &'a str,
    pub holds: Holds,
    pub sort: Option<Sort<'a>>,
    /// The name of the column in the list's address, for the keys of its cells; nothing if empty.
    pub name: &'a str,
    pub width: Width,
    /// Stays in view while the table scrolls sideways: a script does it.
    pub is_frozen: bool,
}

/// The layout of a table that is wider than the page.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Narrow {
    /// Each row becomes a block, with headings before its values.
    #[default]
    Stack,
    /// The table scrolls sideways, for many columns; on a phone each row becomes a block all the same.
    Scroll,
}

pub struct Table<'a> {
    /// The name of the table, for screen readers.
    pub caption: &'a str,
    pub columns: Vec<Column<'a>>,
    /// A cell for each column. The first one names the row.
    pub rows: Vec<Vec<Markup>>,
    pub narrow: Narrow,
}

impl Render for Table<'_> {
    // The roles are those that the elements lose where rows become blocks.
    fn render(&self) -> Markup {
        let scrolls = self.narrow == Narrow::Scroll;
        let class = if scrolls { "data many stacks" } else { "data stacks" };
        html! {
            div.table-wrap role=[scrolls.then_some("region")] tabindex=[scrolls.then_some("0")]
                aria-label=[scrolls.then_some(self.caption)] {
                table class=(class) role="table" {
                    caption.visually-hidden { (self.caption) }
                    thead role="rowgroup" {
                        tr role="row" { @for column in &self.columns { (heading(column)) } }
                    }
                    tbody role="rowgroup" {
                        @for row in &self.rows { (self.row(row)) }
                    }
                }
            }
        }
    }
}

impl Table<'_> {
    fn row(&self, cells: &[Markup]) -> Markup {
        html! {
            tr role="row" {
                @for (at, (column, cell)) in self.columns.iter().zip(cells).enumerate() {
                    @if at == 0 {
                        th class=[class(column)] role="rowheader" scope="row" { (cell) }
                    } @else {
                        td class=[class(column)] role="cell" {
                            // Only seen: the column's heading says the same.
                            @if column.holds != Holds::Actions && !cell.0.is_empty() {
                                span.cell-label aria-hidden="true" { (column.heading) }
                            }
                            (cell)
                        }
                    }
                }
            }
        }
    }
}

fn class(column: &Column) -> Option<String> {
    let holds = match column.holds {
        Holds::Text => "",
        Holds::Numbers => "numbers",
        Holds::Actions => "actions-cell",
    };
    let width = match column.width {
        Width::Narrow => "slim",
        Width::Normal => "",
        Width::Wide => "broad",
    };
    let names = [holds, width, if column.is_frozen { "frozen" } else { "" }];
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    (!names.is_empty()).then(|| names.join(" "))
}

fn heading(column: &Column) -> Markup {
    let direction = column.sort.as_ref().and_then(|sort| sort.direction);
    let sorted = direction.map(|direction| match direction {
        Direction::Ascending => "ascending",
        Direction::Descending => "descending",
    });
    html! {
        th class=[class(column)] role="columnheader" scope="col" aria-sort=[sorted]
            data-column=[(!column.name.is_empty()).then_some(column.name)]
            data-width=[(!column.name.is_empty()).then(|| column.width.name())] {
            @match &column.sort {
                _ if column.holds == Holds::Actions => span.visually-hidden { (column.heading) },
                Some(sort) => a href=(sort.address) { (column.heading) },
                None => (column.heading),
            }
        }
    }
}

/// A link to another page of a list.
pub struct PageLink<'a> {
    pub address: &'a str,
    pub label: &'a str,
}

/// The way through a list that is read by cursors: there is no number of pages.
#[derive(Default)]
pub struct Pager<'a> {
    /// Where the list can be entered at its ends too.
    pub first: Option<PageLink<'a>>,
    pub previous: Option<PageLink<'a>>,
    pub next: Option<PageLink<'a>>,
    pub last: Option<PageLink<'a>>,
}

impl Render for Pager<'_> {
    fn render(&self) -> Markup {
        let link = |link: &Option<PageLink>, rel: &str| {
            html! {
                @if let Some(link) = link {
                    a.button.quiet href=(link.address) rel=(rel) { (link.label) }
                }
            }
        };
        html! {
            @if self.previous.is_some() || self.next.is_some() {
                div.row.pager {
                    (link(&self.first, "first"))
                    (link(&self.previous, "prev"))
                    (link(&self.next, "next"))
                    (link(&self.last, "last"))
                }
            }
        }
    }
}
