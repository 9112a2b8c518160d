// Holds openapi.json against the published schema of its version.
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";

const validator = new Validator();
const { valid, errors } = await validator.validate(JSON.parse(readFileSync("openapi.json", "utf8")));
if (!valid || validator.version !== "3.1") throw new Error(JSON.stringify(errors ?? validator.version));
console.log("the description is a valid OpenAPI document");
