#!/usr/bin/env python3
"""Fit the relevance: how likely a candidate answers, from how it stands in the answer. Says how far it can be trusted on repositories left out.

usage: calibrate.py OWN,… AGENT ABSENT FOREIGN,… [--weights FILE]

All are dumps (tools/train/dump). OWN: questions of the benchmark about their repository. AGENT: terse queries. ABSENT: terse queries that
nothing in their repository answers. FOREIGN: questions about other repositories. Each repository is left out in turn (7 folds). Names are
left out: rules judge them (internal/rank/named.go). Printed: the coefficients as internal/rank/relevance.go has them, and by kind and by length of
query the error (ECE over ten bins, the five best candidates), how often a first result is right, and what a user sees.
"""
import argparse, json, math, zlib
import numpy as np

TOP = 5
SHAPES = ["question", "name", "task", "long", "asked", "keywords"]
GROUP = {"question": 0, "keywords": 0, "asked": 1, "task": 2, "long": 2}
SURE, UNSURE, SHIFT = np.array([1.65, 1.3, 1.5]), .9, .2  # as in relevance.go; SURE a group
VALUES = ["constant", "place", "height", "lead", "behind", "above", "known", "covered", "knownStem", "knownDirs", "knownNames", "knownCos", "size", "knownPast",
          "knownWords", "knownLikely", "parts", "mostCovered", "coveredSquare", "ofTest", "knownPairs"]
APART = ["constant", "height", "above", "knownCos"]  # these have other coefficients for asked questions, and for tasks


def columns(path, names):
    """The weights of a weights.txt, a column a shape."""
    lines = {f[0]: f for f in (line.split() for line in open(path)) if len(f) > 7 and f[0] in names}
    return {s: np.array([float(lines[n][1 + k]) for n in names]) for k, s in enumerate(SHAPES)}


def rows(name, kind, weights):
    with open(name + ".jsonl") as f:
        table = json.loads(next(f))
        qs = [json.loads(line) for line in f]
    names = [f["Name"] for f in table]
    at, col = {n: i for i, n in enumerate(names)}, columns(weights, names)
    flat, start = np.fromfile(name + ".f32", dtype="<f4").reshape(-1, len(names)), 0
    for q in qs:
        c = q["candidates"] or []
        X = flat[start:start + len(c)]
        start += len(c)
        if q["shape"] == "name" or not c:
            continue
        s = X @ col[q["shape"]]
        order = np.argsort(-s, kind="stable")
        s, X, c = s[order], X[order], [c[k] for k in order]
        k, tenth, most = q["known"], s[min(9, len(s) - 1)], max(x["covered"] for x in c[:TOP])
        for i in range(min(TOP, len(c))):
            x, cov = X[i], c[i]["covered"]
            yield dict(repo=q["repo"], id=q["id"] + name, place=i, kind=kind, category=q["category"], words=len(q["query"].split()), group=GROUP[q["shape"]],
                       right=any(t < q["best"] or kind != "agent" for t in c[i].get("targets") or ()),
                       x=[1, math.log(i + 1), s[i], s[i] - (s[i + 1] if i + 1 < len(s) else 0), s[0] - s[i], s[i] - tenth, k, cov, k * x[at["stem"]], k * x[at["dirs"]],
                          k * x[at["definition"]], k * x[at["cosine"]], math.log(q["files"]), k * x[at["history"]], k * x[at["words"]], k * x[at["likelihood"]],
                          x[at["coverage"]], most, cov * cov, x[at["test"]], k * x[at["pairs"]]])


def fit(X, y, weight, l2=3.0):
    w = np.zeros(X.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-X @ w))
        H = (X * (weight * p * (1 - p))[:, None]).T @ X + l2 * np.eye(len(w))
        w -= np.linalg.solve(H, X.T @ (weight * (p - y)) + l2 * w)
    return w


def told(z, group):
    return 1 / (1 + np.exp(-np.where(z > 0, SURE[group] * z, UNSURE * z - SHIFT * np.minimum(1, -z))))


def ece(p, y):
    e = 0
    for b in range(10):
        m = (p >= b / 10) & ((p < (b + 1) / 10) | (b == 9))
        if m.any():
            e += m.mean() * abs(p[m].mean() - y[m].mean())
    return e


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for n in ("own", "agent", "absent", "foreign"):
        ap.add_argument(n)
    ap.add_argument("--weights", default="internal/rank/weights.txt", help="the table of weights that the score is made with")
    a = ap.parse_args()
    data = [r for kind in ("own", "agent", "absent", "foreign") for n in getattr(a, kind).split(",") for r in rows(n, kind, a.weights)]
    get = lambda key: np.array([r[key] for r in data])
    repo, query, kind, category, place, words, group, y = (get(k) for k in ("repo", "id", "kind", "category", "place", "words", "group", "right"))
    X, y = np.array([r["x"] for r in data], float), y.astype(float)
    X = np.hstack([X] + [X[:, [VALUES.index(n)]] * (group == g)[:, None] for n in APART for g in (1, 2)])
    scale = X.std(0)
    scale[scale < 1e-9] = 1
    weight = np.select([kind == "agent", kind == "absent", kind == "foreign"], [1, 2.5, .25], 1.0)
    repos = sorted(set(repo), key=lambda r: zlib.crc32(r.encode()))
    fold, p = np.array([repos.index(r) % 7 for r in repo]), np.zeros(len(y))
    for k in range(7):
        m = fold != k
        p[fold == k] = told(X[fold == k] / scale @ fit(X[m] / scale, y[m], weight[m]), group[fold == k])
    for i in range(1, len(p)):  # what comes later is no more relevant
        if query[i] == query[i - 1]:
            p[i] = min(p[i], p[i - 1])
    w = fit(X / scale, y, weight) / scale
    for i, n in enumerate(VALUES):
        apart = [w[len(VALUES) + 2 * APART.index(n) + g] if n in APART else 0 for g in (0, 1)]
        print(f"\t{n}: {{{w[i]:.3f}, {apart[0]:.3f}, {apart[1]:.3f}}}")

    def line(name, m):
        if not m.any():
            return
        first = m & (place == 0)
        strong, n = first & (p >= .85), first.sum()
        print(f"{name:20} {n:5}  error {ece(p[m], y[m]):.3f}  first: right {y[first].mean():.3f}, told {p[first].mean():.3f}  strong: right "
              f"{y[strong].mean() if strong.any() else float('nan'):.3f}, seen by {strong.sum() / n:.3f}  likely or more {(p[first] >= .3).mean():.3f}  from .02 {(p[first] >= .02).mean():.3f} from .01 {(p[first] >= .01).mean():.3f}")
    for k in ("agent", "absent", "own", "foreign"):
        line(k, kind == k)
        for c in sorted(set(category[kind == k])) if k in ("agent", "own") else ():
            line("  " + c, (kind == k) & (category == c))
        for lo, hi in ((1, 3), (4, 6), (7, 10), (11, 999)) if k == "agent" else ():
            line(f"  {lo} to {hi} words", (kind == k) & (words >= lo) & (words <= hi))


main()
