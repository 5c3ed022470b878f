#!/usr/bin/env python3
"""Make a set of tasks from what was committed: each message with the files that its commit changed, asked of the tree before all of them.

usage: commits.py TABLE SNAPSHOTS OUT.jsonl OUT.tsv [--long] [--count 40]

TABLE is a table of repositories as terse.tsv, SNAPSHOTS the folder of their git directories (OWNER+NAME). Of each repository
the last --count commits up to the table's revision that name a change of 1 to 4 source files are taken, but no merges, releases, translations,
typing errors and the like; OUT.tsv has the revision before the oldest of them, set "commits". Files that this tree does not
have are left out, and a commit of which half is gone. --long takes the first paragraph of the message too, and only messages of which it has 12 words.
"""
import argparse, csv, json, os, re, subprocess

SOURCE = set("""go py rs java kt kts c h cc cpp cxx hpp hh cs rb php ex exs erl scala ts tsx js jsx mjs cjs vue swift hs lhs lua zig sh bash
c++ capnp m mm y l twig slim erb""".split())
NO_SOURCE = re.compile(r"(^|/)(tests?|specs?|__tests__|testing|testdata|fixtures?|examples?|docs?|benchmarks?|node_modules|vendor|third_?party|dist"
                       r"|migrations?|changelog)(/|$)|(_test|_spec|\.test|\.spec|Test|Tests|Spec)\.[a-z]+$|(^|/)test_[^/]*$|\.min\.", re.I)
NO_TASK = re.compile(r"^(merge|revert|release|bump|version|changelog|prepare|update (dep|trans|change|lock|read|copyright|ci|github)|chore\(deps|build\(deps"
                     r"|fix(ed)? typo|typo|lint|format|wip|cleanup|\[maven|translat|weblate|l10n|i18n|rubocop|style:|ci:|docs?:|test:|tests:)"
                     r"|\bchangelog\b|\bv?\d+\.\d+\.\d+\b|dependabot|renovate|translation|typos?\b|copyright|readme|gofmt|clang-format|whitespace", re.I)
ISSUE = re.compile(r"\s*\(?(close[sd]?|fix(es|ed)?|refs?)?\s*:?\s*\(?#\d+\)*\.?$", re.I)
TICKET = re.compile(r"^\[?[A-Z]{2,}-\d+\]?:?\s*")
TRAILER = re.compile(r"(signed-off|co-authored|closes?|fix(es)?|refs?|pr-url|https?:)", re.I)


def is_source(path):
    return path.rsplit(".", 1)[-1].lower() in SOURCE and not NO_SOURCE.search(path)


def tasks(git, revision, count):
    """The newest commits that are tasks: commit, parent, subject, first paragraph, source files that it modified."""
    log = git("log", revision, "-n", "3000", "--no-merges", "--no-renames", "--name-status", "--format=%x01%H%x02%P%x02%s%x02%b%x03")
    seen = set()
    for record in log.split("\x01")[1:]:
        head, _, names = record.partition("\x03")
        commit, parents, subject, body = head.split("\x02", 3)
        subject = TICKET.sub("", ISSUE.sub("", subject.strip()))
        changed = [line.split("\t") for line in names.strip().split("\n") if "\t" in line]
        source = [c for c in changed if is_source(c[1])]
        modified = [c[1] for c in source if c[0] == "M"]
        if not 1 <= len(changed) <= 12 or not 1 <= len(modified) <= 4 or len(source) > 5 or not parents:
            continue
        if len(subject.split()) < 3 or len(subject) > 120 or NO_TASK.search(subject) or subject.lower() in seen:
            continue
        seen.add(subject.lower())
        first = body.strip().split("\n\n")[0].strip()
        yield commit, parents.split(" ")[0], subject, "" if TRAILER.match(first) or first.startswith("*") else first, modified
        if len(seen) == count:
            return


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("table", "snapshots", "out", "revisions"):
        ap.add_argument(name)
    ap.add_argument("--count", type=int, default=40)
    ap.add_argument("--long", action="store_true")
    a = ap.parse_args()
    with open(a.table) as table, open(a.out, "w") as out, open(a.revisions, "w") as revisions:
        revisions.write("set\tname\tlanguage\trepository\trevision\troot\tsplit\n")
        for row in csv.DictReader(table, delimiter="\t"):
            name, where = row["name"], os.path.join(a.snapshots, row["repository"].replace("/", "+"), "repo")

            def git(*args):
                return subprocess.run(["git", "--git-dir", where, *args], capture_output=True, text=True, errors="replace", check=True,
                                      env=dict(os.environ, GIT_NO_LAZY_FETCH="1")).stdout
            picked = list(tasks(git, row["revision"], a.count))
            if not picked:
                continue
            before = picked[-1][1]
            tree, n = set(git("ls-tree", "-r", "--name-only", before).split("\n")), 0
            for commit, _, subject, first, modified in picked:
                there = [p for p in modified if p in tree]
                if len(there) * 2 <= len(modified):
                    continue
                n += 1
                query = f"{subject}\n\n{' '.join(first.split())[:1000]}" if a.long else subject
                if a.long and len(first.split()) < 12:
                    continue
                out.write(json.dumps({"id": f"{name}-tc-{n - 1:03}", "repo": name, "language": row["language"], "category": "commit", "query": query,
                                      "relevant": [{"path": p} for p in there], "secondary": [], "commit": commit}) + "\n")
            revisions.write("\t".join(["commits", name, row["language"], row["repository"], before, "", "dev"]) + "\n")


main()
