# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The items of `bench wire`: envd's calls one by one, and the life of sandboxes."""

from benchlib.wire import calls, life, many, output, transfer, watch

MODULES = (calls, transfer, output, watch, life, many)
ITEMS = {module.__name__.rpartition(".")[2]: module.rows for module in MODULES}
