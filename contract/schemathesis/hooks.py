"""Leads generated calls to records that are there.

A generated id names nothing, so every answer would be 404. `records.json` (written by `seed.py`) has ids of real
records; they take the place of generated ids wherever the path is meant to be good. Calls that delete get records
that were made for it. Addresses of webhooks are turned to a closed port of this machine: nothing that a test makes
up is ever called. And nobody waits for a delivery.
"""

import json
import os
import random
import uuid

import schemathesis
from schemathesis.core.parameters import ParameterLocation

with open(os.environ["QUAYSIDE_RECORDS"], encoding="utf-8") as file:
    RECORDS = json.load(file)

CLOSED = "https://127.0.0.1:9/"
# Of ten good calls, so many name a record.
REAL = 8


@schemathesis.hook
def map_case(context, case):
    if not negative(case, ParameterLocation.PATH):
        for name in case.path_parameters or {}:
            case.path_parameters[name] = segment(case.operation, name)
    if isinstance(case.body, (dict, list)):
        case.body = with_records(case.body)
    return case


@schemathesis.hook
def filter_case(context, case):
    """A filter without a value asks nothing: a bad call must have something worse."""
    if not negative(case, ParameterLocation.QUERY):
        return True
    return not any(name.startswith("filter[") and is_blank(value) for name, value in (case.query or {}).items())


def is_blank(value):
    return all(is_blank(one) for one in value) if isinstance(value, list) else str(value).strip() == ""


def negative(case, location):
    return case.meta is not None and case.meta.is_negative_at(location)


def segment(operation, name):
    """What stands in this segment of the path."""
    if random.randrange(10) >= REAL:
        return str(uuid.uuid4())
    collection = operation.path.strip("/").split("/")[0]
    pool = RECORDS.get(f"{collection}.{name}") or RECORDS.get(name) or []
    if operation.method.upper() == "DELETE":
        pool = RECORDS.get(f"delete.{collection}.{name}", pool)
    return random.choice(pool) if pool else str(uuid.uuid4())


def with_records(value):
    """Links lead to records, addresses lead nowhere, and nobody waits."""
    if isinstance(value, list):
        return [with_records(item) for item in value]
    if not isinstance(value, dict):
        return value
    linked = RECORDS.get(f"type.{value.get('type')}") if isinstance(value.get("type"), str) else None
    if linked and set(value) == {"type", "id"} and is_id(value["id"]) and random.randrange(10) < REAL:
        return {"type": value["type"], "id": random.choice(linked)}
    return {name: address(name, with_records(member)) for name, member in value.items()}


def is_id(value):
    return isinstance(value, str) and len(value) == 36


def address(name, value):
    if name == "url" and isinstance(value, str) and value.startswith("http"):
        return CLOSED
    if name == "wait_seconds" and isinstance(value, int) and 0 < value <= 20:
        return 0
    return value
