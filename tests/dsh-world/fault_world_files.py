# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Files of the fault world: docs/world-protocol.md section 4 over a real directory."""

import errno
import hashlib
import os
import stat
import threading
import uuid

from fake_world import Refusal

STATUS = {
    "FS_NOT_FOUND": 404,
    "FS_NOT_DIRECTORY": 404,
    "FS_NOT_TEXT": 422,
    "FS_NOT_REGULAR_FILE": 422,
    "FS_EDIT_NOT_FOUND": 422,
    "FS_AMBIGUOUS_EDIT": 422,
    "FS_TOO_LARGE": 413,
    "FS_PERMISSION_DENIED": 403,
    "FS_STALE_VERSION": 409,
    "FS_NOT_OBSERVED": 409,
    "FS_ABORTED": 409,
    "FS_IO_ERROR": 500,
}
ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
BEFORE_LIMIT = 1024 * 1024
TEXT_LIMIT = 10 * 1024 * 1024


def fail(code, message):
    return Refusal(STATUS[code], code, message)


def checked(path):
    size = len(path.encode("utf-8", "surrogatepass"))
    if not 1 <= size <= 4096 or "\0" in path:
        raise Refusal(400, "bad_request", "The path is no path.")
    return path


def lexical(body):
    path = checked(body["path"])
    if path.strip() == "":
        raise fail("FS_NOT_FOUND", "The path is blank.")
    joined = os.path.normpath(os.path.join(body.get("cwd") or "/workspace", path))
    return "/" + joined.lstrip("/")


def canonical(path):
    """Every link resolved; a missing tail, and a link that leads nowhere, keep their spelling."""
    try:
        return os.path.realpath(path, strict=True)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise Refusal(400, "bad_request", "The path is no path.") from error
    parent, name = os.path.split(path)
    above = canonical(parent)
    if os.path.exists(above) and not os.path.isdir(above):
        raise fail("FS_NOT_FOUND", f"{path}: a parent is no directory.")
    return os.path.join(above, name)


def kind(mode):
    return "file" if stat.S_ISREG(mode) else "directory" if stat.S_ISDIR(mode) else "other"


