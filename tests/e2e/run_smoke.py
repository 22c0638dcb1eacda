# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""One turn of the real dsh on a given build: the release check. usage: run_smoke.py BUILD_DIR"""

import os
import sys

if len(sys.argv) != 2:
    sys.exit(__doc__)
os.environ["AGENTPOOL_BUILD_DIR"] = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from tests.e2e.harness import Daemon  # noqa: E402: the path is set above


def main():
    daemon = Daemon({"pool": {"warm": 1}}, model=True)
    try:
        client = daemon.start().client()
        text, end = client.run(client.create("dsh"), "hello")
        assert end.get("stop_reason") == "end_turn", end
        assert "seen 1 user text block" in text, text
        assert daemon.stop() == 0, daemon.tail()
        daemon.wait_no_workers()
        assert not daemon.findings(), daemon.findings()
    finally:
        daemon.close()
    print(f"smoke turn on {sys.argv[1]}: {text}")


if __name__ == "__main__":
    main()
