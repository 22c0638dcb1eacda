# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""A conversation that passes every crash point, and what must be true of it after the crash and the
restart."""

import http.client
import os
import re
import signal
import threading

from tests.e2e import settings
from tests.e2e.client import new_key, of_type, said
from tests.e2e.sse import Closed
from tests.e2e.wait import DEADLINE, TimedOut, until

LIST = os.path.join(settings.REPO, "docs", "crash-points.md")
CONFIG = settings.merged(settings.t1("1s"), settings.QUICK_END, settings.QUICK_DRAIN)


def names(path=LIST):
    """The points of docs/crash-points.md: the names in backticks in the first column of its tables."""
    with open(path, encoding="utf-8") as table:
        found = [re.match(r"\|\s*`([^`]+)`\s*\|", line) for line in table]
    return [match.group(1) for match in found if match]


class Crashed(Exception):
    """The daemon is gone."""


class Prompt:
    """One prompt that was sent. `turn` is None while nobody knows whether it was accepted."""

    def __init__(self, session, text, token):
        self.session, self.text, self.token, self.key, self.turn = session, text, token, new_key(), None


class Viewer:
    """Follows one session until the daemon dies: what it saw must be in the log afterwards."""

    def __init__(self, client, session):
        self.session = session
        self.stream = client.stream(session, after=0, live=0)
        self.thread = threading.Thread(target=self.follow)
        self.thread.start()

    def follow(self):
        try:
            while True:
                self.stream.next(DEADLINE * 4)
        except (Closed, TimeoutError, OSError, ValueError):
            pass

    def events(self):
        self.thread.join(DEADLINE)
        self.stream.close()
        return self.stream.events()


class Drive:
    """Talks to the daemon until it dies; keeps what was accepted, what is in doubt and what was seen."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.client = None
        self.creates, self.prompts, self.viewers = {}, [], []
        self.delete_sent, self.deleted = set(), set()
        self.doubtful_create = False

    def guarded(self, action):
        """Runs one request; Crashed when it failed because the daemon is gone."""
        try:
            return action()
        except (
            OSError,
            http.client.HTTPException,
            Closed,
            TimedOut,
            TimeoutError,
            AssertionError,
            TypeError,
        ) as error:
            try:
                self.daemon.child.wait(DEADLINE)
            except Exception:  # still alive: then the error is the daemon's own fault
                raise error from None
            raise Crashed from error

    def create(self):
        key = new_key()
        self.creates[key] = None
        self.creates[key] = self.guarded(lambda: self.client.create(key=key, title=key))
        self.viewers.append(self.guarded(lambda: Viewer(self.client, self.creates[key])))
        return self.creates[key]

    def prompt(self, session, text):
        """Sends a prompt with a word of its own, so that the brains' logs tell how often it ran."""
        token = f"token-{len(self.prompts)}-{new_key()}"
        prompt = Prompt(session, text if text.startswith("@") else f"{text} {token}", token)
        if text.startswith("@"):
            prompt.text = f"{text}\n{token}"
        self.prompts.append(prompt)
        prompt.turn = self.guarded(lambda: self.client.prompt(session, prompt.text, prompt.key))
        return prompt

    def turn(self, session, text):
        prompt = self.prompt(session, text)
        self.guarded(lambda: self.client.turn_end(session, prompt.turn))
        return prompt

    def conversation(self):
        """Everything a session can do, in an order in which every point is passed."""
        one, two = self.create(), self.create()
        self.turn(one, "hello")
        self.turn(one, "@tools 3\n@think so\n@say done")
        waiting = self.prompt(two, "@mark cancel-me\n@gate never-opened")
        self.wait_mark("cancel-me")
        self.guarded(lambda: self.client.cancel(two))
        self.guarded(lambda: self.client.turn_end(two, waiting.turn))
        self.turn(one, "@say dying\n@kill9")
        self.turn(one, "after the brain died")
        self.guarded(lambda: self.client.wait_state(one, "detached"))
        self.turn(one, "@late 100 a job finished\n@say resumed")
        self.guarded(
            lambda: until(
                lambda: [
                    e for e in of_type(self.client.log(one), "turn_started") if e.get("origin") == "agent"
                ],
                "the agent opens a turn",
            )
        )
        self.turn(one, "after the agent's turn")
        self.delete_sent.add(two)
        if self.guarded(lambda: self.client.delete(two)).status < 300:
            self.deleted.add(two)
        self.prompt(one, "@mark open\n@gate never-opened")
        self.wait_mark("open")

    def stop(self):
        """SIGTERM with an open turn: the points of an ordered stop."""
        self.daemon.child.send_signal(signal.SIGTERM)
        self.daemon.wait_exit(DEADLINE * 2)

    def run(self, point):
        """The whole life of a daemon with that point armed; the exit code."""
        self.daemon.spawn(crash_point=point)
        try:
            self.guarded(self.wait_ready)
            self.client = self.daemon.client()
            self.conversation()
            self.stop()
        except Crashed:
            pass
        return self.daemon.wait_exit()

    def wait_ready(self):
        def there():
            return self.gone() or (self.daemon.endpoints() and self.daemon.client().ready())

        until(there, "the daemon is ready")
        if self.gone():
            raise Crashed

    def gone(self):
        return self.daemon.child.poll() is not None

    def wait_mark(self, name):
        """Waits until the agent passes the mark, or the daemon is gone."""
        until(lambda: self.daemon.count(name) or self.gone(), f"the agent passes @mark {name}")
        if self.gone():
            raise Crashed

    def prepare_recovery(self):
        """Leaves what a restart must repair: an open turn, an accepted prompt, a brain log in a dead
        worker's home."""
        self.daemon.start()
        self.client = self.daemon.client()
        one, two = self.create(), self.create()
        self.turn(one, "hello")
        self.prompt(one, "@mark prepared\n@gate never-opened")
        self.daemon.wait_mark("prepared")
        self.prompt(two, "accepted")
        self.daemon.kill()


