# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""run.py [--order forward|reverse] [--jobs N] [FILE...]: the scenarios of the Python SDK, each file in a process of its
own and once for each face. Prints what failed; exit 1 if anything did."""

import argparse
import concurrent.futures
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..", "..")
LIMIT = 600  # seconds for one file


def run(file, face, order):
    paths = os.pathsep.join((ROOT, os.environ.get("PYTHONPATH", "")))
    env = {**os.environ, "FACE": face, "ORDER": order, "PYTHONPATH": paths}
    command = [sys.executable, "-B", "-W", "ignore", os.path.join(HERE, "support.py"), file.removesuffix(".py")]
    done = subprocess.run(command, cwd=HERE, env=env, capture_output=True, text=True, timeout=LIMIT, check=False)
    return f"{file} {face}", done.returncode, done.stdout + done.stderr


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--order", choices=("forward", "reverse"), default="forward")
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--face", choices=("sync", "async"), action="append")
    options.add_argument("files", nargs="*")
    asked = options.parse_args()
    files = asked.files or sorted(name for name in os.listdir(HERE) if name.startswith("test_"))
    if asked.order == "reverse":
        files.reverse()
    work = [(file, face) for file in files for face in asked.face or ("sync", "async")]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        for name, code, text in pool.map(lambda one: run(*one, asked.order), work):
            print("ok" if code == 0 else "FAILED", name, flush=True)
            if code != 0:
                failed += 1
                print(text, flush=True)
    sys.exit(1 if failed or not work else 0)


if __name__ == "__main__":
    main()
