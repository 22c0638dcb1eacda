# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The items of `bench tools`: a hand and what is done in it."""

from benchlib.tools import bash, create, files, memory, output

MODULES = (create, bash, files, output, memory)
ITEMS = {module.__name__.rpartition(".")[2]: module.rows for module in MODULES}
