#!/bin/sh
# planted.sh COMPILER SOURCE BUILD [FAULT]: faults in copies of boards/host/wire, one at a time: each must make the test that it names
# (test_wire_TEST, or the fuzzer's driver) fail, or not end. A fault is a line `NAME FILE TEST s/.../.../`, whose expression must change the file.
set -u
compiler=$1 source=$2 build=$3 only=${4-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-std=c11 -D_POSIX_C_SOURCE=200809L -O1 -I$work -I$source/tests/board -I$source/toolchain"
libraries="$(find "$build/toolchain/support" -name libweir_support.a) -lcmocka -ljansson -lyaml -lz -lm -pthread"
failed=0
cp -r "$source/boards/host/wire" "$work/wire"
mkdir "$work/objects"
# shellcheck disable=SC2086 # words
compile() { "$compiler" $flags -c "$1" -o "$work/objects/$(basename "$1" .c).o" || exit 1; }
for file in "$work"/wire/*.c "$source"/tests/board/fake_*.c; do compile "$file"; done
for test in packet link port recording memory; do
    # shellcheck disable=SC2086 # words
    "$compiler" $flags -c "$source/tests/board/test_wire_$test.c" -o "$work/test_$test.o" || exit 1
done
# shellcheck disable=SC2086 # words
"$compiler" $flags -DWEIR_FUZZ_DRIVER -DWEIR_FUZZ_ACCEPTED=1 -c "$source/tests/fuzz/fuzz_wire.c" -o "$work/test_fuzz.o" || exit 1
link() { # TEST
    # shellcheck disable=SC2086 # words
    "$compiler" "$work/test_$1.o" "$work"/objects/*.o $libraries -o "$work/$1" || exit 1
}
found() { # TEST: whether it fails, or does not end
    ! (cd "$work" && timeout 60 "./$1" 1 2000 >"$1.log" 2>&1)
}
for test in packet link port recording memory fuzz; do
    link $test
    ! found $test || {
        tail -20 "$work/$test.log" >&2
        echo "$test fails without a fault" >&2
        exit 1
    }
done
while read -r name file test change; do
    if [ -n "$only" ] && [ "$only" != "$name" ]; then continue; fi
    sed -E "$change" "$source/boards/host/wire/$file" >"$work/wire/$file"
    if cmp -s "$source/boards/host/wire/$file" "$work/wire/$file"; then
        echo "$name: nothing is planted by $change" >&2
        failed=1
    else
        compile "$work/wire/$file"
        link "$test"
        if found "$test"; then
            echo "$name: found"
        else
            echo "$name: not found by $test" >&2
            failed=1
        fi
    fi
    cp "$source/boards/host/wire/$file" "$work/wire/$file"
    compile "$work/wire/$file"
done <<'END'
memory_comes_up memory.c memory s/memory->words - 1 - word/word/
memory_of_any_board memory.c memory s/\(version \& feature\) != 0/true/
memory_begins_elsewhere memory.c memory s/\(memory->words - 1\)/(memory->words)/
memory_has_another_number memory.c memory s/WORD_BITS = 20/WORD_BITS = 19/
crc_is_ignored packet.c link s/if \(crc != weir_packet_crc\(0, bytes, covered\)\) return false;//
crc_is_ignored_by_packets packet.c packet s/if \(crc != weir_packet_crc\(0, bytes, covered\)\) return false;//
crc_of_another_polynomial packet.c packet s/0xedb88320/0xedb88321/
crc_begins_elsewhere packet.c packet s/crc = ~crc;/crc = crc;/
runs_are_shorter packet.c packet s/LONGEST_RUN = 255/LONGEST_RUN = 254/
length_is_ignored packet.c packet s/\|\| covered \+ CRC != WEIR_PACKET_BYTES - begin//
position_loses_a_bit packet.c packet s/packet->position = bytes\[2\] \| \(bytes\[3\] \& 15u\) << 8/packet->position = bytes[2] | (bytes[3] \& 7u) << 8/
unknown_types_are_taken packet.c packet s/if \(type < WEIR_PACKET_DATA \|\| type > WEIR_PACKET_START\) return false;//
position_is_ignored link.c link s/if \(ahead_by > 0\) \{/if (ahead_by > 4096) {/
acknowledgements_are_believed link.c fuzz s/if \(step > link->furthest - link->acknowledged\) \{/if (false) {/
resets_are_not_seen link.c link s/if \(\+\+link->strange < STRANGE\) return;/return;/
damage_is_taken_for_a_reset link.c link s/link->damaged_before == link->counters.damaged/true/
streams_go_on_after_silence link.c link s/if \(link->unanswered\+\+ >= SILENCE\) stop_silent\(link\);/link->unanswered++;/
replies_are_not_looked_at wire.c link s/if \(!weir_link_reply\(wire->link, \&value\)\) return;/return;/
the_mode_is_not_looked_at wire.c link s/if \(error != WEIR_WIRE_OK \|\| \(control \& 7\) == \(uint32_t\)wire->mode\) return error;/return error;/
extra_results_are_fine wire.c link s/if \(of_frames \&\& weir_link_available/if (false \&\& weir_link_available/
limits_are_ignored wire.c link s/if \(time >= until \&\& begun == wire->begun\)/if (time >= until + 10000000)/
time_outs_repeat_nothing link.c link s/^        lose\(link\);$//
gaps_are_ignored link.c link s/if \(flags \& WEIR_PACKET_GAP\) take_gap\(link\);//
every_gap_is_believed link.c link s/if \(is_stale \|\| since < link->least_round_trip\) return;//
busy_is_ignored link.c link s/if \(flags \& WEIR_PACKET_BUSY\) take_busy\(link\);//
silence_is_for_ever link.c link s/SILENCE = 8,/SILENCE = 100000000,/
results_are_not_asked_for link.c link s/link->question_due = !link->ask.is_pending;.*/link->repeat_due = false;/
a_lost_packet_is_not_asked_for link.c link s/^        link->repeat_due = true;$//
no_acknowledgement_alone link.c link s/else if \(link->owes_acknowledgement\) \{/else if (false) {/
packets_are_made_too_early link.c link s/WEIR_PACKET_WIRE\) \/ 4/WEIR_PACKET_WIRE) * 12/
windows_are_half link.c link s/size <= WEIR_PACKET_WINDOW \? size : 0/size <= WEIR_PACKET_WINDOW \/ 2 ? size : 0/
check_checks_nothing wire.c link s/counted != expected\)/false)/
any_magic_will_do wire.c link s/if \(magic != WEIR_MAGIC\)/if (false)/
any_protocol_will_do wire.c link s/if \(identity->protocol != WEIR_PROTOCOL\)/if (false)/
no_rate_beside wire.c link s/100, 400, 50, 97, 103, 94, 106, 91, 109, 88, 112/100, 400, 50/
places_are_not_counted wire.c link s/\(wire->submitted - wire->received < wire->frames.in_flight \&\&/(true \&\&/
errors_of_clocks_are_halved wire.c link s/\(fastest - slowest\) \/ 2\}/(fastest - slowest) \/ 2e6}/
no_lock port.c port s/if \(flock\(port->file, LOCK_EX \| LOCK_NB\) != 0\) \{/if (false) {/
others_may_open port.c port s/if \(ioctl\(port->file, TIOCEXCL\) != 0\) return fail_open\(port->path, why\);//
terminals_are_not_raw port.c port s/settings.c_oflag = settings.c_lflag = 0;//
hung_up_is_not_told port.c port s/^    return fail\(port, "(read|write)", why\);/    return 0;/
timers_are_not_read port.c port s/return timer > 0 \&\& timer < 256 \? timer : -1;/return -1;/
bytes_are_not_compared recording.c recording s/\&\& data\[same\] == line->bytes\[same\]\)/)/
bauds_are_not_compared recording.c recording s/if \(line->baud == baud\) return WEIR_WIRE_OK;/return WEIR_WIRE_OK;/
calls_are_not_compared recording.c recording s/if \(line->kind != kind \&\& line->kind != LINE_FAIL\) \{/if (false) {/
time_runs_back recording.c recording s/ \&\& line.time >= time//
no_end_is_needed recording.c recording s/if \(is_ended\) return WEIR_WIRE_OK;/return WEIR_WIRE_OK;/
a_full_disk_is_fine recording.c recording s/if \(!ferror\(recorder->file\)\) return true;/return true;/
END
exit "$failed"
