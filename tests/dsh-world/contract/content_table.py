# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What ctx.fs promises about reading and listing: name → steps."""

from contract.table import ANY, Error, Where, sh, step, target
from contract.words import IRREGULAR, NOT_FOUND, NOT_TEXT, at, b64, same

CASES = {
    "text": [sh("printf 'grün 🙂\\r\\n' > f"), target("f"), step("text", "grün 🙂\r\n", of="$t")],
    "nothing there": [
        target("no"),
        *(
            step(do, NOT_FOUND, of="$t", **more)
            for do, more in (
                ("text", {}),
                ("stream", {}),
                ("bytes", {"limit": 9}),
                ("range", {"offset": 0, "length": 1}),
                ("list", {}),
            )
        ),
    ],
    "a directory": [
        sh("mkdir d"),
        target("d"),
        *(
            step(do, IRREGULAR, of="$t", **more)
            for do, more in (
                ("text", {}),
                ("stream", {}),
                ("bytes", {"limit": 9}),
                ("range", {"offset": 0, "length": 1}),
            )
        ),
    ],
    "empty": [
        sh(": > f"),
        target("f"),
        step("text", "", of="$t"),
        step("stream", {"text": ""}, of="$t"),
        step("bytes", "", of="$t", limit=0),
    ],
    "a byte order mark is dropped": [
        sh("printf '\\xef\\xbb\\xbfx' > f"),
        target("f"),
        step("text", "x", of="$t"),
    ],
    "a NUL at the start is no text": [
        sh("head -c 8191 /dev/zero | tr '\\0' x > f; printf '\\0' >> f"),
        target("f"),
        step("text", NOT_TEXT, of="$t"),
        step("stream", NOT_TEXT, of="$t"),
    ],
    "a NUL further on is": [
        sh("head -c 8192 /dev/zero | tr '\\0' x > f; printf '\\0' >> f"),
        target("f"),
        step("text", Where(lambda text: len(text) == 8193, "8193 characters"), of="$t"),
    ],
    "invalid UTF-8": [
        sh("printf 'a\\xff' > f; printf 'a\\xc3' > g"),
        target("f"),
        step("text", NOT_TEXT, of="$t"),
        target("g", "g"),
        step("stream", NOT_TEXT, of="$g"),
    ],
    "characters on every cut": [
        sh("for i in $(seq 60000); do printf 'aü🙂'; done > f"),
        target("f"),
        step("text", Where(lambda text: text == "aü🙂" * 60000, "60000 times"), of="$t"),
        step("stream", {"text": "aü🙂" * 60000}, of="$t"),
    ],
    "a reader that stops early": [
        sh("head -c 20000000 /dev/zero | tr '\\0' x > f"),
        target("f"),
        step("stream", {"count": 1}, of="$t", pieces=1),
        step("stream", {"count": 1}, of="$t", pieces=1),
        step("range", b64(b"xx"), of="$t", offset=5, length=2),
    ],
    "bytes": [
        sh("printf '\\0\\xff\\x80x' > f"),
        target("f"),
        step("bytes", b64(b"\0\xff\x80x"), of="$t", limit=4),
        step("bytes", Error("FS_TOO_LARGE"), of="$t", limit=3),
    ],
    "a range": [
        sh("printf 0123456789 > f"),
        target("f"),
        step("range", b64(b"34"), of="$t", offset=3, length=2),
        step("range", b64(b"89"), of="$t", offset=8, length=9),
        step("range", "", of="$t", offset=10, length=1),
        step("range", "", of="$t", offset=99, length=1),
        step("range", "", of="$t", offset=3, length=0),
    ],
    "an aborted read": [sh("echo x > f"), target("f"), step("text", Error("FS_ABORTED"), of="$t", abort=0)],
    "a listing": [
        sh(
            "mkdir d d/sub; printf 123 > d/b; printf 1 > d/a; printf 1 > d/B; ln -s b d/link; ln -s nowhere d/dead; ln -s /tmp d/out; mkfifo d/p"
        ),
        target("d"),
        step(
            "list",
            Where(
                lambda entries: [
                    (e["name"], e["type"]) for e in sorted(entries, key=lambda e: e["name"].encode())
                ]
                == [
                    ("B", "file"),
                    ("a", "file"),
                    ("b", "file"),
                    ("dead", "other"),
                    ("link", "file"),
                    ("out", "directory"),
                    ("p", "other"),
                    ("sub", "directory"),
                ],
                "names and types",
            ),
            of="$t",
        ),
        step("list", ANY, of="$t", as_="one"),
        step("list", ANY, of="$t", as_="two"),
        *(same(f"$one.{i}.name", f"$two.{i}.name") for i in range(8)),
    ],
    "entries are targets": [
        sh("mkdir d; printf 123 > d/b; ln -s b d/link; ln -s d dl"),
        target("dl"),
        step(
            "list",
            [
                {"name": "b", "size": 3, "target": at("{W}/d/b", "{W}/dl/b")},
                {"name": "link", "target": at("{W}/d/b", "{W}/dl/link")},
            ],
            of="$t",
            as_="l",
        ),
        step("text", "123", of="$l.0.target"),
        step("text", "123", of="$l.1.target"),
    ],
    "an empty listing": [sh("mkdir d"), target("d"), step("list", [], of="$t")],
    "a listing of a file": [sh("echo x > f"), target("f"), step("list", Error("FS_NOT_DIRECTORY"), of="$t")],
    "a listing of many": [
        sh("mkdir d; cd d; for i in $(seq 1500); do : > f$i; done"),
        target("d"),
        step("list", Where(lambda entries: len(entries) == 1500, "1500 entries"), of="$t"),
    ],
}
