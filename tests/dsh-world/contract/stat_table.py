# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What ctx.fs promises about metadata and versions: name → steps."""

from contract.table import ANY, Error, sh, step, target
from contract.words import ABSENT, IRREGULAR, NOT_FOUND, same

CASES = {
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
