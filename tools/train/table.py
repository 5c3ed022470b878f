#!/usr/bin/env python3
"""Train an embedding table on what pairs wrote, and say what it is worth on repositories left out.

usage: table.py [flags] PAIRS.jsonl … OUT.bin

A vector is what internal/embed/static makes: the sum of sqrt(count) times the word's row, brought to length 1. Rows begin
as a random projection (each word a random direction, times half its IDF), or with --start as those of another table. They
move so that a query is nearer to its own document than to the others of its batch (InfoNCE on cosines, both directions),
by Adam on the rows that a batch holds. Repositories of --held-out, or every fifth by hash, are never trained on: each of
their queries is searched among the documents of its own repository, before and after.

Writes OUT.bin in the format that the program reads (int8 rows, a float32 scale each) and OUT.jsonl, some vectors for
tools/train/check. The same pairs and flags give the same bytes on one machine: one thread, one random generator.
"""
import argparse, json, math, os, struct, sys, time, zlib
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # sums of several threads come in any order
import numpy as np

PATH = 4  # what an occurrence in the path adds to a count, as in internal/embed/static
DOCS = 3000  # documents of a repository that a left-out query is searched among


def read(files):
    pairs = []
    for name in files:
        with open(name, encoding="utf8") as f:
            pairs += [json.loads(line) for line in f]
    return pairs


def document_counts(p, path):
    counts = dict(p["document"])
    for w in p["path_words"] if path else ():
        counts[w] = counts.get(w, 0) + PATH
    return counts


def query_counts(p):
    counts = {}
    for w in p["query"]:
        counts[w] = counts.get(w, 0) + 1
    return counts


class Bags:
    """Texts as rows of (word, sqrt(count)), one after another in flat arrays."""
    def __init__(self, counts, index):
        self.ends, ids, weights = [0], [], []
        for c in counts:
            known = sorted((index[w], n) for w, n in c.items() if w in index)
            ids += [i for i, _ in known]
            weights += [math.sqrt(n) for _, n in known]
            self.ends.append(len(ids))
        self.ids, self.weights = np.array(ids, np.int32), np.array(weights, np.float32)

    def __len__(self):
        return len(self.ends) - 1

    def matrix(self, texts):
        """The words of some texts, and a dense matrix text × word of their weights."""
        spans = [slice(self.ends[t], self.ends[t + 1]) for t in texts]
        ids = np.concatenate([self.ids[s] for s in spans])
        words, column = np.unique(ids, return_inverse=True)
        m = np.zeros((len(spans), len(words)), np.float32)
        m[np.repeat(np.arange(len(spans)), [s.stop - s.start for s in spans]), column] = np.concatenate([self.weights[s] for s in spans])
        return words, m


def vocabulary(pairs, least, most):
    """Words in at least so many pairs, by usefulness: pairs that hold it times repositories, four at most. A shorter table is its beginning."""
    df, repos = {}, {}
    for p in pairs:
        for w in set(p["query"]) | set(p["document"]) | set(p["path_words"]):
            df[w] = df.get(w, 0) + 1
            repos.setdefault(w, set()).add(p["repo"])
    words = [w for w in df if df[w] >= least]
    words.sort(key=lambda w: (-df[w] * min(4, len(repos[w])), w))
    words = words[:most]
    return words, np.array([math.log(1 + len(pairs) / df[w]) for w in words], np.float32)


def load(name):
    """Words and rows of a table of the program, of 8 bits."""
    with open(name, "rb") as f:
        data = f.read()
    magic, n, dims, bits, size = struct.unpack_from("<4s4I", data, 0)
    if magic != b"CSE1" or bits != 8:
        sys.exit(f'error: read "{name}": want a table that begins with CSE1, of 8 bits')
    scale = np.frombuffer(data, "<f4", n, 20 + size)
    codes = np.frombuffer(data, np.int8, n * dims, 20 + size + 4 * n).reshape(n, dims)
    return data[20:20 + size].decode().split("\n"), codes * scale[:, None]


def quantize(rows):
    scale = np.maximum(np.abs(rows).max(axis=1) / 127, 1e-12).astype("<f4")
    return scale, np.clip(np.rint(rows / scale[:, None]), -127, 127).astype(np.int8)


def write(name, words, scale, codes):
    text = "\n".join(words).encode("ascii")
    with open(name, "wb") as f:
        f.write(struct.pack("<4s4I", b"CSE1", len(words), codes.shape[1], 8, len(text)) + text + scale.tobytes() + codes.tobytes())


def normal(v):
    length = np.sqrt((v * v).sum(axis=1, keepdims=True))
    return np.divide(v, length, out=np.zeros_like(v), where=length > 0), np.maximum(length, 1e-9)


def embed(rows, bags, texts):
    out = []
    for i in range(0, len(texts), 256):
        words, m = bags.matrix(texts[i:i + 256])
        out.append(normal(m @ rows[words])[0])
    return np.concatenate(out)


