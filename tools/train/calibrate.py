#!/usr/bin/env python3
"""How well could a relevance be a probability? Fit a logistic model on the best candidates of each question, and report.

usage: calibrate.py OWN,… FOREIGN,… [--weights FILE] [--shapes question,task,long]

OWN and FOREIGN are dumps: questions about their repository, and questions about others that nothing there answers. Each
repository is left out in turn (7 folds). Printed: the coefficients, reliability (ECE over ten bins), and for thresholds
how often what is shown is right, how many own questions see something right, how many foreign ones see anything.
"""
import argparse, json, math, zlib
import numpy as np

TOP = 5
NAMES = ["1", "ln rank", "score", "lead over next", "behind first", "lead over tenth", "known", "known*cover", "known*stem", "known*dirs", "known*defs",
         "known*cosine", "ln files", "known*history", "known*words", "known*likelihood"]


def columns(path, names):
    """The weights of a weights.txt, a column a shape."""
    lines = {f[0]: f for f in (line.split() for line in open(path)) if len(f) > 5 and f[0] in names}
    return {s: np.array([float(lines[n][1 + k]) for n in names]) for k, s in enumerate(["question", "name", "task", "long"])}


def rows(name, shapes, weights):
    with open(name + ".jsonl") as f:
        table = json.loads(next(f))
        qs = [json.loads(l) for l in f]
    flat = np.fromfile(name + ".f32", dtype="<f4").reshape(-1, len(table))
    at = {f["Name"]: i for i, f in enumerate(table)}
    col = columns(weights, [f["Name"] for f in table])
    start = 0
    for q in qs:
        c = q["candidates"]
        X = flat[start:start + len(c)]
        start += len(c)
        if q["shape"] not in shapes or not c:
            continue
        s = X @ col[q["shape"]]
        order = np.argsort(-s, kind="stable")
        s, X, c = s[order], X[order], [c[k] for k in order]
        k = q["known"]
        for i in range(min(TOP, len(c))):
            x = X[i]
            nxt = s[i + 1] if i + 1 < len(s) else 0
            tenth = s[min(9, len(s) - 1)] if len(s) > 1 else 0
            yield (q["repo"], q["id"] + name, i, bool(c[i].get("targets")),
                   [1, math.log(i + 1), s[i], s[i] - nxt, s[0] - s[i], s[i] - tenth, k, c[i]["covered"], k * x[at["stem"]], k * x[at["dirs"]],
                    k * x[at["definition"]], k * x[at["cosine"]], math.log(q["files"]), k * x[at["history"]], k * x[at["words"]], k * x[at["likelihood"]]])


def fit(X, y, weight, l2=0.5):
    w = np.zeros(X.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-X @ w))
        g = X.T @ (weight * (p - y)) + l2 * w
        H = (X * (weight * p * (1 - p))[:, None]).T @ X + l2 * np.eye(len(w))
        w -= np.linalg.solve(H, g)
    return w


def ece(p, y):
    e = 0
    for b in range(10):
        m = (p >= b / 10) & ((p < (b + 1) / 10) | (b == 9))
        if m.any():
            e += m.mean() * abs(p[m].mean() - y[m].mean())
    return e


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("own")
    ap.add_argument("foreign")
    ap.add_argument("--weights", default="internal/rank/weights.txt", help="the table of weights that the score is made with")
    ap.add_argument("--foreign-weight", type=float, default=2, help="what a foreign question weighs: more makes shown results rarer and surer")
    ap.add_argument("--temper", type=float, default=1, help="what log odds above an even chance are multiplied by")
    ap.add_argument("--shapes", default="question,task,long")
    a = ap.parse_args()
    shapes = a.shapes.split(",")
    data = [(r, False) for n in a.own.split(",") for r in rows(n, shapes, a.weights)] + [(r, True) for n in a.foreign.split(",") for r in rows(n, shapes, a.weights)]
    repo = [d[0][0] for d in data]
    query = np.array([d[0][1] for d in data])
    y = np.array([d[0][3] for d in data], float)
    X = np.array([d[0][4] for d in data], float)
    foreign = np.array([d[1] for d in data])
    order = sorted(set(repo), key=lambda r: zlib.crc32(r.encode()))
    fold = np.array([order.index(r) % 7 for r in repo])
    p, weight = np.zeros(len(y)), np.where(foreign, a.foreign_weight, 1.0)
    for k in range(7):
        z = X[fold == k] @ fit(X[fold != k], y[fold != k], weight[fold != k])
        p[fold == k] = 1 / (1 + np.exp(-np.where(z > 0, a.temper * z, z)))
    for i in range(1, len(p)):  # what comes later is no more relevant
        if query[i] == query[i - 1]:
            p[i] = min(p[i], p[i - 1])
    w = fit(X, y, weight)
    print("  ".join(f"{n} {v:+.3f}" for n, v in zip(NAMES, w)))
    print(f"{len(set(query))} questions; ECE left out {ece(p, y):.3f} all, {ece(p[~foreign], y[~foreign]):.3f} own; Brier {((p - y) ** 2).mean():.3f}")
    own_q, far_q = set(query[~foreign]), set(query[foreign])
    for t in (.3, .5, .7, .8, .85, .9):
        m = p >= t
        own = m & ~foreign
        print(f"p >= {t:.2f}: right {y[m].mean() if m.any() else float('nan'):.3f} (own only {y[own].mean() if own.any() else float('nan'):.3f}), "
              f"own questions with a right one {len(set(query[own & (y > 0)])) / max(1, len(own_q)):.3f}, foreign with any {len(set(query[m & foreign])) / max(1, len(far_q)):.3f}")


main()
