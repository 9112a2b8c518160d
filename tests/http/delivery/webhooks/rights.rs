//! Rights to webhooks: every route by every role, scope, kind of token and plan, and by users of another form (S74;
//! contract sections 1, 2 and 9).

use serde_json::{Value, json};
use support::peers::receiver::Receiver;
use support::sharing::{self, share};
use support::{Caller, Form, Response, Server};

use super::{FORBIDDEN, NO_FORM, NO_SCOPE, NO_TOKEN, NO_WEBHOOK};
use crate::delivery::{FLAGS, KINDS, Webhook, enter, fields, list};
use crate::oauth::{app, somebody};

const READ: &str = "integration:read";
const WRITE: &str = "integration:write";
const ALL: &str = "form:read form:write form:delete entry:read entry:write entry:delete \
                   form:respond integration:read integration:write";
const NO_DELIVERY: &str = r#"404 {"error":"Delivery not found"}"#;

/// A route below a form's webhooks: method, path below the list's address, scope, body.
type Route = (&'static str, &'static str, &'static str, Option<Value>);

/// Every route; the last one ends the webhook.
fn routes(url: &str) -> [Route; 9] {
    let body = json!({"url": url, "trigger_events": ["entry_created"]});
    [
        ("GET", "", READ, None),
        ("POST", "", WRITE, Some(body)),
        ("GET", "/{id}", READ, None),
        ("PATCH", "/{id}", WRITE, Some(json!({"enabled": true}))),
        ("POST", "/{id}/rotate_secret", WRITE, None),
        ("POST", "/{id}/test", WRITE, None),
        ("GET", "/{id}/deliveries", READ, None),
        ("POST", "/{id}/deliveries/{delivery}/redeliver", WRITE, None),
        ("DELETE", "/{id}", WRITE, None),
    ]
}

/// A form of somebody's with a webhook that has delivered something.
struct Told {
    owner: Caller,
    form: Form,
    webhook: Webhook,
    delivery: String,
    url: String,
}

impl Told {
    fn new(owner: Caller, receiver: &Receiver) -> Self {
        let form = owner.form(fields());
        let url = receiver.url(&format!("/{}", form.token));
        let webhook = Webhook::new(&owner, &form, &url, &KINDS);
        enter(&owner, &form, "mk-value");
        let rows = webhook.until_status(&owner, 1, "delivered");
        let delivery = rows[0]["id"].as_str().expect("an id").to_owned();
        Self { owner, form, webhook, delivery, url }
    }

    /// Asks one of the routes of this form for this webhook.
    fn ask(&self, caller: &Caller, route: &Route, id: &str, delivery: &str) -> Response {
        let (method, path, _, body) = route;
        let path = path.replace("{id}", id).replace("{delivery}", delivery);
        let path = format!("{}{path}", list(&self.form));
        let body = body.as_ref().map(Value::to_string).unwrap_or_default();
        let kind = (!body.is_empty()).then_some("application/json");
        caller.send(method, &path, kind, body.as_bytes())
    }

    fn ask_right(&self, caller: &Caller, route: &Route) -> Response {
        self.ask(caller, route, &self.webhook.id, &self.delivery)
    }

    /// All webhooks of the form as the owner sees them.
    fn shown(&self) -> Value {
        self.owner.get(list(&self.form)).data()
    }
}

#[test]
fn managers_alone_have_to_do_with_webhooks_on_every_plan() {
    // By itself: its organization's plan is changed.
    let server = Server::with(&FLAGS);
    let receiver = Receiver::start();
    server.user_named("ann@example.org", "Ann");
    server.stranger("far@example.org");
    let stranger = server.token("far@example.org", ALL);
    let colleague = server.user();
    for plan in ["free", "standard", "business", "unlimited"] {
        assert!(server.run(&["plan", "set", "Ann", plan]).status.success());
        let world = Told::new(server.user(), &receiver);
        let roles = ["viewer", "editor", "manager"].map(|role| {
            let user = server.user();
            share(&world.owner, &world.form, &user, role);
            user
        });
        let [viewer, editor, manager] = &roles;
        let before = world.shown();
        for route in &routes(&world.url) {
            let name = format!("{plan}: {} {}", route.0, route.1);
            let asks = |caller: &Caller| world.ask_right(caller, route).to_string();
            assert_eq!(asks(&server.anon()), NO_TOKEN, "{name}");
            let garbage = server.anon().with_token("fsv_garbage");
            assert_eq!(asks(&garbage), r#"401 {"error":"Invalid access token"}"#, "{name}");
            for unrelated in [&stranger, &colleague] {
                assert_eq!(asks(unrelated), NO_FORM, "{name}");
            }
            for lesser in [viewer, editor] {
                assert_eq!(asks(lesser), FORBIDDEN, "{name}");
            }
        }
        assert_eq!(world.shown(), before, "nothing was changed by those who may not");
        for caller in [manager, &world.owner] {
            let world = Told::new(world.owner.clone(), &receiver);
            share(&world.owner, &world.form, manager, "manager");
            for route in &routes(&world.url) {
                let answer = world.ask_right(caller, route);
                let expected = if (route.0, route.1) == ("POST", "") { 201 } else { 200 };
                assert_eq!(answer.status, expected, "{plan}: {} {}: {answer}", route.0, route.1);
            }
        }
        // A former manager.
        let path = sharing::path(&world.form, manager);
        assert_eq!(world.owner.delete(path).status, 200);
        for route in &routes(&world.url) {
            assert_eq!(world.ask_right(manager, route).to_string(), NO_FORM);
        }
    }
}

#[test]
fn each_route_asks_for_its_own_scope_before_anything_else() {
    let server = Server::shared_with(&FLAGS);
    let receiver = Receiver::start();
    let world = Told::new(server.user(), &receiver);
    let email = world.owner.email.clone();
    let form = Form { token: "AAAAAAAAAA".to_owned(), body: Value::Null };
    let unknown = Told {
        owner: world.owner.clone(),
        form,
        webhook: world.webhook.clone(),
        delivery: world.delivery.clone(),
        url: world.url.clone(),
    };
    for route in &routes(&world.url) {
        let scope = route.2;
        let name = format!("{} {}", route.0, route.1);
        let others: Vec<&str> = ALL.split_whitespace().filter(|one| *one != scope).collect();
        let without = server.token(&email, &others.join(" "));
        for world in [&world, &unknown] {
            let refused = world.ask_right(&without, route);
            assert_eq!(refused.to_string(), NO_SCOPE, "{name}");
            let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
            assert_eq!(refused.header("www-authenticate"), challenge, "{name}");
        }
        let with = world.ask_right(&server.token(&email, scope), route);
        assert!(with.status < 300, "{name}: {with}");
    }
}

#[test]
fn applications_act_within_what_they_were_granted() {
    let server = Server::shared_with(&FLAGS);
    let receiver = Receiver::start();
    let (browser, email) = somebody(server);
    let owner = server.token(&email, ALL);
    let world = Told::new(owner, &receiver);
    let may_read = app(server, &["--scope", "form:read", READ]);
    let reader = may_read.call(&may_read.tokens(&browser));
    let may_all = app(server, &[]);
    let all = may_all.call(&may_all.tokens(&browser));
    let (other_browser, _) = somebody(server);
    let other = may_all.call(&may_all.tokens(&other_browser));
    for route in &routes(&world.url) {
        let name = format!("{} {}", route.0, route.1);
        assert_eq!(world.ask_right(&other, route).to_string(), NO_FORM, "{name}");
        let asked = world.ask_right(&reader, route);
        match route.2 {
            READ => assert_eq!(asked.status, 200, "{name}: {asked}"),
            _ => assert_eq!(asked.to_string(), NO_SCOPE, "{name}"),
        }
    }
    for route in &routes(&world.url) {
        let answer = world.ask_right(&all, route);
        assert!(answer.status < 300, "{} {}: {answer}", route.0, route.1);
    }
}

#[test]
fn webhooks_and_deliveries_are_found_below_their_own_form_alone() {
    let server = Server::shared_with(&FLAGS);
    let receiver = Receiver::start();
    let (ann, bob) = (Told::new(server.user(), &receiver), Told::new(server.user(), &receiver));
    let same = Told::new(ann.owner.clone(), &receiver);
    let other = Webhook::new(&ann.owner, &ann.form, &ann.url, &KINDS);
    let unknown = format!("whk_{}", "A".repeat(ann.webhook.id.len() - 4));
    let upper = ann.webhook.id.to_uppercase();
    let ids = [
        bob.webhook.id.as_str(),
        &same.webhook.id,
        &unknown,
        &upper,
        "1",
        "0",
        "-1",
        "whk_",
        "%00",
        "..%2F",
        &ann.delivery,
        &ann.form.token,
        "test",
    ];
    for route in routes(&ann.url).iter().filter(|route| route.1.contains("{id}")) {
        for id in ids {
            let answer = ann.ask(&ann.owner, route, id, &ann.delivery);
            assert_eq!(answer.to_string(), NO_WEBHOOK, "{} {} {id}", route.0, route.1);
        }
        // Nor does a form show another's webhooks to anybody.
        for (world, caller) in [(&bob, &ann.owner), (&ann, &bob.owner)] {
            assert_eq!(world.ask_right(caller, route).to_string(), NO_FORM);
        }
    }
    let redeliver = &routes(&ann.url)[7];
    for id in [bob.delivery.as_str(), &same.delivery, "dlv_AAAAAAAAAA", "1", &ann.webhook.id] {
        let answer = ann.ask(&ann.owner, redeliver, &ann.webhook.id, id);
        assert_eq!(answer.to_string(), NO_DELIVERY, "{id}");
    }
    let answer = ann.ask(&ann.owner, redeliver, &other.id, &ann.delivery);
    assert_eq!(answer.to_string(), NO_DELIVERY);
    assert_eq!(bob.shown()[0]["id"], bob.webhook.id);
    assert_eq!(ann.shown().as_array().map(Vec::len), Some(2));
}
