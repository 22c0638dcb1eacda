# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What ctx.subprocess promises about the end of a whole process group: name → steps."""

from contract.table import ANY, sh, step
from contract.words import ENDED_BY_A_SIGNAL, bash, ends

CASES = {
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
