// A program of somebody who has nothing but the API's own description: the types are generated from it
// (openapi-typescript), and so are the calls' addresses and bodies (openapi-fetch).
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const [base, token] = process.argv.slice(2);
assert(base && token, "usage: client.js BASE TOKEN");
const owner = createClient<paths>({ baseUrl: base, headers: { Authorization: `Bearer ${token}` } });
const anyone = createClient<paths>({ baseUrl: base });

const fields: components["schemas"]["FormCreate"]["fields"] = [
  { type: "name", label: "Your name", required: true },
  { type: "rating", label: "How was it?", rating_max: 5 },
  { type: "radio", label: "Again?", choices: [{ api_code: "yes", label: "Yes" }, { api_code: "no", label: "No" }] },
  { type: "table", label: "Guests", dimensions: [{ type: "short_text", label: "Who" }] },
];
const made = await owner.POST("/api/v1/forms", { body: { name: "After the concert", fields } });
assert.equal(made.response.status, 201);
assert(made.data);
const form = made.data.data.token;

const shown = await anyone.GET("/api/v1/f/{form_token}", { params: { path: { form_token: form } } });
assert.equal(shown.data?.data.status, "open");

const sent = await anyone.POST("/api/v1/f/{form_token}/entries", {
  params: { path: { form_token: form }, header: { "Idempotency-Key": "concert-1" } },
  body: {
    field_values: { field_1: "Ada", field_2: 5, field_3: "yes", field_4: [{ field_1: "Grace" }] },
  },
});
assert.equal(sent.response.status, 201);
assert.equal(sent.data?.data.entry.serial_number, 1);

const read = await owner.GET("/api/v1/forms/{form_token}/entries/{serial_number}", {
  params: { path: { form_token: form, serial_number: 1 } },
});
assert.equal(read.data?.data.field_1, "Ada");
assert.deepEqual(read.data?.data.field_3, { value: "yes" });

const refused = await anyone.POST("/api/v1/f/{form_token}/entries", {
  params: { path: { form_token: form } },
  body: { field_values: { field_2: 9 } },
});
assert.equal(refused.response.status, 422);
assert.deepEqual(
  refused.error?.error_details?.map((detail) => detail.attribute),
  ["field_values.field_1", "field_values.field_2"],
);

const listed = await owner.GET("/api/v1/forms/{form_token}/entries", {
  params: { path: { form_token: form }, query: { page_size: 1 } },
});
assert.equal(listed.data?.pagination.total, 1);
console.log(`a generated client made form ${form} and entry 1`);
