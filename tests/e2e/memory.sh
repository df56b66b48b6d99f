#!/bin/sh
# What compiling takes of memory is what the weights and a few frames of values take, not the schedule's beats nor copies of graphs:
# networks for images of 224 x 224 stay below 200 MB.
# test: name=memory seconds=60 -- 64 100
# test: name=memory/224 label=nightly seconds=900 -- 224 200
name=memory_$1
. "$(dirname "$0")/lib.sh"

peak() { "$E2E_TOOLS/peak" "$@"; }
expect 1 "peak memory: [0-9]+ MB of 1$" peak 1 "$WEIR" --version
expect 2 "" peak 1000 "$WEIR" no_such_command
for network in mobilenetv2 $([ "$1" -lt 224 ] && ! is_night || echo resnet18); do
    "$E2E_TOOLS/make_image" $network "$1" $network.weir
    expect 0 "peak memory: [0-9]+ MB of $2$" peak "$2" "$WEIR" compile $network.weir -o $network
    grep "peak memory" output
done
finish
