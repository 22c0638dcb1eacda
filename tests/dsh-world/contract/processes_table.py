# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What ctx.subprocess promises: start, output, exit, end of a whole group, terminals: name → steps."""

import base64

from contract.table import ANY, FAILS, Error, Where, sh, step

ENDED_BY_A_SIGNAL = Where(
    lambda end: (end["exitCode"] is None) != (end["signal"] is None) and end["exitCode"] != 0,
    "exactly one of exit code and signal, and no success",
)


def bash(command, name="p", expect=ANY, **more):
    return step("spawn", expect, as_=name, argv=["bash", "-c", command], cwd="{W}", **more)


def ends(expect, of="$p"):
    return step("outcome", expect, of=of)


def text(value):
    return Where(lambda said: said is not None and value in said, f"has {value!r}")


START = {
    "no program": [step("spawn", FAILS, argv=[], cwd="{W}"), step("spawn", FAILS, argv=[""], cwd="{W}")],
    "a bad grace period": [
        step("spawn", FAILS, argv=["true"], cwd="{W}", graceMs=grace) for grace in (0, -1, 2_147_483_648)
    ],
    "aborted before": [step("spawn", FAILS, argv=["true"], cwd="{W}", abort=0)],
    "a program that is not there": [
        step("spawn", ANY, as_="p", argv=["/no/such/program"], cwd="{W}"),
        step("gone", True, of="$p"),
    ],
    "a directory that is not there": [
        step("spawn", ANY, as_="p", argv=["true"], cwd="{W}/no/such"),
        ends(FAILS),
        step("gone", True, of="$p"),
    ],
    "arguments are no shell's": [
        step(
            "spawn", ANY, as_="p", argv=["printf", "%s|", "$$HOME", "*", "a b", "", "'\"", "ü\n"], cwd="{W}"
        ),
        ends({"exitCode": 0, "stdout": "$HOME|*|a b||'\"|ü\n|"}),
    ],
    "the working directory": [
        sh("mkdir 'a b'"),
        step("spawn", ANY, as_="p", argv=["pwd"], cwd="{W}/a b"),
        ends({"stdout": "{W}/a b\n"}),
    ],
    "executables": [
        step(
            "which",
            Where(lambda path: path.startswith("/") and path.endswith("/bash"), "an absolute path"),
            command="bash",
            as_="b",
        ),
        step("which", ANY, command="$b"),
        step("which", Error("SubprocessExecutableNotFoundError"), command="no-such-program"),
        step("which", Error("SubprocessExecutableNotFoundError"), command="/no/such/program"),
        step("which", FAILS, command="./bash"),
        step("which", FAILS, command=""),
    ],
    "an executable of a given PATH": [
        sh("mkdir bin; printf '#!/bin/sh\\n' > bin/mine; chmod 755 bin/mine"),
        step("which", "{W}/bin/mine", command="mine", env={"PATH": "{W}/bin"}),
    ],
    "the environment": [
        bash("echo $A-$PATH; env", env={"A": "ü b", "MY_TOKEN": "kept"}, unset=["HOME"]),
        ends(
            {
                "exitCode": 0,
                "stdout": Where(
                    lambda said: said.startswith("ü b-/")
                    and "\nHOME=" not in said
                    and "DSH_" not in said
                    and "MY_TOKEN=kept" in said
                    and "DEEPSEEK" not in said
                    and "AGENTPOOL" not in said,
                    "what was given, without what was taken out",
                ),
            }
        ),
    ],
    "no fact of the brain's machine": [
        bash("env", env={"DSH_HOME": "/brain", "dsh_x": "1"}),
        ends({"stdout": Where(lambda said: "/brain" not in said and "dsh_x" not in said, "none")}),
    ],
}

