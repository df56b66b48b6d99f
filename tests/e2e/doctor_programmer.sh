#!/bin/sh
# Boards programmed on machines that are made of folders: the command that is run, a tty that comes back under another name, and programmers that are missing, too
# old, fail, hang or lie; of each failure the line that mends it.
# test: seconds=300
name=doctor_programmer
. "$(dirname "$0")/lib.sh"
tool() { env PATH="$work/bin" "$E2E_TOOLS/board_tool" "$@"; }
program() { tool program "$1" "$2" top.bit "${3:-30}"; }
# mended TEXT: the last output has this note.
mended() { grep -Eq -e "note: $1" output || { fail "not mended by '$1'"; cat output >&2; }; }
# loader: a programmer for the ULX3S that, when it programs, does what stdin says.
loader() {
    fake_program openFPGALoader <<END
cd "$work"
case \$1 in
-V) echo "openFPGALoader v0.12.1" ;;
--list-boards) printf 'board name  cable_name  fpga_part\nulx3s  ft231X  Undefined\n' ;;
*)
    echo "\$*" >arguments
    $(cat)
    ;;
esac
END
}
ulx3s() {
    fake_machine
    fake_usb 1-5 0403:6015 D00123 "ULX3S FPGA 25K v3.0.8"
    fake_tty ttyUSB0 1-5 0 ftdi_sio 1
}
: >top.bit

# --- it works ---
ulx3s
echo : | loader
expect 0 "^$work/dev/ttyUSB0$" program ulx3s-25f sram
[ "$(cat arguments)" = "-b ulx3s -m top.bit" ] || fail "arguments: $(cat arguments)"
expect 0 "^$work/dev/ttyUSB0$" program ulx3s-25f flash
[ "$(cat arguments)" = "-b ulx3s -f top.bit" ] || fail "arguments: $(cat arguments)"
expect 0 "^1-5 $work/dev/ttyUSB0$" tool find ulx3s-25f

# The tty goes while the board is programmed and comes back after a while under another name; another board, plugged in meanwhile, has the old one.
echo 'rm -r sys/class/tty/ttyUSB0 sys/devices/usb1/1-5/1-5:1.0 dev/ttyUSB0; : >is_gone' | loader
{
    i=0
    while [ ! -e is_gone ] && [ $((i += 1)) -lt 300 ]; do sleep 0.1; done
    sleep 0.3
    fake_usb 1-6 0403:6015 D00200 "ULX3S FPGA 25K v3.0.8"
    fake_tty ttyUSB0 1-6 0 ftdi_sio 1
    sleep 0.7
    fake_tty ttyUSB7 1-5 0 ftdi_sio 1
} &
expect 0 "^$work/dev/ttyUSB7$" program ulx3s-25f@ttyUSB0 sram
wait
# Which of the two is said to the programmer by its serial number.
echo : | loader
expect 0 "^$work/dev/ttyUSB0$" program ulx3s-25f@D00200 sram
[ "$(cat arguments)" = "--ftdi-serial D00200 -b ulx3s -m top.bit" ] || fail "arguments: $(cat arguments)"
expect 5 "2 boards 'ulx3s-25f' are attached: D00123 .ttyUSB7., D00200 .ttyUSB0." program ulx3s-25f sram
mended "choose one: --board ulx3s-25f@D00123"
# It does not come back.
echo 'rm -r sys/class/tty/ttyUSB0 dev/ttyUSB0' | loader
expect 5 "board 'ulx3s-25f' \(D00200\) has no serial port" program ulx3s-25f@D00200 sram
mended "sudo modprobe ftdi_sio, then unplug the board and plug it in again"
# It comes back, but without permission for a while: udev is slow.
if [ "$(id -u)" -ne 0 ]; then
    ulx3s
    echo 'chmod 0 dev/ttyUSB0; : >is_shut' | loader
    { while [ ! -e is_shut ]; do sleep 0.1; done; sleep 1; chmod 600 dev/ttyUSB0; } &
    expect 0 "^$work/dev/ttyUSB0$" program ulx3s-25f sram
    wait
fi

# --- nothing is tried that cannot work ---
ulx3s
rm -f arguments
expect 4 "program 'openFPGALoader' is missing" program ulx3s-25f sram
mended "sudo apt-get install openfpgaloader"
echo : | loader
sed -i 's/nulx3s/nulx4s/' bin/openFPGALoader
expect 4 "'openFPGALoader' is too old: openFPGALoader v0.12.1 does not know the board 'ulx3s'" program ulx3s-25f sram
mended "install a newer openFPGALoader \('openFPGALoader --list-boards' must show 'ulx3s'\)"
echo : | loader
sleep 60 <dev/ttyUSB0 &
holder=$!
expect 5 "ttyUSB0 is open in sleep \(process $holder\)" program ulx3s-25f sram
mended "close sleep \(process $holder\)"
kill $holder
wait $holder 2>/dev/null || true
fake_program iceprog <<END
echo ran >"$work/arguments"
END
expect 2 "the SRAM of board 'icebreaker' cannot be programmed" program icebreaker sram
mended "--flash programs its flash, from which the FPGA starts"
expect 5 "no board 'icebreaker' is attached" program icebreaker flash
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    chmod -R a+rwX "$work"
    chmod 600 dev/bus/usb/001/005
    expect 5 "001/005 may not be opened by this user" \
        setpriv --reuid=nobody --regid=nogroup --clear-groups env PATH="$work/bin" "$E2E_TOOLS/board_tool" program ulx3s-25f sram top.bit 9
    mended "echo 'SUBSYSTEM.*0403.*6015.*sudo tee /etc/udev/rules.d/70-weir-0403-6015.rules"
