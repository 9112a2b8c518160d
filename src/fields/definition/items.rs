//! Named parts of a definition: choices, statements, goods. Their codes are assigned once and never reused in the
//! field.

use std::collections::HashSet;

use serde_json::json;

use crate::base::id;
use crate::base::reader::Reader;
use crate::base::reason::{Expected, Reason};
use crate::fields::kind::BuildCx;

/// Maximum choices of a field.
pub const MAX_CHOICES: usize = 1000;

/// The checked code of an item, or a new one.
pub fn item_code(item: &mut Reader, cx: &BuildCx, seen: &mut HashSet<String>) -> String {
    code_within("", "api_code", item, cx, seen)
}

/// The code of a part within a part, which is unique there: `outer` is the path of codes to it (`cake.size`), and `key`
/// the member with its own code.
pub fn code_within(outer: &str, key: &str, item: &mut Reader, cx: &BuildCx, seen: &mut HashSet<String>) -> String {
    item.note(key, || json!({"pattern": "^[A-Za-z0-9_]{1,32}$"}));
    let code = match item.opt_text(key, 64) {
        None => loop {
            let code = id::random(6);
            if !seen.contains(&code) && !cx.known.contains(&path(outer, &code)) {
                break code;
            }
        },
        Some(code) => {
            if !id::is_item_code(&code) {
                item.fault(key, Reason::MustBe(Expected::Other("1 to 32 letters, digits or underscores")));
            } else if cx.retired.contains(&path(outer, &code)) {
                item.fault(key, Reason::other("was used before in this field"));
            } else if seen.contains(&code) {
                item.fault(key, Reason::Repeated);
            }
            code
        }
    };
    seen.insert(code.clone());
    code
}

/// A code after its path: `cake.size`.
pub fn path(outer: &str, code: &str) -> String {
    if outer.is_empty() { code.to_owned() } else { format!("{outer}.{code}") }
}
