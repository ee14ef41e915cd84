"""Fills the demo account with one record of everything, and writes the ids of all its records to a file.

    seed.py BASE_URL KEY FILE
"""

import json
import sys
import time
import urllib.error
import urllib.request

BASE, KEY, FILE = sys.argv[1:]
# How long the demo may take until a shipment has sailed.
PATIENCE_SECONDS = 600
# Records made to be deleted, of each kind.
THROWAWAYS = 40


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Token {KEY}", "Content-Type": "application/json"}
    request = urllib.request.Request(BASE + path, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
            return json.loads(text) if text else {}
    except urllib.error.HTTPError as refusal:
        raise SystemExit(f"{method} {path} answered {refusal.code}: {refusal.read().decode()}")


def rows(path):
    found = call("GET", path).get("data", [])
    return found if isinstance(found, list) else [found]


def ids(path):
    return [row["id"] for row in rows(path)]


def attributes(path, name):
    return [row["attributes"][name] for row in rows(path)]


def make(path, kind, attributes, relationships=None):
    data = {"type": kind, "attributes": attributes}
    if relationships:
        data["relationships"] = relationships
    return call("POST", path, {"data": data})["data"]["id"]


def awaited(path):
    """The ids of a list, as soon as it has some."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        found = ids(path)
        if found:
            return found
        time.sleep(0.5)
    raise SystemExit(f"{path} stays empty")


def included(path, kind):
    return sorted({one["id"] for one in call("GET", path).get("included", []) if one["type"] == kind})


def known():
    """Ids of what the demo's world has brought."""
    shipments = awaited("/shipments")
    containers = awaited("/containers")
    event = awaited(f"/containers/{containers[0]}/transport_events")
    ports = included("/shipments?include=port_of_lading,port_of_discharge", "port")
    vessels = included(f"/containers/{containers[0]}/transport_events?include=vessel", "vessel")
    terminals = included("/containers?include=pod_terminal", "terminal")
    assert event
    return {
        "tracking_requests.id": ids("/tracking_requests"),
        "shipments.id": shipments,
        "containers.id": containers,
        "webhook_notifications.id": awaited("/webhook_notifications"),
        "shipping_lines.id": ids("/shipping_lines"),
        "ports.id": ports + ["USLAX"],
        "metro_areas.id": ["USCHI"],
        "terminals.id": terminals,
        "vessels.id": vessels,
        "webhooks.id": ids("/webhooks"),
        "type.shipment": shipments,
        "type.container": containers,
        "type.tracking_request": ids("/tracking_requests"),
    }


def parties():
    made = [make("/parties", "party", {"company_name": f"Company {n}"}) for n in range(3)]
    return {"parties.id": made, "type.party": made}


def fields(records):
    """A definition of each kind, with options and values."""
    path = "/custom_field_definitions"
    definitions, slugs, options, values, spare = [], [], [], [], []
    for entity, collection in [("Shipment", "shipments"), ("Container", "containers"), ("TrackingRequest", "tracking_requests")]:
        for data_type in ["short_text", "number", "enum"]:
            slug = f"{collection}_{data_type}"
            told = {"entity_type": entity, "api_slug": slug, "display_name": slug, "data_type": data_type}
            definition = make(path, "custom_field_definition", told)
            definitions.append(definition)
            slugs.append(slug)
            if data_type == "enum":
                told = {"label": "One", "value": "one"}
                options.append(make(f"{path}/{definition}/options", "custom_field_option", told))
        value = {"api_slug": f"{collection}_short_text", "value": "x"}
        record = records[f"{collection}.id"][0]
        values.append(make(f"/{collection}/{record}/custom_fields", "custom_field", value))
    for n in range(THROWAWAYS):
        told = {"entity_type": "Shipment", "api_slug": f"spare_{n}", "display_name": "Spare", "data_type": "short_text"}
        spare.append(make(path, "custom_field_definition", told))
    return {
        "custom_field_definitions.id": definitions,
        "option_id": options,
        "custom_fields.id": values,
        "api_slug": slugs,
        "delete.custom_field_definitions.id": spare,
        "type.custom_field_definition": definitions,
    }


def webhooks():
    told = {"url": "https://127.0.0.1:9/", "active": False, "events": ["container.updated"]}
    made = [make("/webhooks", "webhook", told) for _ in range(THROWAWAYS)]
    return {"delete.webhooks.id": made[1:], "webhooks.id": made[:1]}


def listeners():
    told = {"name": "made-up-calls", "events": ["tracking_request.succeeded"]}
    return {"listeners.id": [call("POST", "/listeners", told)["data"]["id"]]}


def keys():
    """Keys to be deleted: the one in use must stay."""
    spare = [make("/api_keys", "api_key", {"name": f"spare {n}"}) for n in range(THROWAWAYS)]
    return {"delete.api_keys.id": spare}


def main():
    records = known()
    for more in (parties(), fields(records), webhooks(), listeners(), keys()):
        records.update(more)
    with open(FILE, "w", encoding="utf-8") as file:
        json.dump(records, file, indent=1)
    for name, found in sorted(records.items()):
        if not found:
            print(f"seed: no record for {name}", file=sys.stderr)


main()
