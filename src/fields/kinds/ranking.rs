//! `ranking`: choices in order of preference.

use maud::{Markup, html};
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::issue::Issues;
use crate::base::json::Json;
use crate::base::reader::{Reader, as_int, out_of};
use crate::base::reason::{Expected, Reason, Set};
use crate::base::text::texts::Texts;
use crate::base::{id, text};
use crate::fields::choices::{self, Beside, Choice};
use crate::fields::columns::{self, Cell, Column};
use crate::fields::definition::items::MAX_CHOICES;
use crate::fields::display::local_number;
use crate::fields::form_part::FormPart;
use crate::fields::kind::tally::{Room, Tally};
use crate::fields::kind::{
    AsJson as _, BuildCx, Capacity, Control, Counters, Cx, Facets, Grading, InputCx, Item, Kind, KindRow, Limit, Parts,
    Sample, Sheet, Take, UsedOf,
};
use crate::fields::report::ranks::Ranks;
use crate::fields::{grading, inputs};

/// Up to this many ranks are offered in a list; more are typed.
const MAX_LISTED: i64 = 30;

pub static KIND: KindRow = KindRow {
    name: "ranking",
    facets: Facets { displayable: true, asked_by: &["rank", "put in order", "排序", "排名"], ..Facets::NONE },
    build,
    samples: &[
        Sample {
            definition: r#"{"choices": [{"api_code": "a", "label": "Tea"}, {"api_code": "b", "label": "Milk"}]}"#,
            write: r#"{"a": 2, "b": 1}"#,
            stored: r#"{"b": 1, "a": 2}"#,
            text: "1. Milk, 2. Tea",
        },
        Sample {
            definition: r#"{"choices": [{"api_code": "a", "label": "Tea"}, {"label": "Milk"}], "min_ranked": 1, "max_ranked": 1}"#,
            write: r#"{"a": 1.0}"#,
            stored: r#"{"a": 1}"#,
            text: "1. Tea",
        },
    ],
};

#[derive(Serialize)]
struct Ranking {
    choices: Vec<Choice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_ranked: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_ranked: Option<i64>,
}

fn build(reader: &mut Reader, cx: &BuildCx) -> Box<dyn Kind> {
    let choices = choices::read_with(reader, cx, Beside::Nothing);
    let all = count(choices.len()).max(1);
    // While a definition is described, the number of choices is unknown.
    for key in ["min_ranked", "max_ranked"] {
        reader.note(key, || json!({"maximum": MAX_CHOICES}));
    }
    let min_ranked = reader.opt_int("min_ranked", 0..=all);
    let max_ranked = reader.opt_int("max_ranked", 1..=all);
    if let (Some(min), Some(max)) = (min_ranked, max_ranked)
        && min > max
    {
        reader.fault("max_ranked", Reason::LessThan("min_ranked"));
    }
    Box::new(Ranking { choices, min_ranked, max_ranked })
}

fn count(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

/// The codes of a stored value, first choice first.
fn ranked(stored: &Json) -> Vec<&str> {
    let ranks = stored.as_object().into_iter().flatten();
    let mut ranks: Vec<_> = ranks.map(|(code, rank)| (rank.as_i64().unwrap_or(i64::MAX), code.as_str())).collect();
    ranks.sort_by_key(|(rank, _)| *rank);
    ranks.into_iter().map(|(_, code)| code).collect()
}

/// The value for an order.
fn value<'c>(order: impl Iterator<Item = &'c str>) -> Json {
    let ranks = order.zip(1..);
    Json::Object(ranks.map(|(code, rank)| (code.to_owned(), json!(rank))).collect())
}

impl Ranking {
    fn choice(&self, code: &str, cx: &Cx) -> Option<&Choice> {
        choices::find(&self.choices, code).filter(|choice| !(choice.is_hidden() && cx.respondent))
    }

    fn check_count(&self, len: usize, at: &mut Issues) {
        let len = count(len);
        if let Some(min) = self.min_ranked.filter(|min| len > 0 && len < *min) {
            at.push(Reason::TooFewRanked { least: min });
        }
        if let Some(max) = self.max_ranked.filter(|max| len > *max) {
            at.push(Reason::TooManyRanked { most: max });
        }
    }
}

impl Kind for Ranking {
    fn read_schema(&self) -> Json {
        let codes: Vec<&str> = self.choices.iter().map(Choice::code).collect();
        json!({
            "type": "object",
            "propertyNames": {"enum": codes},
            "additionalProperties": {"type": "integer", "minimum": 1, "maximum": codes.len()},
        })
    }

