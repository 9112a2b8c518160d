//! HTML pages. All markup is here and in the inputs of field kinds.

pub mod consent;
pub mod console;
pub mod docs;
pub mod error;
pub mod form;
pub mod notices;
pub mod query;
pub mod ui;

use crate::web::assets;
use crate::web::files::{definition, entry_export};
use crate::web::openapi::doc::AnswerBody::Html;
use crate::web::openapi::doc::Doc;
use crate::web::openapi::parameters::authorization;
use crate::web::pages::console::{
    apps, audit, build, entries, form_frame, form_move, form_trash, forms, invitation, jobs, members, new_form,
    organizations, password_reset, profile, second_factor, settings, setup, share, sharing, sign_in, tokens, welcome,
};
use crate::web::request::route::BodyRule::{Answers, Image};
use crate::web::request::route::Run::{Page, Session};
use crate::web::request::route::{BODY_LIMIT, Route};

#[rustfmt::skip] // Keeps a row's first line on one line.
pub static ROUTES: &[Route] = &[
    // People with an account.
    Route::get("/", Page(console::home)),
    Route::get("/csrf", Session(console::session_token)),
    Route::get("/setup/{token}", Page(setup::show)),
    Route::post("/setup/{token}", Page(setup::submit)),
    Route::get("/sign-in", Page(sign_in::show)),
    Route::post("/sign-in", Page(sign_in::submit)),
    Route::post("/sign-in/code", Page(sign_in::submit_code)),
    Route::get("/forgot-password", Page(password_reset::show_request)),
    Route::post("/forgot-password", Page(password_reset::request)),
    Route::get("/reset-password/{token}", Page(password_reset::show)),
    Route::post("/reset-password/{token}", Page(password_reset::submit)),
    Route::post("/sign-out", Session(sign_in::sign_out)),
    Route::get("/welcome", Session(welcome::show)).without_head(),
    Route::get("/profile", Session(profile::show)),
    Route::post("/profile", Session(profile::update)),
    Route::post("/profile/password", Session(profile::change_password)),
    Route::post("/profile/tokens", Session(tokens::create)),
    Route::get("/profile/tokens/made", Session(tokens::show_new)).without_head(),
    Route::get("/profile/tokens/{id}/revoke", Session(tokens::confirm_revoke)),
    Route::post("/profile/tokens/{id}/revoke", Session(tokens::revoke)),
    Route::get("/profile/apps/{grant}/disconnect", Session(apps::confirm_disconnect)),
    Route::post("/profile/apps/{grant}/disconnect", Session(apps::disconnect)),
    Route::post("/profile/sample-form", Session(profile::sample_form)),
    Route::get("/profile/second-factor", Session(second_factor::show)),
    Route::post("/profile/second-factor", Session(second_factor::enable)),
    Route::get("/profile/second-factor/codes", Session(second_factor::show_codes)).without_head(),
    Route::post("/profile/second-factor/codes", Session(second_factor::renew_codes)),
    Route::post("/profile/second-factor/remove", Session(second_factor::disable)),
    Route::get("/profile/sessions/end", Session(profile::confirm_end_sessions)),
    Route::post("/profile/sessions/end", Session(profile::end_sessions)),
    Route::get("/forms", Session(forms::show)).blocking(),
    Route::post("/forms/folders", Session(forms::create_folder)),
    Route::post("/forms/folders/{folder_token}/rename", Session(forms::rename_folder)),
    Route::get("/forms/folders/{folder_token}/delete", Session(forms::confirm_delete_folder)),
    Route::post("/forms/folders/{folder_token}/delete", Session(forms::delete_folder)),
    Route::get("/forms/new", Session(new_form::show)),
    Route::post("/forms/new", Session(new_form::submit)),
    Route::get("/forms/trash", Session(form_trash::show)),
    Route::get("/forms/{form_token}", Session(form_frame::home)),
    Route::post("/forms/{form_token}/copy", Session(form_trash::copy)),
    Route::post("/forms/{form_token}/rename", Session(forms::rename::put)),
    Route::post("/forms/{form_token}/delete", Session(form_trash::delete)),
    Route::post("/forms/{form_token}/restore", Session(form_trash::restore)),
    Route::get("/forms/{form_token}/build", Session(build::show)).blocking(),
    Route::post("/forms/{form_token}/build/fields", Session(build::add)),
    Route::post("/forms/{form_token}/build/fields/many", Session(build::act_on_many)),
    Route::post("/forms/{form_token}/build/fields/{code}", Session(build::save)),
    Route::post("/forms/{form_token}/build/fields/{code}/{act}", Session(build::act)),
    Route::get("/forms/{form_token}/build/paste", Session(build::pasting::show)),
    Route::post("/forms/{form_token}/build/paste", Session(build::pasting::submit)),
    Route::post("/forms/{form_token}/build/undo", Session(build::undo)),
    Route::post("/forms/{form_token}/build/redo", Session(build::redo)),
    Route::post("/forms/{form_token}/build/discard", Session(build::discard)),
    Route::get("/forms/{form_token}/build/state", Session(build::state::show)),
    Route::get("/forms/{form_token}/build/use/{code}", Session(build::state::uses)).blocking(),
    Route::get("/forms/{form_token}/preview", Session(build::preview::show)).blocking(),
    Route::post("/forms/{form_token}/preview", Session(build::preview::submit)).body(Answers(BODY_LIMIT)),
    Route::get("/forms/{form_token}/publish", Session(build::publishing::show)).blocking(),
    Route::post("/forms/{form_token}/publish", Session(build::publishing::publish)),
    Route::get("/forms/{form_token}/entries", Session(entries::show)).blocking(),
    Route::get("/forms/{form_token}/entries/export", Session(entry_export::export)).blocking(),
    Route::get("/forms/{form_token}/entries/state", Session(entries::state::show)).blocking(),
    Route::post("/forms/{form_token}/entries/chosen", Session(entries::chosen::of_list)),
    Route::get("/forms/{form_token}/entries/bulk", Session(entries::bulk::show)).blocking(),
    Route::post("/forms/{form_token}/entries/bulk", Session(entries::bulk::submit)),
    Route::get("/forms/{form_token}/jobs/{job_id}", Session(jobs::show)),
    Route::post("/forms/{form_token}/jobs/{job_id}/stop", Session(jobs::stop)),
    Route::post("/forms/{form_token}/jobs/{job_id}/undo", Session(jobs::undo)),
    Route::get("/forms/{form_token}/entries/print", Session(entries::print::show)).blocking(),
    Route::get("/forms/{form_token}/entries/new", Session(entries::editor::show_new)).blocking(),
    Route::post("/forms/{form_token}/entries/new", Session(entries::editor::create)).body(Answers(BODY_LIMIT)),
    Route::get("/forms/{form_token}/entries/{serial_number}", Session(entries::entry::show)).blocking(),
    Route::get("/forms/{form_token}/entries/{serial_number}/edit", Session(entries::editor::show)).blocking(),
    Route::post("/forms/{form_token}/entries/{serial_number}/edit", Session(entries::editor::save))
        .body(Answers(BODY_LIMIT)),
    Route::post("/forms/{form_token}/entries/{serial_number}/booking", Session(entries::entry::set_booking)),
    Route::post("/forms/{form_token}/entries/{serial_number}/trash", Session(entries::entry::put_in_trash)),
    Route::get("/forms/{form_token}/trash", Session(entries::trash::show)).blocking(),
    Route::post("/forms/{form_token}/trash/chosen", Session(entries::chosen::of_trash)),
    Route::post("/forms/{form_token}/trash/{serial_number}/restore", Session(entries::trash::restore)),
    Route::get("/forms/{form_token}/trash/{serial_number}/delete", Session(entries::trash::confirm_delete)),
    Route::post("/forms/{form_token}/trash/{serial_number}/delete", Session(entries::trash::delete)),
    Route::get("/forms/{form_token}/folder", Session(form_move::show)),
    Route::post("/forms/{form_token}/folder", Session(form_move::put)),
    Route::get("/forms/{form_token}/share", Session(share::show)),
    Route::post("/forms/{form_token}/share/publish", Session(share::publish)),
    Route::post("/forms/{form_token}/share/close", Session(share::close)),
    Route::post("/forms/{form_token}/share/open", Session(share::open)),
    Route::post("/forms/{form_token}/share/availability", Session(share::put_availability)),
    Route::post("/forms/{form_token}/share/password", Session(share::put_password)),
    Route::post("/forms/{form_token}/share/password/remove", Session(share::remove_password)),
    Route::get("/forms/{form_token}/qr.svg", Session(share::poster::svg)),
    Route::get("/forms/{form_token}/qr.png", Session(share::poster::png)),
    Route::get("/forms/{form_token}/poster", Session(share::poster::show)),
    Route::get("/forms/{form_token}/people", Session(sharing::show)),
    Route::post("/forms/{form_token}/people", Session(sharing::put)),
    Route::get("/forms/{form_token}/people/{user_id}/remove", Session(sharing::confirm_remove)),
    Route::post("/forms/{form_token}/people/{user_id}/remove", Session(sharing::remove)),
    Route::get("/forms/{form_token}/settings", Session(settings::show)),
    Route::post("/forms/{form_token}/settings/{section}", Session(settings::save)),
    Route::get("/forms/{form_token}/settings/definition", Session(definition::download)),
    Route::get("/members", Session(members::show)),
    Route::post("/members/invitations", Session(members::invite)),
    Route::get("/members/invitations/made", Session(members::show_invitation_link)).without_head(),
    Route::get("/members/invitations/{id}/revoke", Session(members::confirm_revoke_invitation)),
    Route::post("/members/invitations/{id}/revoke", Session(members::revoke_invitation)),
    Route::get("/members/organization", Session(organizations::show)),
    Route::post("/members/organization", Session(organizations::update)),
    Route::post("/members/organization/logo", Session(organizations::put_logo)).body(Image),
    Route::post("/members/organization/logo/remove", Session(organizations::remove_logo)),
    Route::post("/members/{user_id}/role", Session(members::set_role)),
    Route::get("/members/{user_id}/disable", Session(members::confirm_disable)),
    Route::post("/members/{user_id}/disable", Session(members::disable)),
    Route::post("/members/{user_id}/enable", Session(members::enable)),
    Route::get("/audit", Session(audit::show)),
    Route::get("/invitation/{token}", Page(invitation::show)),
    Route::post("/invitation/{token}", Page(invitation::join)),
    // Applications that want to act for somebody.
    Route::get("/api/v1/oauth/authorize", Page(consent::show)).blocking().without_head()
        .doc(Doc::new("authorize_app", 200, Html)
            .says("Ask a user for access", "An application sends its user's browser here. The user signs in and decides; the browser is redirected to `redirect_uri` with `code`, `state` and `iss`, or with `error`, `error_description`, `state` and `iss`. A code works once, for one minute. Only registered addresses of the application are redirected to.")
            .query(authorization)),
    Route::post("/api/v1/oauth/authorize", Page(consent::submit)),
    // Published forms.
    Route::get("/f/{form_token}", Page(form::show)),
    Route::post("/f/{form_token}", Page(form::submit)).body(Answers(BODY_LIMIT)).inline(),
    Route::get("/f/{form_token}/done", Page(form::done)),
    Route::get("/f/{form_token}/verify", Page(form::verify)),
    Route::get("/f/{form_token}/notices", Page(notices::show)),
    Route::post("/f/{form_token}/notices", Page(notices::stop)),
    Route::get("/f/{form_token}/notices/confirm", Page(notices::show_consent)),
    Route::post("/f/{form_token}/notices/confirm", Page(notices::confirm)),
    Route::get("/f/{form_token}/entries/{entry_token}", Page(form::show_own)),
    Route::post("/f/{form_token}/entries/{entry_token}", Page(form::submit_own)).body(Answers(BODY_LIMIT)).inline(),
    Route::get("/f/{form_token}/entries/{entry_token}/cancel", Page(form::show_cancel)),
    Route::post("/f/{form_token}/entries/{entry_token}/cancel", Page(form::cancel)).inline(),
    Route::get("/f/{form_token}/entries/{entry_token}/waiting", Page(form::show_waiting)),
    Route::post("/f/{form_token}/entries/{entry_token}/waiting", Page(form::leave)).inline(),
    // Public queries.
    Route::get("/q/{query_token}", Page(query::show)).blocking(),
    Route::get("/q/{query_token}/export", Page(query::export)).blocking(),
    Route::get("/q/{query_token}/entries/{entry_token}", Page(query::show_entry)).blocking(),
    Route::post("/q/{query_token}/entries/{entry_token}", Page(query::update_entry)).body(Answers(BODY_LIMIT)),
    Route::get("/q/{query_token}/entries/{entry_token}/files/{id}/{name}", Page(query::file)),
    Route::get("/q/{query_token}/entries/{entry_token}/certificate", Page(query::certificate)).blocking(),
    // The API, to read.
    Route::get("/docs", Page(docs::index)),
    Route::get("/docs/{section}", Page(docs::section)),
    // Files that pages load.
    Route::get("/assets/{hash}/{name}", Page(assets::show)),
    Route::get("/embed.js", Page(assets::embed)),
];
