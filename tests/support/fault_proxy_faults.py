# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
"""What each rule does to one exchange. A function sets on the exchange: `own` (answer in place of the origin's),
`execute` (the request reaches the origin all the same), `cut_*`, `silent`, `slow`, `edits` of a whole answer and
`stream` edits of Connect messages."""

import base64
import datetime
import json
import re
from urllib.parse import parse_qsl, urlencode

from fault_proxy_wire import answer, envelope

from tests.e2e import wait

HTML = "<html><head><title>{0}</title></head><body><center><h1>{0}</h1></center></body></html>"
BEFORE = {}


def rule(act):
    BEFORE[act.__name__] = act
    return act


def error(status, message, **more):
    return answer(status, {"code": status, "message": message, **more})


# -- answers in place of the origin's


@rule
def delay(one, ex):
    wait.pause(one.get("seconds", 0.1))


@rule
def answer_(one, ex):
    headers = [(key, str(value)) for key, value in one.get("headers", {}).items()]
    ex.own = answer(one.get("status", 200), one.get("body", ""), one.get("content_type", "application/json"), headers)
    ex.execute = one.get("execute", False)


@rule
def empty_408(one, ex):
    ex.own, ex.execute = answer(408, b"", None), one.get("execute", True)


@rule
def no_v2_create(one, ex):
    ex.own = answer(405, b"", None, [("Allow", "GET,HEAD")])


@rule
def no_v2_connect(one, ex):
    ex.own = answer(404, b"", None)


@rule
def html(one, ex):
    status = one.get("status", 502)
    ex.own, ex.execute = answer(status, HTML.format(f"{status} Fault"), "text/html"), one.get("execute", False)


@rule
def busy(one, ex):
    after = one.get("retry_after")
    headers = [] if after is None else [("Retry-After", str(after))]
    body = one.get("body", {"code": one.get("status", 429), "message": "Rate limit exceeded"})
    ex.own = answer(one.get("status", 429), body, "application/json", headers)


@rule
def cube_error(one, ex):
    text = f"CubeMaster returned error code {one.get('number', 130597)}: {one.get('text', 'fault')}"
    ex.own, ex.execute = error(one.get("status", 500), text), one.get("execute", False)


@rule
def refuse_delete(one, ex):
    ex.own = error(one.get("status", 500), "the sandbox cannot be deleted now")


@rule
def timeout_fails(one, ex):
    ex.own = error(one.get("status", 500), "no such method")


@rule
def stream_json(one, ex):
    body = one.get("body", {"code": "unavailable", "message": "the sandbox is being resumed"})
    ex.own = answer(one.get("status", 200), body, one.get("content_type", "application/connect+json"))
    ex.execute = one.get("execute", False)


@rule
def silence(one, ex):
    ex.silent = True
    ex.execute = one.get("execute", False)


# -- pause, resume


@rule
def pause(one, ex):
    """Pauses by itself, for an origin that cannot: the sandbox is only hidden."""
    request, known = ex.request, ex.provider
    paused = request.sandbox in known.paused
    if request.plane != "api":
        if paused:
            ex.own = answer(502, {"sandboxId": request.sandbox, "message": "The sandbox was not found", "code": 502})
        return
    if request.tail == "pause" and request.method == "POST":
        if paused:
            ex.own = error(409, f"Error pausing sandbox - sandbox '{request.sandbox}' is already paused")
        elif known.call("GET", request.target, None, ex.key())[0] == 200:
            known.pause(request.sandbox)
            ex.own = answer(204, b"", None)
    elif request.tail in ("connect", "resume"):
        ex.edits.append(lambda head, body: connected(head, body, ex))
    elif request.tail in ("timeout", "refreshes") and paused:
        ex.own = error(404, "the sandbox is paused")
    elif request.method == "DELETE":
        ex.edits.append(lambda head, body: head.status < 300 and known.resume(request.sandbox))
    else:
        ex.edits.append(lambda head, body: mark_paused(body, known.paused))


def connected(head, body, ex):
    if ex.own is None and head.status in (200, 201) and ex.provider.resume(ex.request.sandbox):
        head.first = "HTTP/1.1 201 Created"
        ex.resumed = True


def mark_paused(body, paused):
    for row in body if isinstance(body, list) else [body]:
        if isinstance(row, dict) and row.get("sandboxID") in paused and "state" in row:
            row["state"] = "paused"


