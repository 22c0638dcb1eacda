# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Puts the row of probe.js into a copy of dsh's profile."""

import os
import shutil

HERE = os.path.dirname(os.path.abspath(__file__))
ROW = "    - {id: contract-probe, name: ./contract_probe.js}\n"
GUARD = "    - {id: world-guard"


def move_workspace(profile, workspace):
    """Moves the paths of a profile's folder to another workspace."""
    change(profile, lambda rows: rows.replace("/workspace", workspace))


def add_row(profile):
    """Adds the row to a profile's folder."""
    for source, name in (("probe.js", "contract_probe.js"), ("contract_process.js", "contract_process.js")):
        shutil.copy(os.path.join(HERE, source), os.path.join(profile, name))
    change(profile, lambda rows: rows.replace(GUARD, ROW + GUARD))


def change(profile, edit):
    path = os.path.join(profile, "cordis.patch.yml")
    with open(path, encoding="utf-8") as file:
        rows = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(edit(rows))
