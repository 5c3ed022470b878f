#!/usr/bin/env python3
"""Fit the weights of the ranker on what dump wrote, and say what they are worth on repositories left out.

usage: fit.py [--folds 7] [--seeds 1] [--drop FEATURE,…] [--write weights.txt] NAME …

NAME: the path of a dump without extension. Its base name says what it is: q (questions on source roots), w (on whole repositories),
c (commits), l (their longer texts), a (queries of agents, ah with the trees' histories), tc, t and th (the same of repositories for training alone). Each shape
of question has a column of weights; MIX says which questions it is fitted on, and how much those of a set weigh.
A fold leaves repositories out of all sets at once, by name. The loss is the pairwise logistic one, each pair of files
weighed by what swapping them would change of NDCG@10. Weights keep their sign: a prior never helps, a match never harms.
"""
import argparse, json, math, os, zlib
import numpy as np

NEGATIVE = {"test", "example", "outdated", "platform", "prose", "data", "declarations", "depth", "doc_share"}
SHAPES = ["question", "name", "task", "long", "asked", "keywords"]
UNUSED = {  # measured to harm there
    "question": {"definition", "comments"}, "keywords": {"definition", "comments"}, "task": {"cited", "company"},
    "long": {"cited", "definition", "comments", "company"}, "name": {"history", "company"}, "asked": set()}
TERSE = ["question", "keywords"]


def agents(a, t, shapes):
    """Queries of agents and those of repositories for training alone, half of each with the tree's history and half without."""
    return [(n, w / 2, shapes) for n, w in (("a", a), ("ah", a), ("t", t), ("th", t))]


MIX = {"question": [("q", 1, ["question"]), ("w", 1, ["question"])] + agents(.5, .2, TERSE),
       "name": [("q", 1, ["name"]), ("w", 1, ["name"]), ("a", 1, ["name"]), ("t", 1, ["name"])],
       "task": [("c", 1, ["task"]), ("tc", .3, ["task"])] + agents(.15, .15, ["task"]),
       "long": [("l", 1, ["long", "task"])],
       "asked": [("q", .1, ["question"]), ("c", .1, ["task"])] + agents(1, 1, ["asked"]),
       "keywords": [("q", .3, ["question"]), ("w", .3, ["question"]), ("q", 1, ["keywords"]), ("w", 1, ["keywords"])] + agents(1, 1, ["keywords"])}
MAXC = 100
TRAINC = 60
MOST = 8.0  # no feature decides alone
SEEN = 10  # a feature that fewer questions show keeps its weight: there is nothing to learn from


class Set:
    def __init__(self, name, cap=MAXC):
        self.name = os.path.basename(name)
        with open(name + ".jsonl") as f:
            self.features = json.loads(next(f))
            self.qs = [json.loads(l) for l in f]
        nf = len(self.features)
        flat = np.fromfile(name + ".f32", dtype="<f4").reshape(-1, nf)
        n = len(self.qs)
        self.X = np.zeros((n, cap, nf), np.float32)
        self.mask = np.zeros((n, cap), bool)
        self.rel = np.zeros((n, cap), np.float32)
        self.targets = [[None] * 0 for _ in range(n)]
        at = 0
        for i, q in enumerate(self.qs):
            c = q["candidates"] or []
            m = min(len(c), cap)
            self.X[i, :m] = flat[at:at + m]
            self.mask[i, :m] = True
            self.targets[i] = [frozenset(x.get("targets") or ()) for x in c[:m]] + [frozenset()] * (cap - m)
            self.rel[i] = [1.0 if t else 0.0 for t in self.targets[i]]
            at += len(c)
            q["candidates"] = None  # 100,000 paths that nobody asks for again
        self.ideal = np.array([sum(1 / math.log2(k + 2) for k in range(min(10, q["targets"]))) or 1 for q in self.qs])
        self.repos = [q["repo"] for q in self.qs]
        self.shapes = [q["shape"] for q in self.qs]


def ndcg(s, i, order):
    seen, dcg = set(), 0.0
    for k, c in enumerate(order[:10]):
        t = s.targets[i][c]
        if t - seen:
            dcg += 1 / math.log2(k + 2)
        seen |= t
    return dcg / s.ideal[i]


def first(s, i, order):
    for k, c in enumerate(order):
        if s.targets[i][c]:
            return 1 / (k + 1)
    return 0.0


def recall(s, i, order, n):
    got = set()
    for c in order[:n]:
        got |= s.targets[i][c]
    return len(got) / max(1, s.qs[i]["targets"])


def macro(values, repos):
    by = {}
    for v, r in zip(values, repos):
        by.setdefault(r, []).append(v)
    return float(np.mean([np.mean(v) for v in by.values()]))