    fn write_schema(&self) -> Json {
        let mut schema = self.read_schema();
        schema["additionalProperties"]["type"] = json!(["integer", "null"]);
        schema
    }

    fn parse(&self, raw: Json, cx: &Cx, at: &mut Issues) -> Json {
        let Json::Object(given) = raw else {
            at.push(Reason::MustBe(Expected::Ranks));
            return Json::Null;
        };
        let faults = at.count();
        let range = 1..=count(self.choices.len());
        let mut order: Vec<(i64, String)> = Vec::new();
        for (code, rank) in given {
            if self.choice(&code, cx).is_none() {
                // A code with invalid characters is not repeated.
                if id::is_item_code(&code) {
                    at.push_at(&code, Reason::NotOneOf(Set::Choices));
                } else {
                    at.push(Reason::NotOneOf(Set::Choices));
                }
            } else if rank.is_null() || rank == "" {
                // Left unranked.
            } else {
                match as_int(&rank) {
                    None => at.push_at(&code, Reason::MustBe(Expected::WholeNumber)),
                    Some(rank) if !range.contains(&rank) => at.push_at(&code, out_of(&range)),
                    Some(rank) if order.iter().any(|(known, _)| *known == rank) => {
                        at.push_at(&code, Reason::RankRepeated);
                    }
                    Some(rank) => order.push((rank, code)),
                }
            }
        }
        if at.count() > faults {
            return Json::Null;
        }
        order.sort();
        if order.iter().zip(1..).any(|((rank, _), next)| *rank != next) {
            at.push(Reason::RankGap);
        }
        self.check_count(order.len(), at);
        value(order.iter().map(|(_, code)| code.as_str()))
    }

    /// Choices below a removed one move up.
    fn prune(&self, stored: Json, _: &Cx) -> Json {
        let left = ranked(&stored).into_iter();
        value(left.filter(|code| choices::find(&self.choices, code).is_some()))
    }

    fn text(&self, stored: &Json, cx: &Cx) -> String {
        self.lines(stored, cx).join(", ")
    }

    fn lines(&self, stored: &Json, _: &Cx) -> Vec<String> {
        let label = |code| choices::find(&self.choices, code).map_or(code, Choice::label);
        let ranks = ranked(stored).into_iter().zip(1..);
        ranks.map(|(code, rank)| format!("{rank}. {}", label(code))).collect()
    }

    fn for_respondent(&self) -> Json {
        choices::for_respondent(self.as_json())
    }

    fn tally(&self, _: Room) -> Box<dyn Tally + '_> {
        Box::new(Ranks::new(&self.choices))
    }

    fn capacity(&self) -> Option<&dyn Capacity> {
        Some(self)
    }

    fn parts(&self) -> Option<&dyn Parts> {
        Some(self)
    }

    fn sheet(&self) -> Option<&dyn Sheet> {
        Some(self)
    }

    fn grading(&self) -> Option<&dyn Grading> {
        Some(&grading::Same)
    }
}

impl Parts for Ranking {
    fn items(&self) -> Vec<Item<'_>> {
        choices::items(&self.choices)
    }

    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        ranked(stored)
    }
}

impl Capacity for Ranking {
    /// One unit of the quota of each choice that has a rank.
    fn takes(&self, stored: &Json) -> Vec<Take> {
        let ranks = stored.as_object().into_iter().flatten();
        ranks.map(|(code, _)| choices::take(code, format!(".{code}"))).collect()
    }

    fn limit(&self, counter: &str) -> Option<Limit> {
        choices::limit(&self.choices, counter)
    }

    fn show_remaining(&self, shown: &mut Json, taken: UsedOf, _: &Cx) {
        choices::show_remaining(&self.choices, shown, taken);
    }

    fn shown_counters(&self, cx: &Cx) -> Vec<Counters> {
        self.choices.shown_counters(cx)
    }
}

impl Sheet for Ranking {
    fn sheet_columns(&self, _: &Cx) -> Vec<Column> {
        let choices = self.choices.iter();
        choices.map(|choice| Column::part(choice.code(), choice.label())).collect()
    }

    fn sheet_cells(&self, stored: &Json, cx: &Cx) -> Vec<Cell> {
        let choices = self.choices.iter();
        choices.map(|choice| Cell::of(&stored[choice.code()], || self.text(stored, cx))).collect()
    }

