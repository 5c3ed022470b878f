"""Uses the Python client against a real server: python3 client.py FOLDER BASE TOKEN ROOT. Prints "ok" when all held.

The parts that need httpx and websockets run where these are installed, and are said to be left out where they are not.
"""

import asyncio
import inspect
import sys
import threading

folder, base_url, token, root = sys.argv[1:]
sys.path.insert(0, folder)
from contextd_client import AsyncContextd, Contextd, ContextdError  # noqa: E402


def refused(call, status):
    try:
        call()
    except ContextdError as e:
        assert e.status == status, e.problem
        return e
    raise AssertionError("not refused")


def has(module):
    try:
        __import__(module)
        return True
    except ImportError:
        return False


c = Contextd(base_url + "/", token=token)
found = c.search({"query": "verify the signature of a session token", "root": root, "deadline_ms": 10000})
assert found["results"][0]["path"] == "src/auth/token.go", found
project = found["project"]
assert c.get_project(project)["files"] == 2
assert c.why_path(project, path="src/auth/token.go")["indexed"] is True

heard = []
if has("websockets"):
    ready = threading.Event()

    def listen():
        for event in c.events(types="memory_changed,context_assembled"):
            heard.append(event["type"])
            ready.set()
            if event["type"] == "context_assembled":
                return

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    assert ready.wait(10)

agent = "knight/1 ü"
saved = c.save_context_item(agent, {"item_type": "DECISION", "content": "Session tokens expire after one hour", "project": project})
assert saved["tier"] == "HOT"
assert c.load_context(agent, tier="HOT", project=project)["items"][0]["item_id"] == saved["item_id"]
c.complete_task(project, {"task_id": "t-1", "intent": "Add session tokens"})
assert c.list_tasks(project, limit=1)["tasks"][0]["task_id"] == "t-1"
c.block(project, {"id": "t-2", "reason": "waits"})
assert c.unblock(project, "t-2") is None
task = {"id": "t-3", "title": "Check expiry of session tokens"}
context = c.build_context({"project": project, "agent": agent, "agent_kind": "knight", "deadline_ms": 10000, "task": task})
assert context["status"] == "ok", context
report = c.feedback(context["id"], {"response": "Session tokens expire after one hour", "edited": ["src/auth/token.go"]})
assert report["used"]
assert c.get_receipt(context["id"])["project"] == project
if has("websockets"):
    listener.join(10)
    assert heard == ["ready", "memory_changed", "context_assembled"], heard

e = refused(lambda: c.get_project("none"), 404)
assert e.type == "urn:contextd:problem:not-found" and e.problem["request_id"]
assert refused(lambda: c.search({"query": "x", "project": project, "bogus": 1}), 400).problem["field"] == "bogus"
refused(lambda: Contextd(base_url, token="wrong-wrong-wrong").list_projects(), 401)
for bad in ("", "ftp://x", "127.0.0.1:9465"):
    try:
        Contextd(bad)
        raise AssertionError(bad)
    except ValueError as e:
        assert '"%s"' % bad in str(e)
assert "contextd_http_requests_total" in c.metrics(request_id="from-python")
description = c.openapi()
for path in description["paths"].values():
    for op in path.values():
        name = "".join("_" + x.lower() if x.isupper() else x for x in op["operationId"])
        for kind in (Contextd, AsyncContextd):
            assert callable(getattr(kind, name, None)) != bool(op.get("x-other-clients")), name
assert not [n for n, f in inspect.getmembers(AsyncContextd, inspect.isfunction) if not n.startswith("_") and n != "events" and not inspect.iscoroutinefunction(f)]


async def at_once():
    async with AsyncContextd(base_url, token=token) as a:
        replies = await asyncio.gather(*(a.search({"query": "session token", "project": project}) for _ in range(8)))
        assert all(r["results"][0]["path"] == "src/auth/token.go" for r in replies)
        try:
            await a.get_project("none")
            raise AssertionError("not refused")
        except ContextdError as e:
            assert e.status == 404
        if has("websockets"):
            async for event in a.events():
                assert event["type"] == "ready"
                break


if has("httpx"):
    asyncio.run(at_once())
left = [m for m in ("httpx", "websockets") if not has(m)]
print("ok" + ("" if not left else " without " + ", ".join(left)))
