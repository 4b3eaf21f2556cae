/* libFuzzer over loading and executing modules, with a mutator that knows instructions: it changes operands,
 * copies, drops and moves whole instructions.  Started by `make fuzz`. */
#include "fuzz_module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fz_try(data, size);
    return 0;
}

static uint64_t state_;
static uint32_t pick(uint32_t n)
{
    state_ = state_ * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state_ >> 33) % (n == 0 ? 1 : n);
}

enum { MOST_INSTRUCTIONS = 8192, HEAD = 5 };
struct layout {
    uint32_t *words, count, room;
    uint32_t at[MOST_INSTRUCTIONS], instructions;
};

static void find_instructions(struct layout *l)
{
    l->instructions = 0;
    for (uint32_t at = HEAD; at < l->count && l->instructions < MOST_INSTRUCTIONS; at += l->words[at] >> 16) {
        if (l->words[at] >> 16 == 0 || l->words[at] >> 16 > l->count - at)
            return;
        l->at[l->instructions++] = at;
    }
}

static uint32_t interesting(const struct layout *l)
{
    static const uint32_t values[] = {0,   1,          2,          3,          4,          7,    8,
                                      16,  31,         32,         33,         63,         64,   255,
                                      256, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 65536};
    switch (pick(4)) {
    case 0:
        return values[pick(sizeof values / sizeof *values)];
    case 1:
        return pick(l->words[3] < 100000 ? l->words[3] : 100);
    case 2:
        return pick(200);
    default:
        return l->words[HEAD + pick(l->count - HEAD)];
    }
}

static void change_operand(struct layout *l)
{
    uint32_t at = l->at[pick(l->instructions)], length = l->words[at] >> 16;
    if (length < 2)
        return;
    uint32_t *word = &l->words[at + 1 + pick(length - 1)];
    switch (pick(5)) {
    case 0:
        *word += pick(5) - 2;
        break;
    case 1:
        *word ^= 1u << pick(32);
        break;
    default:
        *word = interesting(l);
    }
}

/* Opcodes near each other often have the same shape, and so have extended instructions. */
static void change_opcode(struct layout *l)
{
    uint32_t at = l->at[pick(l->instructions)], length = l->words[at] >> 16, opcode = l->words[at] & 0xffff;
    if (opcode == 12 && length > 4 && pick(3) > 0)
        l->words[at + 4] = pick(205);
    else
        l->words[at] = length << 16 | (pick(4) > 0 ? (opcode + pick(9) - 4) & 0xffff : pick(450));
}

static void insert(struct layout *l, uint32_t to, const uint32_t *words, uint32_t length)
{
    if (length > l->room - l->count)
        return;
    memmove(l->words + to + length, l->words + to, (l->count - to) * 4ul);
    memcpy(l->words + to, words, length * 4ul);
    l->count += length;
}

static void drop(struct layout *l, uint32_t at, uint32_t length)
{
    memmove(l->words + at, l->words + at + length, (l->count - at - length) * 4ul);
    l->count -= length;
}

static void move_instruction(struct layout *l)
{
    uint32_t copy[256], n = pick(l->instructions), from = l->at[n], length = l->words[from] >> 16,
                        how = pick(4);
    uint32_t to = l->at[how == 0 ? pick(l->instructions) : (n + pick(9)) % l->instructions];
    if (length > 256)
        return;
    memcpy(copy, l->words + from, length * 4ul);
    if (how == 3) {
        drop(l, from, length);
    } else if (how == 2) { /* a copy with a result of its own */
        if (length > 2)
            copy[2] = l->words[3]++;
        insert(l, to, copy, length);
    } else {
        drop(l, from, length);
        insert(l, to > from ? to - length : to, copy, length);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    state_ = seed;
    if (size < 4 * (HEAD + 2) || pick(20) == 0)
        return LLVMFuzzerMutate(data, size, max);
    static struct layout l;
    l.room = (uint32_t)(max / 4);
    l.words = malloc(l.room * 4ul);
    l.count = (uint32_t)(size / 4);
    if (l.words == NULL)
        return size;
    memcpy(l.words, data, l.count * 4ul);
    for (uint32_t n = 1 + pick(3); n > 0; n--) {
        find_instructions(&l);
        if (l.instructions == 0)
            break;
        uint32_t how = pick(10);
        if (how < 6)
            change_operand(&l);
        else if (how < 8)
            change_opcode(&l);
        else
            move_instruction(&l);
    }
    size = l.count * 4ul;
    memcpy(data, l.words, size);
    free(l.words);
    return size;
}
