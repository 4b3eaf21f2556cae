# TAP for shell tests: source it in the repository's root, call ok/check/skip, end with done_testing.
tap_count=0 tap_failed=0
BUILD=${BUILD:-build}
patience=900 # seconds after which a process counts as hanging, even on a slow and busy machine
REFCL=${REFCL:-$PWD/$BUILD/refcl}
tap_dir=$(mktemp -d "${TMPDIR:-/tmp}/refcl-test.XXXXXX")
trap 'rm -rf "$tap_dir"' EXIT

ok() { # ok NAME COMMAND...: passes if the command succeeds
    name=$1
    shift
    tap_count=$((tap_count + 1))
    if "$@" >"$tap_dir/out" 2>&1; then
        echo "ok $tap_count - $name"
    else
        echo "not ok $tap_count - $name"
        sed 's/^/# /' "$tap_dir/out" | head -20
        tap_failed=1
    fi
}
check() { # check NAME STATUS: passes if STATUS, an exit code, is 0
    tap_count=$((tap_count + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $tap_count - $1"
    else
        echo "not ok $tap_count - $1"
        tap_failed=1
    fi
}
wait_until() { # wait_until COMMAND...: until the command succeeds; false if it never does
    for ((i = 0; i < 18000; i++)); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.05
    done
    return 1
}
json_holds() { # json_holds NAME FILE EXPRESSION: passes if it is true of the file, R, and of its tests by name, T
    /usr/bin/python3 - "$2" "$3" <<'PY'
import json, sys
R = json.load(open(sys.argv[1]))
T = {t["name"]: t for t in R.get("tests", [])}
sys.exit(0 if eval(sys.argv[2]) else 1)
PY
    check "$1" $?
}
exits() { # exits CODE COMMAND...: for use with ok
    want=$1
    shift
    "$@"
    got=$?
    [ $got -eq "$want" ] && return 0
    echo "exit code $got, expected $want"
    return 1
}
prints() { # prints CODE PATTERN COMMAND...: exit code, and both streams together match the pattern
    want=$1 pattern=$2
    shift 2
    text=$("$@" 2>&1)
    got=$?
    [ $got -eq "$want" ] || echo "exit code $got, expected $want"
    printf '%s\n' "$text" | grep -qE -- "$pattern" || echo "no match for: $pattern"
    printf '%s\n' "$text"
    [ $got -eq "$want" ] && printf '%s\n' "$text" | grep -qE -- "$pattern"
}
skip_all() { # skip_all REASON: a test that cannot run here at all; tests/skips.txt lists the reasons
    echo "1..0 # SKIP $1"
    exit 0
}
skip() { # skip NAME REASON
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}
done_testing() {
    echo "1..$tap_count"
    exit $tap_failed
}