fi
[ ! -e arguments ] || fail "a programmer was run: $(cat arguments)"

# --- what programmers say; each message as in their sources ---
# fails STATUS TEXT REMEDY SHELL-TEXT
fails() {
    ulx3s
    echo "$4" | loader
    expect "$1" "error: '?openFPGALoader'?.*$2" program ulx3s-25f sram
    mended "$3"
    [ -z "${5:-}" ] || grep -q "^$5" output || fail "its messages are not shown"
}
fails 5 "the programmer finds no such USB device" "unplug the board and plug it in again, with a cable that carries data" \
    'echo "unable to open ftdi device: -3 (device not found)"; echo "JTAG init failed with: unable to open ftdi device"; exit 1' "JTAG init failed"
fails 5 "the programmer has no permission to open the USB device" "echo 'SUBSYSTEM==.usb.hidraw., ATTRS.idVendor.==.0403.*70-weir-0403-6015.rules" \
    'echo "unable to open ftdi device: -4 (usb_open() failed)"; exit 1'
fails 5 "another program has the USB device" "close what uses the board" \
    'echo "unable to open ftdi device: -5 (unable to claim usb device. Make sure the default FTDI driver is not in use)"; exit 1'
fails 5 "the USB device does not react" "unplug the board .*, without a hub" 'echo "unable to open ftdi device: -6 (ftdi_usb_reset failed)"; exit 1'
fails 5 "the FPGA on the board is not the one that the bitstream is for" "build for the variant that is printed on the FPGA" \
    'echo "mismatch between target\047s idcode and bitstream idcode"; echo "	bitstream has 0x41111043 hardware requires 0x21111043"; exit 1' \
    "	bitstream has 0x41111043 hardware requires 0x21111043"
fails 5 "the board's bootloader does not run" "hold the board's button" 'echo "No DFU capable USB device available"; exit 74'
fails 5 "has no permission to open the USB device" "echo 'SUBSYSTEM" 'echo "Cannot open DFU device 1209:5af0 found on devnum 5 (LIBUSB_ERROR_ACCESS)"; exit 74'
fails 5 "has no permission to open the USB device" "echo 'SUBSYSTEM" 'echo "libusb_open() failed with LIBUSB_ERROR_ACCESS"; exit 1'
fails 5 "another program has the USB device" "close what uses the board" 'echo "libusb_claim_interface() failed with LIBUSB_ERROR_BUSY"; exit 1'
fails 5 "cannot open the USB device" "echo 'SUBSYSTEM" 'echo "fails to open device"; echo "JTAG init failed with: std::exception"; exit 1'
fails 5 "cannot open the USB device" "echo 'SUBSYSTEM" 'echo "JTAG init failed with: No device found"; exit 1'
fails 4 "failed with exit status 3" "run it manually: openFPGALoader -b ulx3s -m top.bit" 'echo "something new"; exit 3' "something new"
fails 4 "was killed by signal 11" "run it manually" 'kill -SEGV $$'
ulx3s
echo 'echo "erasing"; sleep 100' | loader
expect 4 "'openFPGALoader' took longer than 2 seconds" program ulx3s-25f sram 2
mended "unplug the board and plug it in again"
grep -q "^erasing" output || fail "its messages are not shown"

# Every message of the table is one of these, or of those below.
sed -n 's/^WEIR_PROGRAMMER_MESSAGE("\([^"]*\)".*/\1/p' "$E2E_SOURCE/toolchain/board/programmer.def" >messages
[ "$(wc -l <messages)" -ge 10 ] || fail "no messages in programmer.def"
while read -r message; do
    sed "s/target.*047s/target's/" "$E2E_SOURCE/tests/e2e/$name.sh" | grep -F "$message" | grep -q "echo\|printf" || fail "no programmer here says '$message'"
done <messages

# iceprog says nothing of a missing permission, and ends well when the FPGA does not start.
hx8k() {
    fake_machine
    fake_usb 1-4 0403:6010 FT1 "Lattice FTUSB Interface Cable"
    fake_tty ttyUSB0 1-4 0 ftdi_sio 1
    fake_tty ttyUSB1 1-4 1 ftdi_sio 1
    fake_program iceprog
}
hx8k <<END
echo "\$*" >"$work/arguments"
printf 'init..\ncdone: high\nreset..\ncdone: low\nprogramming..\ncdone: high\nBye.\n' >&2
END
expect 0 "^$work/dev/ttyUSB1$" program ice40hx8k-evn sram
[ "$(cat arguments)" = "-S top.bit" ] || fail "arguments: $(cat arguments)"
fake_usb 1-6 0403:6010 FT2 "iCEBreaker V1.0e" # what iceprog would take as well
expect 0 "^$work/dev/ttyUSB1$" program ice40hx8k-evn flash
[ "$(cat arguments)" = "-d s:0x0403:0x6010:FT1 top.bit" ] || fail "arguments: $(cat arguments)"
hx8k <<'END'
printf 'init..\ncdone: high\nreset..\ncdone: low\nprogramming..\ncdone: low\nBye.\n' >&2
END
expect 5 "'iceprog' wrote the bitstream, but the FPGA does not start \(cdone is low\)" program ice40hx8k-evn sram
mended "set the jumpers for the memory that is programmed"
hx8k <<'END'
printf "init..\nCan't find iCE FTDI USB device (vendor_id 0x0403, device_id 0x6010 or 0x6014).\nABORT.\n" >&2
exit 2
END
expect 5 "'iceprog': iceprog cannot open the board" program ice40hx8k-evn sram
mended "echo 'SUBSYSTEM.*70-weir-0403-6010.rules"
finish
