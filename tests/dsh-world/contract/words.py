# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What several tables say."""

import base64

from contract.table import ANY, Error, Where, sh, step, target

NOT_FOUND = Error("FS_NOT_FOUND")
NOT_TEXT = Error("FS_NOT_TEXT")
IRREGULAR = Error("FS_NOT_REGULAR_FILE")
ABSENT = None


def b64(data):
    return base64.b64encode(data).decode()


def at(path, display=None):
    return {"targetKey": path, "displayPath": display or path}


def same(a, b, expect=True):
    return step("same", expect, a=a, b=b)


STALE = Error("FS_STALE_VERSION")
UNSEEN = Error("FS_NOT_OBSERVED")
NEW = {"kind": "createIfAbsent"}


def if_version(value):
    return {"kind": "replaceIfVersion", "version": value}


def one_wins(code):
    """Of two mutations at once exactly one succeeded, the other failed with `code`."""
    return Where(
        lambda results: sorted("ok" if "ok" in one else one["error"] for one in results)
        == sorted(["ok", code]),
        f"one ok, one {code}",
    )


def content(text):
    """The world itself sees this file content in `f`."""
    return sh("cat f", {"stdout": text})


def nothing_left(count):
    return sh("find . -mindepth 1 | wc -l", {"stdout": f"{count}\n"})


OLD = [sh("printf 'old\\n' > f"), target("f"), step("stat", ANY, of="$t", as_="s")]

ENDED_BY_A_SIGNAL = Where(
    lambda end: (end["exitCode"] is None) != (end["signal"] is None) and end["exitCode"] != 0,
    "exactly one of exit code and signal, and no success",
)


def bash(command, name="p", expect=ANY, **more):
    return step("spawn", expect, as_=name, argv=["bash", "-c", command], cwd="{W}", **more)


def ends(expect, of="$p"):
    return step("outcome", expect, of=of)
