// Asks the page's snippet: KIND SECRET BODY_FILE NAME=VALUE…
import { readFileSync } from "node:fs";
import { isGenuine, isGenuineT49 } from "./snippet.mjs";

const [kind, secret, body, ...named] = process.argv.slice(2);
const headers = Object.fromEntries(named.map((one) => one.split(/=(.*)/s, 2)));
const judge = { standard: isGenuine, t49: isGenuineT49 }[kind];
console.log(judge(secret, headers, readFileSync(body)) ? "accepted" : "refused");
