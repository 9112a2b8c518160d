//! A line of an order: a good, its variant, and how many of it.

use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Reason, Set};
use crate::fields::catalog::{self, MAX_NUMBER};
use crate::fields::kind::Cx;
use crate::fields::kinds::product::Product;
use crate::fields::values::lines;

/// A line as it is stored. A member that is missing or of another type is `None`.
#[derive(Default, Serialize)]
pub struct ProductLine<'v> {
    pub api_code: Option<&'v str>,
    pub number: Option<i64>,
    /// The variant: options by dimension.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub specification: Option<&'v Map<String, Json>>,
}

impl<'v> ProductLine<'v> {
    /// Decodes a stored line in one pass: scans of many entries do this.
    pub fn of(line: &'v Json) -> Self {
        let mut own = Self::default();
        for (name, value) in line.as_object().into_iter().flatten() {
            match name.as_str() {
                "api_code" => own.api_code = value.as_str(),
                "number" => own.number = value.as_i64(),
                "specification" => own.specification = value.as_object(),
                _ => {}
            }
        }
        own
    }

    /// Decodes the lines of a stored value.
    pub fn all(stored: &'v Json) -> impl Iterator<Item = Self> {
        lines::of(stored).map(Self::of)
    }

    /// The option of a dimension.
    pub fn option(&self, dimension: &str) -> Option<&'v str> {
        self.specification?.get(dimension)?.as_str()
    }

    /// The codes of the options, sorted.
    pub fn option_codes(&self) -> Vec<&'v str> {
        let options = self.specification.into_iter().flat_map(Map::values);
        let mut codes: Vec<&str> = options.filter_map(Json::as_str).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }
}

/// A line of an order before it is stored.
pub struct NewLine {
    /// Its index in the request.
    pub index: usize,
    pub api_code: String,
    specification: Option<Map<String, Json>>,
    pub number: i64,
}

impl NewLine {
    fn is_of(&self, other: &Self) -> bool {
        self.api_code == other.api_code && self.specification == other.specification
    }

    pub fn to_stored(&self) -> Json {
        json!(ProductLine {
            api_code: Some(&self.api_code),
            number: Some(self.number),
            specification: self.specification.as_ref(),
        })
    }
}

/// Merges lines of the same good and variant, at the position of the first.
pub fn merged(lines: impl Iterator<Item = NewLine>) -> Vec<NewLine> {
    let mut out: Vec<NewLine> = Vec::new();
    for line in lines {
        match out.iter_mut().find(|known| known.is_of(&line)) {
            Some(known) => {
                known.number = known.number.saturating_add(line.number);
                // A fault of the sum belongs to the line that exceeded the limit.
                known.index = line.index;
            }
            None => out.push(line),
        }
    }
    out
}

impl Product {
    /// Write shape → line; `None` after a fault.
    pub fn parse_line(&self, index: usize, raw: Json, cx: &Cx, at: &mut Issues) -> Option<NewLine> {
        let mut line = Reader::new(raw, at);
        if !line.has("number") {
            line.fault("number", Reason::Blank);
        }
        let number = line.opt_int("number", 1..=MAX_NUMBER);
        if !line.has("api_code") {
            line.fault("api_code", Reason::Blank);
        }
        let api_code = line.opt_text("api_code", 64)?;
        let good = self.find(&api_code).filter(|good| !(good.hidden && cx.respondent));
        let Some(good) = good else {
            line.fault("api_code", Reason::NotOneOf(Set::Goods));
            return None;
        };
        let specification =
            if good.dimensions.is_empty() {
                None
            } else {
                let raw = line.raw("specification").unwrap_or_else(|| json!({}));
                Some(line.issues().key("specification", |at| {
                    catalog::read_specification(&mut Reader::new(raw, at), &good.dimensions)
                }))
            };
        Some(NewLine { index, api_code, specification, number: number? })
    }

    /// A stored line under the current goods; `None` if its good or an option of it no longer exists.
    pub fn prune_line(&self, index: usize, line: &ProductLine) -> Option<NewLine> {
        let good = self.find(line.api_code?)?;
        let mut specification = Map::new();
        for dimension in &good.dimensions {
            if let Some(code) = line.option(&dimension.api_code) {
                dimension.option(code)?;
                specification.insert(dimension.api_code.clone(), json!(code));
            }
        }
        Some(NewLine {
            index,
            api_code: good.api_code.clone(),
            specification: (!specification.is_empty()).then_some(specification),
            number: line.number?,
        })
    }

    /// The names of a line's options, in the order of the dimensions.
    fn options<'p>(&'p self, line: &'p ProductLine<'p>) -> impl Iterator<Item = &'p str> {
        let good = line.api_code.and_then(|code| self.find(code));
        let dimensions = good.map_or(&[][..], |good| &good.dimensions);
        dimensions.iter().filter_map(|dimension| {
            let code = line.option(&dimension.api_code)?;
            Some(dimension.option(code).map_or(code, |option| option.name.as_str()))
        })
    }

    /// A line for people.
    pub fn line_text(&self, line: &ProductLine) -> String {
        let code = line.api_code.unwrap_or_default();
        let name = self.find(code).map_or(code, |good| good.name.as_str());
        let number = json!(line.number);
        let options: Vec<&str> = self.options(line).collect();
        if options.is_empty() {
            format!("{number} × {name}")
        } else {
            format!("{number} × {name} ({})", options.join(", "))
        }
    }

    /// The price of a line; `None` if it is invalid.
    pub fn cost(&self, line: &ProductLine) -> Option<Decimal> {
        let good = self.find(line.api_code?)?;
        let number = line.number.filter(|number| *number > 0)?;
        let price = good.price_of(line.specification).amount();
        price.checked_mul(Decimal::from(number))
    }
}
