# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What ctx.fs promises about paths (dsh's FileSystem seam): name → steps."""

from contract.table import Error, Where, sh, step, target
from contract.words import ABSENT, NOT_FOUND, at, same

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

CASES = {
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
