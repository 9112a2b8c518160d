//! Addresses on the form's page: a control for each part, in the order of the country.

use maud::{Markup, html};

use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::form_part::FormPart;
use crate::fields::grid::draw;
use crate::fields::inputs;
use crate::fields::kind::{AnswerPart, Ask, Control, Cx, InputCx};
use crate::fields::kinds::address::order::{order_of, orders};
use crate::fields::kinds::address::{Address, COUNTRY, STATE, label_of};
use crate::fields::places::addresses::{AddressPart, PostalAddress};
use crate::fields::places::{self, Country};

impl Control for Address {
    fn input(&self, cx: &InputCx) -> Markup {
        let typed = cx.value[COUNTRY].as_str();
        let country = typed.or(self.default_country.as_deref());
        let states = country.and_then(places::country);
        let states = states.map_or_else(Vec::new, |country| country.states_in(cx.texts));
        let order = order_of(country, cx.texts.locale());
        let needed = self.needed_once_begun(cx);
        html! {
            @if let Some(needed) = needed { p.limits id={ (cx.name) "-parts" } { (needed) } }
            div.address data-address data-locale=(cx.texts.locale())
                data-choose=(cx.texts.say("place-choose-state")) data-of=(country.unwrap_or_default())
                data-doubt=(cx.texts.say("place-postal-code-doubt")) data-orders=(orders(cx.texts.locale())) {
                // The country always comes first: the states and the order of the other parts depend on it.
                (self.part_input(AddressPart::Country, true, country, &states, cx))
                @for part in order { (self.part_input(part, false, country, &states, cx)) }
            }
        }
    }

    fn script(&self) -> Option<&'static str> {
        Some("address.js")
    }

    fn is_group(&self) -> bool {
        true
    }

    fn part(&self, path: &str, value: &Json, texts: &Texts) -> Option<AnswerPart> {
        let part = path.strip_prefix('.').and_then(AddressPart::by_name)?;
        let has_states = |country: &Country| !country.states.is_empty();
        let is_chosen = match part {
            AddressPart::Country => true,
            AddressPart::State => places::country(PostalAddress::of(value).country).is_some_and(has_states),
            _ => false,
        };
        Some(AnswerPart {
            label: texts.say(label_of(part)).to_lowercase(),
            control: if part == AddressPart::Country { String::new() } else { path.to_owned() },
            ask: if is_chosen { Ask::Choose } else { Ask::Enter },
        })
    }

    /// A country alone counts as blank, because one is preselected, unless no other part is asked for. A state may be
    /// given by its name.
    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        let mut value = part.object(&AddressPart::names());
        let Json::Object(given) = &mut value else {
            return Json::Null;
        };
        let only_country = self.requires(AddressPart::Country)
            && AddressPart::ALL.into_iter().filter(|part| self.requires(*part)).count() == 1;
        if given.len() == 1 && given.contains_key(COUNTRY) && !only_country {
            return Json::Null;
        }
        let country = given.get(COUNTRY).and_then(Json::as_str);
        let country = country.and_then(places::country);
        if let (Some(country), Some(Json::String(state))) = (country, given.get_mut(STATE))
            && let Some(known) = country.state_called(state)
        {
            *state = known.code.to_owned();
        }
        value
    }
}

/// The `autocomplete` token of a part.
fn token(part: AddressPart) -> &'static str {
    match part {
        AddressPart::Line1 => "address-line1",
        AddressPart::Line2 => "address-line2",
        AddressPart::City => "address-level2",
        AddressPart::State => "address-level1",
        AddressPart::PostalCode => "postal-code",
        AddressPart::Country => "country",
    }
}

/// True if a part of the address was typed; the country is mostly chosen already.
fn is_begun(cx: &InputCx) -> bool {
    let parts = AddressPart::ALL.into_iter().filter(|part| *part != AddressPart::Country);
    parts.into_iter().any(|part| !inputs::typed(&cx.value[part.name()]).is_empty())
}

impl Address {
    /// The parts that an optional address needs once it is begun.
    fn needed_once_begun(&self, cx: &InputCx) -> Option<String> {
        if cx.required {
            return None;
        }
        // In the order of the page, without the country, which is mostly chosen already.
        let shown = order_of(None, cx.texts.locale()).into_iter().filter(|part| self.requires(*part));
        let parts: Vec<String> = shown.map(|part| cx.texts.say(label_of(part)).to_lowercase()).collect();
        let parts = cx.texts.all_of(&parts)?;
        Some(cx.texts.fill("place-needed", &[("parts", parts.into())]))
    }

    fn part_input(
        &self,
        part: AddressPart,
        is_first: bool,
        country: Option<&str>,
        states: &[(&str, String)],
        cx: &InputCx,
    ) -> Markup {
        let path = format!(".{}", part.name());
        let name = format!("{}{path}", cx.name);
        // The first control has the group's own id, so that an error's link leads to it.
        let id = if is_first { cx.name } else { &name };
        let fault = cx.fault_at(&path);
        let described = draw::described(cx, &path, fault);
        let required = cx.required && self.requires(part);
        let some_required = self.required_parts.as_ref().is_some_and(|parts| !parts.is_empty());
        let is_optional = if some_required { !self.requires(part) } else { part == AddressPart::Line2 };
        let typed = inputs::typed(&cx.value[part.name()]);
        // Where nothing was typed, only what is needed lacks.
        let is_concerned = match part {
            AddressPart::Country => country.is_none(),
            _ => !is_optional,
        };
        let is_in_whole = cx.is_wrong_as_a_whole() && (is_concerned || is_begun(cx));
        let invalid = (fault.is_some() || is_in_whole).then_some("true");
        html! {
            div.place-part data-part=(part.name()) data-spare[is_optional] {
                label.part-label for=(id) {
                    (cx.texts.say(label_of(part)))
                    @if is_optional && part != AddressPart::Country { " " span.mark { (cx.texts.say("form-optional")) } }
                }
                (draw::said(cx, &path, fault))
                @if part == AddressPart::Country {
                    select.input id=(id) name=(name) autocomplete=(token(part)) required[required]
                        aria-invalid=[invalid] aria-describedby=[described] {
                        option value="" { (cx.texts.say("place-choose-country")) }
                        @for (id, name) in places::countries_in(cx.texts) {
                            option value=(id) selected[country == Some(id)] { (name) }
                        }
                    }
                } @else if part == AddressPart::State && !states.is_empty() {
                    select.input id=(id) name=(name) autocomplete=(token(part)) required[required]
                        aria-invalid=[invalid] aria-describedby=[described] {
                        option value="" { (cx.texts.say("place-choose-state")) }
                        @for (code, name) in states {
                            option value=(code) selected[typed == *code] { (name) }
                        }
                    }
                } @else {
                    input.input id=(id) name=(name) type="text" value=(typed)
                        autocomplete=(token(part)) required[required] aria-invalid=[invalid]
                        aria-describedby=[described] dir="auto";
                }
            }
        }
    }
}