@rule
def pause_twice_fails(one, ex):
    if ex.request.sandbox in ex.provider.paused:
        ex.own = error(500, f"CubeMaster returned error code {one.get('number', 130490)}: already paused")


@rule
def delete_paused_fails(one, ex):
    if ex.request.sandbox in ex.provider.paused:
        ex.own = error(500, "CubeMaster returned error code 130593: sandbox not in normal state")


@rule
def connect_200(one, ex):
    """Fine, whatever is true: also for a sandbox that is gone."""

    def edit(head, body):
        head.first = "HTTP/1.1 200 OK"
        made = ex.provider.made.get(ex.request.sandbox, {"sandboxID": ex.request.sandbox, "envdVersion": "0.2.0"})
        if isinstance(body, dict) and "sandboxID" not in body:
            body.clear()
            body.update(made)

    ex.edits.append(edit)


@rule
def resume_nothing(one, ex):
    """Accepted, never executed."""
    made = ex.provider.made.get(ex.request.sandbox, {"sandboxID": ex.request.sandbox, "envdVersion": "0.2.0"})
    ex.own = answer(one.get("status", 201), made)


def after_resume(act):
    def handler(one, ex):
        ex.after.append(lambda: act(one, ex))

    return handler


def remove_files(one, ex):
    for path in one.get("paths", ["/home/user"]):
        ex.provider.envd(ex.request.sandbox, "/filesystem.Filesystem/Remove", {"path": path})


def kill_processes(one, ex):
    listed = ex.provider.envd(ex.request.sandbox, "/process.Process/List", {}).get("processes", [])
    for process in listed:
        ask = {"process": {"pid": process["pid"]}, "signal": "SIGNAL_SIGKILL"}
        ex.provider.envd(ex.request.sandbox, "/process.Process/SendSignal", ask)


BEFORE["lost_files"] = after_resume(remove_files)
BEFORE["lost_processes"] = after_resume(kill_processes)
BEFORE["black_hole"] = after_resume(lambda one, ex: ex.provider.black_hole(ex.request.sandbox))


# -- routing


@rule
def host_only(one, ex):
    """Looks at the host name alone, as CubeProxy does."""
    found = re.match(r"(\d+)-([^.:]+)\.", ex.request.head.get("Host"))
    ex.request.head.drop("E2b-Sandbox-Id", "E2b-Sandbox-Port")
    if found:
        ex.request.head.set("E2b-Sandbox-Id", found[2])
        ex.request.head.set("E2b-Sandbox-Port", found[1])
        ex.request.head.set("Host", "127.0.0.1")
    else:
        ex.own = answer(400, HTML.format("400 Bad Request"), "text/html", [("X-Cube-Retcode", "310400")])


@rule
def headers_only(one, ex):
    if re.match(r"(\d+)-([^.:]+)\.", ex.request.head.get("Host")):
        ex.own = answer(400, {"code": 400, "message": "Invalid host"})


@rule
def wrong_route(one, ex):
    other = one.get("to") or ex.provider.other_than(ex.request.sandbox)
    ex.request.head.set("E2b-Sandbox-Id", other)
    ex.request.head.set("E2b-Sandbox-Port", ex.request.port)
    ex.request.head.set("Host", "127.0.0.1")
    if token := one.get("token") or ex.provider.token(other):
        ex.request.head.set("X-Access-Token", token)


@rule
def stale_route(one, ex):
    if one.get("how", "502") == "502":
        ex.own = answer(502, HTML.format("502 Bad Gateway"), "text/html")
    else:
        ex.cut_request = 0


@rule
def closed_port(one, ex):
    ex.own = answer(502, {"sandboxId": ex.request.sandbox, "message": "The sandbox is running but port is not open",
                          "port": int(ex.request.port), "code": 502})


# -- the bytes


@rule
def cut(one, ex):
    """At byte `at` of the request (what the origin gets) or of the answer (what the client gets)."""
    ex.reset = one.get("how", "rst") == "rst"
    if one.get("side", "response") == "request":
        ex.cut_request = one.get("at", 0)
    else:
        ex.cut_response = one.get("at", 0)


@rule
def slow_body(one, ex):
    ex.slow = (one.get("bytes", 1), one.get("seconds", 0.01))


# -- lists, versions, times


def with_query(ex, keep):
    ex.request.query = urlencode([pair for pair in parse_qsl(ex.request.query) if keep(pair[0])])


