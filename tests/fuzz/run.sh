#!/bin/sh
# run.sh [SECONDS]: builds the fuzzers with Clang and runs each for so long (30), from its seeds, two
# at a time (JOBS=N: N).
# What is found new is kept in build-fuzz/corpus, and bytes that break a promise in
# build-fuzz/findings: make those a seed, and a test of their own.
set -eu
seconds=${1:-30}
case $seconds in
    '' | *[!0-9]*) echo "usage: run.sh [SECONDS]" >&2; exit 2 ;;
esac
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD_DIR:-$root/build-fuzz}
cmake -S "$root" -B "$build" -D CMAKE_CXX_COMPILER=clang++ -D CMAKE_BUILD_TYPE=RelWithDebInfo \
    -D CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -D BERT_BUILD_FUZZ=ON -D BERT_BUILD_BENCH=OFF
cmake --build "$build" --target fuzzers --parallel "${JOBS:-2}"
mkdir -p "$build/findings"
export seconds root build
printf '%s\n' safetensors npz config vocabulary tokenizer |
    xargs -P "${JOBS:-2}" -I TARGET sh -eu -c '
        mkdir -p "$build/corpus/TARGET"
        code=0
        "$build/bin/fuzz_TARGET" -max_total_time="$seconds" -max_len=65536 -timeout=10 \
            -rss_limit_mb=1024 -malloc_limit_mb=256 -print_final_stats=1 -verbosity=0 \
            -artifact_prefix="$build/findings/TARGET-" \
            "$build/corpus/TARGET" "$root/data/fuzz/TARGET" >"$build/TARGET.log" 2>&1 || code=$?
        printf "=== TARGET\n%s\n" "$(tail -n 40 "$build/TARGET.log")"
        exit $code'
