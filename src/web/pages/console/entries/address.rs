//! The state of a list of entries in its address: search, conditions, order, columns. All pages of the list and its
//! entries keep it.

use serde_json::json;
use url::form_urlencoded::{self, Serializer};

use crate::base::error::Result;
use crate::base::json::Json;
use crate::ops::entries::entry_lists::{self, FilterRequest, Order};
use crate::web::pages::console::entries::columns::ChosenColumns;
use crate::web::pages::ui::table::Direction;
use crate::web::request::call::Call;

/// The parameter of an entry's page that is framed beside the table.
pub const FRAME: &str = "frame";
/// The parameter that names the saved view that the list began as.
const VIEW: &str = "view";

pub struct ListAddress {
    pub keyword: String,
    /// JSON text, as the API takes it.
    filters: Option<String>,
    sort: Option<String>,
    pub columns: ChosenColumns,
    view: Option<String>,
}

impl ListAddress {
    /// `rows` are the conditions that rows of controls were sent with.
    pub fn of(call: &Call, rows: Option<String>) -> Self {
        let given = |name: &str| call.query(name).filter(|text| !text.is_empty());
        Self {
            keyword: given("keyword").unwrap_or_default(),
            filters: rows.or_else(|| given("filters")).filter(|text| !text.is_empty()),
            sort: given("sort"),
            columns: ChosenColumns::of(call),
            view: given(VIEW),
        }
    }

    /// The list of a query that was kept.
    pub fn of_query(query: &str) -> Self {
        let given = |name: &str| {
            let mut pairs = form_urlencoded::parse(query.as_bytes()).filter(|(_, value)| !value.is_empty());
            pairs.find_map(|(key, value)| (key == name).then(|| value.into_owned()))
        };
        Self {
            keyword: given("keyword").unwrap_or_default(),
            filters: given("filters"),
            sort: given("sort"),
            columns: ChosenColumns::kept(given("columns").as_deref(), given("freeze")),
            view: None,
        }
    }

    pub fn with_view(self, token: &str) -> Self {
        Self { view: Some(token.to_owned()), ..self }
    }

    /// The saved view that the list began as.
    pub fn view(&self) -> Option<&str> {
        self.view.as_deref()
    }

    /// The query to keep for later; empty for the list of all in its own order.
    pub fn query(&self) -> String {
        Serializer::new(String::new()).extend_pairs(self.pairs_without(&[VIEW])).finish()
    }

    /// Whether it is the list of all entries.
    pub fn is_all(&self) -> bool {
        self.keyword.is_empty() && self.filters.is_none()
    }

    /// # Errors
    /// 400, 422.
    pub fn filter(&self) -> Result<FilterRequest> {
        let keyword = Some(self.keyword.clone()).filter(|keyword| !keyword.is_empty());
        FilterRequest::of_query(self.filters.clone(), keyword)
    }

    /// Its conditions, as far as they are a list.
    pub fn conditions(&self) -> Vec<Json> {
        let filters = self.filters.as_deref().and_then(|text| serde_json::from_str(text).ok());
        filters.unwrap_or_default()
    }

    /// The conditions but for one, as JSON text.
    pub fn without_condition(&self, at: usize) -> String {
        let mut conditions = self.conditions();
        if at < conditions.len() {
            conditions.remove(at);
        }
        if conditions.is_empty() { String::new() } else { Json::Array(conditions).to_string() }
    }

    /// The conditions with these, as JSON text.
    pub fn with_conditions(&self, more: Vec<Json>) -> String {
        let mut conditions = self.conditions();
        let fresh: Vec<Json> = more.into_iter().filter(|one| !conditions.contains(one)).collect();
        conditions.extend(fresh);
        Json::Array(conditions).to_string()
    }

    /// The order, and whether the last comes first.
    ///
    /// # Errors
    /// 400.
    pub fn order(&self) -> Result<(Order, bool)> {
        entry_lists::order_by_name(self.sort.as_deref())
    }

    /// The query that its cursors are bound to.
    pub fn bound(&self) -> Json {
        json!({"keyword": self.keyword, "filters": self.filters, "sort": self.sort})
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        let pairs = [
            ("keyword", Some(self.keyword.clone()).filter(|keyword| !keyword.is_empty())),
            ("filters", self.filters.clone()),
            ("sort", self.sort.clone()),
            ("columns", self.columns.text()),
            ("freeze", self.columns.freeze()),
            (VIEW, self.view.clone()),
        ];
        pairs.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// Its parameters but for these.
    pub fn pairs_without(&self, names: &[&str]) -> Vec<(&'static str, String)> {
        self.pairs().into_iter().filter(|(name, _)| !names.contains(name)).collect()
    }

    /// The address of a page that keeps the list, with further parameters and without some of its own.
    pub fn leads(&self, page: &str, more: &[(&str, &str)], without: &[&str]) -> String {
        let own = self.pairs_without(without);
        let is_replaced = |name: &str| more.iter().any(|(other, _)| *other == name);
        let own = own.iter().filter(|(name, _)| !is_replaced(name)).map(|(name, value)| (*name, value.as_str()));
        let more = more.iter().copied().filter(|(_, value)| !value.is_empty());
        let pairs: Vec<(&str, &str)> = own.chain(more).collect();
        if pairs.is_empty() {
            return page.to_owned();
        }
        format!("{page}?{}", Serializer::new(String::new()).extend_pairs(pairs).finish())
    }

    /// The address of an entry's page that keeps the list, and the frame that it is in.
    pub fn leads_to_entry(&self, call: &Call, page: &str, more: &[(&str, &str)]) -> String {
        let frame = (FRAME, if is_framed(call) { "1" } else { "" });
        let more: Vec<(&str, &str)> = more.iter().copied().chain([frame]).collect();
        self.leads(page, &more, &[])
    }

    /// A file of these entries alone, with the chosen columns.
    pub fn of_entries(&self, page: &str, serials: &[i64], format: &str) -> String {
        let filters = json!([{"field": "serial_number", "operator": "any_in", "value": serials}]).to_string();
        self.leads(page, &[("format", format), ("filters", &filters)], &["columns", "freeze", "sort", "keyword", VIEW])
    }

    /// The address of a bulk action on these entries alone.
    pub fn bulk_of(&self, page: &str, serials: &[i64]) -> String {
        let filters = json!([{"field": "serial_number", "operator": "any_in", "value": serials}]).to_string();
        self.leads(page, &[("filters", &filters)], &["keyword"])
    }

    /// The list in the order of a column, and the direction of today's order if it is by that column. Another press
    /// turns the order round; numbers and times begin with the largest, answers with the first.
    pub fn sorted_by(&self, page: &str, column: &str, is_largest_first: bool) -> (String, Option<Direction>) {
        let today = self.sort.as_deref().unwrap_or(entry_lists::DEFAULT_SORT);
        let (name, direction) = match today.strip_prefix('-') {
            Some(name) => (name, Direction::Descending),
            None => (today, Direction::Ascending),
        };
        let direction = (name == column).then_some(direction);
        let is_descending = match direction {
            Some(direction) => direction == Direction::Ascending,
            None => is_largest_first,
        };
        let next = if is_descending { format!("-{column}") } else { column.to_owned() };
        (self.leads(page, &[("sort", &next)], &[]), direction)
    }
}

/// Whether the page is framed beside the table.
pub fn is_framed(call: &Call) -> bool {
    call.query(FRAME).as_deref() == Some("1")
}
