//! What text kinds share: the value is the typed text, which is searched and compared as such.

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reason::{Expected, Reason};
use crate::base::text;

/// The text that was given, cleaned (S46); none where it is blank, or is no text at all, which is a fault.
pub fn given(raw: Json, at: &mut Issues) -> Option<String> {
    let Json::String(raw) = raw else {
        at.push(Reason::MustBe(Expected::Text));
        return None;
    };
    let Some(clean) = text::clean(raw) else {
        at.push(Reason::Nul);
        return None;
    };
    (!text::is_blank(&clean)).then_some(clean)
}

/// The methods of a kind that are the same in all of them.
macro_rules! text_methods {
    () => {
        fn text(&self, stored: &Json, _: &Cx) -> String {
            stored.as_str().unwrap_or_default().to_owned()
        }

        fn plain(&self) -> Option<$crate::fields::kind::Plain> {
            Some($crate::fields::kind::Plain::Text)
        }

        fn live(&self) -> Option<$crate::fields::kind::Live> {
            Some($crate::fields::kind::Live::Text)
        }

        fn operand_type(&self) -> Option<$crate::fields::formula::Type> {
            Some($crate::fields::formula::Type::Text)
        }

        fn operators(&self) -> &'static [$crate::fields::cond::Op] {
            $crate::fields::cond::Op::TEXT
        }

        fn unique_key(&self, stored: &Json) -> Option<String> {
            stored.as_str().map($crate::base::text::fold)
        }

        fn tally(
            &self,
            room: $crate::fields::report::Room,
        ) -> Box<dyn $crate::fields::report::Tally + '_> {
            Box::new($crate::fields::report::texts::Texts::new(room))
        }
    };
}

pub(in crate::fields) use text_methods;
