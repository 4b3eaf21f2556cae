#!/bin/bash
# The page of refcl xref in a browser.
. tests/lib/tap.sh
ok "the page is written" exits 0 "$REFCL" xref site --output "$tap_dir/xref.html" --prefix "$PWD"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
dom() { # dom HASH PATTERN: the page shows PATTERN
    for _ in 1 2 3; do # a browser does not always start
        timeout "$patience" env -u LD_PRELOAD "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
            --user-data-dir="$tap_dir/profile" --dump-dom "file://$tap_dir/xref.html#$1" 2>/dev/null |
            sed -n '/<main/,/<\/main>/p' >"$tap_dir/dom"
        [ -s "$tap_dir/dom" ] && break
    done
    grep -qE -- "$2" "$tap_dir/dom" || { head -c 600 "$tap_dir/dom"; return 1; }
}
links_lead() { # every link to a file leads to one
    dom "q=release%20sequence" 'litmus/suite' || return 1
    grep -oE "href=\"$PWD/[^\"#]*" "$tap_dir/dom" | sed 's/href="//' | python3 -c '
import os, sys, urllib.parse
files = [urllib.parse.unquote(l.strip()) for l in sys.stdin]
assert len(files) > 10
for f in files: assert os.path.exists(f), f'
}
if [ -n "$browser" ]; then
    ok "search finds the release sequence" dom "q=release%20sequence" 'id="CL 3.3.6 G7"'
    ok "a clause" dom "c=CL%205.2.1%20E3" 'CL_INVALID_BUFFER_SIZE'
    ok "coverage by section" dom "" 'Coverage by section'
    ok "the error matrix" dom "errors" 'clEnqueueMapBuffer'
    ok "ambiguities on the page" dom "ambiguities" 'D27'
    ok "links lead to files" links_lead
else
    skip "the page in a browser" "no Chromium"
fi
done_testing
