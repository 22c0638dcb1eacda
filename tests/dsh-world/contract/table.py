# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The language of the contract tables: steps of probe.js with what must come back, and the judge of both."""

import json


class Error:
    """The step fails with this code or class name; `says` is part of its message."""

    def __init__(self, code, says=""):
        self.code, self.says = code, says

    def __repr__(self):
        return f"Error({self.code!r}, {self.says!r})"


class Any:
    """The step succeeds, whatever it says."""


class Fails:
    """The step fails, however."""


class Where:
    """The step succeeds with a value for which `test` is true."""

    def __init__(self, test, words):
        self.test, self.words = test, words

    def __repr__(self):
        return f"Where({self.words})"


ANY = Any()
FAILS = Fails()


def step(do, expect=ANY, **arguments):
    arguments = {name.rstrip("_"): value for name, value in arguments.items()}
    return {"do": do, **arguments}, expect


def target(path, name="t", expect=ANY, **more):
    """Resolves a path as `$name`."""
    return step("resolve", expect, path=path, as_=name, **more)


def sh(command, expect=None, **more):
    """A command in the world, beside the provider's files; it must exit with 0 unless told otherwise."""
    return step(
        "sh", {"exitCode": 0} if expect is None else expect, command=command, **{"cwd": "{W}", **more}
    )


def fits(expected, value):
    """A dictionary names a part; everything else is equal."""
    if isinstance(expected, Where):
        return bool(expected.test(value))
    if isinstance(expected, dict) and isinstance(value, dict):
        return all(name in value and fits(part, value[name]) for name, part in expected.items())
    if isinstance(expected, list) and isinstance(value, list):
        return len(expected) == len(value) and all(map(fits, expected, value))
    return expected is ANY or expected == value


def holds(expected, result):
    if isinstance(expected, Error):
        return result.get("error") == expected.code and expected.says in result["message"]
    if expected is FAILS:
        return "error" in result
    return "ok" in result and fits(expected, result["ok"])


def placed(value, workspace):
    """The value with {W} as the workspace's path."""
    if isinstance(value, str):
        return value.replace("{W}", workspace)
    if isinstance(value, dict):
        return {name: placed(part, workspace) for name, part in value.items()}
    if isinstance(value, list):
        return [placed(part, workspace) for part in value]
    return value


def check(case, steps, results, workspace):
    """Fails the unittest `case` with the first step that did not come out as the table says."""
    case.assertEqual(len(results), len(steps))
    for number, ((asked, expected), result) in enumerate(zip(steps, results), 1):
        wanted = placed(expected, workspace)
        if not holds(wanted, result):
            case.fail(
                f"step {number} {json.dumps(asked)[:600]}\nexpected {wanted!r}\nbut was {json.dumps(result)[:2000]}"
            )
