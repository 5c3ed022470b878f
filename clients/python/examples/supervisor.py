"""A supervisor's loop: for each task a context, the model's answer, what became of it. python3 supervisor.py ROOT [TASK…]"""

import os
import sys

from contextd_client import Contextd, ContextdError

contextd = Contextd(os.environ.get("CONTEXTD_URL", "http://127.0.0.1:9465"), token=os.environ.get("CONTEXTD_TOKEN"))


def ask_model(messages):
    """Stands for your call of a model: messages are as its API wants them."""
    return "Looked at %d messages." % len(messages)


def work(project, number, title):
    task = {"id": "task-%d" % number, "title": title}
    context = contextd.build_context({"project": project, "agent": "worker-1", "agent_kind": "knight", "task": task})
    print("%s: %s, %d of %d tokens" % (task["id"], context["status"], context["tokens"], context["budget_tokens"]))
    for section in context["sections"]:
        print("  %s: %d tokens" % (section["name"], section["tokens"]))
    answer = ask_model(context["messages"])
    contextd.feedback(context["id"], {"response": answer})
    contextd.complete_task(project, {"task_id": task["id"], "intent": title, "success": True})


def main():
    root, *titles = sys.argv[1:]
    project = contextd.search({"query": "main", "root": os.path.abspath(root), "deadline_ms": 10000})["project"]
    for number, title in enumerate(titles or ["Find where settings are read"], 1):
        try:
            work(project, number, title)
        except ContextdError as e:
            print("task-%d: %s" % (number, e))


main()
