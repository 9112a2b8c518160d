//! The questions of an exam: the points of each, its right answer, and the link to its panel in the builder.

use maud::{Markup, Render, html};

use crate::base::error::Result;
use crate::fields::values::results::exam::SCENE;
use crate::ops::forms::drafts::{self, check};
use crate::web::pages::console::build::exam::ExamQuestions;
use crate::web::pages::console::form_frame::FormFrame;
use crate::web::pages::console::settings::table::option_id;
use crate::web::pages::ui::table::{Column, Holds, Narrow, Table};
use crate::web::pages::ui::words::{lead, muted, name};

/// The questions that can be scored, as the draft has them, with the total of their points.
///
/// # Errors
/// 404, 503.
pub fn questions(frame: &FormFrame) -> Result<Markup> {
    let texts = frame.texts;
    if frame.view.form.scene != SCENE {
        return Ok(muted(texts.say("settings-questions-none")));
    }
    let draft = drafts::load(frame.call.app, frame.caller, frame.call.param("form_token"))?;
    let checked = check::check(frame.call.app, frame.caller, &draft)?;
    let Some(exam) = ExamQuestions::of(frame, &draft, &checked) else {
        return Ok(Markup::default());
    };
    let lang = frame.owners_lang();
    let rows: Vec<Vec<Markup>> = exam
        .fields()
        .map(|field| {
            let code = field.api_code.as_str();
            let address = frame.address(&format!("build?field={code}#exam"));
            let label = if field.label.trim().is_empty() { texts.say("build-untitled") } else { field.label.clone() };
            let question = html! { a href=(address) lang=[lang] { (name(&label)) } };
            if !exam.is_scored(code) {
                return vec![question, html! {}, muted(texts.say("exam-not-scored")), html! {}];
            }
            let faults = exam.faults(code).into_iter().map(|(_, words)| words).collect::<Vec<_>>().join(" ");
            let answer = html! {
                span lang=[lang] { (exam.answer_words(field)) }
                @if !faults.is_empty() { " " strong { (faults) } }
            };
            vec![question, answer, html! { (exam.points_words(code)) }, html! { (exam.partial_words(code)) }]
        })
        .collect();
    if rows.is_empty() {
        return Ok(muted(texts.say("settings-questions-none")));
    }
    let headings = ["question", "answer", "points", "partial"].map(|key| texts.say(&option_id("questions", key)));
    let columns = headings.iter().enumerate().map(|(at, heading)| Column {
        heading,
        holds: if at == 2 { Holds::Numbers } else { Holds::Text },
        ..Column::default()
    });
    let table =
        Table { caption: &texts.say("settings-questions"), columns: columns.collect(), rows, narrow: Narrow::Stack };
    Ok(html! { (lead(exam.total_words())) (table.render()) })
}