OUTPUT = {
    "exit codes": [
        part
        for code in (0, 1, 7, 126, 255)
        for part in (
            bash(f"exit {code}"),
            ends({"exitCode": code, "signal": None, "stdout": "", "stderr": ""}),
        )
    ],
    "two streams": [bash("echo out; echo err >&2"), ends({"stdout": "out\n", "stderr": "err\n"})],
    "a signal": [bash("kill -KILL $$"), ends(ENDED_BY_A_SIGNAL)],
    "no input": [bash("cat; echo end"), ends({"stdout": "end\n"})],
    "input as data": [bash("cat", stdin={"data": "grün\n" * 1000}), ends({"stdout": "grün\n" * 1000})],
    "input as a pipe": [
        bash("read a; echo got $a; cat", stdin="pipe", expect={"stdin": True}),
        step("feed", ANY, of="$p", data="one\n"),
        step("see", True, of="$p", text="got one"),
        step("feed", ANY, of="$p", data="two", end=True),
        ends({"stdout": "got one\ntwo"}),
    ],
    "output as a pipe is whole": [
        bash("seq 200000", stdout="pipe", expect={"stdout": True, "collected": False}),
        step(
            "piped",
            Where(
                lambda data: base64.b64decode(data).split() == [str(n).encode() for n in range(1, 200001)],
                "200000 lines",
            ),
            of="$p",
        ),
        ends({"exitCode": 0, "stdout": None}),
    ],
    "read while it runs": [
        bash("echo one; read x; echo two", stdin="pipe"),
        step("see", True, of="$p", text="one\n"),
        step("read", {"text": "one\n", "nextOffset": 4, "lossy": False}, of="$p"),
        step("read", {"text": "", "nextOffset": 4}, of="$p", offset=4),
        step("feed", ANY, of="$p", data="\n", end=True),
        ends({"stdout": "one\ntwo\n"}),
        step("read", {"text": "two\n", "nextOffset": 8, "lossy": False}, of="$p", offset=4),
    ],
    "the tail is kept exactly": [
        bash("seq 100000", stdout={"maxBytes": 1000}),
        ends(
            {
                "stdout": Where(
                    lambda said: said == "".join(f"{n}\n" for n in range(1, 100001))[-1000:],
                    "the last 1000 bytes",
                )
            }
        ),
        step("read", {"lossy": True, "nextOffset": 588895}, of="$p"),
    ],
    "the whole output is in a file of the world": [
        bash("seq 100000", stdout={"maxBytes": 1000, "spill": {"maxBytes": 1_000_000}}),
        step("spill", Where(lambda path: path and path.startswith("/"), "a path"), of="$p", as_="f"),
        step("resolve", ANY, path="$f", as_="t"),
        step(
            "text",
            Where(lambda said: said == "".join(f"{n}\n" for n in range(1, 100001)), "all lines"),
            of="$t",
        ),
    ],
    "short output has no file": [bash("echo x"), step("spill", None, of="$p")],
    "output beyond the file's bound has none": [
        bash("seq 100000", stdout={"maxBytes": 1000, "spill": {"maxBytes": 10_000}}),
        step("spill", None, of="$p"),
    ],
    "characters on every cut": [
        bash("for i in $(seq 300); do printf 'aü🙂'; printf ''; done"),
        ends({"stdout": "aü🙂" * 300}),
    ],
    "bytes that are no text": [bash("printf 'a\\xffb'"), ends({"stdout": "a\ufffdb"})],
    "output after a long silence comes in order": [
        bash("for i in 1 2 3; do echo $i; echo e$i >&2; done"),
        ends({"stdout": "1\n2\n3\n", "stderr": "e1\ne2\ne3\n"}),
    ],
    "many at once": [
        step(
            "all",
            Where(
                lambda results: [one.get("ok", {}).get("stdout") for one in results]
                == [f"{n}\n" for n in range(12)],
                "each its own",
            ),
            steps=[{"do": "sh", "command": f"echo {n}", "cwd": "{W}"} for n in range(12)],
        )
    ],
}

