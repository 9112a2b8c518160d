//! Makes a draft of an old version of the form.

use std::sync::Arc;

use crate::base::error::{Error, Result};
use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::fields::field::MAX_FIELDS;
use crate::model::caller::Caller;
use crate::model::draft::Draft;
use crate::model::draft::parts::PartName;
use crate::ops::app::App;
use crate::ops::forms::drafts::{MOST_QUESTIONS, new_question, write};
use crate::ops::forms::versions;
use crate::ops::forms::versions::compare::code;
use crate::ops::forms::versions::returning::returning;

/// Makes the draft of a form one of its versions, in one step that can be taken back: questions, rules and theme.
///
/// # Errors
/// 403, 404, 422 where the draft has no room.
pub fn bring_back(app: &App, caller: &Caller, token: &str, number: &str) -> Result<()> {
    let shown = versions::show(app, caller, token, number)?;
    let theme = shown.theme_to_return();
    let (old, rules) = (shown.definition, shown.content.field_rules);
    let published = Arc::clone(&shown.view.parsed);
    write(app, caller, token, "", move |change| {
        let draft = &mut change.draft;
        let back = returning(&old, &rules, &published.definition.fields, draft.next_field);
        draft.next_field = back.next_field;
        let codes: Vec<String> = back.fields.iter().map(|field| code(field).to_owned()).collect();
        if codes.len() > MAX_FIELDS || draft.questions.len() + back.new_codes.len() > MOST_QUESTIONS {
            let reason = Reason::other("can't come back: the draft has no room for more questions. Publish it first");
            return Err(Error::Invalid(vec![Issue::new("fields", reason)]));
        }
        for question in draft.questions.iter_mut().filter(|question| !codes.contains(&question.code)) {
            question.body = None;
        }
        let mut last = String::new();
        for (code, body) in codes.iter().zip(back.fields) {
            match draft.any_mut(code) {
                Some(question) => question.body = Some(body),
                None => draft.insert(new_question(code.clone(), body), &last),
            }
            last.clone_from(code);
        }
        put_in_order(&mut change.draft, &codes);
        change.moved = codes;
        change.draft.set_body(PartName::Rules, back.field_rules);
        change.draft.set_body(PartName::Theme, theme);
        Ok(())
    })
}

/// Puts questions in this order, unless they have it already.
fn put_in_order(draft: &mut Draft, codes: &[String]) {
    if draft.present().map(|(question, _)| &question.code).eq(codes) {
        return;
    }
    let mut last = String::new();
    for code in codes {
        draft.move_after(std::slice::from_ref(code), &last);
        last.clone_from(code);
    }
}
