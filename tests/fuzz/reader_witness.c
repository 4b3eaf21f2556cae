/* Witnesses: read, and replayed. */
#include "tests/fuzz/reader.h"
#include "tools/witness/replay.h"

static bool read_witness(const uint8_t *data, size_t size)
{
    struct witness witness;
    char why[WITNESS_TEXT];
    if (witness_read(&witness, fuzz_file(data, size)) != 0)
        return false;
    replay_witness(&witness, NULL, why);
    witness_close(&witness);
    return true;
}

const struct fuzz_reader fuzz_witness = {"witness", read_witness, fuzz_mutate_json};
