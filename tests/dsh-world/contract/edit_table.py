# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What ctx.fs promises about editText: order of errors, line ends, literal text: name → steps. Its guard is a version
alone, as the observation policy gives it."""

from contract.table import ANY, Error, sh, step, target
from contract.words import IRREGULAR, NOT_TEXT, OLD, STALE, content, nothing_left, one_wins, same

CASES = {
    "once": [
        *OLD,
        step("edit", {"before": "old\n", "after": "new\n"}, of="$t", old="old", new="new", as_="e"),
        step("stat", ANY, of="$t", as_="s"),
        same("$e.version", "$s.version"),
        content("new\n"),
        nothing_left(1),
    ],
    "everywhere": [
        sh("printf 'x.x.x' > f"),
        target("f"),
        step("edit", {"after": "yy.yy.yy"}, of="$t", old="x", new="yy", all=True),
        content("yy.yy.yy"),
    ],
    "ambiguous": [
        sh("printf 'x.x' > f"),
        target("f"),
        step("edit", Error("FS_AMBIGUOUS_EDIT"), of="$t", old="x", new="y"),
        content("x.x"),
    ],
    "not there": [
        *OLD,
        step("edit", Error("FS_EDIT_NOT_FOUND"), of="$t", old="no", new="y"),
        content("old\n"),
    ],
    "nothing to look for": [
        *OLD,
        step("edit", Error("FS_EDIT_NOT_FOUND"), of="$t", old="", new="y"),
        content("old\n"),
    ],
    "no file": [target("f"), step("edit", STALE, of="$t", old="x", new="y"), nothing_left(0)],
    "a directory": [
        sh("mkdir f"),
        target("f"),
        step("edit", IRREGULAR, of="$t", old="x", new="y", expected={"version": "v"}),
    ],
    "a version that is gone, before the content is looked at": [
        *OLD,
        sh("printf '\\0' > f"),
        step("edit", STALE, of="$t", old="no", new="y", expected={"version": "$s.version"}),
    ],
    "the version that was read": [
        *OLD,
        step("edit", {"after": "new\n"}, of="$t", old="old", new="new", expected={"version": "$s.version"}),
    ],
    "no text": [
        sh("head -c 20000 /dev/zero | tr '\\0' x > f; printf '\\0' >> f; printf '\\xff' > g"),
        target("f"),
        step("edit", NOT_TEXT, of="$t", old="x", new="y"),
        target("g", "g"),
        step("edit", NOT_TEXT, of="$g", old="x", new="y"),
    ],
    "patterns of the new text mean nothing": [
        sh("printf 'a.b' > f"),
        target("f"),
        step("edit", {"after": "a$&$1$$`b"}, of="$t", old=".", new="$$&$1$$`"),
        content("a$&$1$$`b"),
    ],
    "patterns of the old text mean nothing": [
        sh("printf 'abc a.c' > f"),
        target("f"),
        step("edit", {"after": "abc X"}, of="$t", old="a.c", new="X"),
    ],
    "line ends of the file win": [
        sh("printf 'a\\r\\nb\\r\\n' > f"),
        target("f"),
        step("edit", {"before": "a\nb\n", "after": "a\nc\nd\n"}, of="$t", old="b\n", new="c\nd\n"),
        content("a\r\nc\r\nd\r\n"),
    ],
    "the mode is kept": [
        sh("echo x > f; chmod 755 f"),
        target("f"),
        step("edit", ANY, of="$t", old="x", new="y"),
        sh("stat -c %a f", {"stdout": "755\n"}),
    ],
    "through a link": [
        sh("echo x > f; ln -s f l"),
        target("l"),
        step("edit", ANY, of="$t", old="x", new="y"),
        sh("cat f; readlink l", {"stdout": "y\nf\n"}),
    ],
    "two at once with one version": [
        *OLD,
        step(
            "all",
            one_wins("FS_STALE_VERSION"),
            steps=[
                {"do": "edit", "of": "$t", "old": "old", "new": text, "expected": {"version": "$s.version"}}
                for text in ("one", "two")
            ],
        ),
        nothing_left(1),
    ],
    "two at once without a guard lose nothing": [
        sh("printf 'a b' > f"),
        target("f"),
        step("all", ANY, steps=[{"do": "edit", "of": "$t", "old": text, "new": text * 3} for text in "ab"]),
        content("aaa bbb"),
    ],
    "characters beyond the basic plane": [
        sh("printf 'grün 🙂 x' > f"),
        target("f"),
        step("edit", {"after": "grün 🙃 x"}, of="$t", old="🙂", new="🙃"),
        content("grün 🙃 x"),
    ],
    "aborted before it began": [
        *OLD,
        step("edit", Error("FS_ABORTED"), of="$t", old="old", new="x", abort=0),
        content("old\n"),
    ],
}
