//! Shared code of text kinds: the value is the typed text, which is searched and compared as such.

use maud::Markup;
use serde::Serialize;
use serde_json::json;

use crate::base::issue::Issues;
use crate::base::json::{Json, digits};
use crate::base::reader::Reader;
use crate::base::text::identity;
use crate::base::text::texts::Texts;
use crate::fields::filter::cond::Op;
use crate::fields::form_part::FormPart;
use crate::fields::grading;
use crate::fields::inputs::{self, LineAttributes};
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{Control, Cx, Grading, InputCx, Kind, Live, Masking, Operand, Plain};
use crate::fields::places::phones;
use crate::fields::report::texts::Texts as Newest;
use crate::fields::texts::text_rules::{TextRules, clean_text};
use crate::fields::values::formula::Type;

/// A kind whose value is one text.
#[derive(Serialize)]
pub struct Text {
    /// The owner's rules, if the kind has such keys.
    #[serde(flatten)]
    pub rules: Option<TextRules>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_domains: Option<Vec<String>>,
    #[serde(skip)]
    pub style: &'static Style,
}

/// Differences between kinds of text.
pub struct Style {
    /// The `type` of the control; `None` if it has several lines.
    pub control: Option<&'static str>,
    pub attributes: LineAttributes,
    /// Checks a text for which the owner set no rules.
    pub check: fn(&Text, &str, &mut Issues),
    pub schema: fn() -> Json,
    pub mask: Option<fn(&str) -> String>,
    /// The key by which `unique` compares it.
    pub key: fn(&str) -> String,
    /// Adds parts that people leave out when they type on a page.
    pub complete: fn(&str) -> String,
    pub limits: fn(&Text, &Texts) -> Option<String>,
}

impl Style {
    /// A line of any text.
    pub const LINE: Self = Self {
        control: Some("text"),
        attributes: LineAttributes::NONE,
        check: |_, _, _| {},
        schema: || json!({"type": "string"}),
        mask: None,
        key: identity::of_text,
        complete: str::to_owned,
        limits: |text, texts| text.rules.as_ref()?.limits(texts),
    };
}

impl Text {
    /// A text with the rules of a definition.
    pub fn with_rules(reader: &mut Reader, style: &'static Style) -> Box<dyn Kind> {
        Box::new(Self { rules: Some(TextRules::read(reader)), allowed_domains: None, style })
    }
}

impl Kind for Text {
    fn parse(&self, raw: Json, _: &Cx, at: &mut Issues) -> Json {
        if let Some(rules) = &self.rules {
            return rules.parse(raw, at);
        }
        let Some(text) = clean_text(raw, at) else {
            return Json::Null;
        };
        (self.style.check)(self, &text, at);
        Json::String(text)
    }

    /// A number as it is written, a phone number in its `unique` key.
    fn adopt(&self, stored: Json) -> Json {
        match stored {
            Json::Number(number) => json!(digits::plain(&number.to_string())),
            Json::Object(phone) => {
                let part = |key: &str| phone.get(key).and_then(Json::as_str).unwrap_or_default();
                let number = phones::as_today(part("country_id"), part("number"));
                json!(format!("+{} {number}", part("country_code")))
            }
            other => other,
        }
    }

    fn read_schema(&self) -> Json {
        (self.style.schema)()
    }

    fn text(&self, stored: &Json, _: &Cx) -> String {
        stored.as_str().unwrap_or_default().to_owned()
    }

    fn plain(&self) -> Option<Plain> {
        Some(Plain::Text)
    }

    fn has_lines(&self) -> bool {
        self.style.control.is_none()
    }

    fn operators(&self) -> &'static [Op] {
        Op::TEXT
    }

    fn unique_key(&self, stored: &Json) -> Option<String> {
        stored.as_str().map(self.style.key)
    }

    fn tally(&self, room: Room) -> Box<dyn Tally + '_> {
        Box::new(Newest::new(room))
    }

    fn operand(&self) -> Option<&dyn Operand> {
        Some(self)
    }

    fn masking(&self) -> Option<&dyn Masking> {
        self.style.mask.map(|_| self as &dyn Masking)
    }

    fn text_rules(&self) -> Option<&TextRules> {
        self.rules.as_ref()
    }

    fn grading(&self) -> Option<&dyn Grading> {
        Some(&grading::Text)
    }
}

impl Operand for Text {
    fn operand_type(&self) -> Type {
        Type::Text
    }
}

impl Masking for Text {
    fn mask(&self, text: &str) -> String {
        self.style.mask.map_or_else(|| text.to_owned(), |mask| mask(text))
    }
}

impl Control for Text {
    fn examples(&self, _: &Cx) -> Vec<Json> {
        let domains = self.allowed_domains.iter().flatten().map(|domain| json!(format!("ada@{domain}")));
        domains.chain(self.rules.iter().flat_map(TextRules::examples)).collect()
    }

    fn live(&self) -> Option<Live> {
        Some(Live::Text)
    }

    fn limits(&self, texts: &Texts, _: &Cx) -> Option<String> {
        (self.style.limits)(self, texts)
    }

    fn format_hint(&self) -> Option<&str> {
        self.rules.as_ref()?.format_hint()
    }

    fn script(&self) -> Option<&'static str> {
        self.rules.as_ref()?.script()
    }

    fn line_type(&self) -> &'static str {
        self.style.control.unwrap_or("text")
    }

    fn input(&self, cx: &InputCx) -> Markup {
        let attributes =
            LineAttributes { limit: self.rules.as_ref().and_then(TextRules::max_length), ..self.style.attributes };
        match self.style.control {
            Some(control) => inputs::line(cx, control, &attributes),
            None => inputs::area(cx, &attributes),
        }
    }

    fn form_value(&self, part: &FormPart, _: &Cx) -> Json {
        match part.single() {
            Json::String(typed) => json!((self.style.complete)(&typed)),
            other => other,
        }
    }
}