def orders(s, score):
    score = np.where(s.mask, score, -1e9)
    return np.argsort(-score, axis=1, kind="stable")


def train(parts, signs, l2=0.002, epochs=100, lr=0.05, init=None):
    """parts: list of (X, mask, rel, ideal, weight per question)."""
    X = np.concatenate([p[0] for p in parts]); mask = np.concatenate([p[1] for p in parts])
    rel = np.concatenate([p[2] for p in parts]); ideal = np.concatenate([p[3] for p in parts]); wq = np.concatenate([p[4] for p in parts])
    keep = (rel.sum(1) > 0) & ((mask & (rel == 0)).sum(1) > 0)
    X, mask, rel, ideal, wq = X[keep], mask[keep], rel[keep], ideal[keep], wq[keep]
    flat = X[mask]
    mean, std = flat.mean(0), flat.std(0)
    std = np.where(std < 1e-3, 1e9, np.maximum(std, 0.06))  # what is rare shall not weigh without bound
    Z = (X - mean) / std
    Z[~mask] = 0
    Z = Z.astype(np.float32)
    n, c, f = Z.shape
    w = np.full(f, 0.05) * signs if init is None else init * std
    m = np.zeros(f); v = np.zeros(f)
    wq = wq / wq.sum()
    avg, na = np.zeros(f), 0
    P = min(6, int(rel.sum(1).max()))
    pos = np.argsort(-rel, axis=1, kind="stable")[:, :P]
    posm = np.take_along_axis(rel, pos, 1) > 0
    neg = mask & (rel == 0)
    for ep in range(1, epochs + 1):
        s = Z @ w.astype(np.float32)
        s = np.where(mask, s, -1e9)
        rank = np.argsort(np.argsort(-s, axis=1, kind="stable"), axis=1)
        gain = np.where(rank < 10, 1 / np.log2(rank + 2), 0.25 / np.log2(12) * np.exp(-(rank - 10) / 20.0).clip(0, 1))
        sp = np.take_along_axis(s, pos, 1); gp = np.take_along_axis(gain, pos, 1)
        diff = sp[:, :, None] - s[:, None, :]
        delta = np.abs(gp[:, :, None] - gain[:, None, :]) / ideal[:, None, None]
        lam = delta.astype(np.float32) / (1 + np.exp(np.clip(diff, -30, 30).astype(np.float32))) * posm[:, :, None] * neg[:, None, :] * wq[:, None, None]
        coef = np.zeros((n, c), np.float32)
        np.put_along_axis(coef, pos, lam.sum(2), 1)
        coef -= lam.sum(1)
        g = -(coef.reshape(-1) @ Z.reshape(-1, f)) + l2 * w
        m = .9 * m + .1 * g; v = .99 * v + .01 * g * g
        w = w - lr * (m / (1 - .9 ** ep)) / (np.sqrt(v / (1 - .99 ** ep)) + 1e-8)
        w = np.where(signs * w <= 0, 0, w)
        if ep > epochs // 2:
            avg += w; na += 1
    return avg / na / std


def fit(sets, columns, leave, all_signs, l2, force):
    """Weights a shape, without the repositories in leave."""
    out = {}
    named = {s.name: s for s in sets}
    for shape in columns:
        parts = []
        for name, weight, shapes in MIX[shape]:
            s = named.get(name)
            idx = [i for i in range(len(s.qs)) if s.repos[i] not in leave and s.shapes[i] in shapes] if s else []
            if not idx:
                continue
            per = {}
            for i in idx:
                per[s.repos[i]] = per.get(s.repos[i], 0) + 1
            wq = np.array([weight / per[s.repos[i]] ** .5 for i in idx])
            parts.append((s.X[idx][:, :TRAINC], s.mask[idx][:, :TRAINC], s.rel[idx][:, :TRAINC], s.ideal[idx], wq))
        if parts:
            signs = all_signs * np.array([f["Name"] not in UNUSED.get(shape, ()) for f in sets[0].features])
            w = train(parts, signs, l2[shape])
            seen = sum((np.abs(p[0]).max(1) > 0).sum(0) for p in parts)
            out[shape] = np.where((seen < SEEN) & (signs != 0), force[shape], np.clip(w, -MOST, MOST))
    return out


def scores(s, weights, idx=None):
    sc = np.zeros(s.mask.shape)
    for i in range(len(s.qs)) if idx is None else idx:
        sc[i] = s.X[i] @ weights[s.shapes[i]]
    return sc