GROUP = {
    "terminate": [
        bash("echo on; sleep 600"),
        step("see", True, of="$p", text="on"),
        step("terminate", ANY, of="$p", times=3),
        ends(ENDED_BY_A_SIGNAL),
        step("gone", True, of="$p"),
        step("terminate", ANY, of="$p"),
    ],
    "terminate takes the whole group": [
        bash("sleep 613 & sleep 613 & echo on; wait"),
        step("see", True, of="$p", text="on"),
        step("terminate", ANY, of="$p"),
        step("gone", True, of="$p"),
        sh("pgrep -fx 'sleep 613'", {"exitCode": 1}),
    ],
    "a command that ignores TERM is killed": [
        bash("trap '' TERM; echo on; while :; do sleep 1; done", graceMs=300),
        step("see", True, of="$p", text="on"),
        step("terminate", ANY, of="$p"),
        ends(ENDED_BY_A_SIGNAL),
        step("gone", True, of="$p"),
    ],
    "a command may say how it ends": [
        bash("trap 'exit 9' TERM; echo on; while :; do sleep 0.05; done", graceMs=20000),
        step("see", True, of="$p", text="on"),
        step("terminate", ANY, of="$p"),
        ends({"exitCode": 9}),
    ],
    "a signal terminates": [
        bash("sleep 614", abort=200),
        ends(ENDED_BY_A_SIGNAL),
        step("gone", True, of="$p"),
        sh("pgrep -fx 'sleep 614'", {"exitCode": 1}),
    ],
    "waiting may be given up": [
        bash("echo on; sleep 600"),
        step("see", True, of="$p", text="on"),
        step("gone", False, of="$p", ms=50),
        step("terminate", ANY, of="$p"),
        step("gone", True, of="$p", ms=60000),
    ],
    "a child that keeps the output open does not hold the exit": [
        bash("sleep 615 & echo hi; exit 7", graceMs=300),
        ends({"exitCode": 7, "stdout": "hi\n"}),
        step("gone", False, of="$p", ms=50),
        step("terminate", ANY, of="$p"),
        step("gone", True, of="$p"),
        sh("pgrep -fx 'sleep 615'", {"exitCode": 1}),
    ],
    "what a child says in the grace period is kept": [
        bash("(sleep 0.2; echo late) & exit 3", graceMs=20000),
        ends({"exitCode": 3, "stdout": "late\n"}),
    ],
    "a server in the background serves on": [
        bash("exec 3<>/dev/null; (trap '' HUP; sleep 616) >/dev/null 2>&1 & echo started"),
        ends({"exitCode": 0, "stdout": "started\n"}),
        sh("pgrep -fx 'sleep 616'"),
        step("terminate", ANY, of="$p"),
        step("gone", True, of="$p"),
    ],
}

TERMINALS = {
    "talks": [
        step(
            "terminal",
            {"pid": Where(lambda pid: pid >= 1, "a pid")},
            as_="p",
            argv=["bash", "--noprofile", "--norc", "-i"],
            cwd="{W}",
            env={"PS1": "ready>"},
            rows=40,
            cols=120,
        ),
        step("seeTerminal", True, of="$p", text="ready>"),
        step("type", ANY, of="$p", data="stty size; echo $((6*7))-ü; pwd\n"),
        step("seeTerminal", True, of="$p", text="40 120"),
        step("seeTerminal", True, of="$p", text="42-ü"),
        step("resize", ANY, of="$p", rows=10, cols=77),
        step("type", ANY, of="$p", data="stty size\n"),
        step("seeTerminal", True, of="$p", text="10 77"),
        step("foreground", {"processGroupId": Where(lambda pgid: pgid >= 1, "a group")}, of="$p"),
        step("type", ANY, of="$p", data="exit 5\n"),
        step("terminalDone", {"exitCode": 5, "signal": None}, of="$p"),
    ],
    "an interrupt reaches what is in the foreground": [
        step(
            "terminal",
            ANY,
            as_="p",
            argv=["bash", "--noprofile", "--norc", "-i"],
            cwd="{W}",
            env={"PS1": "ready>"},
            rows=24,
            cols=80,
        ),
        step("seeTerminal", True, of="$p", text="ready>"),
        step("type", ANY, of="$p", data="echo be$((1))gun; sleep 617\n"),
        step("seeTerminal", True, of="$p", text="be1gun"),
        sh("for i in $(seq 500); do pgrep -fx 'sleep 617' && exit; sleep 0.02; done; exit 1"),
        step("signal", Where(lambda pgid: pgid >= 1, "a group"), of="$p", name="SIGINT"),
        step("type", ANY, of="$p", data="echo alive-$((1+1))\n"),
        step("seeTerminal", True, of="$p", text="alive-2"),
        step("endTerminal", ANY, of="$p"),
        step("gone", True, of="$p"),
    ],
    "terminate takes the whole session": [
        step(
            "terminal",
            ANY,
            as_="p",
            argv=["bash", "--noprofile", "--norc", "-i"],
            cwd="{W}",
            env={"PS1": "ready>"},
            rows=24,
            cols=80,
        ),
        step("seeTerminal", True, of="$p", text="ready>"),
        step("endTerminal", ANY, of="$p"),
        step("terminalDone", ENDED_BY_A_SIGNAL, of="$p"),
        step("gone", True, of="$p"),
    ],
}

CASES = {
    f"{group}: {name}": steps
    for group, table in (("start", START), ("output", OUTPUT), ("group", GROUP), ("terminal", TERMINALS))
    for name, steps in table.items()
}
