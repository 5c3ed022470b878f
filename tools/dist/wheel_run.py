"""Starts the retriever of contextd, or its indexer after the word "indexer"."""

import os
import subprocess
import sys
import sysconfig


def program(name):
    """Path of a binary: beside this command, else among the commands of this Python."""
    if os.name == "nt":
        name += ".exe"
    folders = [os.path.dirname(os.path.abspath(sys.argv[0])), sysconfig.get_path("scripts")]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    sys.exit('error: find "%s" in %s: not there\nhint: install the package again' % (name, " or ".join(folders)))


def main():
    args = sys.argv[1:]
    name = "retriever"
    if args[:1] in (["indexer"], ["retriever"]):
        name, args = args[0], args[1:]
    path = program(name)
    if os.name == "nt":
        sys.exit(subprocess.call([path] + args))
    os.execv(path, [path] + args)
