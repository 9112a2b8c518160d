//! How public queries find bookings: by the item, or by the time.

use crate::base::json::Json;
use crate::base::reason::{Expected, Reason};
use crate::base::text;
use crate::fields::display::dates::{self, Precision};
use crate::fields::filter::cond::{Cond, Key, Op};
use crate::fields::kind::{Cx, Lookup, LookupPart, begins_with};
use crate::fields::kinds::booking::Booking;
use crate::fields::kinds::booking::item::Bookable;

const ITEM: &str = "api_code";
const TIME: &str = "date_time";

impl Lookup for Booking {
    fn lookup_parts(&self) -> &'static [LookupPart] {
        const {
            &[
                LookupPart { code: ITEM, label: "query-booked-item", is_item: true },
                LookupPart { code: TIME, label: "query-booked-time", is_item: false },
            ]
        }
    }

    fn find_by(&self, part: &str, given: &Json, fuzzy: bool, cx: &Cx) -> Result<Cond, Reason> {
        let typed = given.as_str().ok_or(Reason::MustBe(Expected::Text))?;
        if part == TIME {
            if fuzzy {
                return Ok(begins_with(&dates::typed_start(given)?, Key::Text));
            }
            let at = dates::condition(Precision::Second, Key::Text, Op::Eq, given, cx);
            return at.map_err(|fault| fault.reason);
        }
        if !fuzzy {
            return Ok(Cond::In(vec![Key::Code(typed.to_owned())]));
        }
        let name = text::fold(typed);
        let is_named = |item: &&Bookable| text::fold(&item.name).contains(&name);
        let named = self.reservation_items.iter().filter(is_named);
        Ok(Cond::In(named.map(|item| Key::Code(item.api_code.clone())).collect()))
    }
}
