# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The gateway as an app sees it: one call per route, and the event log as a list."""

import http.client
import json
import uuid
from urllib.parse import quote, urlsplit

from tests.e2e.sse import Closed, Stream
from tests.e2e.wait import DEADLINE, until


class Answer:
    """One HTTP response, read whole."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The `code` of a problem+json body; None for another body."""
        try:
            return json.loads(self.body).get("code")
        except (ValueError, AttributeError):
            return None

    def __repr__(self):
        return f"<{self.status} {self.body[:300]!r}>"


class Client:
    """A device. Every call opens its own connection, so that no test sees another's."""

    def __init__(self, url, token, timeout=DEADLINE):
        self.url, self.token, self.timeout = url, token, timeout
        self.address = urlsplit(url)

    def call(self, method, path, body=None, headers=None, token=...):
        """One request. `body` may be bytes (sent as they are) or anything JSON; `token=None` sends no
        Authorization."""
        lines = {} if body is None else {"Content-Type": "application/json"}
        token = self.token if token is ... else token
        if token is not None:
            lines["Authorization"] = f"Bearer {token}"
        lines.update(headers or {})
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        link = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=self.timeout)
        try:
            link.request(method, path, data, lines)
            return Answer(link.getresponse())
        finally:
            link.close()

    def must(self, status, method, path, body=None, headers=None):
        """Like call, but the status must be as told; returns the body."""
        answer = self.call(method, path, body, headers)
        if answer.status != status:
            raise AssertionError(f"{method} {path} -> {answer.status}, not {status}: {answer.body[:500]!r}")
        return answer.json if answer.body else None

    # --- sessions ---

    def create(self, profile="fault", key=None, **fields):
        """A new session's id."""
        headers = {"Idempotency-Key": key} if key else None
        return self.must(201, "POST", "/v1/sessions", {"profile": profile, **fields}, headers)["id"]

    def session(self, session):
        return self.must(200, "GET", f"/v1/sessions/{session}")

    def state(self, session):
        return self.session(session)["state"]

    def delete(self, session):
        return self.call("DELETE", f"/v1/sessions/{session}")

    def post_prompt(self, session, text, key=None):
        headers = {"Idempotency-Key": key} if key else None
        return self.call("POST", f"/v1/sessions/{session}/prompt", {"text": text}, headers)

    def prompt(self, session, text, key=None):
        """The turn id of an accepted prompt."""
        answer = self.post_prompt(session, text, key)
        if answer.status != 202:
            raise AssertionError(f"prompt -> {answer.status}: {answer.body[:500]!r}")
        return answer.json["turn_id"]

    def cancel(self, session):
        return self.call("POST", f"/v1/sessions/{session}/cancel")

    def permissions(self, session):
        """The open approvals."""
        return self.must(200, "GET", f"/v1/sessions/{session}/permissions")["permissions"]

    # --- events ---

    def stream(self, session, after=None, last_event_id=None, live=None, **options):
        """An open event stream."""
        query = [
            f"{name}={quote(str(value))}"
            for name, value in (("after", after), ("live", live))
            if value is not None
        ]
        headers = {} if last_event_id is None else {"Last-Event-ID": str(last_event_id)}
        path = f"/v1/sessions/{session}/events" + ("?" + "&".join(query) if query else "")
        return Stream(self.url, self.token, path, headers, **options)

    def log(self, session, after=0):
        """All events of now after that seq."""
        with self.stream(session, after=after, live=0) as stream:
            stream.until("caught_up")
            return stream.events()

    def turn_end(self, session, turn, timeout=DEADLINE):
        """Waits for the turn's end and returns that event."""

        def ended(frame):
            return frame.event == "turn_end" and frame.data.get("turn_id") == turn

        with self.stream(session, after=0, live=0) as stream:
            return stream.until(ended, timeout).data

    def run(self, session, text, timeout=DEADLINE):
        """One whole turn: (its text, its turn_end)."""
        turn = self.prompt(session, text)
        end = self.turn_end(session, turn, timeout)
        return said(self.log(session), turn), end

    def wait_state(self, session, *states, timeout=DEADLINE):
        return until(lambda: self.state(session) in states, f"session {session} in {states}", timeout)

    def ready(self):
        """True while the daemon answers /readyz with 200."""
        try:
            return self.call("GET", "/readyz", token=None).status == 200
        except (OSError, http.client.HTTPException, Closed):
            return False


def chunk_text(event):
    """The text of a chunk event."""
    content = event.get("content", {})
    return event["text"] if "text" in event else content.get("text", "")


def said(events, turn=None, kind="agent_message_chunk"):
    """The concatenated message text of a turn, or of all."""
    return "".join(chunk_text(e) for e in events if e["type"] == kind and turn in (None, e.get("turn_id")))


def end_code(event):
    """The error code of a turn_end; None when it has a stop reason."""
    return (event.get("error") or {}).get("code")


def of_type(events, kind):
    return [event for event in events if event["type"] == kind]


def new_key():
    return str(uuid.uuid4())