    fn sheet_value(&self, cells: &[&str], cx: &Cx, _: &mut Issues) -> Json {
        let given = self.choices.iter().zip(cells);
        let ranked = given.filter(|(_, cell)| !text::is_blank(cell));
        let value = ranked.map(|(choice, cell)| (choice.code().to_owned(), columns::number(cell, cx.locale)));
        Json::Object(value.collect())
    }

    /// `1. Speed, 2. Price`, or without the numbers.
    fn written(&self, cell: &str, _: &Cx) -> Option<Json> {
        let labels = labels_of(cell);
        if labels.len() > self.choices.len() {
            return None;
        }
        let ranks = labels.into_iter().zip(1_i64..);
        let value = ranks.map(|(label, rank)| {
            let named = self.choices.iter().map(|choice| (choice.code(), choice.label()));
            Some((columns::meant(named, &label)?.to_owned(), json!(rank)))
        });
        let value: Vec<(String, Json)> = value.collect::<Option<_>>()?;
        let count = value.len();
        let value: Map<String, Json> = value.into_iter().collect();
        // A choice that is named twice has no rank.
        (value.len() == count).then_some(Json::Object(value))
    }
}

/// The labels of a ranking in their order. Where they are numbered, commas in them separate nothing.
fn labels_of(cell: &str) -> Vec<String> {
    let Some(mut rest) = cell.strip_prefix("1.") else {
        return columns::items(cell);
    };
    let mut labels = Vec::new();
    for next in 2.. {
        let Some((label, after)) = rest.split_once(&format!(", {next}.")) else {
            break;
        };
        labels.push(label.trim().to_owned());
        rest = after;
    }
    labels.push(rest.trim().to_owned());
    labels
}

impl Control for Ranking {
    fn examples(&self, _: &Cx) -> Vec<Json> {
        let most = self.max_ranked.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        let shown = self.choices.iter().filter(|choice| !choice.is_hidden());
        vec![value(shown.take(most).map(Choice::code))]
    }

    fn limits(&self, texts: &Texts, _: &Cx) -> Option<String> {
        let number = |number: Option<i64>| number.and_then(|number| usize::try_from(number).ok());
        let shown = self.choices.iter().filter(|c| !c.is_hidden()).count();
        let max = number(self.max_ranked).filter(|max| *max < shown);
        let min = number(self.min_ranked).filter(|min| *min > 1 || Some(*min) == max);
        texts.range("limit-ranks", min, max)
    }

    /// A rank for each choice; the script turns this into a sortable list.
    fn input(&self, cx: &InputCx) -> Markup {
        let shown: Vec<&Choice> = self.choices.iter().filter(|c| !c.is_hidden()).collect();
        let most = self.max_ranked.unwrap_or(i64::MAX).min(count(shown.len()));
        // A fault of the whole order marks every rank.
        let is_wrong = cx.invalid && cx.faults.iter().all(|fault| fault.path.is_empty());
        // The script fills these placeholders in.
        let say = |id: &str| {
            let places = [("choice", "{choice}".into()), ("rank", "{rank}".into()), ("ranks", "{ranks}".into())];
            cx.texts.fill(id, &places)
        };
        html! {
            div.ranking data-most=(most) data-up=(say("rank-up")) data-down=(say("rank-down"))
                data-add=(say("rank-add")) data-remove=(say("rank-remove"))
                data-ranked=(say("rank-now")) data-unranked=(say("rank-none")) {
                p.rank-hint { (cx.texts.say("rank-hint")) }
                @for (i, choice) in shown.iter().enumerate() {
                    @let code = choice.code();
                    // The first control has the group's own id, so that an error's link leads to it.
                    @let id = if i == 0 { cx.name.to_owned() } else { format!("{}.{code}", cx.name) };
                    @let typed = inputs::typed(&cx.value[code]);
                    @let fault = cx.fault_at(&format!(".{code}"));
                    @let left = choices::left(&self.choices, code, cx);
                    @let is_shut = inputs::is_shut(left, !typed.is_empty());
                    div.rank-row {
                        label for=(id) dir="auto" lang=[cx.owners_lang()] {
                            (choice.label())
                            @if left.is_some() { " " (inputs::left(left, choices::quota(&self.choices, code), cx)) }
                        }
                        @let name = format!("{}.{code}", cx.name);
                        @let invalid = (is_wrong || fault.is_some()).then_some("true");
                        @if most <= MAX_LISTED {
                            select.input id=(id) name=(name) disabled[is_shut] aria-invalid=[invalid]
                                aria-describedby=[inputs::described_by(cx)] {
                                option value="" { "–" }
                                @for rank in 1..=most {
                                    option value=(rank) selected[typed == rank.to_string()] { (rank) }
                                }
                            }
                        } @else {
                            input.input type="text" inputmode="numeric" autocomplete="off" id=(id) name=(name)
                                value=(typed) disabled[is_shut] aria-invalid=[invalid] aria-describedby=[inputs::described_by(cx)];
                        }
                        @if let Some(fault) = fault { p.fault { (fault) } }
                    }
                }
            }
        }
    }

