//! Common parts of all pages: their frame, their parts, colours and themes, QR codes. A part is a plain struct that is
//! written into markup; pages of the console have no markup of their own beside parts and plain texts. `sample.rs`
//! draws each part with its states for the tests.

pub mod bookings;
pub mod build;
pub mod button;
pub mod chip;
pub mod colour;
pub mod copyable;
pub mod dialog;
pub mod entries;
pub mod field;
pub mod finder;
pub mod form;
pub mod form_head;
pub mod forms;
pub mod head;
pub mod layout;
pub mod list;
pub mod look;
pub mod masthead;
pub mod menu;
pub mod notice;
pub mod qr;
pub mod queries;
pub mod report;
pub mod rich_text;
pub mod rules;
#[cfg(test)]
mod sample;
pub mod section;
pub mod settings;
pub mod share;
pub mod sign;
pub mod site_head;
pub mod table;
pub mod theme;
#[cfg(test)]
mod tokens;
pub mod toolbar;
pub mod views;
pub mod webhooks;
pub mod words;
