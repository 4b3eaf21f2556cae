#!/bin/bash
# tools/lint.sh is clean here, and its checks of documents and words report what they should in a small
# repository.
set -u
cd "$(dirname "$0")/../.." || exit 4
. tests/lib/tap.sh
unset LD_PRELOAD # nothing of refcl runs here
git rev-parse >/dev/null 2>&1 || skip_all "no git checkout"
ok "the repository" tools/lint.sh

root=$PWD here=$tap_dir/repository
mkdir -p "$here/checker/docs" "$here/checker/search" && cd "$here" || exit 4
git init -q .
cat >checker/docs/search.md <<'EOF'
# Search
## Revisits of reads, and bounds
EOF
cat >checker/search/step.c <<'EOF'
/* docs/search.md#revisits-of-reads-and-bounds, checker/docs/search.md */
int step(int (*next)(void),
         int limit)
{
    return other(limit);
}
EOF
cat >checker/README.md <<'EOF'
# The checker
`search/step.c`, `step.c`, `search/*.c`, [search](docs/search.md#search), [`step()`](search/step.c), [below](#the-checker)
EOF
git add -A
complaints() { # complaints CHECK EXPECTED...: it prints these lines and no others
    local program=$1
    shift
    diff <("$root/tools/lint/$program" 2>&1) <([ $# -eq 0 ] || printf '%s\n' "$@")
}
ok "references that are right" complaints documents.py
ok "words that are right" complaints words.py
echo '/* docs/search.md#revisits, docs/absent.md */' >checker/search/cite.c
git add -A
ok "citations" complaints documents.py "checker/search/cite.c:1: checker/docs/search.md has no section 'revisits'" \
    "checker/search/cite.c:1: there is no docs/absent.md in this folder or above it"
git rm -qf checker/search/cite.c
cat >checker/docs/more.md <<'EOF'
[a](absent.md) [b](search.md#bounds)
[`other()`](../search/step.c)
[`limit()`](../search/step.c) `search/walk.c` `search/{step,walk}.{c,h}`
EOF
git add -A
ok "links, functions and names of files" complaints documents.py \
    "checker/docs/more.md:1: there is no checker/docs/absent.md" \
    "checker/docs/more.md:1: checker/docs/search.md has no section 'bounds'" \
    "checker/docs/more.md:2: checker/search/step.c does not define other()" \
    "checker/docs/more.md:3: checker/search/step.c does not define limit()" \
    "checker/docs/more.md:3: there is no search/walk.c" \
    "checker/docs/more.md:3: there is no search/step.h"
git rm -qf checker/docs/more.md
printf '%s\n' '/* step.c, search/step.c, walk.c */' 'char *s = "walk.c"; // search/walk.c' >checker/search/comment.c
printf '%s\n' '#!/bin/bash' '# checker/search/step.c, search/walk.sh' 'echo walk.c' >checker/search/comment.sh
git add -A
ok "names of files in comments" complaints documents.py "checker/search/comment.c:1: there is no walk.c" \
    "checker/search/comment.c:2: there is no search/walk.c" "checker/search/comment.sh:2: there is no search/walk.sh"
git rm -qf checker/search/comment.c checker/search/comment.sh
echo 'int mm_step_once;' >checker/search/once.c
echo '`mm_step_once` `mm_step_` `mm_step()` `mm_other_` `struct ck_gone` `in_emit_FAMILY()` mm_gone' >checker/docs/more.md
git add -A
ok "identifiers" complaints documents.py "checker/docs/more.md:1: no source has mm_step" \
    "checker/docs/more.md:1: no source has mm_other_" "checker/docs/more.md:1: no source has ck_gone"
git rm -qf checker/search/once.c checker/docs/more.md
echo '/* Somebody goes round. */ char *nobody = "who";' >checker/search/words.c
git add -A
ok "words" complaints words.py \
    "checker/search/words.c:1: 'Somebody': write name the component: thread, event, agent, function, caller" \
    "checker/search/words.c:1: 'goes round': write iteration, trip count" \
    "checker/search/words.c:1: 'who': write that, which; name the component"
git rm -qf checker/search/words.c
mkdir tests litmus
printf '%s\n' 'def nobody(who):' '    """Somebody."""' "    return f'no one'  # goes on" >tests/words.py
printf '%s\n' '# Looks at it.' 'echo "round (up)"' >tests/words.sh
echo 'kernel void nobody(float x) { x = round(x); } // a round' >tests/words.cl
echo '(* goes round *)' >tests/words.litmus
git add -A
ok "words of Python, shell, kernels and litmus tests" complaints words.py \
    "tests/words.cl:1: 'round': write iteration, trip count" \
    "tests/words.litmus:1: 'goes round': write iteration, trip count" \
    "tests/words.py:2: 'Somebody': write name the component: thread, event, agent, function, caller" \
    "tests/words.py:3: 'no one': write name the component: thread, event, agent, function, caller" \
    "tests/words.py:3: 'goes on': write continue, resume, step, yield to" \
    "tests/words.sh:2: 'round': write iteration, trip count" \
    "tests/words.sh:1: 'Looks at': write explored, examined, checked"
git rm -rqf tests litmus
echo 'static int step_once(void) { return 1; } static int other(void) { return 2; }' >checker/search/names.c
sed -i 's/ static/\nstatic/' checker/search/names.c
git add -A
ok "names of static functions" complaints names.py "static function 'other' is one word: checker/search/names.c"
git rm -qf checker/search/names.c
ok "a small tree" complaints layout.py
cat >checker/search/dialect.c <<'EOF'
/* H4: waits. */
static size_t words(struct list *l, char (*line)[80])
{
    if (l != NULL && l->next == NULL)
        return sizeof(*l->next) + sizeof *l + sizeof(uint32_t) + sizeof(struct list);
    return (line != NULL) + sizeof *line;
}
EOF
printf ' * %-107s\n// %-108s\n' 'within 110 columns' 'one more' >>checker/search/dialect.c
git add -A
ok "dialect" complaints dialect.py "checker/search/dialect.c:1: a clause is cited as [CL 3.3.6 H4]" \
    "checker/search/dialect.c:4: a pointer in a condition is p or !p" \
    "checker/search/dialect.c:5: sizeof of an expression has no parentheses" \
    "checker/search/dialect.c:9: a comment has at most 110 columns"
git rm -qf checker/search/dialect.c
echo >crash-1
printf 'static int far(int a,\n    int b)\n{\n' >checker/search/long.c
yes '    step();' | head -n 77 >>checker/search/long.c
echo '}' >>checker/search/long.c
git add -A
ok "a stray file; a function of 81 lines" complaints layout.py "crash-1: does not belong in the top level" \
    "checker/search/long.c:1: a function of 81 lines, more than 80"
git rm -qf crash-1
{
    yes '' | head -n 600
    echo 'int one;'
} >checker/search/long.c
git add -A
ok "a file of 601 lines" complaints layout.py "checker/search/long.c: 601 lines, more than 600"
git rm -qf checker/search/long.c
{
    printf '#ifndef CHECKER_SEARCH_WIDE_H\n#define CHECKER_SEARCH_WIDE_H\n'
    echo 'struct wide {'
    for i in {1..15}; do echo "    int a$i, b$i; /* one, two */"; done
    echo '    struct { int x, y; } nested;'
    printf '};\n#endif\n'
} >checker/search/wide.h
git add -A
ok "a structure of 31 members" complaints layout.py "checker/search/wide.h: struct wide has 31 members, more than 30"
git rm -qf checker/search/wide.h
printf '#ifndef SEARCH_H\n#define SEARCH_H\n#endif\n' >checker/search/search.h
echo 'struct none;' >checker/search/none.h
git add -A
ok "include guards" complaints layout.py "checker/search/none.h: the include guard is CHECKER_SEARCH_NONE_H" \
    "checker/search/search.h: the include guard is CHECKER_SEARCH_SEARCH_H"
git rm -qf checker/search/search.h checker/search/none.h
cd "$root" || exit 4
done_testing
