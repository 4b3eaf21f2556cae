#!/bin/bash
# Writes the generated folders of the suite: litmus/generate/generate.sh [FOLDER] (default litmus/suite).
# Each line has the arguments of `refcl litmus gen` for one folder.
set -eu
cd "$(dirname "$0")/.."
refcl=${BUILD:-build}/refcl
suite=${1:-litmus/suite}
two=MP,SB,LB,S,R,2+2W
gen() { # FOLDER OPTIONS...
    folder=$1
    shift
    echo "$folder: $*" >&2
    "$refcl" litmus gen -o "$suite/$folder" "$@"
}
mkdir -p "$suite"
# Two threads and two locations: orders and scopes of atomic operations.
gen generated-atomics --shapes $two --weaker 4
gen generated-scopes --shapes $two --places wg,sg,dev --scopes sg,wg,dev --weaker 1 --allowed
# Nothing but relaxed atomics: what weak memory shows.
gen generated-relaxed --shapes $two,WRC,WWC,ISA2,RWC,W+RWC,Z6.3,3SB,3LB,3.2W,IRIW --orders rlx --mechanisms a,m --allowed
gen generated-relaxed-work-group --shapes $two --places wg --regions g,l --scopes wg --orders rlx --allowed
# Plain data passed on by atomics, fences and read-modify-writes.
gen generated-plain-data --shapes MP,S --places dev,wg --orders ar --mechanisms aa,ff,af,fa,mm,ma,am --data plain --weaker 1
# The same shapes with fences, and fences on one side alone.
gen generated-fences --shapes MP,LB,S --orders ar --mechanisms f,af,fa --flags gl --weaker 2
gen generated-sc-fences --shapes SB,R,2+2W --mechanisms f,af,fa --weaker 2
gen generated-fence-scopes --shapes MP,LB --places wg,sg --scopes wg,sg --orders ar --mechanisms f,fa --weaker 1
# Read-modify-writes in place of loads and stores.
gen generated-rmw --shapes MP,LB,S,CoRR,CoRW --orders ar --mechanisms m,ma,am,mf --weaker 1
gen generated-sc-rmw --shapes SB,R,2+2W --mechanisms m,ma,am --weaker 1
# Local memory, and one location in each region.
gen generated-local --shapes MP,LB,S --places wg --regions l --scopes wg --orders ar --mechanisms a,f,m,fa --flags gl --weaker 1
gen generated-sc-local --shapes SB,R,2+2W --places wg --regions l --scopes wg --weaker 2
gen generated-cross-region --shapes MP,LB,S --places wg --regions gl,lg --scopes wg --orders ar --mechanisms a,f,fa --flags gl --weaker 2 --allowed
gen generated-sc-cross-region --shapes $two --places wg --regions gl,lg --scopes wg --weaker 1 --allowed
# Coherence of one location: three accesses and four, in both regions.
gen generated-coherence --shapes CoRR,CoRW,CoRR-2W --places dev,wg --regions g,l --scopes wg,dev --orders ar --mechanisms a,m --weaker 1 --allowed
# Barriers: flags, scopes, regions.
gen generated-barriers --shapes BWR,BRW,BWW --places wg,dev --regions g,l --scopes wg,dev --data plain,atomic --flags gl,g,l --orders ar --weaker 2 --allowed
gen generated-sub-group-barriers --shapes BWR,BRW,BWW --places sg,wg --regions g,l --scopes sg --mechanisms s --data plain --flags gl,g,l --orders ar --weaker 1 --allowed
# Three threads.
gen generated-three --shapes WRC,WWC,ISA2,3LB --orders ar --weaker 2
gen generated-sc-three --shapes RWC,W+RWC,Z6.3,3SB,3.2W --weaker 1
gen generated-three-scopes --shapes WRC,WWC,ISA2 --places split,wg --scopes wg,dev --orders ar --weaker 1 --allowed
# Fine-grained SVM with atomics, at the scope of all devices: elsewhere a narrower one is always enough.
gen generated-all-devices --shapes $two --places wg,dev --regions s --scopes all,dev --weaker 1 --allowed
gen generated-all-devices-mechanisms --shapes MP,LB,S --places dev --regions s --scopes all --orders ar --mechanisms f,fa,af,m,ma,am --weaker 1
gen generated-all-devices-plain-data --shapes MP,S --places dev --regions s --scopes all --orders ar --mechanisms aa,ff,mm --data plain --weaker 1
gen generated-all-devices-three --shapes WRC,WWC,ISA2,RWC,3SB --places dev --regions s --scopes all --weaker 1
gen generated-all-devices-coherence --shapes CoRR,CoRW,CoRR-2W --places dev --regions s --scopes all --orders ar --mechanisms a,m --weaker 1
# Pointers to the generic address space.
gen generated-generic --shapes $two --places wg --regions G,L,GL,LG --scopes wg --weaker 1 --allowed
gen generated-generic-device --shapes $two --places dev --regions G,S --scopes dev,all --weaker 1
gen generated-generic-sub-group --shapes $two --places sg --regions G,L --scopes sg --weaker 0
gen generated-generic-mechanisms --shapes MP,S --places wg --regions G,L --scopes wg --orders ar --mechanisms f,fa,m,ma --flags gl --weaker 1
gen generated-generic-plain-data --shapes MP,S --places wg --regions G,L,GL,LG --scopes wg --orders ar --mechanisms aa,ff --data plain --flags gl --weaker 1
gen generated-generic-barriers --shapes BWR,BRW,BWW --places wg --regions G,L --scopes wg --data plain,atomic --flags gl --orders ar --weaker 1
gen generated-generic-coherence --shapes CoRR,CoRW,CoRR-2W --places wg --regions G,L --scopes wg --orders ar --mechanisms a,m --weaker 1
gen generated-generic-three --shapes WRC,WWC,ISA2 --places wg --regions G,L --scopes wg --weaker 1
# A test that two folders have stays in the first.
sha256sum "$suite"/generated-*/*.litmus | awk 'seen[$1]++ { print substr($0, 67) }' | while read -r file; do rm -- "$file"; done
