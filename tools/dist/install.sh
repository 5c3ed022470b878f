#!/bin/sh
# Installs the contextd binaries for this machine: downloads the archive of a release, checks its SHA-256 sum, and puts
# retriever and indexer into a folder. Nothing is run as root, and nothing else is changed.
#
#   sh install.sh [--version VERSION] [--dir FOLDER] [--from URL-OR-FOLDER]
set -eu

version=@VERSION@
dir=${HOME:-.}/.local/bin
from=

fail() {
  echo "error: $1" >&2
  [ -z "${2:-}" ] || echo "hint: $2" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --version | --dir | --from) [ $# -ge 2 ] || fail "$1: want a value" ;;
    -h | --help)
      sed -n '2,5s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *) fail "unknown argument \"$1\"" "--version VERSION, --dir FOLDER, --from URL-OR-FOLDER" ;;
  esac
  case $1 in
    --version) version=$2 ;;
    --dir) dir=$2 ;;
    --from) from=$2 ;;
  esac
  shift 2
done
version=${version#v}
[ -n "$from" ] || from=@REPOSITORY@/releases/download/v$version

case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) fail "no archive for the system \"$(uname -s)\"" "on Windows take the zip archive of the release, or npm or pip" ;;
esac
case $(uname -m) in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) fail "no archive for the processor \"$(uname -m)\"" "build it: go install github.com/contextd/contextd/cmd/...@latest" ;;
esac
name=contextd_${version}_${os}_${arch}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

get() { # get FILE: from the folder or the address into $work
  case $from in
    http://* | https://*)
      if command -v curl >/dev/null 2>&1; then
        curl -fsSL --retry 3 -o "$work/$1" "$from/$1"
      elif command -v wget >/dev/null 2>&1; then
        wget -q -O "$work/$1" "$from/$1"
      else
        fail "download \"$from/$1\": neither curl nor wget is installed"
      fi
      ;;
    *) cp "$from/$1" "$work/$1" ;;
  esac || fail "get \"$1\" from \"$from\"" "does version $version exist?"
}
get SHA256SUMS
get "$name.tar.gz"

want=$(awk -v f="$name.tar.gz" '$2 == f { print $1 }' "$work/SHA256SUMS")
[ -n "$want" ] || fail "SHA256SUMS does not name \"$name.tar.gz\""
if command -v sha256sum >/dev/null 2>&1; then
  got=$(sha256sum "$work/$name.tar.gz")
elif command -v shasum >/dev/null 2>&1; then
  got=$(shasum -a 256 "$work/$name.tar.gz")
else
  fail "check \"$name.tar.gz\": neither sha256sum nor shasum is installed"
fi
[ "${got%% *}" = "$want" ] || fail "\"$name.tar.gz\" has the SHA-256 sum ${got%% *}, want $want; nothing was installed"

tar -xzf "$work/$name.tar.gz" -C "$work"
mkdir -p "$dir"
for program in retriever indexer; do
  # A running binary can't be written to, but another can take its name.
  cp "$work/$name/$program" "$dir/.$program.new"
  chmod 755 "$dir/.$program.new"
  mv -f "$dir/.$program.new" "$dir/$program"
done
echo "installed retriever and indexer $version in $dir"
case :$PATH: in
  *:"$dir":*) ;;
  *) echo "add the folder to PATH: export PATH=\"$dir:\$PATH\"" ;;
esac
