# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""The wire format of protocol buffers, independent of envd's own: messages as lists of (number, value)."""


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def message(*fields):
    """Fields as (number, int | bool | str | bytes)."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(int(value))
        else:
            data = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return out


def take_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """All fields of a message: {number: [int | bytes, …]}."""
    out, at = {}, 0
    while at < len(data):
        tag, at = take_varint(data, at)
        value, at = take_varint(data, at)
        if tag & 7 == 2:
            if at + value > len(data):
                raise AssertionError(f"a field is cut off: {data!r}")
            value, at = data[at:at + value], at + value
        elif tag & 7:
            raise AssertionError(f"an unexpected wire type: {data!r}")
        out.setdefault(tag >> 3, []).append(value)
    return out


def one(data, *path):
    """The value at a path of field numbers, each of which is there once."""
    for number in path:
        (data,) = fields(data)[number]
    return data
