#!/bin/bash
# hashcat: its self-test, and three hashes of known passwords.
if ! command -v hashcat >/dev/null; then
    echo "1..0 # SKIP not installed: hashcat"
    exit 0
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
crack() { # number, mode, hash, word
    HOME=$dir XDG_CACHE_HOME=$dir XDG_DATA_HOME=$dir timeout "${CLIENT_LIMIT:-400}" hashcat -D 1,2 -m "$2" -a 3 --force -w 1 --potfile-disable \
        -o "$dir/out$1" --outfile-format 2 "$3" '?l?l?d' >"$dir/log" 2>&1
    if [ "$(cat "$dir/out$1" 2>/dev/null)" = "$4" ]; then
        echo "ok $1 - mode $2"
    else
        printf 'not ok %s - mode %s\n# %s\n' "$1" "$2" "$(tail -3 "$dir/log" | tr '\n' ' ')"
    fi
}
echo 1..3
crack 1 0 "$(printf cl3 | md5sum | cut -d' ' -f1)" cl3
crack 2 100 "$(printf ab7 | sha1sum | cut -d' ' -f1)" ab7
crack 3 1400 "$(printf zz9 | sha256sum | cut -d' ' -f1)" zz9
