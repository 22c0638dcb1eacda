# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""dsh's seams to the letter: the tables of contract/ through the plugin in the real dsh, before the fault world.
The same tables run against a sandbox in tests/e2e/test_contract.py."""

import unittest

from contract.fault_target import FaultTarget
from contract.suite import contract_case

ContractTest = contract_case(FaultTarget)

if __name__ == "__main__":
    unittest.main()
