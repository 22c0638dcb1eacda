#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""Reads template.toml of a recipe for scripts/build-template; docs/templates.md has the format.

Usage: template_recipe.py from RECIPE                       what it is a copy of; empty: made of packages
       template_recipe.py settings RECIPE OUT KEY=VALUE…    writes template.json of a version; `base` names that of `from`
       template_recipe.py mirrors RECIPE ROOT               points pip, npm and apt of the tree at ROOT to its mirrors
"""

import json
import os
import re
import sys
import tomllib

SUITE = "bookworm"
TEXTS = ("from", "user", "workdir")
MIRRORS = ("pip", "npm", "apt", "apt_security")
REF = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}(@[A-Za-z0-9][A-Za-z0-9._-]{0,63})?")


def refuse(path, why):
    sys.exit(f"build-template: {path}: {why}")


def texts_of(path, table, name, allowed=None):
    """The table's members, which must be filled texts without line breaks."""
    if not isinstance(table, dict):
        refuse(path, f"{name} must be a table")
    for key, value in table.items():
        if allowed and key not in allowed:
            refuse(path, f"unknown key {name}.{key}; the known ones are: {', '.join(allowed)}")
        if not isinstance(value, str) or not value or "\n" in value or "\0" in value:
            refuse(path, f"{name}.{key} must be a text on one line that is not empty")
    return table


def check(path, recipe):
    for key in recipe:
        if key not in (*TEXTS, "env", "mirrors"):
            refuse(path, f"unknown key {key}; the known ones are: {', '.join((*TEXTS, 'env', 'mirrors'))}")
    texts_of(path, {key: recipe[key] for key in TEXTS if key in recipe}, "the recipe")
    for name in texts_of(path, recipe.get("env", {}), "env"):
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            refuse(path, f"env.{name} is no name of a variable")
    texts_of(path, recipe.get("mirrors", {}), "mirrors", MIRRORS)
    if "from" in recipe and not REF.fullmatch(recipe["from"]):
        refuse(path, f"from = {recipe['from']!r} names no template; write NAME or NAME@VERSION")
    if not recipe.get("workdir", "/").startswith("/"):
        refuse(path, f"workdir = {recipe['workdir']!r} must begin with /")


def load(folder):
    path = os.path.join(folder, "template.toml")
    if not os.path.exists(path):
        return {}
    try:
        with open(path, "rb") as file:
            recipe = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        refuse(path, f"is no TOML: {error}")
    check(path, recipe)
    return recipe


def write_settings(recipe, out, members):
    inherited = {}
    if base := members.pop("base", ""):
        with open(base, encoding="utf-8") as file:
            inherited = json.load(file)
    members["bytes"], members["made_at"] = int(members["bytes"]), int(members["made_at"])
    for key in ("user", "workdir"):
        if value := recipe.get(key) or inherited.get(key):
            members[key] = value
    members["env"] = {**inherited.get("env", {}), **recipe.get("env", {})}
    with open(out, "w", encoding="utf-8") as file:
        json.dump(members, file, indent=1)
        file.write("\n")


def write_mirrors(recipe, root):
    """The same files as sandboxd/isolation/mirrors.cpp writes: nothing of the recipe's own is in them."""
    mirrors = recipe.get("mirrors", {})
    texts = {}
    if url := mirrors.get("pip"):
        texts["etc/xdg/pip/pip.conf"] = f"[global]\nindex-url = {url}\n"
    if url := mirrors.get("npm"):
        texts["etc/npmrc"] = f"registry={url}\n"
    if url := mirrors.get("apt"):
        lines = [f"deb {url} {SUITE} main", f"deb {url} {SUITE}-updates main"]
        if security := mirrors.get("apt_security"):
            lines.append(f"deb {security} {SUITE}-security main")
        texts["etc/apt/sources.list"] = "".join(line + "\n" for line in lines)
    for path, text in texts.items():
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    what, folder, *rest = sys.argv[1:]
    recipe = load(folder)
    if what == "from":
        print(recipe.get("from", ""))
    elif what == "settings":
        write_settings(recipe, rest[0], dict(member.split("=", 1) for member in rest[1:]))
    else:
        write_mirrors(recipe, rest[0])


if __name__ == "__main__":
    main()
