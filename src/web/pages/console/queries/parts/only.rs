//! Which entries can be found: conditions as the list of entries has them.

use maud::{Markup, html};

use crate::base::json::Json;
use crate::web::pages::console::Posted;
use crate::web::pages::console::entries::conditions::{self, Rows};
use crate::web::pages::console::entries::sent_conditions;
use crate::web::pages::console::entries::subjects::FilterSubject;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::queries::parts::{Drawing, Part};
use crate::web::pages::console::queries::typed::SCOPE;
use crate::web::pages::ui::entries::conditions::Removal;
use crate::web::pages::ui::queries::editor::{ACT, act};
use crate::web::pages::ui::words::{muted, row};

/// The button that adds the chosen question.
const ADD: &str = "add-condition";

/// The conditions of the rows of controls.
pub fn read(frame: &FormFrame, posted: &Posted) -> Json {
    let pairs = posted.0.iter().map(|(name, value)| (&**name, &**value));
    Json::Array(sent_conditions::of_pairs(pairs, &FilterSubject::all(frame)))
}

/// Removes a condition, or adds one on the chosen question.
pub fn act_on(posted: &Posted, typed: &mut Json) {
    let Some(list) = typed.as_array_mut() else {
        return;
    };
    let removed = posted.text(ACT).strip_prefix("remove-condition:").and_then(|at| at.parse::<usize>().ok());
    if let Some(at) = removed.filter(|at| *at < list.len()) {
        list.remove(at);
    }
    if removed.is_none() && !posted.text("add").is_empty() {
        list.push(sent_conditions::begun(posted.text("add")));
    }
}

impl Drawing<'_> {
    pub(super) fn only(&self) -> Markup {
        let scope = self.values(Part::Only).unwrap_or(&self.stored[SCOPE]);
        let scope = scope.as_array().cloned().unwrap_or_default();
        let removal = |at: usize| Removal::Button(ACT, format!("remove-condition:{at}"));
        html! {
            @if scope.is_empty() { (muted(self.say("queries-only-none"))) }
            (conditions::rows_of(self.frame, &scope, SCOPE, &self.outcome.faults, Rows { removal: &removal, adds: false }))
            (conditions::adding(self.frame))
            (row(act(ADD, &self.say("queries-only-add"))))
        }
    }

    pub(super) fn told_only(&self) -> String {
        let scope = self.stored[SCOPE].as_array().cloned().unwrap_or_default();
        if scope.is_empty() {
            return self.say("queries-only-none");
        }
        conditions::told(self.frame, &scope).join("; ")
    }
}
