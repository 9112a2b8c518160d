//! The API of webhooks: their bodies, the callers with access, and the handling of their secrets (handbook:
//! webhooks.md; contract section 9; S71 to S75).

mod api;
mod bodies;
mod rights;
mod secrets;

/// The keys of a webhook.
const KEYS: [&str; 6] = ["id", "url", "trigger_events", "enabled", "created_at", "updated_at"];

/// The keys of a delivery.
const DELIVERY: [&str; 9] =
    ["id", "event", "status", "attempts", "response_status", "response_ms", "error", "created_at", "next_attempt_at"];

const FORBIDDEN: &str = r#"403 {"error":"Forbidden"}"#;
const NO_SCOPE: &str = r#"403 {"error":"Insufficient scope"}"#;
const NO_TOKEN: &str = r#"401 {"error":"Missing access token"}"#;
const NO_FORM: &str = r#"404 {"error":"Form not found"}"#;
const NO_WEBHOOK: &str = r#"404 {"error":"Webhook not found"}"#;
