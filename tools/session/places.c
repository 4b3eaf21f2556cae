/* Source locations of host code: from module and offset to file and line, by debug information (elfutils). */
#include "tools/session/places.h"

#include "memmodel/base/array.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TEXT_MAX = 4 << 20 };

/* Of the C++ runtime: a new string, NULL if NAME is not mangled. */
char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

/* An executable or library; DEBUG_INFO is NULL if it cannot be read. */
struct session_module {
    char *path;
    Dwfl *session;
    Dwfl_Module *debug_info;
};

static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address};

static Dwfl_Module *debug_info_of(struct session_places *places, const char *path)
{
    for (size_t i = 0; i < places->module_count; i++)
        if (strcmp(places->modules[i].path, path) == 0)
            return places->modules[i].debug_info;
    struct session_module m = {.path = mm_strdup(path), .session = dwfl_begin(&callbacks)};
    if (m.session)
        m.debug_info = dwfl_report_offline(m.session, "", path, -1);
    if (m.debug_info && dwfl_report_end(m.session, NULL, NULL) != 0)
        m.debug_info = NULL;
    if (m.path && mm_append(&places->modules, &places->module_count, &m))
        return m.debug_info;
    dwfl_end(m.session);
    mm_free(m.path);
    return NULL;
}

/* The compilation unit of ADDRESS: of one without a table of addresses (Clang), by its own ranges. */
static Dwarf_Die *unit_at(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) > 0)
            return unit;
    return NULL;
}

/* The name of the innermost function at ADDRESS of UNIT, inlined or not; the caller frees it with
 * mm_free(). */
static char *function_at(Dwarf_Die *unit, Dwarf_Addr address)
{
    Dwarf_Die *scopes = NULL;
    const char *name = NULL;
    char *mangled = NULL;
    int count = dwarf_getscopes(unit, address, &scopes);
    for (int k = 0; k < count && !name; k++) {
        Dwarf_Attribute linkage;
        int tag = dwarf_tag(&scopes[k]);
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
            continue;
        name = dwarf_diename(&scopes[k]);
        if (dwarf_attr_integrate(&scopes[k], DW_AT_linkage_name, &linkage))
            mangled = __cxa_demangle(dwarf_formstring(&linkage), NULL, NULL, NULL);
    }
    char *owned = mm_strdup(mangled ? mangled : name ? name : "");
    free(scopes);
    free(mangled);
    return owned;
}

/* NAME as a path, from the folder where UNIT was compiled; the caller frees it with mm_free(). */
static char *path_of(Dwarf_Die *unit, const char *name)
{
    Dwarf_Attribute folder;
    const char *from =
        *name != '/' && dwarf_attr(unit, DW_AT_comp_dir, &folder) ? dwarf_formstring(&folder) : NULL;
    if (!from)
        return mm_strdup(name);
    size_t size = strlen(from) + strlen(name) + 2;
    char *path = mm_alloc(size);
    if (path)
        snprintf(path, size, "%s/%s", from, name);
    return path;
}

/* The file and line of OFFSET in the module at PATH; false if they are not known.  The caller frees FILE and
 * FUNCTION with mm_free(). */
static bool find_line(struct session_places *places, const char *path, uint64_t offset, char **file,
                      char **function, uint32_t *line)
{
    Dwfl_Module *module = debug_info_of(places, path);
    Dwarf_Addr base = 0, bias = 0;
    if (!module || !dwfl_module_getelf(module, &base))
        return false;
    Dwarf_Die *unit = unit_at(module, offset + base, &bias);
    Dwarf_Line *row = unit ? dwarf_getsrc_die(unit, offset + base - bias) : NULL;
    const char *name = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
    int number = 0;
    if (!name || dwarf_lineno(row, &number) != 0)
        return false;
    *file = path_of(unit, name);
    *function = function_at(unit, offset + base - bias);
    *line = (uint32_t)number;
    return true;
}

static void keep_text(char **slot, char *s)
{
    mm_free(*slot);
    *slot = s;
}

static char *read_file(const char *path)
{
    struct stat info;
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "r") : NULL;
    char *text = file ? mm_alloc(TEXT_MAX) : NULL;
    if (text)
        text[fread(text, 1, TEXT_MAX - 1, file)] = 0;
    if (file)
        fclose(file);
    return text;
}

/* Whether the text of FILE was recorded before, or cannot be: out of memory. */
static bool was_recorded(struct session_places *places, const char *file)
{
    for (size_t i = 0; i < places->file_count; i++)
        if (strcmp(places->files[i], file) == 0)
            return true;
    char *copy = mm_strdup(file);
    if (copy && mm_append(&places->files, &places->file_count, &copy))
        return false;
    mm_free(copy);
    return true;
}

/* Makes TEXT the record of FILE's contents, unless they were recorded already. */
static void record_text(struct session_places *places, const char *file, struct mm_record *text)
{
    if (!*file || was_recorded(places, file))
        return;
    keep_text(&places->strings[2], read_file(file));
    if (places->strings[2])
        *text = (struct mm_record){.type = MM_RECORD_TEXT, .text = {file, places->strings[2]}};
}

bool session_places_find(struct session_places *places, struct mm_record *record, struct mm_record *text)
{
    struct mm_source *source = &record->source;
    char *file, *function;
    text->type = 0;
    if (!source->function || strncmp(source->function, "@0x", 3) != 0)
        return false;
    if (places->hidden || !find_line(places, source->file, strtoull(source->function + 1, NULL, 16), &file,
                                     &function, &source->line)) {
        source->file = source->function = "";
        return true;
    }
    keep_text(&places->strings[0], function);
    keep_text(&places->strings[1], file);
    if (!function || !file)
        return false;
    source->function = function;
    source->file = file;
    record_text(places, file, text);
    return true;
}

void session_places_locate(void *context, struct mm_source *source, struct mm_text *text)
{
    struct mm_record record = {.type = MM_RECORD_SOURCE, .source = *source}, found;
    found.type = 0;
    if (source->line) /* in a file that a kernel includes */
        record_text(context, source->file, &found);
    else if (!session_places_find(context, &record, &found))
        return;
    *source = record.source;
    if (found.type == MM_RECORD_TEXT)
        *text = found.text;
}

void session_places_clear(struct session_places *places)
{
    for (size_t i = 0; i < 3; i++)
        mm_free(places->strings[i]);
    for (size_t i = 0; i < places->file_count; i++)
        mm_free(places->files[i]);
    mm_free(places->files);
    for (size_t i = 0; i < places->module_count; i++) {
        dwfl_end(places->modules[i].session);
        mm_free(places->modules[i].path);
    }
    mm_free(places->modules);
    *places = (struct session_places){0};
}
