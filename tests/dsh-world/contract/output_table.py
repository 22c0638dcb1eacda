# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What ctx.subprocess promises about input, output and exit: name → steps."""

import base64

from contract.table import ANY, Where, step
from contract.words import ENDED_BY_A_SIGNAL, bash, ends

CASES = {
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
