//! Parts beside the questions of a form page: the time that is left for an exam, and the price of an order.

use maud::{Markup, html};
use serde_json::json;

use crate::base::clock::Time;
use crate::fields::display::moment;
use crate::fields::display::money::{self, MAX_DECIMALS};
use crate::web::pages::form::faults::FieldFault;
use crate::web::pages::form::form_view::FilledForm;
use crate::web::pages::form::states;

impl FilledForm {
    /// How much time is left for an exam, until when, and a bar of it. The script counts down, and sends the form when the
    /// time is up.
    pub fn time_left(&self) -> Markup {
        let texts = self.texts();
        let Some(due) = self.due_at() else {
            return html! {};
        };
        let when = states::moment(&self.published, texts, due);
        let secs = self.published.exam_time().map_or(0, |time| time.minutes() * states::MINUTE);
        let left = due.secs_since(self.now);
        html! {
            div.before-form.exam-time.over[left <= 0] data-over=(texts.say("exam-over")) {
                @if left <= 0 {
                    p { (texts.fill("exam-was-due", &[("when", when.into())])) }
                } @else {
                    (states::countdown(texts, self.now, due, false))
                    progress aria-label=(texts.say("exam-left")) max=(secs) value=(left.min(secs)) {}
                    p.muted { (texts.fill("exam-until", &[("when", self.time_of_day(due).into())])) }
                }
            }
        }
    }

    /// A moment of the next day, in the form's timezone.
    fn time_of_day(&self, at: Time) -> String {
        let zoned = at.timestamp().to_zoned(self.published.parsed.timezone.clone());
        let is_soon = at.secs_since(self.now) < states::DAY;
        let form = if is_soon { "%H:%M (%Z)".to_owned() } else { self.texts().say("form-moment") };
        zoned.strftime(&form).to_string()
    }

    /// The time until which chosen parts are held, or a note that they are not. The script keeps it up to date.
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
        let time = moment::clock(&zoned);
        Some(self.texts().fill("hold-until", &[("time", time.into())]))
    }

    /// A note that chosen parts are full, and on the effect of the button below. The script keeps it up to date.
    pub fn waits_for_room(&self) -> Markup {
        let words = self.texts().say("wait-line");
        html! {
            @if self.has_waiting_list() {
                p.waits #waits role="status" data-words=(words) { @if self.waits { (words) } }
            }
        }
    }

    /// Asks whether answers that found no room shall wait for some. `full` names the full parts.
    pub fn question_to_wait(&self, full: &[FieldFault]) -> Markup {
        let texts = self.texts();
        let lines = || full.iter().flat_map(|fault| &fault.lines);
        let first = full.first().map_or("form", |fault| &fault.field.api_code);
        html! {
            div.card.stack.question {
                h2 { (self.title_to_wait(full)) }
                ul.booked lang=[self.owners_lang()] { @for line in lines() { li dir="auto" { (line.label) } } }
                p { (texts.say("wait-text")) }
                div.row.ways {
                    button.button name="_action" value="wait" { (texts.say("wait-button")) }
                    button.button.quiet name="_action" value="more" formaction={ (self.action()) "#" (first) } {
                        (texts.say("wait-other"))
                    }
                }
            }
        }
    }

    /// The title of that question.
    pub fn title_to_wait(&self, full: &[FieldFault]) -> String {
        let count: usize = full.iter().map(|fault| fault.lines.len()).sum();
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.texts().fill("wait-title", &[("count", count.into())])
    }

    /// The price of the order so far. The script keeps it up to date.
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
                p data-words=(words("shop-subtotal", "{amount}")) hidden[!prices.is_reduced()] {
                    (shown("shop-subtotal", prices.total))
                }
                p data-words=(words("shop-discount", "{amount}")) hidden[!prices.is_reduced()] {
                    (shown("shop-discount", prices.total - prices.preferential))
                }
                p.pay data-words=(words("shop-to-pay", "{amount}")) { (shown("shop-to-pay", prices.preferential)) }
            }
        }
    }
}
