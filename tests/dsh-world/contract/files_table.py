# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What ctx.fs promises about paths, metadata and content (dsh's FileSystem seam): name → steps."""

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


ODD_NAMES = [
    "a b",
    "quote\"'s",
    "new\nline",
    "-dash",
    "~",
    "$HOME",
    "ü🙂",
    "*",
    "back\\slash",
    "x" * 255,
    "..dots",
    " lead",
]

RESOLVE = {
    "relative to the default directory": [target("a.txt", expect=at("{W}/a.txt"))],
    "relative to cwd": [target("b.txt", cwd="{W}/dir", expect=at("{W}/dir/b.txt"))],
    "absolute ignores cwd": [target("{W}/a.txt", cwd="/etc", expect=at("{W}/a.txt"))],
    "dots and slashes are folded": [target("./x/../y//z.txt/.", expect=at("{W}/y/z.txt"))],
    "above the root is the root": [target("/../../..", expect=at("/"))],
    "blank": [
        target("", expect=Error("FS_NOT_FOUND", "file_path must be a non-empty string")),
        target("  ", expect=NOT_FOUND),
    ],
    "missing parents keep their spelling": [target("no/such/dir/f", expect=at("{W}/no/such/dir/f"))],
    "an ancestor that is a file": [
        sh("echo x > f"),
        target("f/below", expect=NOT_FOUND),
        target("f/a/b", expect=NOT_FOUND),
    ],
    "an alias has the key of its file": [
        sh("mkdir d; echo x > d/f; ln -s f d/l; ln -s d dl; ln -s l d/ll"),
        target("d/f", "f"),
        target("d/l", "l", at("{W}/d/f", "{W}/d/l")),
        target("dl/f", "dl", at("{W}/d/f", "{W}/dl/f")),
        target("dl/ll", "dll", at("{W}/d/f", "{W}/dl/ll")),
        same("$f.targetKey", "$dll.targetKey"),
    ],
    "a missing file below a linked directory": [
        sh("mkdir d; ln -s d dl"),
        target("dl/new", expect=at("{W}/d/new", "{W}/dl/new")),
    ],
    "a link that leads nowhere is itself": [sh("ln -s nowhere l"), target("l", expect=at("{W}/l"))],
    "a loop is itself": [sh("ln -s b a; ln -s a b"), target("a", expect=at("{W}/a"))],
    "odd names": [
        part
        for number, name in enumerate(ODD_NAMES)
        for part in (
            target("{W}/" + name, "t", at("{W}/" + name)),
            step("write", {"operation": "create"}, of="$t", text=f"of {number}"),
            step("text", f"of {number}", of="$t"),
        )
    ]
    + [sh("find . -mindepth 1 | grep -c .", {"stdout": f"{len(ODD_NAMES) + 1}\n"})],
    "a long chain of links": [
        sh("echo end > f0; for i in $(seq 20); do ln -s f$((i-1)) f$i; done"),
        target("f20", expect=at("{W}/f0", "{W}/f20")),
    ],
    "a path of the machine's own configuration is absent": [
        target("~/.agents/AGENTS.md"),
        step("stat", ABSENT, of="$t"),
    ],
    "process path, url and containment": [
        sh("mkdir 'a b'; ln -s 'a b' l"),
        target("l/ü.txt"),
        step(
            "paths",
            {
                "path": "{W}/a b/ü.txt",
                "mode": None,
                "url": Where(
                    lambda url: url.startswith("file:///") and url.endswith("/a%20b/%C3%BC.txt"),
                    "a percent-encoded file url",
                ),
            },
            of="$t",
        ),
        target("a b", "p"),
        target("l", "q"),
        target("a bc", "n"),
        step("contains", True, parent="$p", child="$t"),
        step("contains", True, parent="$p", child="$q"),
        step("contains", False, parent="$p", child="$n"),
        step("contains", False, parent="$t", child="$p"),
    ],
    "no path of the machine is one of the world": [step("hostPath", None, path="/etc/hostname")],
}

STAT = {
    "nothing there": [target("no"), step("stat", ABSENT, of="$t"), step("lstat", ABSENT, path="no")],
    "a file": [
        sh("printf 12345 > f"),
        target("f"),
        step("stat", {"type": "file", "size": 5}, of="$t"),
        step("lstat", {"type": "file", "size": 5}, path="f"),
    ],
    "a directory": [sh("mkdir d"), target("d"), step("stat", {"type": "directory"}, of="$t")],
    "the workspace": [target("{W}"), step("stat", {"type": "directory"}, of="$t")],
    "neither file nor directory": [
        sh("mkfifo p"),
        target("p"),
        step("stat", {"type": "other"}, of="$t"),
        step("text", IRREGULAR, of="$t"),
        step("write", IRREGULAR, of="$t", text="x"),
    ],
    "a link": [
        sh("printf 12345 > f; ln -s f l"),
        target("l"),
        step("stat", {"type": "file", "size": 5}, of="$t"),
        step("lstat", {"type": "symlink"}, path="l"),
        step("lstat", {"type": "symlink"}, path="{W}/l"),
    ],
    "a link that leads nowhere": [
        sh("ln -s nowhere l"),
        target("l"),
        step("stat", ABSENT, of="$t"),
        step("lstat", {"type": "symlink"}, path="l"),
    ],
    "a parent that became a file": [target("d/f"), sh("echo x > d"), step("stat", ABSENT, of="$t")],
    "blank": [step("lstat", NOT_FOUND, path=" ")],
    "the version stays while nothing changes": [
        sh("echo x > f"),
        target("f"),
        step("stat", ANY, of="$t", as_="a"),
        step("text", "x\n", of="$t"),
        step("stat", ANY, of="$t", as_="b"),
        same("$a.version", "$b.version"),
    ],
    "the version changes with content of the same size": [
        sh("echo x > f"),
        target("f"),
        step("stat", ANY, of="$t", as_="a"),
        sh("echo y > f"),
        step("stat", ANY, of="$t", as_="b"),
        same("$a.version", "$b.version", False),
    ],
    "the version changes with the mode": [
        sh("echo x > f"),
        target("f"),
        step("stat", ANY, of="$t", as_="a"),
        sh("chmod 700 f"),
        step("stat", ANY, of="$t", as_="b"),
        same("$a.version", "$b.version", False),
    ],
    "the version is the file's through every alias": [
        sh("echo x > f; ln -s f l"),
        target("f", "f"),
        target("l", "l"),
        step("stat", ANY, of="$f", as_="a"),
        step("stat", ANY, of="$l", as_="b"),
        same("$a.version", "$b.version"),
    ],
    "aborted": [
        target("no"),
        step("stat", Error("FS_ABORTED"), of="$t", abort=0),
        target("x", expect=Error("FS_ABORTED"), abort=0),
    ],
}

CONTENT = {
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

CASES = {
    f"{group}: {name}": steps
    for group, table in (("resolve", RESOLVE), ("stat", STAT), ("content", CONTENT))
    for name, steps in table.items()
}