    fn script(&self) -> Option<&'static str> {
        Some("ranking.js")
    }

    fn is_group(&self) -> bool {
        true
    }

    fn form_value(&self, part: &FormPart, cx: &Cx) -> Json {
        let ranks: Map<String, Json> = part
            .members()
            .filter_map(|(code, part)| {
                let typed = part.first()?.trim();
                let rank = local_number::of_form(typed, cx.locale);
                Some((code.to_owned(), rank))
            })
            .collect();
        if ranks.is_empty() { Json::Null } else { Json::Object(ranks) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drinks() -> Box<dyn Kind> {
        let raw = json!({"max_ranked": 2, "choices": [
            {"api_code": "a", "label": "Tea", "score": 1},
            {"api_code": "b", "label": "Milk"},
            {"api_code": "h", "label": "Gin", "hidden": true},
        ]});
        let mut at = Issues::new();
        let cx = BuildCx::default();
        let kind = build(&mut Reader::new(raw, &mut at), &cx);
        assert!(at.is_empty());
        kind
    }

    #[test]
    fn those_behind_a_choice_that_is_gone_move_up() {
        let stored = json!({"b": 3, "gone": 2, "a": 1});
        let today = drinks().prune(stored, &Cx::of_a_test(false));
        assert_eq!(today.to_string(), r#"{"a":1,"b":2}"#);
    }

    #[test]
    fn hidden_choices_are_for_collaborators() {
        let faults = |respondent| {
            let mut at = Issues::new();
            drinks().parse(json!({"h": 1}), &Cx::of_a_test(respondent), &mut at);
            at.into_list()
        };
        assert_eq!(faults(false), []);
        assert_eq!(faults(true)[0].attribute, "h");
        let seen = json!([{"api_code": "a", "label": "Tea"}, {"api_code": "b", "label": "Milk"}]);
        assert_eq!(drinks().for_respondent()["choices"], seen);
    }

    #[test]
    fn many_ranks_are_typed_and_not_listed() {
        let list: Vec<Json> = (0..1000).map(|i| json!({"label": format!("{i}")})).collect();
        let mut at = Issues::new();
        let mut reader = Reader::new(json!({"choices": list}), &mut at);
        let kind = build(&mut reader, &BuildCx::default());
        let page = kind.input(&InputCx {
            posted: None,
            name: "field_1",
            label: "a",
            value: &Json::Null,
            required: false,
            placeholder: None,
            invalid: false,
            faults: &[],
            described_by: "",
            texts: crate::base::text::texts::texts("en"),
            currency: "USD",
            seed: "",
            cx: &Cx::of_a_test(true),
        });
        let page = page.into_string();
        assert!(!page.contains("<option") && page.len() < 400_000, "{}", page.len());
    }

    #[test]
    fn one_rank_is_no_upper_bound() {
        let raw = json!({"min_ranked": 1, "max_ranked": 1, "choices": [{"label": "a"}, {"label": "b"}]});
        let mut at = Issues::new();
        let kind = build(&mut Reader::new(raw, &mut at), &BuildCx::default());
        let words = crate::base::text::texts::texts("en");
        let said = kind.limits(words, &Cx::of_a_test(true));
        assert_eq!(said.as_deref(), Some("Rank one of them"));
    }

    #[test]
    fn ranks_are_posted_beside_their_choices() {
        let tree = FormPart::tree([("field_1.a", ""), ("field_1.b", "1"), ("field_1.h", "x")]);
        let part = tree.member("field_1").expect("posted");
        assert_eq!(drinks().form_value(part, &Cx::of_a_test(true)), json!({"b": 1, "h": "x"}));
        let tree = FormPart::tree([("field_1.a", "")]);
        let part = tree.member("field_1").expect("posted");
        assert_eq!(drinks().form_value(part, &Cx::of_a_test(true)), json!(null));
    }
}
