//! Rows that visitors change (handbook: "`editable` lets visitors change a value", "Programs edit a row with its
//! `edit_token`").

pub mod files;
pub mod in_place;
pub mod rights;
pub mod values;

use support::Response;

/// Where the form of a page posts to.
fn action(page: &Response) -> String {
    let forms: Vec<&str> = page.text.split("<form id=\"form\" method=\"post\" action=\"").skip(1).collect();
    let [form] = forms[..] else { panic!("one form: {page}") };
    form.split('"').next().unwrap_or_default().replace("&amp;", "&")
}