@rule
def list_bare(one, ex):
    """All sandboxes on one page, whatever was asked."""
    with_query(ex, lambda name: False)
    ex.heads.append(lambda head: head.drop("X-Next-Token", "X-Total-Running"))


@rule
def list_no_token(one, ex):
    ex.heads.append(lambda head: head.drop("X-Next-Token"))


@rule
def list_no_filter(one, ex):
    with_query(ex, lambda name: name != "metadata")


@rule
def list_without(one, ex):
    """Rows without some members (`metadata`), or without the sandboxes themselves (`rows`)."""
    what = one.get("what", "metadata")

    def edit(head, body):
        if isinstance(body, list) and what == "rows":
            body.clear()
        for row in body if isinstance(body, list) else []:
            row.pop(what, None)

    ex.edits.append(edit)


OLD_ENVD = {"0.2.0": ("/process.Process/CloseStdin",), "0.5.13": ()}


@rule
def envd_version(one, ex):
    """Rewrites what the provider says, and with `acts` makes envd behave like it."""
    version = one.get("version", "0.2.0")
    if ex.request.plane == "api":
        ex.edits.append(lambda head, body: [row.update(envdVersion=version) for row in
                                            (body if isinstance(body, list) else [body])
                                            if isinstance(row, dict) and "sandboxID" in row])
    elif one.get("acts", True):
        old_envd(version, ex)


def old_envd(version, ex):
    request = ex.request
    interval = request.head.get("Keepalive-Ping-Interval", "1")
    if not interval.isdigit() or int(interval) <= 0:
        ex.cut_request = 0  # the daemon dies of it
    elif request.path in OLD_ENVD.get(version, ()):
        ex.own = answer(404, "404 page not found\n", "text/plain; charset=utf-8")
    elif request.path == "/files" and request.method == "POST" and version == "0.2.0":
        kind = request.head.get("Content-Type")
        if not kind.startswith("multipart/form-data"):
            ex.own = error(400, f"unsupported content type: {kind}, expected multipart/form-data")


@rule
def clock(one, ex):
    """The provider's clock is `seconds` ahead: `Date` and the times of sandboxes."""
    ahead = datetime.timedelta(seconds=one.get("seconds", 3600))

    def edit_head(head):
        now = datetime.datetime.now(datetime.timezone.utc) + ahead
        head.set("Date", now.strftime("%a, %d %b %Y %H:%M:%S GMT"))

    def edit(head, body):
        for row in body if isinstance(body, list) else [body]:
            for name in ("startedAt", "endAt") if isinstance(row, dict) else ():
                if row.get(name):
                    then = datetime.datetime.fromisoformat(row[name].replace("Z", "+00:00")) + ahead
                    row[name] = then.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    ex.heads.append(edit_head)
    ex.edits.append(edit)


# -- streams: (flags, message) → what goes on in its place


def event_of(flags, data):
    return {} if flags & 2 else json.loads(data).get("event", {})


@rule
def sandbox_clock(one, ex):
    """Every time in milliseconds that a command prints is `seconds` ahead."""
    def edit(flags, data):
        out = event_of(flags, data).get("data", {}).get("stdout")
        if out is None:
            return [(flags, data)]
        later = lambda found: str(int(found[0]) + int(one.get("seconds", 3600) * 1000)).encode()
        text = re.sub(rb"\b\d{13}\b", later, base64.b64decode(out))
        return [(flags, json.dumps({"event": {"data": {"stdout": base64.b64encode(text).decode()}}}).encode())]

    ex.stream.append(edit)


@rule
def stream_silent(one, ex):
    left = [one.get("events", 1)]

    def edit(flags, data):
        left[0] -= 1
        return [(flags, data)] if left[0] >= 0 else []

    ex.stream.append(edit)
    ex.hold = True


@rule
def no_end_event(one, ex):
    ex.stream.append(lambda flags, data: [] if "end" in event_of(flags, data) else [(flags, data)])


@rule
def no_end_of_stream(one, ex):
    ex.stream.append(lambda flags, data: [] if flags & 2 else [(flags, data)])


@rule
def double_end(one, ex):
    ex.stream.append(lambda flags, data: [(flags, data)] * (2 if "end" in event_of(flags, data) else 1))


BEFORE["answer"] = BEFORE.pop("answer_")


def edit_stream(edits, flags, data):
    """The envelopes that come out for one that went in."""
    messages = [(flags, data)]
    for edit in edits:
        messages = [out for message in messages for out in edit(*message)]
    return b"".join(envelope(payload, flag) for flag, payload in messages)
