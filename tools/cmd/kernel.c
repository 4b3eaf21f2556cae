/* refcl kernel: one kernel launch without a host program, checked. */
#include "tools/cmd/kernel.h"
#include "interp/spirv.h"
#include "memmodel/base/input.h"
#include "memmodel/trace/capture.h"
#include "tools/assemble_spirv.h"
#include "tools/cmd/commands.h"
#include "tools/session/captured.h"
#include "tools/session/options.h"
#include "tools/witness/replay.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Passes an option on to the helper as "--name", "value". */
static int pass_option(struct kernel *kernel, const char *name, const char *value)
{
    if (kernel->count + 2 > KERNEL_WORDS)
        return tool_error(EXIT_USAGE, "too many options");
    kernel->words[kernel->count++] = (char *)(uintptr_t)name;
    kernel->words[kernel->count++] = (char *)(uintptr_t)value;
    return 0;
}

/* Keeps what the choice of a launch depends on. */
static void note_option(struct kernel *kernel, const char *name, const char *value)
{
    if (strcmp(name, "kernel") == 0)
        kernel->name = value;
    if (strcmp(name, "global") == 0)
        kernel->global = value;
    if (strcmp(name, "local") == 0)
        kernel->local = value;
}

static int read_option(void *context, const struct tool_option *option, const char *value)
{
    note_option(context, option->name, value);
    return pass_option(context, option->name, value);
}

static int read_argument(void *context, const struct tool_option *option, const char *value)
{
    struct kernel *kernel = context;
    if (kernel->argument_count == KERNEL_ARGUMENTS)
        return tool_error(EXIT_USAGE, "--%s: more than %d", option->name, KERNEL_ARGUMENTS);
    kernel->arguments[kernel->argument_count++] = value;
    return 0;
}

static const struct tool_option options[] = {
    TOOL_INCLUDE(struct kernel, session, session_options),
    {"auto", 0, NULL, "REFCL_AUTO",
     "choose what is not given: sizes, arguments, and their contents (zeros, iota, ones, random, small random numbers); --check uninitialized, too",
     TOOL_TO(struct kernel, automatic)},
    {"kernel", 'k', "NAME", "REFCL_KERNEL", "kernel to launch (default: the only one)",
     TOOL_CALL(read_option)},
    {"global", 'g', "N[,N[,N]]", "REFCL_GLOBAL", "global size (default 1)", TOOL_CALL(read_option)},
    {"local", 'l', "N[,N[,N]]", "REFCL_LOCAL", "work-group size (default: chosen by the runtime)",
     TOOL_CALL(read_option)},
    {"offset", 0, "N[,N[,N]]", "REFCL_OFFSET", "global offset", TOOL_CALL(read_option)},
    {"arg", 'a', "[NAME=]SPEC", NULL,
     "the next argument, or argument NAME: buf:N (N elements of its type), svm:N, local:BYTES, image:KIND:WxHxD[:FORMAT][:levels=N], sampler, pipe:PACKETS, null, 64, "
     "'1,2,3,4', '{1, 2.0, {3, 4}}'; memory with :zero, iota, fill=V, rand=SEED, below=LIMIT, file=PATH, out=PATH, read_only, write_only, as=TYPE (of its elements)",
     TOOL_CALL(read_argument)},
    {"print", 'p', "ARG", NULL,
     "print the buffer argument ARG, a name or number, after the launch; may be repeated",
     TOOL_CALL(read_option)},
    TOOL_INCLUDE(struct kernel, build, tool_build_options),
    {"repeat", 0, "N", "REFCL_REPEAT", "launch N times in a row", TOOL_CALL(read_option)},
    {"replay", 0, NULL, NULL, "re-execute FILE, a witness written by refcl explore, step by step",
     TOOL_TO(struct kernel, replay)},
    TOOL_OPTION_END};

static int pass_arguments(struct kernel *kernel)
{
    int code = kernel_structures(kernel);
    for (size_t i = 0; i < kernel->argument_count && !code; i++)
        code = pass_option(kernel, "arg", kernel->arguments[i]);
    return code;
}

