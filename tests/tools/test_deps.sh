#!/bin/bash
# tools/deps.sh: which packages it treats as installed, and its message to a user without root.
cd "$(dirname "$0")/../.." || exit 4
. tests/lib/tap.sh
mkdir "$tap_dir/bin"
cat >"$tap_dir/bin/dpkg-query" <<'END'
#!/bin/sh
echo "installed make, "
echo "config-files removed, of-removed"
echo "installed python3-new, python3-old, libversioned (= 1.0)"
END
printf '#!/bin/sh\necho 1000\n' >"$tap_dir/bin/id"
chmod +x "$tap_dir"/bin/*
deps() {
    PATH=$tap_dir/bin:$PATH tools/deps.sh "$@"
}
ok "nothing is missing that is installed" deps make python3-new
ok "nor what an installed package provides, as that of another release" deps python3-old libversioned make
ok "what is missing is named, and the line that installs it" \
    prints 1 "sudo apt-get install -y --no-install-recommends python3 removed of-removed absent$" deps make python3 removed of-removed absent python3-old
done_testing
