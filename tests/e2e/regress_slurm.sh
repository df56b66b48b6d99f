#!/bin/sh
# regress_slurm.sh: a suite on a real Slurm with two nodes on loopback: 200 points; planted: a node that is drained in the middle, a task that is killed, a controller
# that is started again, a full disk below a task; an interrupted run that cancels its tasks. No finished point is lost or run twice.
# test: name=regress_slurm seconds=900 label=nightly
name=regress_slurm
. "$(dirname "$0")/lib.sh"
need_tools jq munged slurmctld slurmd sbatch squeue scancel scontrol
[ "$(id -u)" = 0 ] || { echo "slurmctld and slurmd need root here"; exit 77; }

# --- a cluster in this folder, its daemons ended by their ids ---
host=$(hostname)
cluster=$(mktemp -d /tmp/weir-slurm-XXXXXX) # a socket's path is short
export SLURM_CONF=$cluster/slurm.conf
mkdir -p "$cluster/munge" "$cluster/state" "$cluster/spool1" "$cluster/spool2"
daemons=
end_cluster() {
    for pid in $daemons; do kill "$pid" 2>/dev/null || true; done
    sleep 0.5
    for pid in $daemons; do kill -KILL "$pid" 2>/dev/null || true; done
    rm -rf "$cluster"
}
trap 'end_cluster' EXIT
chmod 700 "$cluster/munge" && chmod 755 "$cluster"
head -c 1024 /dev/urandom >"$cluster/munge/key" && chmod 400 "$cluster/munge/key"
base=$((20000 + $$ % 20000))
cat >"$SLURM_CONF" <<END_CONF
ClusterName=weir
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$base
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket
CredType=cred/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool-%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd-%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,bf_interval=1,max_array_tasks=1000
ReturnToService=2
MaxArraySize=10001
KillWait=2
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + 1)) CPUs=2 State=UNKNOWN
NodeName=two NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + 2)) CPUs=2 State=UNKNOWN
PartitionName=main OverSubscribe=FORCE:2 Nodes=one,two Default=YES MaxTime=INFINITE State=UP
END_CONF
start_daemon() {
    "$@" >>"$cluster/daemons.log" 2>&1 &
    last=$!
    daemons="$daemons $last"
}
start_daemon munged --foreground --force --socket="$cluster/munge/socket" --key-file="$cluster/munge/key" \
    --log-file="$cluster/munge/log" --pid-file="$cluster/munge/pid" --seed-file="$cluster/munge/seed"
while [ ! -S "$cluster/munge/socket" ]; do sleep 0.1; done
start_daemon slurmctld -D -i
controller=$last
start_daemon slurmd -D -N one
start_daemon slurmd -D -N two
for i in $(seq 100); do
    [ "$(sinfo -h -o '%D %T' 2>/dev/null)" = "2 idle" ] && break
    sleep 0.2
done
[ "$(sinfo -h -o '%D %T')" = "2 idle" ] || { cat "$cluster/daemons.log" >&2; sinfo >&2; fail "the cluster does not start"; exit 1; }

# --- 200 points ---
cat >bench <<'END_BENCH'
#!/bin/sh
[ ! -e full ] || [ "$1" -gt 5 ] || { echo "write: No space left on device"; exit 1; }
sleep 0.1
echo "$1" >>ran
[ "$1" != 77 ] || { echo "mismatch at cycle $1"; exit 3; }
echo "{\"cycles\": $1}" >"$2"
END_BENCH
chmod +x bench
printf 'matrix: {x: {from: 1, to: 200}}\nsteps: [{run: "./bench {x} {report}", inputs: [bench]}]\nretries: 2\n' >suite.yaml
# until_true COMMAND...: waits a minute at most
until_true() {
    for i in $(seq 600); do
        "$@" && return 0
        sleep 0.1
    done
    fail "not within a minute: $*"
}
finished() { cat suite.regress/results*.jsonl 2>/dev/null | grep -c '"state":"[rw]' || true; }

: >full # the first five points meet a full disk until a task has ended
"$WEIR" regress suite.yaml --on slurm --each 10 --scheduler "--partition=main --time=10" --json out.json >output 2>&1 &
pid=$!
has_finished() { [ "$(finished)" -ge "$1" ]; }
until_true has_finished 20
scontrol update NodeName=two State=DRAIN Reason=test
# A task is killed with all that it runs, as by the kernel.
victim=$(pgrep -f "regress --task [0-9]* $work/suite.regress" | head -1)
kill -KILL "$victim"
kill "$controller"
sleep 3 # nothing answers
start_daemon slurmctld -D
rm full
scontrol update NodeName=two State=RESUME || true
status=0 && wait $pid || status=$?
[ $status -eq 3 ] || { cat output "$cluster/slurmctld.log" >&2; fail "status $status, expected 3"; }
[ "$(jq -r '"\(.counts.right) \(.counts.wrong) \(.counts.lost) \(.counts.open)"' out.json)" = "199 1 0 0" ] || fail "counts: $(jq -c .counts out.json)"
# What ended is written down once; only points under the killed task may have run twice.
[ "$(cat suite.regress/results*.jsonl | jq -r 'select(.state != "lost") | .key' | sort | uniq -d | wc -l)" -eq 0 ] || fail "a finished point is repeated"
[ "$(sort -n ran | uniq -d | wc -l)" -le 2 ] || fail "points ran twice: $(sort -n ran | uniq -d)"
[ "$(ls suite.regress/results-* 2>/dev/null | wc -l)" -eq 0 ] || fail "the tasks' files are left"
expect 3 "200 kept from before" weir regress suite.yaml --on slurm

# --- interrupted: no task is left, what was done is kept, the next run does the rest ---
printf 'matrix: {x: {from: 1, to: 40}}\nsteps: [{run: "sleep 0.5; echo {x} >>slept", inputs: []}]\n' >interrupted.yaml
"$WEIR" regress interrupted.yaml --on slurm --each 5 >output 2>&1 &
pid=$!
until_true test -s slept
sleep 1
kill -TERM $pid
status=0 && wait $pid || status=$?
[ $status -eq 143 ] || fail "interrupted: status $status"
is_idle() { [ -z "$(squeue -h)" ]; }
until_true is_idle
expect 0 "40 right; [1-9][0-9]* kept from before" weir regress interrupted.yaml --on slurm --each 5
[ "$(cat interrupted.regress/results*.jsonl | jq -r 'select(.state != "lost") | .key' | sort | uniq -d | wc -l)" -eq 0 ] || fail "a finished point is repeated after an interrupt"

# --- the same scheduler by a table of the user's own ---
cat >own.yaml <<'END_TABLE'
submit: sbatch --array={first}-{last} --output=/dev/null {options} {script}
index: SLURM_ARRAY_TASK_ID
first: 3
ask: squeue --noheader --jobs={job}
gone: Invalid job id
cancel: scancel {job}
END_TABLE
expect 0 "40 right; " weir regress interrupted.yaml --on ./own.yaml --each 20 --again all
expect 1 "the tasks cannot be submitted" weir regress interrupted.yaml --on slurm --again all --scheduler "--partition=none"
trap - EXIT
end_cluster
finish
