//! What kinds of choices can do besides, be one selected or several: it depends on the choices alone.

use crate::base::json::Json;
use crate::fields::choices::{self, Choice};
use crate::fields::formula::Number;
use crate::fields::kind::{Capacity, Cx, Item, Parts, Scores, Take};

impl Parts for Vec<Choice> {
    fn items(&self) -> Vec<Item<'_>> {
        choices::items(self)
    }

    fn uses<'v>(&self, stored: &'v Json) -> Vec<&'v str> {
        match stored {
            Json::Array(several) => several.iter().map(choices::code_of).collect(),
            one => vec![choices::code_of(one)],
        }
    }
}

impl Capacity for Vec<Choice> {
    fn takes(&self, stored: &Json, _: &Cx) -> Vec<Take> {
        choices::takes(self, stored)
    }
}

impl Scores for Vec<Choice> {
    fn score(&self, stored: &Json) -> Option<Number> {
        choices::score(self, stored)
    }
}
