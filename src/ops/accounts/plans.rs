//! Plans of organisations (contract section 2).

use crate::base::error::{Error, Noun, Result};
use crate::model::audit::Action;
use crate::model::caller::Caller;
use crate::model::user::{Capability, Organization, Plan};
use crate::ops::accounts::audit::{self, By};
use crate::ops::app::App;
use crate::store::accounts::organizations;

/// Checks that the caller's plan has a capability.
///
/// # Errors
/// 402.
pub fn need(caller: &Caller, capability: Capability) -> Result<()> {
    let plan = caller.user.organization.plan;
    if plan.has(capability) {
        Ok(())
    } else {
        Err(Error::PlanLacks(format!("The plan {} has no {}", plan.name(), capability.name())))
    }
}

/// All organisations, oldest first, each with its number of users.
pub fn list(app: &App) -> Result<Vec<(Organization, i64)>> {
    app.store.read(organizations::all)
}

/// Sets the plan of the organisation with this id or name. It takes effect with the next request.
///
/// # Errors
/// 404.
pub fn set(app: &App, name: &str, plan: Plan) -> Result<Organization> {
    let name = name.to_owned();
    app.store.write(move |tx| {
        let found = organizations::by_token_or_name(tx, &name)?.ok_or(Error::NotFound(Noun::Organization))?;
        if found.plan == plan {
            return Ok(found);
        }
        organizations::set_plan(tx, found.id, plan)?;
        let by = By::operator(found.id);
        audit::note(tx, by, Action::PlanChanged, &found.token)?;
        Ok(Organization { plan, ..found })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_each_plan_has() {
        let has = |plan: Plan| {
            [Capability::PublicQueries, Capability::ScopedData, Capability::EditableResults]
                .map(|capability| plan.has(capability))
        };
        assert_eq!(has(Plan::Free), [false, false, false]);
        assert_eq!(has(Plan::Standard), [true, false, false]);
        assert_eq!(has(Plan::Business), [true, true, true]);
        assert_eq!(has(Plan::Unlimited), [true, true, true]);
        let limits = Plan::ALL.map(Plan::entries_per_form);
        assert_eq!(limits, [Some(1_000), Some(10_000), Some(100_000), None]);
    }
}
