/* The subcommands of refcl, one file each. */
#ifndef TOOLS_CMD_COMMANDS_H
#define TOOLS_CMD_COMMANDS_H

#include "tools/tool.h"

extern const struct tool_command cmd_litmus_check;
extern const struct tool_command cmd_litmus_plan;
extern const struct tool_command cmd_litmus_run;
extern const struct tool_command cmd_litmus_judge;
extern const struct tool_command cmd_litmus_gen;
extern const struct tool_command cmd_litmus_translate;
extern const struct tool_command cmd_litmus_merge;
extern const struct tool_command cmd_gate;
extern const struct tool_command cmd_run;
extern const struct tool_command cmd_kernel;
extern const struct tool_command cmd_capture;
extern const struct tool_command cmd_host_cc;
extern const struct tool_command cmd_trace_dump;
extern const struct tool_command cmd_trace_check;
extern const struct tool_command cmd_explore;
extern const struct tool_command cmd_xref;
extern const struct tool_command cmd_xref_extract;
extern const struct tool_command cmd_xref_diff;
extern const struct tool_command cmd_xref_check;
extern const struct tool_command cmd_xref_site;
extern const struct tool_command cmd_xref_errors;
extern const struct tool_command cmd_xref_ambiguities;
extern const struct tool_command cmd_results_add;
extern const struct tool_command cmd_results_judge;
extern const struct tool_command cmd_results_list;
extern const struct tool_command cmd_results_show;
extern const struct tool_command cmd_results_history;
extern const struct tool_command cmd_results_shape;
extern const struct tool_command cmd_results_compare;
extern const struct tool_command cmd_results_updates;
extern const struct tool_command cmd_results_regressions;
extern const struct tool_command cmd_results_export;
extern const struct tool_command cmd_results_site;

#endif