def version(path, facts):
    parts = (
        path,
        kind(facts.st_mode),
        facts.st_size,
        facts.st_mtime_ns,
        facts.st_mode,
        facts.st_uid,
        facts.st_gid,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


def facts_of(path, follow=True):
    """os.stat_result, or None when there is nothing."""
    try:
        return os.stat(path, follow_symlinks=follow)
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise fail("FS_IO_ERROR", f"{path}: {error.strerror}.") from error


def entry(path, facts):
    if facts is None:
        return {"found": False}
    size = {"size": facts.st_size} if stat.S_ISREG(facts.st_mode) else {}
    return {"found": True, "type": kind(facts.st_mode), "version": version(path, facts), **size}


def to_lf(text):
    return text.replace("\r\n", "\n")


def as_text(data, name):
    try:
        if b"\0" in data:
            raise UnicodeDecodeError("utf-8", data, 0, 1, "NUL")
        return data.decode()
    except UnicodeDecodeError as error:
        raise fail("FS_NOT_TEXT", f"{name} is not UTF-8 text.") from error


class Files:
    def __init__(self, world):
        self.world = world
        self.locks = {}
        self.guard = threading.Lock()
        self.cancelled = set()

    def routes(self):
        return {
            "fs/resolve": self.resolve,
            "fs/stat": self.stat,
            "fs/lstat": self.lstat,
            "fs/list": self.list,
            "fs/read": self.read,
            "fs/write": self.write,
            "fs/edit": self.edit,
        }

    def lock(self, path):
        with self.guard:
            return self.locks.setdefault(path, threading.Lock())

    # --- probes ---

    def resolve(self, _handler, body, _content):
        display = lexical(body)
        return {"path": canonical(display), "display": display}

    def stat(self, _handler, body, _content):
        path = checked(body["path"])
        return entry(path, facts_of(path))

    def lstat(self, _handler, body, _content):
        path = lexical(body)
        facts = facts_of(path, follow=False)
        found = entry(path, facts)
        if facts and stat.S_ISLNK(facts.st_mode):
            found["type"] = "symlink"
        return found

    def list(self, _handler, body, _content):
        path = checked(body["path"])
        facts = facts_of(path)
        if facts is None:
            raise fail("FS_NOT_FOUND", f"{path} does not exist.")
        if not stat.S_ISDIR(facts.st_mode):
            raise fail("FS_NOT_DIRECTORY", f"{path} is no directory.")
        entries = []
        for name in sorted(os.listdir(path), key=os.fsencode):
            target = canonical(os.path.join(path, name))
            found = entry(target, facts_of(target))
            found.pop("found")
            entries.append({"name": name, "path": target, "type": "other", **found})
        return {"entries": entries}

    # --- content ---

    def regular(self, path, name=None):
        facts = facts_of(path)
        if facts is None:
            raise fail("FS_NOT_FOUND", f"{name or path} does not exist.")
        if not stat.S_ISREG(facts.st_mode):
            raise fail("FS_NOT_REGULAR_FILE", f"{name or path} is no regular file.")
        return facts

    def read(self, handler, body, _content):
        path = checked(body["path"])
        facts = self.regular(path)
        limit = body.get("max_bytes")
        if limit is not None and facts.st_size > limit:
            raise fail("FS_TOO_LARGE", f"{path} is larger than {limit} bytes.")
        self.world.run_hook("read", path)
        with open(path, "rb") as file:
            file.seek(body.get("offset", 0))
            data = file.read(body.get("length", -1))
        handler.send_response(200)
        handler.send_header("content-type", "application/octet-stream")
        handler.send_header("x-agentpool-version", version(path, facts))
        handler.send_header("content-length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    # --- mutations ---

    def cancel(self, _handler, body, _content):
        self.cancelled.add(body["request"])
        return {}

    def write(self, handler, body, content):
        path, name = checked(body["path"]), body["display"]
        with self.lock(path):
            facts = facts_of(path)
            if facts and not stat.S_ISREG(facts.st_mode):
                raise fail("FS_NOT_REGULAR_FILE", f"{name} is no regular file.")
            self.check(body.get("expected"), path, name, facts)
            before = self.before(path, facts, content)
            self.publish(handler, path, name, content, facts, body.get("expected"))
            made = os.stat(path)
        return {
            "operation": "update" if facts else "create",
            "version": version(path, made),
            "before": before,
        }

    def check(self, expected, path, name, facts):
        what = (expected or {}).get("kind")
        if what == "replaceIfVersion" and (not facts or version(path, facts) != expected["version"]):
            raise fail("FS_STALE_VERSION", f"{name} changed since it was read.")
        if what == "createIfAbsent" and facts:
            raise fail("FS_NOT_OBSERVED", f"{name} exists and was not read.")

    def before(self, path, facts, content):
        if not facts or max(facts.st_size, len(content)) > BEFORE_LIMIT:
            return None
        with open(path, "rb") as file:
            try:
                return to_lf(as_text(file.read(), path))
            except Refusal:
                return None

    def publish(self, handler, path, name, content, facts, expected):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        temporary = os.path.join(os.path.dirname(path), f".{uuid.uuid4().hex}")
        try:
            with open(temporary, "wb") as file:
                file.write(content)
            os.chmod(temporary, stat.S_IMODE(facts.st_mode) if facts else 0o644)
            self.world.run_hook("publish", path)
            if int(handler.headers.get("x-agentpool-request", 0)) in self.cancelled:
                raise fail("FS_ABORTED", "The mutation was cancelled; nothing was changed.")
            if (expected or {}).get("kind") == "createIfAbsent":
                self.link(temporary, path, name)
            else:
                os.replace(temporary, path)
        finally:
            if os.path.lexists(temporary):
                os.unlink(temporary)

    def link(self, temporary, path, name):
        try:
            os.link(temporary, path)
        except FileExistsError as error:
            facts = facts_of(path)
            if facts and stat.S_ISREG(facts.st_mode):
                raise fail("FS_NOT_OBSERVED", f"{name} was made meanwhile.") from error
            raise fail("FS_NOT_REGULAR_FILE", f"{name} is no regular file.") from error

    def edit(self, handler, body, _content):
        path, name = checked(body["path"]), body["display"]
        with self.lock(path):
            facts = facts_of(path)
            if facts is None:
                raise fail("FS_STALE_VERSION", f"{name} does not exist.")
            self.regular(path, name)
            self.check(body.get("expected"), path, name, facts)
            if facts.st_size > TEXT_LIMIT:
                raise fail("FS_TOO_LARGE", f"{name} is too large to edit.")
            with open(path, "rb") as file:
                raw = as_text(file.read(), name)
            before, after = self.edited(to_lf(raw), body, name)
            crlf = raw[:4096].count("\r\n") * 2 > raw[:4096].count("\n")
            data = (after.replace("\n", "\r\n") if crlf else after).encode()
            self.publish(handler, path, name, data, facts, None)
            made = os.stat(path)
        return {"version": version(path, made), "before": before, "after": after}

    def edited(self, before, body, name):
        old, new = to_lf(body["old"]), to_lf(body["new"])
        count = before.count(old) if old else 0
        if count == 0:
            raise fail("FS_EDIT_NOT_FOUND", f"The text is not in {name}.")
        if count > 1 and not body["replace_all"]:
            raise fail("FS_AMBIGUOUS_EDIT", f"The text is in {name} {count} times.")
        return before, before.replace(old, new)
