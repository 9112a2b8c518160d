//! `formsvc plan`: plans of organizations.

use serde_json::json;

use crate::base::json::Json;
use crate::cli::config::args::PlanCommand;
use crate::cli::config::settings::Cx;
use crate::cli::failure::Failure;
use crate::cli::with_app;
use crate::model::user::Organization;
use crate::ops::accounts::plans;

pub fn run(cx: &Cx, command: PlanCommand) -> Result<(), Failure> {
    match command {
        PlanCommand::Set { organization, plan } => {
            let set = with_app(cx, |app| Ok(plans::set(app, &organization, plan)?))?;
            cx.out.note(&format!("{} has the plan {}", set.name, plan.name()));
            cx.out.result("", &document(&set))
        }
        PlanCommand::List => {
            let all = with_app(cx, |app| Ok(plans::list(app)?))?;
            let documents: Vec<Json> = all
                .iter()
                .map(|(organization, people)| {
                    let mut shown = document(organization);
                    shown["users"] = json!(people);
                    shown
                })
                .collect();
            let rows: Vec<Vec<String>> = all
                .iter()
                .map(|(organization, people)| {
                    vec![
                        organization.name.clone(),
                        organization.plan.name().to_owned(),
                        people.to_string(),
                        organization.token.clone(),
                    ]
                })
                .collect();
            let names = ["organization", "plan", "users", "id"];
            cx.out.table(&names, &rows, &documents.into())
        }
    }
}

fn document(organization: &Organization) -> Json {
    let plan = organization.plan;
    json!({
        "id": organization.token,
        "name": organization.name,
        "plan": plan.name(),
        "capabilities": {
            "public_queries": plan.public_queries(),
            "scoped_data": plan.scoped_data(),
            "editable_results": plan.editable_results(),
            "entries_per_form": plan.entries_per_form(),
        },
    })
}
