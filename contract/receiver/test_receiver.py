"""A receiver in Python, told by a real service: everything that comes is verified, and nothing that was changed is.

SERVICE_URL and SERVICE_KEY name a running service that may call this machine. What the receiver wrote into its own
log is the evidence.
"""

import hashlib
import http.server
import json
import os
import pathlib
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

import verify

URL = os.environ.get("SERVICE_URL", "http://127.0.0.1:8049/v2")
KEY = os.environ.get("SERVICE_KEY", "")
WANTED = 12
WAIT_SECONDS = 60


def call(method, path, body=None):
    data = json.dumps(body).encode() if body is not None else None
    headers = {"Authorization": f"Token {KEY}", "Content-Type": "application/json"}
    request = urllib.request.Request(URL + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def make_news(count):
    """Each request for this number of the line TEST fails, and that is told."""
    attributes = {"request_type": "bill_of_lading", "request_number": "TEST-TR-FAILED", "scac": "TEST"}
    made = 0
    while made < count:
        try:
            call("POST", "/tracking_requests", {"data": {"type": "tracking_request", "attributes": attributes}})
            made += 1
        except urllib.error.HTTPError as refused:
            # The one before it is open for a moment.
            assert refused.code == 422, refused
            time.sleep(0.05)


class Receiver:
    """Verifies, writes a line into its log, then answers."""

    def __init__(self, log):
        self.log = log
        self.secrets = []
        self.ready = threading.Event()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.ready.wait(10)
                receiver.keep(headers, body)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/hook"

    def keep(self, headers, body):
        now = time.time()
        verdicts = [
            {
                "standard": verify.standard(secret, headers, body, now),
                "reference": verify.reference(secret, headers, body),
            }
            for secret in self.secrets
        ]
        line = {
            "headers": headers,
            "body": body.decode(),
            "digest": hashlib.sha256(body).hexdigest(),
            "at": now,
            "verdicts": verdicts,
        }
        with open(self.log, "a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")

    def lines(self):
        if not os.path.exists(self.log):
            return []
        text = pathlib.Path(self.log).read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        return [json.loads(line) for line in whole.splitlines()]


class Vectors(unittest.TestCase):
    """The vector of the public specification's libraries, and RFC 4231 for the bare HMAC."""

    SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    BODY = b'{"test": 2432232314}'
    HEADERS = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    NOW = 1614265330

    def test_it_verifies(self):
        self.assertIsNone(verify.standard(self.SECRET, self.HEADERS, self.BODY, self.NOW))

    def test_nothing_near_it_does(self):
        refused = lambda headers, body, now, secret=self.SECRET: self.assertIsNotNone(
            verify.standard(secret, headers, body, now)
        )
        refused(self.HEADERS, self.BODY + b" ", self.NOW)
        refused(self.HEADERS, self.BODY, self.NOW + 301)
        refused(self.HEADERS, self.BODY, self.NOW - 301)
        refused(self.HEADERS, self.BODY, self.NOW, "whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        for name in self.HEADERS:
            refused({**self.HEADERS, name: ""}, self.BODY, self.NOW)
        other_version = self.HEADERS["webhook-signature"].replace("v1,", "v2,")
        refused({**self.HEADERS, "webhook-signature": other_version}, self.BODY, self.NOW)

    def test_one_of_several_is_enough(self):
        listed = "v1,AAAA v2,x " + self.HEADERS["webhook-signature"]
        headers = {**self.HEADERS, "webhook-signature": listed}
        self.assertIsNone(verify.standard(self.SECRET, headers, self.BODY, self.NOW))

    def test_the_reference_signature_is_keyed_with_the_text(self):
        digest = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        body = b"what do ya want for nothing?"
        name = "x-t49-webhook-signature"
        self.assertIsNone(verify.reference("Jefe", {name: digest}, body))
        self.assertIsNone(verify.reference("Jefe", {name: "00", name + "-previous": digest}, body))
        self.assertIsNotNone(verify.reference("Jefe", {name: digest.upper()}, body))
        self.assertIsNotNone(verify.reference("Jeff", {name: digest}, body))


class Deliveries(unittest.TestCase):
    """What a running service sends."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="quayside-receiver.")
        self.addCleanup(folder.cleanup)
        self.receiver = Receiver(os.path.join(folder.name, "log.jsonl"))
        categories = call("GET", "/webhooks/events")["data"]
        events = [event["name"] for one in categories for event in one["attributes"]["events"]]
        attributes = {
            "url": self.receiver.url,
            "events": events,
            "headers": [{"name": "X-Team", "value": "quay"}],
        }
        made = call("POST", "/webhooks", {"data": {"type": "webhook", "attributes": attributes}})
        self.webhook = made["data"]["id"]
        self.addCleanup(call, "DELETE", f"/webhooks/{self.webhook}")
        self.receiver.secrets.append(made["data"]["attributes"]["secret"])
        self.receiver.ready.set()

    def wait_for(self, count, after=0):
        until = time.time() + WAIT_SECONDS
        while len(self.receiver.lines()) < after + count:
            self.assertLess(time.time(), until, "too few deliveries came")
            time.sleep(0.05)
        return self.receiver.lines()

    def test_every_delivery_verifies_and_no_other_bytes_do(self):
        make_news(WANTED)
        lines = self.wait_for(WANTED)
        digests = {}
        for line in lines:
            self.assertEqual(line["verdicts"], [{"standard": None, "reference": None}], line["headers"])
            headers, body = line["headers"], line["body"].encode()
            document = json.loads(body)
            self.assertEqual(headers["webhook-id"], document["data"]["id"])
            self.assertEqual(headers["x-team"], "quay")
            self.assertEqual(headers["content-type"], "application/json")
            self.assertIsInstance(document["data"]["meta"]["version"], int)
            known = digests.setdefault(headers["webhook-id"], line["digest"])
            self.assertEqual(known, line["digest"], "a repeat with other bytes")
            secret, now = self.receiver.secrets[0], line["at"]
            for changed in (body + b" ", body.replace(b'"', b"'", 1), b""):
                self.assertIsNotNone(verify.standard(secret, headers, changed, now))
                self.assertIsNotNone(verify.reference(secret, headers, changed))
            self.assertEqual(verify.standard(secret, headers, body, now + 600), "stale")
            foreign = "whsec_" + "A" * 43 + "="
            self.assertIsNotNone(verify.standard(foreign, headers, body, now))
            self.assertIsNotNone(verify.reference(foreign, headers, body))

    def test_a_new_secret_signs_from_its_rotation_on(self):
        make_news(1)
        before = len(self.wait_for(1))
        rotated = call("POST", f"/webhooks/{self.webhook}/rotate_secret")
        self.receiver.secrets.append(rotated["data"]["attributes"]["secret"])
        signed_anew = lambda: [
            line
            for line in self.receiver.lines()[before:]
            if len(line["verdicts"]) == 2 and line["verdicts"][1] == {"standard": None, "reference": None}
        ]
        make_news(5)
        until = time.time() + WAIT_SECONDS
        while len(signed_anew()) < 5:
            self.assertLess(time.time(), until, "nothing is signed with the new secret")
            time.sleep(0.05)
        for line in signed_anew():
            # For a day the one before it signs beside it: a receiver that has not changed yet refuses nothing.
            self.assertEqual(line["verdicts"][0], {"standard": None, "reference": None}, line["headers"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
