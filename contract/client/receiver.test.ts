// A receiver in TypeScript, told by a real service: everything that comes is verified, and nothing that was changed
// is. What the receiver wrote into its own log is the evidence.

import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./quayside.js";
import { type Headers, reference, standard } from "./verify.js";

const WANTED = 12;
const WAIT_MS = 60_000;

const baseUrl = process.env["SERVICE_URL"] ?? "http://127.0.0.1:8049/v2";
const authorization = { Authorization: `Token ${process.env["SERVICE_KEY"] ?? ""}` };
const headers = { ...authorization, "Content-Type": "application/json" };
const client = createClient<paths>({ baseUrl, headers });

interface Line {
  headers: Headers;
  /** Base64, as it came. */
  body: string;
  at: number;
}

/** Writes what comes into its log, then answers. */
class Receiver {
  readonly log = join(mkdtempSync(join(tmpdir(), "quayside-receiver-")), "log.jsonl");
  readonly #server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString("base64");
      const line = { headers: request.headers, body, at: Date.now() / 1000 };
      appendFileSync(this.log, `${JSON.stringify(line)}\n`);
      response.writeHead(202).end();
    });
  });

  async open(): Promise<string> {
    writeFileSync(this.log, "");
    await new Promise<void>((opened) => this.#server.listen(0, "127.0.0.1", opened));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    rmSync(join(this.log, ".."), { recursive: true });
  }

  lines(): Line[] {
    const whole = readFileSync(this.log, "utf8").split("\n").slice(0, -1);
    return whole.map((line) => JSON.parse(line) as Line);
  }
}

test("the vector of the public specification verifies, and nothing near it", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const body = Buffer.from('{"test": 2432232314}');
  const now = 1614265330;
  const good: Headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": String(now),
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  const listed = { ...good, "webhook-signature": `v1,AAAA v2,x ${good["webhook-signature"]}` };
  assert.equal(standard(secret, good, body, now), undefined);
  assert.equal(standard(secret, listed, body, now), undefined, "one of several is enough");
  assert.ok(standard(secret, good, Buffer.from('{"test": 2432232315}'), now));
  assert.equal(standard(secret, good, body, now + 301), "stale");
  assert.equal(standard(secret, good, body, now - 301), "stale");
  assert.ok(standard("whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSw", good, body, now));
  for (const name of Object.keys(good)) {
    assert.ok(standard(secret, { ...good, [name]: undefined }, body, now), name);
  }
});

test("the reference signature is keyed with the text of the secret (RFC 4231, case 2)", () => {
  const name = "x-t49-webhook-signature";
  const digest = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
  const body = Buffer.from("what do ya want for nothing?");
  assert.equal(reference("Jefe", { [name]: digest }, body), undefined);
  assert.equal(reference("Jefe", { [name]: "00", [`${name}-previous`]: `11 ${digest}` }, body), undefined);
  assert.ok(reference("Jeff", { [name]: digest }, body));
});

/** Each request for this number of the line TEST fails, and that is told. */
async function makeNews(count: number): Promise<void> {
  const attributes = { request_type: "bill_of_lading", request_number: "TEST-TR-FAILED", scac: "TEST" } as const;
  for (let made = 0; made < count; ) {
    const body = { data: { type: "tracking_request", attributes } } as const;
    const { response } = await client.POST("/tracking_requests", { body });
    if (response.status === 201) made += 1;
    // The one before it is open for a moment.
    else assert.equal(response.status, 422);
    await sleep(20);
  }
}

test("every delivery of a running service verifies, and no other bytes do", async () => {
  const receiver = new Receiver();
  const url = await receiver.open();
  type Event = components["schemas"]["webhook"]["attributes"] extends infer A
    ? A extends { events?: (infer E)[] } ? E : never
    : never;
  const categories = await client.GET("/webhooks/events");
  const events = categories.data?.data.flatMap((one) => one.attributes?.events?.map(({ name }) => name) ?? []);
  const attributes = { url, events: (events ?? []) as Event[] };
  const made = await client.POST("/webhooks", { body: { data: { type: "webhook", attributes } } });
  const webhook = made.data?.data;
  assert.ok(webhook?.attributes?.secret, JSON.stringify(made.error));
  const secret = webhook.attributes.secret;
  try {
    await makeNews(WANTED);
    const until = Date.now() + WAIT_MS;
    while (receiver.lines().length < WANTED) {
      assert.ok(Date.now() < until, "too few deliveries came");
      await sleep(50);
    }
    const known = new Map<string, string>();
    for (const { headers: sent, body: encoded, at } of receiver.lines()) {
      const body = Buffer.from(encoded, "base64");
      assert.equal(standard(secret, sent, body, at), undefined);
      assert.equal(reference(secret, sent, body), undefined);
      const document = JSON.parse(body.toString()) as { data: { id: string; meta: { version: number } } };
      assert.equal(sent["webhook-id"], document.data.id);
      assert.ok(Number.isInteger(document.data.meta.version));
      assert.equal(known.get(document.data.id) ?? encoded, encoded, "a repeat with other bytes");
      known.set(document.data.id, encoded);
      const changed = Buffer.concat([body, Buffer.from(" ")]);
      assert.ok(standard(secret, sent, changed, at) && reference(secret, sent, changed));
      const foreign = `whsec_${"A".repeat(43)}=`;
      assert.ok(standard(foreign, sent, body, at) && reference(foreign, sent, body));
      assert.equal(standard(secret, sent, body, at + 600), "stale");
    }
  } finally {
    const params = { path: { id: webhook.id } };
    await client.DELETE("/webhooks/{id}", { params, parseAs: "text" });
    receiver.close();
  }
});
