#!/bin/bash
# Run by `make package-check` as root in a new root of Debian: /packages has the packages.  Prints TAP.
set -u
number=0 failed=0
ok() { # ok STATUS NAME
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2" && failed=1; fi
}
# check NAME COMMAND [PATTERN]: as a user without root; COMMAND succeeds, and its output matches PATTERN.
check() {
    local output status
    output=$(su user -s /bin/bash -c "cd && $2" 2>&1)
    status=$?
    [ $status -ne 0 ] || grep -qE -- "${3:-}" <<<"$output" || status=1
    ok $status "$1"
    [ $status -eq 0 ] || head -20 <<<"$output" | sed 's/^/# /'
}
# Packages that these depend on may leave files with other names.
files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /var/cache -o -path /var/log -o -path /var/lib/apt \
        -o -path /var/lib/dpkg -o -path /packages -o -path /home \) -prune -o \( -iname '*refcl*' -o -path '/etc/OpenCL*' \) -print
}

rm -f /etc/apt/apt.conf.d/99mmdebstrap # recommended packages are installed, as on a new machine
{ apt-get -q update && apt-get -q install -y passwd clinfo man-db bash-completion zsh fish; } >/tmp/log 2>&1
ok $? "what the dialogue needs"
useradd --create-home user
cd /packages || exit 1
apt-get -q install -y ./*.deb >/tmp/log 2>&1
status=$?
ok $status "apt install ./*.deb"
[ $status -eq 0 ] || sed 's/^/# /' /tmp/log
command -v gcc cc make
ok $((! $?)) "without build tools"

check "refcl -h" "refcl -h" "^commands:"
check "the files of the ten minutes" "cp -r /usr/share/doc/refcl/examples/bugs ."
check "refcl kernel FILE.cl" "cd bugs && refcl kernel histogram.cl" "^kernel void histogram"
check "refcl kernel --auto finds the race" "cd bugs && refcl kernel --auto histogram.cl; [ \$? -eq 1 ]" "data race on argument 'bins'"
check "the compiled engine" "cd bugs && REFCL_ENGINE=jit refcl kernel --check none sum.cl -g 8 -l 8 -a in=buf:8:iota -a out=buf:1 -a part=local:32"
check "refcl explore" "cd bugs && refcl explore sum.cl -g 2 -l 2 -a in=buf:2:iota -a out=buf:1 -a part=local:8; [ \$? -eq 1 ]" "race found"
check "refcl litmus check" "refcl litmus check /usr/share/refcl/suite/message-passing/MP+rel+acq.litmus" "condition fails"
check "refcl litmus run" "refcl litmus run -n 10 --output r.json /usr/share/refcl/suite/message-passing" "0 failed"
check "clinfo" "clinfo" "Platform Name +refcl"
check "refcl run" "refcl run -- clinfo -l" "refcl: no findings|0 findings"
for page in /usr/share/man/man1/refcl*.1.gz; do
    page=$(basename "$page" .1.gz)
    check "man $page" "MANPAGER=cat man $page" "^NAME"
done
check "completion of bash" "bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader refcl; complete -p refcl'" "refcl"
check "completion of zsh" "zsh -fc 'autoload -Uz compinit; compinit -D; print \$_comps[refcl]'" "_refcl"
check "completion of fish" "fish -c 'complete -C \"refcl ker\"'" "^kernel"
check "documents" "cat /usr/share/doc/refcl/ten-minutes.md /usr/share/doc/refcl/litmus-format.md /usr/share/doc/refcl/cat.md" "missing barrier"

apt-get -q remove -y --auto-remove refcl librefcl-icd refcl-doc >/tmp/log 2>&1
ok $? "apt remove"
[ "$(files | grep -vx -e /etc/OpenCL -e /etc/OpenCL/vendors -e /etc/OpenCL/vendors/refcl.icd)" = "" ]
ok $? "only the configuration file is left: $(echo $(files))"
check "clinfo without the library" "clinfo"
apt-get -q purge -y librefcl-icd >/tmp/log 2>&1
[ "$(files)" = "" ]
ok $? "nothing is left after apt purge: $(echo $(files))"
echo "1..$number"
exit $failed
