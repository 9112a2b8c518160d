//! What kinds of choices are alike in, be one selected or several.

/// The methods of a kind that are the same in all of them: what they are asked for depends on the choices alone,
/// which stand in `self.choices`.
macro_rules! choice_methods {
    () => {
        fn live(&self) -> Option<$crate::fields::kind::Live> {
            Some($crate::fields::kind::Live::Codes)
        }

        fn operand_type(&self) -> Option<$crate::fields::formula::Type> {
            Some($crate::fields::formula::Type::Text)
        }

        fn operand(&self, stored: &Json, _: &Cx) -> Option<$crate::fields::formula::Value> {
            $crate::fields::choices::operand(&self.choices, stored)
        }

        fn has_scores(&self) -> bool {
            true
        }

        fn score(&self, stored: &Json) -> Option<$crate::fields::formula::Number> {
            $crate::fields::choices::score(&self.choices, stored)
        }

        fn operators(&self) -> &'static [$crate::fields::cond::Op] {
            $crate::fields::cond::Op::CHOICE
        }

        fn sheet_columns(&self, _: &Cx) -> Vec<$crate::fields::sheet::Column> {
            $crate::fields::choices::sheet::columns(&self.choices)
        }

        fn sheet_cells(&self, stored: &Json, _: &Cx) -> Vec<$crate::fields::sheet::Cell> {
            $crate::fields::choices::sheet::cells(&self.choices, stored)
        }

        fn items(&self) -> Vec<$crate::fields::kind::Item<'_>> {
            $crate::fields::choices::items(&self.choices)
        }

        fn takes(&self, stored: &Json, _: &Cx) -> Vec<$crate::fields::kind::Take> {
            $crate::fields::choices::takes(&self.choices, stored)
        }

        fn for_respondent(&self) -> Json {
            $crate::fields::choices::for_respondent(self.as_json())
        }

        fn tally(
            &self,
            room: $crate::fields::report::Room,
        ) -> Box<dyn $crate::fields::report::Tally + '_> {
            Box::new($crate::fields::report::choices::Choices::new(
                &self.choices,
                room,
            ))
        }
    };
}

pub(in crate::fields::choices) use choice_methods;
