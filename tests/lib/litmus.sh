# Shared by shell tests of litmus campaigns: source it in the repository's root.  TAP is in tap.sh.
. tests/lib/tap.sh
refcl=$REFCL
runner=$PWD/$BUILD/refcl-litmus-run
tmp=$tap_dir
refcl_icd=("OCL_ICD_VENDORS=$PWD/$BUILD/refcl.icd" "OCL_ICD_FILENAMES=$PWD/$BUILD/librefcl.so")
on_refcl() { # on_refcl [VARIABLE=VALUE...] COMMAND...
    env "${refcl_icd[@]}" "$@"
}
