/* The HTML page of findings and executions. */
#ifndef TOOLS_PAGE_H
#define TOOLS_PAGE_H

#include <cjson/cJSON.h>

/* Writes the page of tools/viewer with DATA, which it frees, to NAME.  Returns an exit code. */
int tool_write_page(cJSON *data, const char *name);
/* The page of VERDICT, which has the witnesses of tests, and the text of their files. */
int tool_write_verdict_page(const cJSON *verdict, const char *name);

#endif
