#!/bin/bash
# Formatting, dependency arrows between the folders, words that do not belong in the repository, and
# references of documents, grammars.
set -u
cd "$(dirname "$0")/.." || exit 4
bad=0

# Library headers that only some places may include: "regex @ places".
libraries=(
    'z3\.h @ ^(checker|tools/prove)/'
    'cjson/ @ ^(checker|litmus|tools|interp/gen|spec-xref)/'
    'spirv-tools/ @ ^(interp/|ref-runtime/compiler/|tools/explore/|tools/assemble_spirv\.c)'
    'llvm-c/ @ ^(interp/jit|ref-runtime/compiler)/'
    '(clang|llvm|LLVMSPIRVLib)/ @ ^(ref-runtime/compiler/.*_shim\.cpp|ref-runtime/compiler/.*\.hpp|interp/jit/(vectorize|instrument|llvm)/.*\.[ch]pp)$'
    'zstd\.h @ ^memmodel/zstd/'
    'CL/ @ ^(ref-runtime|litmus/run|tools/examples|tools/host|tools/layer)/'
)
for rule in "${libraries[@]}"; do
    while IFS=: read -r file line _; do
        if ! echo "$file" | grep -qE "${rule#* @ }"; then
            echo "$file:$line: the header ${rule%% @ *} does not belong here"
            bad=1
        fi
    done < <(grep -rnE "#include <${rule%% @ *}" memmodel checker litmus interp ref-runtime spec-xref tools --include='*.[ch]' --include='*.cpp' --include='*.hpp' --include='*.inc')
done
tools/lint/arrows.py || bad=1
tools/lint/layout.py || bad=1
tools/lint/names.py || bad=1
tools/lint/dialect.py || bad=1
tools/lint/words.py || bad=1
tools/lint/documents.py || bad=1
tools/lint/grammar.py || bad=1

# The litmus runner stands alone.
if grep -nE '#include "(memmodel|checker|interp|ref-runtime|tools|litmus/([a-z_]+\.h|(parse|lower|emit|vulkan|generate|judge)/))' litmus/run/*.[ch] litmus/run/vk/*.[ch]; then
    echo "litmus/run must stand alone"
    bad=1
fi

# Libraries that applications load honor no variable in privileged programs.
if grep -rnE '(^|[^_[:alnum:]])(secure_)?getenv *\(|\<environ\>' memmodel interp ref-runtime tools/hostlib tools/layer tools/preload --include='*.[ch]' --include='*.cpp' |
    grep -vE '^memmodel/base/privilege\.[ch]:|^tools/(layer/report|preload/exec)\.c:.*\<environ\>|^ref-runtime/compiler/client_process\.c:.*(extern char \*\*environ;|mm_is_privileged)'; then
    echo "environment variables are read with mm_getenv (memmodel/base/privilege.h)"
    bad=1
fi

# Members that LLVM 15 or LLVM 19 lacks.
if git grep -nE '(\.|->)(startswith|endswith|starts_with|ends_with|countPopulation|popcount|getInt8PtrTy|getPointerElementType)\(' -- \
    '*.cpp' '*.hpp' ':!interp/jit/vectorize/versions.hpp'; then
    echo "not in every version of LLVM: interp/jit/vectorize/versions.hpp has functions for these"
    bad=1
fi

# "None" has a name.
if grep -nE '([!=]=|return) UINT32_MAX' -r checker memmodel/cat litmus tools/witness --include='*.[ch]'; then
    echo "compare with the named constant (CK_NO_OBJECT, MM_CAT_NO_LOCATION and the like)"
    bad=1
fi

# C++ lives in shims and in the two folders that transform LLVM IR.
while read -r f; do
    case $f in
    *_shim.cpp | interp/jit/vectorize/*.cpp | interp/jit/instrument/*.cpp | interp/jit/llvm/*.cpp) ;;
    *)
        echo "$f: C++ only in *_shim.cpp, interp/jit/vectorize, instrument and llvm"
        bad=1
        ;;
    esac
done < <(git ls-files '*.cpp' '*.cc' '*.cxx')

# Versions format differently.  Where there is another one, lint passes without this check, and says so.
format_version=14
if ! command -v clang-format >/dev/null; then
    echo "clang-format is missing" && bad=1
elif ! clang-format --version | grep -q "version $format_version\."; then
    echo "formatting is not checked: clang-format here is not of version $format_version"
else
    unformatted=$(git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format --dry-run -Werror 2>&1 | grep -E 'error:' | cut -d: -f1 | sort -u)
    if [ -n "$unformatted" ]; then
        echo "not formatted (make format):"
        echo "$unformatted" | sed 's/^/  /'
        bad=1
    fi
fi

if git grep -nIE '\<(TODO|FIXME|XXX)\>' -- '*.c' '*.h' '*.cpp' '*.cat' '*.sh' Makefile ':!tools/lint.sh'; then
    echo "marks of unfinished work"
    bad=1
fi
[ $bad -eq 0 ] && echo "lint: clean"
exit $bad
