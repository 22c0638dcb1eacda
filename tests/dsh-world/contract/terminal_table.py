# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What ctx.subprocess promises about terminals: name → steps."""

from contract.table import ANY, Where, sh, step
from contract.words import ENDED_BY_A_SIGNAL

CASES = {
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
