#!/bin/bash
# hcxkeys: keys of wireless networks, against the standard library's PBKDF2.
set -u
cd "$(dirname "$0")/../../.." || exit 4
. tests/lib/tap.sh
if ! command -v wlangenpmkocl >/dev/null; then
    skip hcxkeys "not installed: hcxkeys"
    done_testing
fi
words=(password1 hello1234 'two words here' 12345678)
printf '%s\n' "${words[@]}" >"$tap_dir/words"
keys() { # keys ESSID: one for each word, as the standard library makes them
    /usr/bin/python3 -c '
import hashlib, sys
for word in open(sys.argv[2]).read().splitlines():
    print(hashlib.pbkdf2_hmac("sha1", word.encode(), sys.argv[1].encode(), 4096, 32).hex() + ":" + word)' \
        "$1" "$tap_dir/words" | sort
}
same() { # same ESSID
    rm -f "$tap_dir/keys"
    timeout "${CLIENT_LIMIT:-300}" wlangenpmkocl -e "$1" -i "$tap_dir/words" -A "$tap_dir/keys" || return 1
    sort "$tap_dir/keys" | diff - <(keys "$1")
}
ok 'keys of a network' same testnet
ok 'of one with a long name' same 'a name of thirty-two characters.'
done_testing
