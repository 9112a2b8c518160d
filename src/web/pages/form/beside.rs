//! What stands beside the questions of a form page: the time that is left for an exam, and the price of an order.

use maud::{Markup, html};
use serde_json::json;

use crate::fields::display::money::{self, MAX_DECIMALS};
use crate::web::pages::form::form_view::FilledForm;
use crate::web::pages::form::states;

impl FilledForm {
    /// Until when an exam takes answers. The script counts down, and sends the form when the time is up.
    pub fn time_left(&self) -> Markup {
        let texts = self.texts();
        let Some(due) = self.due_at() else {
            return html! {};
        };
        let when = states::moment(&self.published, texts, due);
        let minutes = self.published.exam_time().map_or(0, |time| time.minutes());
        let is_over = self.now >= due;
        let args = [("when", when.into()), ("count", minutes.into())];
        html! {
            div.before-form.exam-time.over[is_over] data-over=(texts.say("exam-over")) {
                p {
                    (texts.fill(if is_over { "exam-was-due" } else { "exam-due" }, &args))
                }
                @if !is_over { (states::countdown(texts, self.now, due, false)) }
            }
        }
    }

    /// Until when what was chosen is kept, or that it is not. The script keeps it true.
    pub fn kept_until(&self) -> Markup {
        html! {
            @if self.keeps_places() {
                p.held #held role="status" { (self.hold_words().unwrap_or_default()) }
            }
        }
    }

    /// The same, in words.
    pub fn hold_words(&self) -> Option<String> {
        let short = if self.hold.is_some() { "hold-part" } else { "hold-none" };
        if self.is_hold_short {
            return Some(self.texts().say(short));
        }
        let ends = self.hold.as_ref()?.expires_at;
        let zoned = ends.timestamp().to_zoned(self.published.parsed.timezone.clone());
        let time = zoned.strftime("%H:%M").to_string();
        Some(self.texts().fill("hold-until", &[("time", time.into())]))
    }

    /// The way into the waiting list, for answers that find no room.
    pub fn waiting_offer(&self) -> Markup {
        let texts = self.texts();
        html! {
            div.message.note.before-form.stack {
                h2 { (texts.say("wait-title")) }
                p { (texts.say("wait-text")) }
                p { button.button.small form="form" name="_action" value="wait" { (texts.say("wait-button")) } }
            }
        }
    }

    /// What an order costs so far. The script keeps it true.
    pub fn order_total(&self) -> Markup {
        let Some(prices) = self.prices() else {
            return html! {};
        };
        let (texts, cx) = (self.texts(), self.cx());
        let pricing = &self.published.parsed.settings.pricing;
        let currency = &pricing.currency;
        let words = |key: &str, amount: &str| {
            let price = money::with_sign(amount, currency, cx.locale);
            texts.fill(key, &[("price", price.into())])
        };
        let shown = |key: &str, amount| words(key, &money::show(amount, currency, cx.locale));
        let discounts = json!(pricing.discounts).to_string();
        html! {
            div.order-total #order-total role="status" hidden[prices.total.is_zero()] data-discounts=(discounts)
                data-locale=(cx.locale) data-decimals=(money::decimals(currency)) data-most-decimals=(MAX_DECIMALS) {
                p data-words=(words("order-subtotal", "{amount}")) hidden[!prices.is_reduced()] {
                    (shown("order-subtotal", prices.total))
                }
                p data-words=(words("order-discount", "{amount}")) hidden[!prices.is_reduced()] {
                    (shown("order-discount", prices.total - prices.preferential))
                }
                p.pay data-words=(words("order-pay", "{amount}")) { (shown("order-pay", prices.preferential)) }
            }
        }
    }
}
