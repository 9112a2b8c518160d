//! The named parts of a definition: choices, statements, goods. Their names are given once and never
//! used again in the field.

use std::collections::HashSet;

use crate::base::id;
use crate::base::reader::Reader;
use crate::fields::kind::BuildCx;

/// Most choices a field may have.
pub const MAX_CHOICES: usize = 1000;

/// A name for an item that came without one, or the one it came with, checked.
pub fn item_code(item: &mut Reader, cx: &BuildCx, seen: &mut HashSet<String>) -> String {
    let code = match item.opt_text("api_code", 64) {
        None => loop {
            let code = id::random(6);
            if !seen.contains(&code) && !cx.known.contains(&code) {
                break code;
            }
        },
        Some(code) => {
            if !id::is_item_code(&code) {
                item.fault("api_code", "must be 1 to 32 letters, digits or underscores");
            } else if cx.retired.contains(&code) {
                item.fault("api_code", "was used before in this field");
            } else if seen.contains(&code) {
                item.fault("api_code", "stands twice");
            }
            code
        }
    };
    seen.insert(code.clone());
    code
}
