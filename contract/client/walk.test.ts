// A typed client, generated from /openapi.json, walks the demo account. What does not compile is as much a fault as
// what fails.

import assert from "node:assert/strict";
import { test } from "node:test";
import createClient from "openapi-fetch";
import type { components, paths } from "./quayside.js";

type Schemas = components["schemas"];
type Included = Schemas["resource"];

const baseUrl = process.env["QUAYSIDE_URL"] ?? "http://127.0.0.1:8049/v2";
const key = process.env["QUAYSIDE_KEY"] ?? "";
const headers = { Authorization: `Token ${key}`, "Content-Type": "application/json" };
// openapi-fetch writes deep objects by default; names with brackets come out as they stand.
const client = createClient<paths>({ baseUrl, headers });

/** The included resource that a relationship leads to. */
function linked<K extends Included["type"]>(
  included: Included[] | undefined,
  kind: K,
  id: string | undefined,
): Extract<Included, { type: K }> {
  const found = included?.find((one) => one.type === kind && one.id === id);
  assert.ok(found, `${kind} ${id} is included`);
  return found as Extract<Included, { type: K }>;
}

/** The data of an answer that has to be good. */
function good<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  assert.ok(answer.data !== undefined, `${answer.response.url} ${answer.response.status} ${JSON.stringify(answer.error)}`);
  return answer.data;
}

async function anyContainer(): Promise<Schemas["container"]> {
  const listed = good(await client.GET("/containers", { params: { query: { "page[size]": 1 } } }));
  const [first] = listed.data;
  assert.ok(first, "the demo has containers");
  return first;
}

test("requests lead to shipments", async () => {
  const query = { "filter[status]": ["succeeded" as const], include: "tracked_object" };
  const answer = good(await client.GET("/tracking_requests", { params: { query } }));
  const [request] = answer.data;
  assert.ok(request?.attributes?.request_number);
  const target = request.relationships?.tracked_object?.data;
  const shipment = linked(answer.included, "shipment", target?.id);
  assert.equal(typeof shipment.attributes?.bill_of_lading_number, "string");
});

test("shipments bring their ports and boxes along", async () => {
  const query = { include: "containers,port_of_lading", "page[size]": 5 };
  const answer = good(await client.GET("/shipments", { params: { query } }));
  const shipment = answer.data.find((one) => one.relationships?.port_of_lading?.data);
  assert.ok(shipment, "a shipment knows where it was loaded");
  const port = linked(answer.included, "port", shipment.relationships?.port_of_lading?.data?.id);
  assert.equal(port.attributes?.code, shipment.attributes?.port_of_lading_locode);
  for (const { id } of shipment.relationships?.containers?.data ?? []) {
    const box = linked(answer.included, "container", id);
    assert.ok(box.attributes?.number);
  }
});

test("a box tells its way", async () => {
  const container = await anyContainer();
  assert.ok(container.id);
  const params = { path: { id: container.id }, query: { include: "location" } };
  const events = good(await client.GET("/containers/{id}/transport_events", { params }));
  for (const event of events.data) {
    const name: string | undefined = event.attributes?.event;
    assert.match(name ?? "", /^container\./);
  }
  const again = await client.GET("/containers/{id}", { params: { path: { id: container.id } } });
  const tag = again.response.headers.get("etag");
  assert.ok(good(again).data.attributes && tag);
  const known = { path: { id: container.id }, header: { "If-None-Match": tag } };
  const unchanged = await client.GET("/containers/{id}", { params: known, parseAs: "text" });
  assert.ok([200, 304].includes(unchanged.response.status));
});

test("pages follow each other by their links", async () => {
  const seen = new Set<string>();
  let pages = 0;
  // The oldest first: what comes to light meanwhile stands behind what is read here.
  let next: string | undefined = `${baseUrl}/containers?sort=created_at&page[size]=2`;
  while (next && pages < 5) {
    const response: Response = await fetch(next, { headers });
    type Page = paths["/containers"]["get"]["responses"][200]["content"]["application/vnd.api+json"];
    const page = (await response.json()) as Page;
    for (const row of page.data) {
      assert.ok(!seen.has(row.id), "no row comes twice");
      seen.add(row.id);
    }
    next = page.links?.next;
    pages += 1;
  }
  assert.ok(pages > 1 && seen.size > 2, `${pages} pages, ${seen.size} rows`);
});

test("a custom field is defined, set, read with its box and taken away", async () => {
  const container = await anyContainer();
  const api_slug = `po_${Date.now()}`;
  const defined = good(
    await client.POST("/custom_field_definitions", {
      body: {
        data: {
          type: "custom_field_definition",
          attributes: { entity_type: "Container", api_slug, display_name: "Purchase order", data_type: "short_text" },
        },
      },
    }),
  );
  const path = { id: container.id };
  good(
    await client.POST("/containers/{id}/custom_fields", {
      params: { path },
      body: { data: { type: "custom_field", attributes: { api_slug, value: "PO-4711" } } },
    }),
  );
  const query = { include: "custom_fields" };
  const read = good(await client.GET("/containers/{id}", { params: { path, query } }));
  const fields = (read.included ?? []).filter((one) => one.type === "custom_field");
  const field = fields.find((one) => one.attributes?.api_slug === api_slug);
  assert.equal(field?.attributes?.value, "PO-4711");
  const named = { path: { ...path, api_slug } };
  const gone = await client.DELETE("/containers/{id}/custom_fields/{api_slug}", { params: named });
  assert.equal(gone.response.status, 204);
  const definition = { path: { id: defined.data.id } };
  const end = await client.DELETE("/custom_field_definitions/{id}", { params: definition, parseAs: "text" });
  assert.equal(end.response.status, 200);
});

test("a webhook is made, paused and deleted", async () => {
  const made = good(
    await client.POST("/webhooks", {
      body: {
        data: { type: "webhook", attributes: { url: "https://127.0.0.1:9/", active: false, events: ["container.updated"] } },
      },
    }),
  );
  assert.match(made.data.attributes?.secret ?? "", /^whsec_/);
  const params = { path: { id: made.data.id } };
  const body = { data: { type: "webhook" as const, attributes: { events: ["container.created" as const] } } };
  const changed = good(await client.PATCH("/webhooks/{id}", { params, body }));
  assert.deepEqual(changed.data.attributes?.events, ["container.created"]);
  const gone = await client.DELETE("/webhooks/{id}", { params, parseAs: "text" });
  assert.equal(gone.response.status, 200);
  const missing = await client.GET("/webhooks/{id}", { params });
  assert.equal(missing.response.status, 404);
});

test("refusals are typed too", async () => {
  const params = { path: { id: "019c0000-0000-7000-8000-00000000dead" } };
  const missing = await client.GET("/shipments/{id}", { params });
  assert.equal(missing.response.status, 404);
  const faults: Schemas["errors"] | undefined = missing.error;
  assert.equal(faults?.errors[0]?.status, "404");
  const refused = await client.POST("/tracking_requests", {
    body: { data: { type: "tracking_request", attributes: { request_type: "bill_of_lading", request_number: "" } } },
  });
  assert.equal(refused.response.status, 422);
  const pointers = refused.error?.errors.map((fault) => fault.source?.pointer);
  assert.ok(pointers?.includes("/data/attributes/request_number"), String(pointers));
});
