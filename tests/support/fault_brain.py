# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What the fault agent keeps of its sessions: one directory per session, laid out as dsh lays it out."""

import fcntl
import json
import os


def new_id():
    """A version 4 UUID; made by hand because importing uuid costs more than the whole boot."""
    raw = bytearray(os.urandom(16))
    raw[6] = raw[6] & 0x0F | 0x40
    raw[8] = raw[8] & 0x3F | 0x80
    text = raw.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def session_root(home, cwd):
    """The folder of the sessions of one working directory: /workspace becomes sessions/--workspace--."""
    return os.path.join(home, "sessions", "--" + cwd.strip("/").replace("/", "-") + "--")


class Session:
    """An open session. Its log has one line per prompt that reached the brain and survives a rename of the
    folder."""

    def __init__(self, folder, session_id, cwd, params):
        self.id = session_id
        self.cwd = cwd
        self.params = params
        self.texts = []
        self.turn = None
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.lock = os.open(os.path.join(folder, "session.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.lock)
            raise BlockingIOError(session_id) from None
        path = os.path.join(folder, "session.jsonl")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as log:
                self.texts = [json.loads(line)["prompt"] for line in log if line.endswith("\n")]
        self.log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def remember(self, text):
        """Appends the prompt in one write, so that a kill leaves all of it or nothing."""
        self.texts.append(text)
        os.write(self.log, (json.dumps({"prompt": text}) + "\n").encode())

    def close(self):
        os.close(self.log)
        os.close(self.lock)


class Counters:
    """Counters that survive the process: one byte per event, appended to a file of that name."""

    def __init__(self, folder):
        self.folder = folder

    def bump(self, name):
        """Counts one more and returns the new value; 1 without a state folder."""
        if not self.folder:
            return 1
        handle = os.open(os.path.join(self.folder, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            if os.fstat(handle).st_uid == os.getuid():
                os.fchmod(handle, 0o666)  # the other workers count under users of their own
            os.write(handle, b".")
            return os.fstat(handle).st_size
        finally:
            os.close(handle)

    def path(self, name):
        return os.path.join(self.folder or ".", name)
