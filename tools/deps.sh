#!/bin/sh
# Installs the named Debian packages that are missing.  Without root it prints the one line to run.
missing=
# A package may have another name in another release, where it provides the old one.
installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}, ${Provides}\n' 2>/dev/null | sed -n 's/^installed //p' | tr ',\n' '  ') "
for p in "$@"; do
    case $installed in
    *" $p "*) ;;
    *) missing="$missing $p" ;;
    esac
done
[ -z "$missing" ] && exit 0
line="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" -ne 0 ]; then
    echo "Some packages are missing. Run this, then try again:" >&2
    echo "  sudo $line" >&2
    exit 1
fi
echo "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
$line >/dev/null 2>&1 || { apt-get update && $line; }
