#!/usr/bin/env bash
# Builds the Python wheel for Linux with glibc 2.28 or later into target/wheels. `scripts/wheel.sh PYTHON`
# needs maturin and ziglang in that Python (pip install "maturin>=1.9.4,<2" ziglang).
#
# Zig links only the two libraries of the wheel, against the symbols of glibc 2.28. All other crates are
# those of `cargo build --release`.
set -euo pipefail
python=$(command -v "${1:?the Python with maturin and ziglang}")
cd "$(dirname "$0")/.."

linker=$PWD/target/zig_linker
mkdir -p target
printf '#!/bin/sh\nexec "%s" -m ziglang cc -target %s-linux-gnu.2.28 "$@"\n' "$python" "$(uname -m)" >"$linker"
chmod +x "$linker"

fmu_library=python/bekker/lib/libbekker_fmi.so
trap 'rm -rf python/bekker/lib' EXIT
cargo rustc --locked --release -p bekker-fmi --lib -- -C "linker=$linker"
mkdir -p python/bekker/lib
cp target/release/libbekker_fmi.so "$fmu_library"
rm -rf target/wheels
"$python" -m maturin build --locked --release --compatibility manylinux_2_28 --out target/wheels -- \
    -C "linker=$linker"

wheel=$(echo target/wheels/*.whl)
size=$(stat -c %s "$wheel")
echo "$wheel: $((size / 1000)) kB"
[ "$size" -le 25000000 ] || { echo "$wheel is above 25 MB" >&2; exit 1; }
