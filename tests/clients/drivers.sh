#!/bin/bash
# Each driver of the machine except refcl: a campaign of litmus tests, judged by the model, and applications
# under the loader layer.  DRIVER_INSTANCES: of each test.  DRIVERS: .icd files.  Output of a driver is kept
# in BUILD/drivers.
set -u
cd "$(dirname "$0")/../.." || exit 4
. tests/lib/tap.sh
export RUSTICL_ENABLE=${RUSTICL_ENABLE:-llvmpipe}
unset OCL_ICD_FILENAMES
mkdir -p "$BUILD/drivers"

campaign() { # campaign DRIVER ICD
    "$REFCL" litmus run -q -n "${DRIVER_INSTANCES:-200}" --icd "$2" -o "$BUILD/drivers/$1.json" litmus/suite || return
    "$REFCL" litmus judge --json "$BUILD/drivers/$1.judged.json" "$BUILD/drivers/$1.json" > "$BUILD/drivers/$1.txt"
    case $? in
    0) ;;
    3) grep -q ' 0 forbidden, .* 0 unknown, ' "$BUILD/drivers/$1.txt" ;; # of a test no instance had the placement
    *) return 1 ;;
    esac
}

for icd in ${DRIVERS:-/etc/OpenCL/vendors/*.icd}; do
    driver=$(basename "$icd" .icd)
    if grep -q librefcl "$icd"; then
        continue
    fi
    if ! OCL_ICD_VENDORS=$icd clinfo -l | grep -q Device; then
        skip "$driver" "no device"
        continue
    fi
    ok "$driver: no litmus test ends in a state that the model forbids" campaign "$driver" "$icd"
    tail -2 "$BUILD/drivers/$driver.txt" | sed "s/^/# $driver: /"
    REFCL_POCL_ICD=$icd tests/clients/packages/client_on_driver.py > "$BUILD/drivers/$driver.clients"
    check "$driver: applications under the layer" $?
    grep -v '^ok' "$BUILD/drivers/$driver.clients" | sed 's/^/# /'
done
done_testing
