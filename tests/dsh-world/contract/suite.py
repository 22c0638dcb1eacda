# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a unittest case of every row of the tables, for a given target."""

import re
import unittest

from contract import content_table, edit_table, group_table, output_table, resolve_table
from contract import start_table, stat_table, terminal_table, write_table
from contract.table import check, placed

TABLES = {
    "resolve": resolve_table.CASES,
    "stat": stat_table.CASES,
    "content": content_table.CASES,
    "write": write_table.CASES,
    "edit": edit_table.CASES,
    "start": start_table.CASES,
    "output": output_table.CASES,
    "group": group_table.CASES,
    "terminal": terminal_table.CASES,
}


def method(steps):
    def test(self):
        asked = [placed(one, self.target.workspace) for one, _ in steps]
        check(self, steps, self.target.play(asked), self.target.workspace)

    return test


def contract_case(make_target):
    """A TestCase class whose tests are the rows. One target serves all of them; it has `play(steps)`,
    `workspace` and `close()`."""

    class ContractTest(unittest.TestCase):
        maxDiff = None

        @classmethod
        def setUpClass(cls):
            cls.target = make_target()
            cls.addClassCleanup(cls.target.close)

    for table, cases in TABLES.items():
        for name, steps in cases.items():
            words = re.sub(r"\W+", "_", name)
            setattr(ContractTest, f"test_{table}_{words}", method(steps))
    return ContractTest
