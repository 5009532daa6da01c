"""Stories against a real server; test/python.test.ts starts it and sets the environment."""

import asyncio
import base64
import hashlib
import hmac
import http.server
import json
import os
import threading
import time
import unittest

import hookswitch

URL = os.environ["HOOKSWITCH_URL"]
KEY = (os.environ["HOOKSWITCH_API_ID"], os.environ["HOOKSWITCH_API_TOKEN"])


class Requests(unittest.TestCase):
    def setUp(self) -> None:
        self.client = hookswitch.Client(URL, *KEY)

    def test_a_contact_is_created_changed_found_and_deleted(self) -> None:
        contact = self.client.create_contact(first_name="Ada", phone_numbers=[{"label": "Work", "value": "+33755990022"}])[
            "contact"
        ]
        changed = self.client.update_contact(id=contact["id"], last_name="Lind")["contact"]
        found = self.client.search_contacts(phone_number="+33755990022")["contacts"]
        self.client.delete_contact(id=contact["id"])

        self.assertEqual((changed["first_name"], changed["last_name"]), ("Ada", "Lind"))
        self.assertEqual([one["id"] for one in found], [contact["id"]])
        with self.assertRaises(hookswitch.NotFound):
            self.client.get_contact(id=contact["id"])

    def test_lists_are_iterated_over_all_pages(self) -> None:
        for n in range(5):
            self.client.create_tag(name=f"Sync {n}", color="#00B388")

        names = [tag["name"] for tag in self.client.iterate_tags(per_page=2) if tag["name"].startswith("Sync")]

        self.assertEqual(names, [f"Sync {n}" for n in range(5)])

    def test_the_asynchronous_client_has_the_same_methods(self) -> None:
        async def story() -> list[str]:
            client = hookswitch.AsyncClient(URL, *KEY)
            await asyncio.gather(*(client.create_tag(name=f"Async {n}", color="#00B388") for n in range(3)))
            return sorted([tag["name"] async for tag in client.iterate_tags() if tag["name"].startswith("Async")])

        self.assertEqual(asyncio.run(story()), ["Async 0", "Async 1", "Async 2"])

    def test_a_refusal_has_its_class_and_what_to_do(self) -> None:
        with self.assertRaises(hookswitch.ValidationError) as refused:
            self.client.create_tag(name="", color="red")

        self.assertTrue(refused.exception.troubleshoot)
        self.assertTrue(refused.exception.request_id)
        with self.assertRaises(hookswitch.PermissionDenied):
            hookswitch.Client(URL, "stranger", "wrong").ping()

    def test_unknown_operations_and_parameters_are_errors(self) -> None:
        with self.assertRaises(AttributeError):
            self.client.delete_everything()
        with self.assertRaises(TypeError):
            self.client.get_tag()
        with self.assertRaises(TypeError):
            self.client.get_tag(id=1, colour="red")


class Retries(unittest.TestCase):
    """A server that fails in the ways of networks and proxies; the retries are what is tested."""

    def serve(self, statuses: list[int]) -> str:
        keys: list[str] = []
        self.keys = keys

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                keys.append(self.headers["Idempotency-Key"])
                self.rfile.read(int(self.headers["Content-Length"] or 0))
                status = statuses.pop(0) if statuses else 201
                body = b'{"tag": {"id": 1}}'
                self.send_response(status)
                self.send_header("Retry-After", "0")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}"

    def test_a_change_is_tried_again_with_the_same_key(self) -> None:
        client = hookswitch.Client(self.serve([429, 503]), "a", "b")

        self.assertEqual(client.create_tag(name="Urgent", color="#00B388"), {"tag": {"id": 1}})
        self.assertEqual((len(self.keys), len(set(self.keys))), (3, 1))

    def test_after_the_last_retry_the_error_says_what_happened(self) -> None:
        with self.assertRaises(hookswitch.ServerError):
            hookswitch.Client(self.serve([500]), "a", "b", max_retries=0).create_tag(name="x", color="#00B388")
        with self.assertRaises(hookswitch.ConnectionFailed):
            hookswitch.Client("http://127.0.0.1:1", "a", "b", max_retries=0).ping()


class Webhooks(unittest.TestCase):
    secret = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()

    def headers_of(self, body: str, timestamp: int) -> dict[str, str]:
        key = base64.b64decode(self.secret[6:])
        digest = hmac.new(key, f"msg_1.{timestamp}.{body}".encode(), hashlib.sha256).digest()
        return {
            "Webhook-Id": "msg_1",
            "Webhook-Timestamp": str(timestamp),
            "Webhook-Signature": "v1," + base64.b64encode(digest).decode(),
        }

    def test_a_signed_request_is_an_event_and_another_one_is_refused(self) -> None:
        body = json.dumps({"event": "tag.created", "data": {"name": "Urgent"}})
        now = int(time.time())

        self.assertEqual(hookswitch.verify_webhook(body, self.headers_of(body, now), self.secret)["event"], "tag.created")
        for wrong_body, headers in [
            (body.replace("Urgent", "Calm"), self.headers_of(body, now)),
            (body, self.headers_of(body, now - 3600)),
            (body, {}),
        ]:
            with self.assertRaises(hookswitch.WebhookVerificationError):
                hookswitch.verify_webhook(wrong_body, headers, self.secret)


if __name__ == "__main__":
    unittest.main()