def evaluate(rows, pairs, queries, documents):
    """Mean over repositories of recall@10 and reciprocal rank, all kinds and each. Equals of the right document count as before it."""
    found = {}
    for repo in sorted({p["repo"] for p in pairs}):
        own = [i for i, p in enumerate(pairs) if p["repo"] == repo]
        own = own[::max(1, -(-len(own) // DOCS))]
        same, texts = {}, []  # a file that several commits changed is one document
        at = [same.setdefault((pairs[i]["kind"], pairs[i]["path"]) if pairs[i]["kind"] == "commit" else i, len(same)) for i in own]
        for i, k in zip(own, at):
            if k == len(texts):
                texts.append(i)
        q, d = embed(rows, queries, own), embed(rows, documents, texts)
        s = q @ d.T
        rank = (s >= s[np.arange(len(own)), at][:, None]).sum(axis=1)
        for kind in ["all"] + sorted({pairs[i]["kind"] for i in own}):
            r = rank[[kind in ("all", pairs[i]["kind"]) for i in own]]
            found.setdefault(kind, []).append(((r <= 10).mean(), (1 / r).mean(), len(r)))
    return {k: (np.mean([a for a, _, _ in v]), np.mean([b for _, b, _ in v]), sum(c for _, _, c in v)) for k, v in found.items()}


class Adam:
    """Adam on the rows that a step touches; the others rest."""
    def __init__(self, shape):
        self.m, self.v, self.t = np.zeros(shape, np.float32), np.zeros(shape, np.float32), 0

    def step(self, rows, words, gradient, rate):
        self.t += 1
        m = self.m[words] = .9 * self.m[words] + .1 * gradient
        v = self.v[words] = .98 * self.v[words] + .02 * gradient * gradient
        rows[words] -= rate * (m / (1 - .9 ** self.t)) / (np.sqrt(v / (1 - .98 ** self.t)) + 1e-8)


def back(gradient, unit, length):
    """The gradient of a sum from that of its direction."""
    return (gradient - (gradient * unit).sum(axis=1, keepdims=True) * unit) / length


def loss(rows, batch, queries, documents, keys, temperature):
    """Loss of a batch, and the gradient of the rows of its words. Pairs of the same query or the same document are no strangers."""
    qw, qm = queries.matrix(batch)
    dw, dm = documents.matrix(batch)
    q, qn = normal(qm @ rows[qw])
    d, dn = normal(dm @ rows[dw])
    s = q @ d.T / temperature
    eye = np.eye(len(batch), dtype=bool)
    for k in keys:
        own = k[batch]
        s[(own[:, None] == own[None, :]) & ~eye] = -1e9
    total, g = 0.0, np.zeros_like(s)
    for axis, share in ((1, 1.0), (0, .5)):  # the document of a query, and the query of a document for half
        e = np.exp(s - s.max(axis=axis, keepdims=True))
        p = e / e.sum(axis=axis, keepdims=True)
        total -= share * float(np.log(np.maximum(p[eye], 1e-12)).mean())
        g += share * (p - eye) / len(batch)
    g = (g / temperature).astype(np.float32)
    words = np.union1d(qw, dw)
    gradient = np.zeros((len(words), rows.shape[1]), np.float32)
    gradient[np.searchsorted(words, qw)] += qm.T @ back(g @ d, q, qn)
    gradient[np.searchsorted(words, dw)] += dm.T @ back(g.T @ q, d, dn)
    return total, words, gradient


def batches(pairs, size, rng):
    """An epoch: pairs of one repository, in any order, fill a batch together, for a search has to tell a repository's own code apart."""
    by = {}
    for i, p in enumerate(pairs):
        by.setdefault(p["repo"], []).append(i)
    out = []
    for repo in sorted(by):
        order = rng.permutation(by[repo])
        out += [order[i:i + size] for i in range(0, len(order), size) if len(order) - i >= min(size, 32)]
    return [out[i] for i in rng.permutation(len(out))]


def number(values):
    seen = {}
    return np.array([seen.setdefault(v, len(seen)) for v in values])


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("files", nargs="+", metavar="FILE", help="pairs, and last the table to write")
    a.add_argument("--held-out", default="", help="repositories, separated by commas; none: every fifth by hash")
    a.add_argument("--start", default="", help="a table to begin with, such as internal/embed/static/code-static.bin")
    a.add_argument("--dims", type=int, default=256, help="the program reads 256 only")
    a.add_argument("--words", type=int, default=40000, help="at most; the program reads 60000")
    a.add_argument("--least", type=int, default=4, help="pairs that must hold a word")
    a.add_argument("--epochs", type=int, default=4)
    a.add_argument("--batch", type=int, default=256)
    a.add_argument("--rate", type=float, default=.01)
    a.add_argument("--temperature", type=float, default=.07)
    a.add_argument("--weight", default="", help="share of a kind that an epoch takes, such as commit=.5")
    a.add_argument("--seed", type=int, default=1)
    o = a.parse_args()
    if len(o.files) < 2 or not 1 <= o.words <= 60000:
        a.error("want a file of pairs or more, the file to write, and --words from 1 to 60000")
    rng, began = np.random.default_rng(o.seed), time.time()
    pairs, out = read(o.files[:-1]), o.files[-1]
    repos = sorted({p["repo"] for p in pairs})
    held = set(o.held_out.split(",")) if o.held_out else {r for r in repos if zlib.crc32(r.encode()) % 5 == 0}
    if held - set(repos) or not set(repos) - held:
        a.error(f"want --held-out to name some of the repositories {', '.join(repos)}")
    train, left = [p for p in pairs if p["repo"] not in held], [p for p in pairs if p["repo"] in held]

    words, idf = vocabulary(train, o.least, o.words)
    start = load(o.start) if o.start else None
    if start:  # its other words stay too: they are known already
        if start[1].shape[1] != o.dims:
            a.error(f"want a table of {o.dims} dimensions to begin with (got {start[1].shape[1]})")
        have = set(words)
        words = (words + [w for w in start[0] if w not in have])[:o.words]
        idf = np.concatenate([idf, np.ones(len(words) - len(idf), np.float32)])
    index = {w: i for i, w in enumerate(words)}
    rows = rng.standard_normal((len(words), o.dims), np.float32) / math.sqrt(o.dims) * idf[:, None] / 2
    if start:
        known = [i for i, w in enumerate(start[0]) if w in index]
        rows[[index[start[0][i]] for i in known]] = start[1][known]
    print(f"{len(train)} pairs of {len(repos) - len(held)} repositories, {len(left)} of {len(held)} left out ({', '.join(sorted(held))}); {len(words)} words, {o.dims} dimensions")

    queries = Bags(map(query_counts, train), index)
    documents = [Bags((document_counts(p, path) for p in train), index) for path in (False, True)]
    good = [i for i in range(len(train)) if queries.ends[i] < queries.ends[i + 1] and documents[0].ends[i] < documents[0].ends[i + 1]]
    keys = number(" ".join(p["query"]) for p in train), number((p["repo"], p["path"]) if p["kind"] == "commit" else i for i, p in enumerate(train))
    left_queries, left_documents = Bags(map(query_counts, left), index), Bags((document_counts(p, True) for p in left), index)

    def report(name, rows):
        if left:
            found = evaluate(rows, left, left_queries, left_documents)
            print(f"{name:12}" + "  ".join(f"{k} ({n}): recall@10 {r:.4f} MRR {m:.4f}" for k, (r, m, n) in sorted(found.items())), flush=True)

    report("before", rows)
    share = {k: float(v) for k, v in (x.split("=") for x in o.weight.split(",") if x)}
    adam, step = Adam(rows.shape), 0
    for epoch in range(o.epochs):
        taken = [i for i in good if rng.random() < share.get(train[i]["kind"], 1)]
        plan, losses = batches([train[i] for i in taken], o.batch, rng), []
        for b in plan:
            done = step / (o.epochs * max(1, len(plan)))
            rate = o.rate * min(1, (step + 1) / 20) * max(.05, 1 - done)
            batch = np.array(taken)[b]
            l, touched, gradient = loss(rows, batch, queries, documents[step % 2], keys, o.temperature)  # every other batch has paths
            adam.step(rows, touched, gradient, rate)
            losses.append(l)
            step += 1
        print(f"epoch {epoch + 1}: {len(plan)} batches, loss {np.mean(losses) if losses else float('nan'):.4f}", file=sys.stderr, flush=True)
    report("after", rows)
    scale, codes = quantize(rows)
    whole = codes * scale[:, None]
    report("after, int8", whole)
    write(out, words, scale, codes)

    with open(os.path.splitext(out)[0] + ".jsonl", "w") as f:
        some = (left or train)[::max(1, len(left or train) // 20)][:20]
        for p in some:
            # words joined by "_" are one identifier, which the program splits into the same words again
            f.write(json.dumps({"text": "_" + "_".join(p["query"][:40]), "vector": vector(whole, index, query_counts({"query": p["query"][:40]}))}) + "\n")
            text = "_" + "_".join(w for w in sorted(p["document"]) for _ in range(p["document"][w]))
            f.write(json.dumps({"path": p["path"], "text": text, "vector": vector(whole, index, document_counts(p, True))}) + "\n")
    print(f"{out}: {os.path.getsize(out)} bytes, {step} steps, {time.time() - began:.0f} s")


def vector(rows, index, counts):
    v = normal(embed_one(rows, index, counts))[0][0]
    return [round(float(x), 6) for x in v]


def embed_one(rows, index, counts):
    v = np.zeros((1, rows.shape[1]))
    for w in sorted(counts):
        if w in index:
            v[0] += math.sqrt(counts[w]) * rows[index[w]].astype(np.float64)
    return v


if __name__ == "__main__":
    main()