/* Sets the options of the program, of which STANDARD are those that are not given. */
static int set_build_options(struct kernel *kernel, const char *standard)
{
    tool_build_end(&kernel->build, standard);
    kernel->build_options = kernel->build.options;
    return kernel->build_options ? pass_option(kernel, "build-options", kernel->build_options) : 0;
}

/* Structures need the program's types: of its source, or of its SPIR-V. */
static int pass_captured_arguments(struct kernel *kernel, const struct captured_launch *launch)
{
    char program[PATH_MAX + 40];
    const char *path = kernel->path;
    int code = captured_program(launch, program);
    kernel->path = program;
    kernel->name = captured_kernel(launch);
    code = code ? code : set_build_options(kernel, launch->options);
    if (!kernel->build_options)
        kernel->build_options = launch->options;
    code = code ? code : pass_arguments(kernel);
    kernel->path = path;
    return code;
}

/* Runs a captured launch: the helper's command line has the options of the capture, then those of this
 * command. */
static int run_captured(struct kernel *kernel, const char *path)
{
    static struct captured_launch launch;
    static char *words[sizeof launch.words / sizeof *launch.words + KERNEL_WORDS + 8];
    size_t count = 1;
    int code = captured_open(&launch, path);
    if (code)
        return code;
    code = pass_captured_arguments(kernel, &launch);
    kernel->session.command.capture = path;
    words[0] = kernel->words[0];
    for (size_t i = 0; i + 1 < launch.count; i++)
        words[count++] = launch.words[i];
    for (size_t i = 1; i < kernel->count; i++)
        words[count++] = kernel->words[i];
    words[count] = launch.words[launch.count - 1];
    code = code ? code : session_run(&kernel->session, words);
    captured_close(&launch);
    return code;
}

/* A witness fixes the launch, so options that choose it are errors. */
static int run_replay(struct kernel *kernel, const char *path)
{
    const struct session *s = &kernel->session;
    const char *other = kernel->count > 1                            ? kernel->words[1]
                        : kernel->build.given || kernel->build.added ? "build-options"
                        : kernel->argument_count                     ? "arg"
                        : kernel->automatic                          ? "auto"
                                                                     : NULL;
    if (other)
        return tool_error(EXIT_USAGE, "--%s: not allowed with --replay: the witness determines the launch",
                          other);
    if (s->execution.seed || s->execution.has_seeds || s->execution.schedule || s->execution.memory_mode)
        return tool_error(
            EXIT_USAGE,
            "--seed, --seeds, --schedule, --memory: not allowed with --replay: the witness determines the execution");
    return replay_run(&kernel->session, path);
}

/* The suffix selects the format. Any other file is OpenCL C, or a capture if it begins with its magic
 * number. */
