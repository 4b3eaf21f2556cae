/* Inputs: elements of memory whose initial values are unconstrained, up to ranges and requirements. */
#include "checker/program/program.h"

#include "memmodel/base/array.h"

uint32_t ck_program_add_input(struct ck_program *program, const struct ck_input *input)
{
    return mm_arena_append(program->arena, &program->inputs, &program->input_count, input)
               ? program->input_count - 1
               : CK_NOT_ADDED;
}

uint32_t ck_program_add_requirement(struct ck_program *program, uint32_t expr)
{
    return mm_arena_append(program->arena, &program->requirements, &program->requirement_count, &expr)
               ? program->requirement_count - 1
               : CK_NOT_ADDED;
}

uint32_t ck_program_first_input(const struct ck_program *program, uint32_t object)
{
    for (uint32_t i = 0; i < program->input_count; i++)
        if (program->inputs[i].object == object)
            return i;
    return CK_NO_INPUT;
}
