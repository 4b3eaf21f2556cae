#!/bin/bash
# Formatting, dependency arrows between the folders, and words that do not belong in the repository.
set -u
cd "$(dirname "$0")/.." || exit 4
bad=0

# Folder -> project folders whose headers it may include.
allowed() {
    case $1 in
    memmodel) echo "memmodel" ;;
    checker) echo "checker memmodel" ;;
    litmus) echo "litmus checker memmodel" ;;
    interp) echo "interp memmodel" ;;
    ref-runtime) echo "ref-runtime interp memmodel" ;;
    spec-xref) echo "spec-xref memmodel" ;;
    tools) echo "tools spec-xref litmus checker memmodel interp ref-runtime" ;;
    esac
}
# Library headers that only some places may include: "regex @ places".
libraries=(
    'z3\.h @ ^checker/'
    'cjson/ @ ^(checker|litmus|tools|interp/gen|spec-xref)/'
    'spirv-tools/ @ ^(interp/|ref-runtime/compiler/|tools/explore_)'
    'llvm-c/ @ ^(interp/jit|ref-runtime/compiler)/'
    '(clang|llvm|LLVMSPIRVLib)/ @ ^(ref-runtime/compiler|interp/jit)/.*_shim\.cpp$'
    'zstd\.h @ ^memmodel/zstd/'
    'CL/ @ ^(ref-runtime|litmus/run|tools/host)/'
)
for folder in memmodel checker litmus interp ref-runtime spec-xref tools; do
    ok=" $(allowed $folder) "
    while IFS=: read -r file line text; do
        target=$(echo "$text" | sed -E 's/.*"(memmodel|checker|litmus|interp|ref-runtime|spec-xref|tools)\/.*/\1/')
        case $ok in
        *" $target "*) ;;
        *)
            echo "$file:$line: $folder must not include $target/"
            bad=1
            ;;
        esac
    done < <(grep -rnE '#include "(memmodel|checker|litmus|interp|ref-runtime|spec-xref|tools)/' $folder --include='*.[ch]' --include='*.cpp')
done
for rule in "${libraries[@]}"; do
    while IFS=: read -r file line _; do
        if ! echo "$file" | grep -qE "${rule#* @ }"; then
            echo "$file:$line: the header ${rule%% @ *} does not belong here"
            bad=1
        fi
    done < <(grep -rnE "#include <${rule%% @ *}" memmodel checker litmus interp ref-runtime spec-xref tools --include='*.[ch]' --include='*.cpp')
done

# The litmus runner stands alone.
if grep -nE '#include "(memmodel|checker|interp|ref-runtime|tools|litmus/[a-z_]+\.h)' litmus/run/*.[ch]; then
    echo "litmus/run must stand alone"
    bad=1
fi

# Libraries that applications load honour no variable in privileged programs.
if grep -rnE '(^|[^_[:alnum:]])(secure_)?getenv *\(|\<environ\>' memmodel interp ref-runtime tools/hostlib --include='*.[ch]' --include='*.cpp' |
    grep -vE '^memmodel/base/privilege\.[ch]:|^ref-runtime/compiler/client_process\.c:.*(extern char \*\*environ;|mm_is_privileged)'; then
    echo "environment variables are read with mm_getenv (memmodel/base/privilege.h)"
    bad=1
fi

# C++ lives in shims only.
while read -r f; do
    case $f in
    *_shim.cpp) ;;
    *)
        echo "$f: C++ only in *_shim.cpp"
        bad=1
        ;;
    esac
done < <(git ls-files '*.cpp' '*.cc' '*.cxx')

if command -v clang-format >/dev/null; then
    unformatted=$(git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format --dry-run -Werror 2>&1 | grep -E 'error:' | cut -d: -f1 | sort -u)
    if [ -n "$unformatted" ]; then
        echo "not formatted (make format):"
        echo "$unformatted" | sed 's/^/  /'
        bad=1
    fi
else
    echo "clang-format is missing" && bad=1
fi

if git grep -nIE '\<(TODO|FIXME|XXX)\>' -- '*.c' '*.h' '*.cpp' '*.cat' '*.sh' Makefile ':!tools/lint.sh'; then
    echo "marks of unfinished work"
    bad=1
fi
[ $bad -eq 0 ] && echo "lint: clean"
exit $bad
