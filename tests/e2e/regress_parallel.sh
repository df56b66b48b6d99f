#!/bin/sh
# regress_parallel.sh: a suite through GNU parallel, on this machine and over ssh to a server on loopback; planted: a point that is wrong, an interrupted run, which
# leaves nothing on the other end.
# test: name=regress_parallel seconds=200 cost=3
name=regress_parallel
. "$(dirname "$0")/lib.sh"
need_tools jq parallel
printf 'matrix: {x: {from: 1, to: 40}}\nsteps: [{run: "echo {x} >>ran; [ {x} -ne 7 ] || exit 3", inputs: []}]\n' >suite.yaml
expect 3 "40 points: 39 right, 1 wrong; " weir regress suite.yaml --on parallel --each 7 --scheduler "--jobs 3"
[ "$(wc -l <ran) $(ls suite.regress/results*.jsonl)" = "40 suite.regress/results.jsonl" ] || fail "40 points in one file"
expect 3 "40 kept from before" weir regress suite.yaml --on parallel
[ "$(wc -l <suite.regress/results.jsonl)" -eq 40 ] || fail "more than 40 results"
expect 1 "unknown launcher 'paralel'" weir regress suite.yaml --on paralel
expect 2 "need --on" weir regress suite.yaml --each 7
echo "submit: 'true'" >nothing.yaml
expect 4 "no task brought its result; 'suite.regress/tasks.log'" weir regress suite.yaml --on ./nothing.yaml --again all --only x=1
printf 'submit: sh {script}\nask: echo\n' >own.yaml
expect 1 "own.yaml: error: 'ask' without 'cancel'" weir regress suite.yaml --on own.yaml
expect 1 "has no task 99" weir regress --task 99 suite.regress

# --- over ssh, to a server of this test's own ---
[ "$(id -u)" = 0 ] && [ -x /usr/sbin/sshd ] && command -v ssh-keygen >/dev/null || finish_early=yes
if [ -z "${finish_early:-}" ]; then
    server=$(mktemp -d /tmp/weir-ssh-XXXXXX)
    port=$((20000 + $$ % 20000))
    ssh-keygen -q -t ed25519 -N "" -f "$server/host"
    ssh-keygen -q -t ed25519 -N "" -f "$server/user"
    mkdir -p /run/sshd
    chmod 700 "$server"
    cat >"$server/config" <<END_CONFIG
Port $port
ListenAddress 127.0.0.1
HostKey $server/host
AuthorizedKeysFile $server/user.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
END_CONFIG
    /usr/sbin/sshd -D -f "$server/config" 2>"$server/log" &
    sshd=$!
    trap 'kill $sshd 2>/dev/null; rm -rf "$server"' EXIT
    ssh="ssh -F none -p $port -i $server/user -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
    for i in 1 2 3 4 5 6 7 8 9 10; do $ssh 127.0.0.1 true && break || sleep 0.3; done
    # Tasks run where the client's name is not known: the folder is that of all machines.
    printf 'matrix: {x: {from: 1, to: 12}}\nsteps: [{run: "[ -n \\"$SSH_CONNECTION\\" ] && sleep 0.{x}", inputs: []}]\n' >remote.yaml
    expect 0 "12 right; " weir regress remote.yaml --on parallel --each 3 --scheduler "--ssh '$ssh' -S 2/127.0.0.1 --workdir $work"
    printf 'matrix: {x: {from: 1, to: 12}}\nsteps: [{run: "echo {x} >>begun; sleep 6.{x}", inputs: []}]\n' >interrupted.yaml
    "$WEIR" regress interrupted.yaml --on parallel --each 3 --scheduler "--ssh '$ssh' -S 2/127.0.0.1 --workdir $work" >output 2>&1 &
    pid=$!
    while [ ! -s begun ]; do sleep 0.1; done
    kill -TERM $pid
    status=0 && wait $pid || status=$?
    [ $status -eq 143 ] || fail "interrupted: status $status: $(cat output)"
    sleep 3
    if pgrep -f "sleep 6[.]" >rest; then fail "a task is left on the other end: $(cat rest)"; fi
    kill $sshd
    trap - EXIT
    rm -rf "$server"
fi
finish
