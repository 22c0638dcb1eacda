# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What a user of the official Python SDK does; the environment says where. Prints one JSON object."""

import json

from e2b import CommandExitException, NotFoundException, Sandbox, SandboxQuery

seen = {}
sandbox = Sandbox.create("base", metadata={"sdk": "py one"}, envs={"GREETING": "hi"}, timeout=120)
try:
    seen["running"] = sandbox.is_running()
    done = sandbox.commands.run('echo "$GREETING"; echo oops >&2; whoami')
    seen["stdout"], seen["stderr"] = done.stdout, done.stderr
    try:
        sandbox.commands.run("exit 7")
    except CommandExitException as error:
        seen["failed"] = error.exit_code
    seen["root"] = sandbox.commands.run("id -u", user="root").stdout
    sandbox.files.write("notes/a.txt", "héllo")
    seen["read"] = sandbox.files.read("notes/a.txt")
    seen["listed"] = [f"{entry.type.value} {entry.path}" for entry in sandbox.files.list("notes")]
    try:
        sandbox.files.read("none")
    except NotFoundException:
        seen["missing"] = True
    background = sandbox.commands.run("sleep 100", background=True)
    seen["processes"] = any(one.pid == background.pid for one in sandbox.commands.list())
    seen["killedCommand"] = sandbox.commands.kill(background.pid)
    sandbox.set_timeout(90)
    seen["state"] = sandbox.get_info().state.value
    pages = Sandbox.list(query=SandboxQuery(metadata={"sdk": "py one"}))
    seen["found"] = any(one.sandbox_id == sandbox.sandbox_id for one in pages.next_items())
    seen["again"] = Sandbox.connect(sandbox.sandbox_id).commands.run("echo again").stdout
finally:
    seen["killed"] = sandbox.kill()
seen["killedTwice"] = sandbox.kill()
seen["gone"] = sandbox.is_running()
try:
    Sandbox.connect(sandbox.sandbox_id)
except NotFoundException:
    seen["lost"] = True
print(json.dumps(seen))
