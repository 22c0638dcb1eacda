# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Puts the row of probe.js into a copy of dsh's profile."""

import os
import shutil

HERE = os.path.dirname(os.path.abspath(__file__))
ROW = "    - {id: contract-probe, name: ./contract_probe.js}\n"
GUARD = "    - {id: world-guard"


def add_row(profile, workspace="/workspace"):
    """`profile`: the folder to change; its paths are moved to another workspace when one is given."""
    for source, name in (("probe.js", "contract_probe.js"), ("contract_process.js", "contract_process.js")):
        shutil.copy(os.path.join(HERE, source), os.path.join(profile, name))
    path = os.path.join(profile, "cordis.patch.yml")
    with open(path, encoding="utf-8") as file:
        rows = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(rows.replace(GUARD, ROW + GUARD).replace("/workspace", workspace))
