#!/bin/sh
# packages.sh BUILD: Debian packages, installed into a clean root and used there: man pages, a check on both simulators, a
# program that links the library; removed, nothing of them is left. The source archive builds.
# test: seconds=1800 label=nightly -- %build
build=$1
name=packages
. "$(dirname "$0")/lib.sh"
need_tools cpack dpkg-shlibdeps mmdebstrap
"$E2E_SOURCE/scripts/package" deb --build "$build" --to "$work/debs" >log 2>&1 || { tail -20 log >&2; fail "scripts/package deb"; }
for package in weir libweir0.1 libweir-dev; do
    [ -s "$(find debs -name "${package}_*.deb")" ] || fail "no package $package"
done
for deb in debs/*.deb; do
    dpkg-deb -c "$deb" | awk '{ print $6 }' | grep -v '/$'
done | sort | uniq -d >twice
[ ! -s twice ] || { head twice >&2; fail "files in two packages"; }

cp "$models/mlp_qdq.onnx" model.onnx
unset WEIR_DATA WEIR_CACHE
cp "$test_data" data.npz
cat >nodes.c <<'END'
#include <stdio.h>

#include "frontend/import/onnx.h"

int main(void) {
    weir_graph *graph = weir_onnx_import("model.onnx", NULL);
    if (graph == NULL) return 1;
    printf("%zu nodes\n", weir_graph_node_count(graph));
    weir_graph_free(graph);
    return 0;
}
END
cat >try.sh <<'END'
set -eu
cd /srv
export DEBIAN_FRONTEND=noninteractive
apt-get install -y -o APT::Install-Recommends=true ./debs/*.deb man-db pkg-config
weir --version
man -w weir-check >/dev/null
weir check model.onnx --data data.npz --frames 20
cc nodes.c $(pkg-config --cflags --libs weir) -o nodes
./nodes
apt-get purge -y weir libweir-dev libweir0.1
! ls -d /usr/bin/weir /usr/share/weir /usr/include/weir /usr/lib/*weir* 2>/dev/null
echo everything is gone
END
# shellcheck disable=SC2016 # mmdebstrap's own shell
mmdebstrap --variant=apt --format=null --customize-hook='copy-in debs model.onnx data.npz nodes.c try.sh /srv' \
    --customize-hook='chroot "$1" sh /srv/try.sh' "$(. /etc/os-release && echo "$VERSION_CODENAME")" - >root.log 2>&1 ||
    { tail -40 root.log >&2; fail "in a clean root"; }
for line in "^weir 0" "20 frames" "^[1-9][0-9]* nodes" "everything is gone"; do
    grep -q "$line" root.log || fail "no '$line' in a clean root"
done

"$E2E_SOURCE/scripts/package" source --to "$work/source" >log 2>&1 || { tail -20 log >&2; fail "scripts/package source"; }
tar -xf source/weir-*.tar.gz
{ cmake -S weir-*/ -B made -G Ninja -DBUILD_TESTING=OFF && cmake --build made; } >log 2>&1 || { tail -20 log >&2; fail "the source archive does not build"; }
expect 0 "^weir [0-9.]+ .*[0-9a-f]{7}" made/toolchain/cli/weir --version
finish