def report(s, sc, label, by=None):
    o = orders(s, sc)
    nd = [ndcg(s, i, o[i]) for i in range(len(s.qs))]
    r5 = [recall(s, i, o[i], 5) for i in range(len(s.qs))]
    mrr = [first(s, i, o[i]) for i in range(len(s.qs))]
    line = f"{label:14} {s.name:3} NDCG {macro(nd, s.repos):.4f}  R@5 {macro(r5, s.repos):.4f}  MRR {macro(mrr, s.repos):.4f}"
    for k in ("category", "shape"):
        for c in sorted({q[k] for q in s.qs}):
            idx = [i for i, q in enumerate(s.qs) if q[k] == c]
            if len(idx) < len(s.qs):
                line += f"  {c[:5]} {macro([nd[i] for i in idx], [s.repos[i] for i in idx]):.4f}({len(idx)})"
    print(line, flush=True)
    if by:
        for c in sorted({q[by] for q in s.qs}):
            idx = [i for i, q in enumerate(s.qs) if q[by] == c]
            print(f"    {c:14} {macro([nd[i] for i in idx], [s.repos[i] for i in idx]):.3f}")
    return nd


def rewrite(path, names, weights):
    """Replace the numbers of a table of features, and keep its words."""
    out = []
    for line in open(path):
        f = line.split()
        if f and f[0] in names:
            i = names.index(f[0])
            numbers = "".join(f"{weights[c][i] + 0:8.1f}" for c in SHAPES)
            line = f"{f[0]:16}{numbers}   {' '.join(f[1 + len(SHAPES):])}\n"
        out.append(line)
    with open(path, "w") as file:
        file.writelines(out)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("sets", nargs="+")
    ap.add_argument("--folds", type=int, default=7)
    ap.add_argument("--seeds", type=int, default=1)
    ap.add_argument("--drop", default="")
    ap.add_argument("--only", default="", help="shapes to fit; others keep the weights in force")
    ap.add_argument("--ablate", default="", help="groups of features joined by +, each left out in turn")
    ap.add_argument("--by", help="a field of the questions, such as language, to list the first table by")
    ap.add_argument("--l2", type=float, default=0.002)
    ap.add_argument("--show", action="store_true")
    ap.add_argument("--write", metavar="FILE", help="put the weights fitted on everything, rounded, into a weights.txt")
    a = ap.parse_args()
    sets = [Set(x) for x in a.sets]
    names = [f["Name"] for f in sets[0].features]
    columns = SHAPES
    if a.only:
        columns = a.only.split(",")
    force = {c: np.array([f["Weights"][k] for f in sets[0].features]) for k, c in enumerate(SHAPES)}
    for s in sets:
        any10 = macro([recall(s, i, range(s.mask.shape[1]), 100) for i in range(len(s.qs))], s.repos)
        print(f"{s.name}: {len(s.qs)} questions, recall of the candidates {any10:.4f}")
        report(s, scores(s, force), "in force")
    base = np.array([-1.0 if n in NEGATIVE else 1.0 for n in names])
    l2 = {c: a.l2 for c in columns}
    runs = [("CV", a.drop)] + [("-" + g, a.drop + "," + g.replace("+", ",")) for g in a.ablate.split(",") if g]
    repos = sorted({r for s in sets for r in s.repos})
    for label, drop in runs:
        signs = base * np.array([0.0 if n in drop.split(",") else 1.0 for n in names])
        for seed in range(a.seeds):
            fold = {r: zlib.crc32(f"{seed}/{r}".encode()) for r in repos}
            fold = {r: k % a.folds for k, r in enumerate(sorted(repos, key=lambda r: fold[r]))}
            sc = [np.zeros(s.mask.shape) for s in sets]
            for k in range(a.folds):
                leave = {r for r in repos if fold[r] == k}
                w = {**force, **fit(sets, columns, leave, signs, l2, force)}
                for s, x in zip(sets, sc):
                    idx = [i for i in range(len(s.qs)) if s.repos[i] in leave]
                    x[idx] = scores(s, w, idx)[idx]
            for s, x in zip(sets, sc):
                report(s, x, label, a.by if label == "CV" else None)
    if a.show or a.write:
        w = {**force, **fit(sets, columns, set(), base * np.array([0.0 if n in a.drop.split(",") else 1.0 for n in names]), l2, force)}
        for s in sets:
            report(s, scores(s, w), "in sample")
        print(f'{"":16}' + "".join(f"{c:>10}" for c in w))
        for i, n in enumerate(names):
            print(f"{n:16}" + "".join(f"{w[c][i]:10.2f}" for c in w))
        if a.write:
            w = {c: np.round(x, 1) for c, x in w.items()}
            for s in sets:
                report(s, scores(s, w), "rounded")
            rewrite(a.write, names, w)


main()
