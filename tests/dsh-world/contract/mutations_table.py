# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What ctx.fs promises about writeText and editText: guards, order of errors, atomicity: name → steps."""

from contract.files_table import IRREGULAR, NOT_TEXT, same
from contract.table import ANY, Error, Where, sh, step, target

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

WRITE = {
    "a new file": [
        target("f"),
        step("write", {"operation": "create", "before": None, "after": "x\n"}, of="$t", text="x\n", as_="w"),
        step("stat", ANY, of="$t", as_="s"),
        same("$w.version", "$s.version"),
        content("x\n"),
        nothing_left(1),
    ],
    "over an old one": [
        *OLD,
        step(
            "write", {"operation": "update", "before": "old\n", "after": "new"}, of="$t", text="new", as_="w"
        ),
        step("stat", ANY, of="$t", as_="s"),
        same("$w.version", "$s.version"),
        content("new"),
        nothing_left(1),
    ],
    "parents are made": [
        target("a/b/f"),
        step("write", {"operation": "create"}, of="$t", text="x", expected=NEW),
        sh("cat a/b/f", {"stdout": "x"}),
    ],
    "nothing at all": [
        target("f"),
        step("write", {"after": ""}, of="$t", text=""),
        sh("stat -c %s f", {"stdout": "0\n"}),
    ],
    "line ends are kept and told as LF": [
        target("f"),
        step("write", {"after": "a\nb"}, of="$t", text="a\r\nb"),
        content("a\r\nb"),
        step("write", {"before": "a\nb"}, of="$t", text="c"),
    ],
    "a megabyte": [
        target("f"),
        step("write", ANY, of="$t", text="grün🙂" * 100_000),
        sh("wc -c < f", {"stdout": "900000\n"}),
    ],
    "over binary": [
        sh("printf '\\0\\xff' > f"),
        target("f"),
        step("write", {"operation": "update", "before": None}, of="$t", text="x"),
    ],
    "the version that was read": [
        *OLD,
        step("write", {"operation": "update"}, of="$t", text="new", expected=if_version("$s.version")),
        content("new"),
    ],
    "a version that is gone": [
        *OLD,
        sh("echo changed > f"),
        step("write", STALE, of="$t", text="new", expected=if_version("$s.version")),
        content("changed\n"),
        nothing_left(1),
    ],
    "a file that is gone is not made again": [
        *OLD,
        sh("rm f"),
        step("write", STALE, of="$t", text="new", expected=if_version("$s.version")),
        nothing_left(0),
    ],
    "new, but there": [
        *OLD,
        step("write", UNSEEN, of="$t", text="new", expected=NEW),
        content("old\n"),
        nothing_left(1),
    ],
    "a directory": [
        sh("mkdir f"),
        target("f"),
        *(
            step("write", IRREGULAR, of="$t", text="x", **more)
            for more in ({}, {"expected": NEW}, {"expected": if_version("v")})
        ),
        nothing_left(1),
    ],
    "the mode is kept": [
        sh("echo x > f; chmod 750 f"),
        target("f"),
        step("write", ANY, of="$t", text="y"),
        sh("stat -c %a f", {"stdout": "750\n"}),
    ],
    "through a link": [
        sh("echo x > f; ln -s f l"),
        target("l"),
        step("write", {"operation": "update", "before": "x\n"}, of="$t", text="y"),
        sh("cat f; readlink l", {"stdout": "yf\n"}),
    ],
    "a link that leads nowhere stays": [
        sh("ln -s nowhere f"),
        target("f"),
        step("write", IRREGULAR, of="$t", text="x", expected=NEW),
        sh("readlink f; ls", {"stdout": "nowhere\nf\n"}),
    ],
    "two at once with one version": [
        *OLD,
        step(
            "all",
            one_wins("FS_STALE_VERSION"),
            steps=[
                {"do": "write", "of": "$t", "text": text, "expected": if_version("$s.version")}
                for text in ("one", "two")
            ],
        ),
        sh("cat f", {"stdout": Where(lambda text: text in ("one", "two"), "one of both, whole")}),
        nothing_left(1),
    ],
    "two at once that are new": [
        target("f"),
        step(
            "all",
            one_wins("FS_NOT_OBSERVED"),
            steps=[{"do": "write", "of": "$t", "text": text, "expected": NEW} for text in ("one", "two")],
        ),
        sh("cat f", {"stdout": Where(lambda text: text in ("one", "two"), "one of both, whole")}),
        nothing_left(1),
    ],
    "two at once without a guard": [
        *OLD,
        step(
            "all",
            Where(lambda results: all("ok" in one for one in results), "both ok"),
            steps=[{"do": "write", "of": "$t", "text": text * 50_000} for text in "ab"],
        ),
        sh("fold -w 1 f | sort -u | wc -l; wc -c < f", {"stdout": "1\n50000\n"}),
    ],
    "aborted before it began": [
        *OLD,
        step("write", Error("FS_ABORTED"), of="$t", text="x", abort=0),
        content("old\n"),
        nothing_left(1),
    ],
    "readers see the old or the new file, never a part": [
        sh("head -c 300000 /dev/zero | tr '\\0' a > f"),
        target("f"),
        step(
            "spawn",
            ANY,
            as_="p",
            cwd="{W}",
            argv=["bash", "-c", "echo on; for i in $(seq 300); do wc -c < f; done | sort -u"],
        ),
        step("see", True, of="$p", text="on"),
        *(step("write", ANY, of="$t", text=letter * 300_000) for letter in "bcd"),
        step("outcome", {"stdout": "on\n300000\n"}, of="$p"),
    ],
}

EDIT = {
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
        step("edit", IRREGULAR, of="$t", old="x", new="y", expected=if_version("v")),
    ],
    "a version that is gone, before the content is looked at": [
        *OLD,
        sh("printf '\\0' > f"),
        step("edit", STALE, of="$t", old="no", new="y", expected=if_version("$s.version")),
    ],
    "the version that was read": [
        *OLD,
        step("edit", {"after": "new\n"}, of="$t", old="old", new="new", expected=if_version("$s.version")),
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
                {"do": "edit", "of": "$t", "old": "old", "new": text, "expected": if_version("$s.version")}
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

CASES = {
    f"{group}: {name}": steps
    for group, table in (("write", WRITE), ("edit", EDIT))
    for name, steps in table.items()
}
