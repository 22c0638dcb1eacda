# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What ctx.subprocess promises about the start of a process: program, arguments, directory, environment: name → steps."""

from contract.table import ANY, FAILS, Error, Where, sh, step
from contract.words import bash, ends

CASES = {
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
