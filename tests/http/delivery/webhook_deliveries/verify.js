// Verifies a delivery with the published library of Standard Webhooks: a JSON object on stdin, a word on stdout.
const fs = require("fs");
const { Webhook } = require("standardwebhooks");

const given = JSON.parse(fs.readFileSync(0, "utf8"));
try {
    new Webhook(given.secret).verify(given.body, given.headers);
    console.log("verified");
} catch (fault) {
    console.log(fault.message);
}
