# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The items of `bench chat`: a conversation without tools."""

from benchlib.chat import (
    accept_rate,
    assignment,
    burst,
    dsh_resume,
    idle,
    idle_sessions,
    idle_streams,
    prompt_latency,
    replay,
    start,
    status_read,
    turn,
)

MODULES = (
    prompt_latency,
    assignment,
    dsh_resume,
    accept_rate,
    status_read,
    turn,
    replay,
    burst,
    idle_streams,
    idle_sessions,
    start,
    idle,
)
ITEMS = {module.__name__.rpartition(".")[2]: module.rows for module in MODULES}
