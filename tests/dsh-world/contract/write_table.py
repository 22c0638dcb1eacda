# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What ctx.fs promises about writeText: guards, atomicity, outcome: name → steps."""

from contract.table import ANY, Error, Where, sh, step, target
from contract.words import (
    IRREGULAR,
    NEW,
    OLD,
    STALE,
    UNSEEN,
    content,
    if_version,
    nothing_left,
    one_wins,
    same,
)

CASES = {
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
    "a quarter of a megabyte": [
        target("f"),
        step("write", ANY, of="$t", text="grün🙂" * 30_000),
        sh("wc -c < f", {"stdout": "270000\n"}),
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
