//! A form with its owner, settings and entries, made in one expression:
//! `World::with(fields).settings(…).entries([…])`.

use serde_json::{Value, json};

use crate::{Caller, Form, Response, Server, steps};

/// A form on a server, and the people who come to it.
pub struct World {
    pub server: &'static Server,
    /// A user of their own, with all scopes.
    pub owner: Caller,
    pub anon: Caller,
    pub form: Form,
}

impl World {
    /// A form of these fields on the shared server.
    pub fn with(fields: Value) -> Self {
        Self::of(json!({"name": "A form", "fields": fields}))
    }

    /// A form of this whole body on the shared server.
    pub fn of(body: Value) -> Self {
        Self::on(Server::shared(), body)
    }

    /// A form of this whole body on another server that tests share.
    pub fn on(server: &'static Server, body: Value) -> Self {
        let owner = server.user();
        let form = owner.form_with(body);
        Self { server, owner, anon: server.anon(), form }
    }

    /// Changes the form's settings.
    pub fn settings(self, settings: Value) -> Self {
        steps::set(&self.owner, &self.form, settings);
        self
    }

    /// Adds entries with these values.
    pub fn entries(self, values: impl IntoIterator<Item = Value>) -> Self {
        values.into_iter().for_each(|values| steps::add(&self.owner, &self.form, values));
        self
    }

    /// The newest entry, as its owner reads it.
    pub fn newest(&self) -> Value {
        steps::newest(&self.owner, &self.form)
    }

    /// How many entries there are.
    pub fn count(&self) -> i64 {
        steps::count(&self.owner, &self.form)
    }

    /// The page of the form for a new visitor.
    pub fn page(&self) -> Response {
        self.anon.get(self.form.page())
    }

    /// Sends the page with these inputs filled in.
    pub fn post(&self, inputs: &[(&str, &str)]) -> Response {
        self.anon.post_form(self.form.page(), inputs)
    }
}
