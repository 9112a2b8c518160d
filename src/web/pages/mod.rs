//! HTML pages. All markup stands here and in the kinds' inputs.

pub mod colour;
pub mod consent;
pub mod console;
pub mod docs;
pub mod error;
pub mod layout;
pub mod published;
pub mod theme;

use crate::web::assets;
use crate::web::pages::console::{
    apps, audit, forms, members, profile, second_factor, setup, sharing, sign_in,
};
use crate::web::route::{Route, page, page_answers, page_post, signed, signed_post};

/// The routes of pages.
#[rustfmt::skip] // A table is read by columns.
pub static ROUTES: &[Route] = &[
    // People with an account.
    page       ("/",                                     console::home),
    page       ("/setup/{token}",                        setup::show),
    page_post  ("/setup/{token}",                        setup::submit),
    page       ("/sign-in",                              sign_in::show),
    page_post  ("/sign-in",                              sign_in::submit),
    page_post  ("/sign-in/code",                         sign_in::submit_code),
    signed_post("/sign-out",                             sign_in::leave),
    signed     ("/profile",                              profile::show),
    signed_post("/profile",                              profile::update),
    signed_post("/profile/password",                     profile::change_password),
    signed_post("/profile/tokens",                       profile::create_token),
    signed_post("/profile/tokens/{id}/revoke",           profile::revoke_token),
    signed_post("/profile/apps/{grant}/disconnect",      apps::disconnect),
    signed_post("/profile/sample-form",                  profile::sample_form),
    signed     ("/profile/second-factor",                second_factor::show),
    signed_post("/profile/second-factor",                second_factor::enable),
    signed_post("/profile/second-factor/codes",          second_factor::renew_codes),
    signed_post("/profile/second-factor/remove",         second_factor::disable),
    signed_post("/profile/sessions/end",                 profile::end_sessions),
    signed     ("/forms",                                forms::show),
    signed_post("/forms/folders",                        forms::create_folder),
    signed_post("/forms/folders/{folder_token}/rename",  forms::rename_folder),
    signed_post("/forms/folders/{folder_token}/delete",  forms::delete_folder),
    signed_post("/forms/{form_token}/folder",            forms::move_form),
    signed     ("/forms/{form_token}/people",            sharing::show),
    signed_post("/forms/{form_token}/people",            sharing::put),
    signed_post("/forms/{form_token}/people/{user_id}/remove", sharing::remove),
    signed     ("/members",                              members::show),
    signed_post("/members/invitations",                  members::invite),
    signed_post("/members/invitations/{id}/revoke",      members::take_back),
    signed_post("/members/{user_id}/role",               members::set_role),
    signed_post("/members/{user_id}/disable",            members::disable),
    signed_post("/members/{user_id}/enable",             members::enable),
    signed     ("/audit",                                audit::show),
    page       ("/invitation/{token}",                   members::invitation),
    page_post  ("/invitation/{token}",                   members::join),
    // Applications that want to act for somebody.
    page       ("/api/v1/oauth/authorize",               consent::show).slow().without_head(),
    page_post  ("/api/v1/oauth/authorize",               consent::submit),
    // Published forms.
    page       ("/f/{form_token}",                       published::show),
    page_answers("/f/{form_token}",                      published::submit),
    page       ("/f/{form_token}/done",                  published::done),
    page       ("/f/{form_token}/entries/{entry_token}", published::show_own),
    page_answers("/f/{form_token}/entries/{entry_token}", published::submit_own),
    // The API, to read.
    page       ("/docs",                                 docs::index),
    page       ("/docs/{section}",                       docs::section),
    // Files that pages load.
    page       ("/assets/{hash}/{name}",                 assets::show),
];