class Verdict:
    """Compares the whole event log and the brains' logs after the restart with what was driven."""

    def __init__(self, case, drive, client):
        self.case, self.drive, self.client, self.daemon = case, drive, client, drive.daemon

    def check(self):
        self.daemon_open_gates()
        for key in list(self.drive.creates):
            self.check_create(key)
        for session in [s for s in self.drive.creates.values() if s]:
            if (
                session in self.drive.deleted
                or self.client.call("GET", f"/v1/sessions/{session}").status == 404
            ):
                self.case.assertIn(session, self.drive.delete_sent, "a session is gone that nobody deleted")
                continue
            self.check_session(session)

    def daemon_open_gates(self):
        """An accepted prompt that runs after the restart may wait at the gate: let it go on."""
        self.daemon.open_gate("never-opened")

    def check_create(self, key):
        """A create is repeated with its key: the same session, once."""
        session = self.drive.creates[key]
        if session in self.drive.delete_sent:
            return
        again = self.client.create(key=key, title=key)
        self.case.assertIn(session, (None, again))
        self.drive.creates[key] = again
        listed = self.client.must(200, "GET", "/v1/sessions?limit=100")["sessions"]
        self.case.assertEqual(sum(1 for s in listed if s.get("title") == key), 1)

    def settled(self, session):
        """The log once no turn is open any more."""

        def closed():
            log = self.client.log(session)
            ended = {e["turn_id"] for e in of_type(log, "turn_end")}
            asked = {e["turn_id"] for e in log if e["type"] in ("user_message", "turn_started")}
            return log if asked <= ended else None

        return until(closed, f"all turns of {session} are ended: {self.client.log(session)[-4:]}")

    def check_session(self, session):
        log = self.settled(session)
        self.case.assertLog(log)
        for viewer in self.drive.viewers:
            if viewer.session == session:
                seen = viewer.events()
                self.case.assertEqual(log[: len(seen)], seen, "a viewer saw what is not in the log")
        prompts = [p for p in self.drive.prompts if p.session == session]
        for prompt in prompts:
            self.check_prompt(prompt, log)
        users = of_type(self.settled(session), "user_message")
        self.case.assertEqual(len(users), len(prompts), "a user message too many or too few")
        text, end = self.client.run(session, "@history")
        self.case.assertEnded(end)
        for prompt in prompts:
            self.case.assertLessEqual(text.count(prompt.token), 1, "a prompt reached the brain twice")
        self.case.assertLog(self.client.log(session))

    def check_prompt(self, prompt, log):
        """Accepted: exactly one user message and one end. In doubt: at most one, and its key tells which."""
        if prompt.turn is None:
            self.case.assertLessEqual(
                sum(1 for e in of_type(log, "user_message") if prompt.token in str(e)), 1
            )
        repeated = self.client.post_prompt(prompt.session, prompt.text, prompt.key)
        self.case.assertEqual(repeated.status, 202, repeated)
        self.case.assertIn(prompt.turn, (None, repeated.json["turn_id"]))
        prompt.turn = repeated.json["turn_id"]
        self.client.turn_end(prompt.session, prompt.turn)
        log = self.settled(prompt.session)
        self.case.assertEqual(sum(1 for e in of_type(log, "user_message") if prompt.token in str(e)), 1)
        ends = [e for e in of_type(log, "turn_end") if e["turn_id"] == prompt.turn]
        self.case.assertEqual(len(ends), 1)
        seen = self.daemon.seen_by_brains(prompt.token)
        self.case.assertLessEqual(seen, 1, "a prompt ran twice")
        if ends[0].get("stop_reason") == "end_turn":
            self.case.assertEqual(seen, 1, "a prompt ended well without a brain")
            if prompt.text.startswith("@") is False:
                self.case.assertEqual(said(log, prompt.turn), "echo: " + prompt.text)
        else:
            code = (ends[0].get("error") or {}).get("code", ends[0].get("stop_reason"))
            self.case.assertIn(code, ("interrupted", "brain_lost", "cancelled", "shutting_down"))