enum input { SOURCE, MODULE, CAPTURE };
static int input_of(const char *path, enum input *input)
{
    *input = SOURCE;
    if (tool_has_suffix(path, ".spv"))
        *input = MODULE;
    else if (tool_has_suffix(path, ".cap") || mm_capture_is(path))
        *input = CAPTURE;
    struct stat status;
    struct mm_error err = {0};
    if (*input != CAPTURE && stat(path, &status) == 0 &&
        mm_input_check(*input == MODULE ? MM_INPUT_MODULE : MM_INPUT_SOURCE, 0, (uint64_t)status.st_size,
                       path, &err) != MM_OK)
        return tool_report(&err);
    if (*input != MODULE)
        return 0;
    unsigned char word[4] = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return tool_error(EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
    size_t n = fread(word, 1, sizeof word, file);
    fclose(file);
    if (in_spirv_is(word, n))
        return 0;
    return tool_error(EXIT_USAGE, "'%s' is no SPIR-V module: it does not begin with SPIR-V's magic number",
                      path);
}

/* The module whose text is at PATH becomes a file of FOLDER, whose name is BINARY then.  Such texts are of
 * litmus programs, whose environment may be another one. */
static int assemble_kernel(const char *path, char *folder, char *binary)
{
    struct mm_error err = {0};
    char *text = session_read_text(path);
    void *words = NULL;
    size_t size = 0;
    if (!text)
        return EXIT_USAGE;
    int code = tool_assemble(path, text, &words, &size, &err) == MM_OK ? tool_make_folder(folder, PATH_MAX)
                                                                       : tool_report(&err);
    snprintf(binary, PATH_MAX + 16, "%s/kernel.spv", folder);
    code = code ? code : tool_write_file(binary, words, size);
    setenv("REFCL_ANY_SPIRV", "1", 1);
    mm_free(words);
    mm_free(text);
    return code;
}

/* Findings name the source files of the folder that PATH is in. */
static void set_source_path(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    else
        snprintf(folder, sizeof folder, ".");
    setenv("REFCL_SOURCE_PATH", folder, 1);
}

static int run_file(struct kernel *kernel, char *path)
{
    static char helper[PATH_MAX];
    enum input input;
    if (kernel->replay)
        return run_replay(kernel, path);
    int code = input_of(path, &input);
    code = code ? code : tool_find_helper("refcl-kernel-host", helper);
    if (code)
        return code;
    set_source_path(path);
    kernel->words[0] = helper;
    kernel->path = path;
    if (input == CAPTURE)
        return kernel->automatic
                   ? tool_error(EXIT_USAGE, "--auto: a captured launch has its sizes and arguments")
                   : run_captured(kernel, path);
    if (input == SOURCE)
        kernel->session.command.source = path;
    code = set_build_options(kernel, TOOL_BUILD_STANDARD);
    if (code)
        return code;
    if (kernel->is_bare)
        return kernel_list(kernel);
    if (kernel->automatic)
        return kernel_automatic(kernel);
    code = pass_arguments(kernel);
    kernel->words[kernel->count] = path;
    return code ? code : session_run(&kernel->session, kernel->words);
}

/* True if the words before FIRST are options of the build alone. */
static bool has_build_options_alone(char **argv, int first)
{
    static const char *const names[] = {"--build-options", "--define", "--include", "-D", "-I"};
    bool alone = true;
    for (int i = 1; i < first && alone; i++) {
        alone = false;
        for (size_t k = 0; k < sizeof names / sizeof *names && !alone; k++) {
            alone = strncmp(argv[i], names[k], strlen(names[k])) == 0;
            i += alone && !argv[i][strlen(names[k])]; /* its value is the next word */
        }
    }
    return alone;
}

static int kernel_main(int argc, char **argv)
{
    static struct kernel kernel = {.session = {.check.races = true,
                                               .check.memory = true,
                                               .command.input_status = 2,
                                               .command.own_host = true},
                                   .count = 1};
    static char folder[PATH_MAX], binary[PATH_MAX + 16];
    int code = 0;
    int first = tool_options(&cmd_kernel, argc, argv, false, &kernel, &code);
    if (first < 0)
        return code;
    if (first + 1 != argc)
        return tool_error(EXIT_USAGE, "one kernel file (.cl, .spv, .spvasm, .cap, or a witness) is needed");
    char *line = tool_command_line(&cmd_kernel, argc, argv);
    kernel.session.command.line = line;
    kernel.session.check.api = false; /* the calls are those of refcl-kernel-host */
    kernel.is_bare =
        has_build_options_alone(argv, first) && kernel.count == 1 && !kernel.automatic && !kernel.replay;
    kernel.shown = argv[first];
    if (tool_has_suffix(argv[first], ".spvasm"))
        code = assemble_kernel(argv[first], folder, binary);
    code = code ? code : run_file(&kernel, *folder ? binary : argv[first]);
    if (*folder)
        tool_remove_folder(folder);
    kernel_clear(&kernel);
    tool_build_clear(&kernel.build);
    mm_free(line);
    return code;
}

const struct tool_command cmd_kernel = {
    "kernel", "FILE.cl|FILE.spv|FILE.spvasm|FILE.cap|WITNESS",
    "launch one kernel with given arguments and report races and undefined behavior", options, kernel_main};
