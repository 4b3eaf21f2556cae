#!/usr/bin/env python3
"""The page of `refcl kernel --html`, `litmus check --html` and `explore --html` in headless Chromium, at two
sizes: what is visible at once, relations to switch, stepping by keys."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import PATIENCE, REFCL as refcl, WITHOUT_PRELOAD
from tap import check


PROBE = """<script>
{
const say = (key, value) => { const p = document.createElement("p"); p.className = "probe"; p.textContent = key + "=" + value;
                              document.documentElement.appendChild(p); };
const count = what => document.querySelectorAll(what).length, one = what => document.querySelector(what);
const press = key => document.dispatchEvent(new KeyboardEvent("keydown", { key }));
/* Whether the whole of a node is in the window and nothing else of the page is over its middle. */
const isVisible = node => { const r = node.getBoundingClientRect(), x = (r.left + r.right) / 2, y = (r.top + r.bottom) / 2, top = document.elementFromPoint(x, y);
  return r.top >= 0 && r.left >= 0 && r.bottom <= innerHeight && r.right <= innerWidth && !!top && (node.contains(top) || top.contains(node)); };
say("size", innerWidth + "x" + innerHeight + ", time " + one("#time").getBoundingClientRect().top + " to " + one("#time").getBoundingClientRect().bottom); say("events", count(".event")); say("accesses", count(".event.access")); say("races", count(".edge.race"));
say("visible", [...document.querySelectorAll(".event.access")].every(isVisible) + "," + [...document.querySelectorAll("pre .here")].every(isVisible) + "," +
    [...document.querySelectorAll("#names .racing")].every(isVisible) + "," + (!one("#memory .racing") || isVisible(one("#memory .racing"))) + "," + isVisible(one("#details h1")));
say("sideways", document.documentElement.scrollWidth <= innerWidth);
say("lines", [...document.querySelectorAll("pre .here")].map(n => n.textContent.trim().replace("=", "is")).join("; "));
say("names", count("#names .racing"));
for (const relation of ["po", "race"]) {
  const before = count(".edge." + relation), box = document.getElementById("show-" + relation);
  box.click(); const off = count(".edge." + relation); box.click();
  say("toggle-" + relation, (before > 0) + "," + (off === 0) + "," + (count(".edge." + relation) === before));
}
const chosen = () => +one("#rows .chosen").dataset.id, first = chosen();
press("j"); const next = chosen(); press("k"); say("steps", (next > first) + "," + (chosen() === first));
press("n"); say("same-element", one("#rows .chosen").classList.contains("access") && chosen() !== first);
say("value", one("#memory .racing") && one("#memory .racing").textContent); press("p");
say("back", chosen() === first);
const folded = count(".event"); press("f"); say("unfolds", count(".event") > folded); press("f"); say("folds", count(".event") === folded);
one(".event.access").dispatchEvent(new MouseEvent("click")); say("clause", one("#relations").textContent.includes("CL 3.3.6"));
one("#time").scrollTop = 1e6; say("names-stay", [...document.querySelectorAll("#names .racing")].every(isVisible));
for (const event of document.querySelectorAll("#rows .event")) { event.dispatchEvent(new MouseEvent("click")); const box = one("#details"); if (innerHeight > 640 && box.scrollHeight > box.clientHeight) say("details-cut", one("#details h1").textContent + ": " + box.scrollHeight); }
press("]"); say("second", one("#message h1").textContent); say("heat", count("#heat td"));
}
</script>"""
SIZES = ("1300,900", "1366,911", "1366,700")  # windows, of which 143 pixels are the frame: that of a laptop is 768 high
MANY = """kernel void k(global int *a, global int *b, global int *c)
{
    local int t[16], u[16], v[16];
    int l = get_local_id(0);
    t[l] = l;
    u[l] = l + 1;
    v[l] = 2 * l;
    a[l] = t[15 - l];
    b[l] = u[15 - l];
    c[l] = v[15 - l] + t[(l + 1) % 16];
}
"""
LITMUS = """OPENCL mp
{ [x]=0; [y]=0; }
P0@wg 0, dev 0 (global int* x, global atomic_int* y) {
  *x = 1;
  atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device);
}
P1@wg 1, dev 0 (global int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_device);
  int r1 = 0;
  if (r0 == 1) r1 = *x;
}
exists (1:r0=1 /\\ 1:r1=0)
"""


def browse(chromium, folder, page, size, before=""):
    """Output of the probe for PAGE in a window of SIZE, after the script BEFORE."""
    probed = os.path.join(folder, "probed.html")
    with open(page, encoding="utf-8") as f, open(probed, "w", encoding="utf-8") as g:
        g.write(f.read().replace("</body>", "<script>" + before + "</script>" + PROBE + "</body>"))
    # The size of the screenshot is that of the window's contents; a dump of the page would be laid out for
    # another one.
    command = [*WITHOUT_PRELOAD, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir=" + folder + "/profile",
               "--hide-scrollbars", "--window-size=" + size, "--virtual-time-budget=3000", "--dump-dom", "file://" + probed]
    dom = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=PATIENCE).stdout.decode()
    return dict(re.findall(r'class="probe">([^=<]*)=([^<]*)<', dom))


def look(chromium, folder, page, name, wanted, before="", relations=("po", "race")):
    for size in SIZES:
        said = browse(chromium, folder, page, size, before)
        check("%s at %s: two accesses, their missing edge, the names of their threads" % (name, size),
              (said.get("accesses"), said.get("races"), said.get("names")) == ("2", "1", "2"), said)
        check("... all of it, both lines, the element and the details are visible at once", said.get("visible") == "true,true,true,true,true", said)
        check("... the details of each event are whole", "details-cut" not in said, said.get("details-cut"))
        check("... the page is no wider than the window", said.get("sideways") == "true", said)
        for relation in relations:
            check("... relation %s can be switched" % relation, said.get("toggle-" + relation) == "true,true,true", said)
        check("... keys step, to accesses of the same element, too", (said.get("steps"), said.get("same-element"), said.get("back")) == ("true,true", "true", "true"), said)
        check("... the names stay when the events are scrolled", said.get("names-stay") == "true", said)
        check("... relations name their clauses", said.get("clause") == "true", said)
        check("... the shared past unfolds and folds", (said.get("unfolds"), said.get("folds")) == ("true", "true"), said)
        for key, value in wanted.items():
            check("... %s: %s" % (key, value), value in said.get(key, ""), said)


def agents(folder):
    """The work-items with plain accesses in the graph of a race of the first and the third."""
    kernel, page = os.path.join(folder, "third.cl"), os.path.join(folder, "third.html")
    with open(kernel, "w") as f:
        f.write("kernel void k(global int *x, global int *y)\n{\n    int i = get_global_id(0);\n    y[i] = i;\n    if (i != 1)\n"
                "        *x = i;\n}\n")
    subprocess.run([refcl, "kernel", "-q", "-g", "3", "-l", "3", "-a", "buf:1", "-a", "buf:3", "--html", page, kernel])
    with open(page, encoding="utf-8") as f:
        data = json.loads(re.search(r'type="application/json">(.*?)</script>', f.read(), re.S)[1])
    return {e["agent"].split()[1] for e in data["graphs"][0]["events"] if e["kind"] in ("read", "write")}


def values(folder):
    """What each kernel argument receives, according to the page."""
    kernel, page = os.path.join(folder, "types.cl"), os.path.join(folder, "types.html")
    with open(kernel, "w") as f:
        f.write("kernel void k(global float *single, global int *number, global uint *bits, global float2 *pair, local float *own)\n"
                "{\n    *single = 0.1f;\n    *number = -3;\n    *bits = -3;\n    *pair = (float2)(1.5f, -2.0f);\n    own[0] = 0.25f;\n}\n")
    subprocess.run([refcl, "kernel", "-q", "-g", "2", "-l", "2", *"-a buf:1 -a buf:1 -a buf:1 -a buf:8 -a local:4".split(), "--html", page, kernel])
    with open(page, encoding="utf-8") as f:
        data = json.loads(re.search(r'type="application/json">(.*?)</script>', f.read(), re.S)[1])
    written = {}
    for finding, graph in zip(data["report"]["findings"], data["graphs"]):
        for event in graph["events"]:
            if event["kind"] == "write" and event.get("access"):
                written[finding["accesses"][0]["line"]] = event.get("value")
    return [written.get(line) for line in range(3, 8)]


def outside(folder):
    """The page of a work-item that reads past the end of a buffer."""
    kernel, page = os.path.join(folder, "past.cl"), os.path.join(folder, "past.html")
    with open(kernel, "w") as f:
        f.write("kernel void k(global int *in, global int *out)\n{\n    int i = get_global_id(0);\n    out[i] = in[i] + in[i + 1];\n}\n")
    subprocess.run([refcl, "kernel", "-q", "-g", "4", "-l", "4", "-a", "buf:4", "-a", "buf:4", "--html", page, kernel])
    return page


OUTSIDE = """
const p = document.createElement("p");
p.className = "probe";
p.textContent = "outside=" + [...document.querySelectorAll("#rows .event")].map(n => n.textContent.replace(/=.*/, "") + (n.classList.contains("access") ? "marked" : "")).join("; ");
document.documentElement.appendChild(p);
"""
HEAT = """{
const say = (key, value) => { const p = document.createElement("p"); p.className = "probe"; p.textContent = key + "=" + value; document.documentElement.appendChild(p); };
const heat = document.getElementById("heat");
say("rows", [...heat.querySelectorAll("tr")].slice(1).map(n => n.firstChild.textContent).join("; "));
say("colored", [...heat.querySelectorAll("td")].filter(n => n.style.background).map(n => n.getAttribute("title")).join("; "));
say("cells", heat.querySelectorAll("td").length);
say("fits", heat.scrollWidth <= heat.clientWidth);
}"""
# Work-groups of one work-item: 2 P and 2 P + 1 race once, on element 16 P.
GROUPS = "kernel void k(global int *a) { int i = get_global_id(0); a[i / 2 * 16] = i; }\n"
# The headings of the list, and how many findings are below each.
SECTIONS = """
const counts = [];
for (const node of document.getElementById("list").children)
  if (node.tagName === "H2") counts.push(node.textContent + " has 0");
  else if (node.tagName === "BUTTON") counts.push((counts.pop() || "first has 0").replace(/\\d+$/, n => +n + 1));
const p = document.createElement("p");
p.className = "probe";
p.textContent = "sections=" + counts.join("; ");
document.documentElement.appendChild(p);
"""
# The kinds of the buttons of the list.
LIST = """
const p = document.createElement("p");
p.className = "probe";
p.textContent = "list=" + [...document.querySelectorAll("#list button")].map(n => n.firstChild.textContent + " " + n.children[1].textContent).join("; ");
document.documentElement.appendChild(p);
"""
THREADS = LIST.replace('"list=" + [...document.querySelectorAll("#list button")].map(n => n.firstChild.textContent + " " + n.children[1].textContent)',
                       '"threads=" + [...document.querySelectorAll("#names div")].map(n => n.textContent)')
# Findings of the two copies alternate.
COPIES = """kernel void k(global int *a, global int *b, global int *c)
{
    local int t[16], u[16];
    async_work_group_copy(t, a, 16, 0);
    async_work_group_copy(u, c, 16, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_local_id(0)] = t[get_local_id(0)] + u[get_local_id(0)];
}
"""


# Between the racing accesses are more events than a window has rows.
LONG = """kernel void k(global int *a, global int *b)
{
    int i = get_global_id(0);
    if (i == 0) a[0] = 1;
    for (int n = 0; n < 12; n++)
        b[i + 2 * n] += n;
    if (i == 1) b[i] = a[0];
}
"""
TWO_QUEUES = r"""#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
int main(void)
{
    const char *text = "kernel void k(global int *a) { int first = 1, second = 2, third = 3, fourth = 4, fifth = 5, sixth = 6, seventh = 7; a[0] = first + second + third + fourth + fifth + sixth + seventh; }";
    cl_platform_id platform;
    cl_device_id device;
    cl_event event;
    size_t one = 1;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queues[2] = {clCreateCommandQueue(context, device, 0, NULL), clCreateCommandQueue(context, device, 0, NULL)};
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    cl_mem a = clCreateBuffer(context, 0, 4, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof a, &a);
    clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &one, NULL, 0, NULL, &event);
    clEnqueueNDRangeKernel(queues[1], kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    clFinish(queues[0]);
    clFinish(queues[1]);
    return 0;
}
"""
HOST = """
const p = document.createElement("p");
p.className = "probe";
p.textContent = "host=" + [...document.querySelectorAll("pre.call .here")].map(n => n.textContent.trim().replace(/,.*/, "")).join("; ") + " " +
    [...document.querySelectorAll("pre")].filter(n => n.querySelector(".here")).every(n => [...n.querySelectorAll(".here")].every(line => line.scrollWidth <= n.clientWidth)) + " " +
    [...document.querySelectorAll(".pane .head")].map(n => n.textContent.replace(/.*enqueued/, "enqueued")).join(", ");
document.documentElement.appendChild(p);
"""


def check_long(chromium, folder):
    """Events between the accesses are folded if there is no room; a race between commands has the lines that
    enqueue them."""
    path, page = os.path.join(folder, "long.cl"), os.path.join(folder, "long.html")
    with open(path, "w") as f:
        f.write(LONG)
    subprocess.run([refcl, "kernel", "-q", "-g", "2", "-l", "2", "--only", "race", "-a", "buf:2", "-a", "buf:64", "--html", page, path])
    look(chromium, folder, page, "many events between", {"lines": "if (i is= 0) a[0] = 1;"}, relations=["race"])
    source, program = os.path.join(folder, "two_queues.c"), os.path.join(folder, "two_queues")
    with open(source, "w") as f:
        f.write(TWO_QUEUES)
    subprocess.run([os.environ.get("CC", "gcc"), "-g", "-w", "-o", program, source, "-lOpenCL"], check=True)
    subprocess.run([refcl, "run", "-q", "--html", page, "--", program])
    lines = [n + 1 for n, line in enumerate(TWO_QUEUES.split("\n")) if "clEnqueueNDRangeKernel" in line]
    wanted = "%d  clEnqueueNDRangeKernel(queues[0]; %d  clEnqueueNDRangeKernel(queues[1] true enqueued at two_queues.c:%d, enqueued at two_queues.c:%d" % (*lines, *lines)
    for size in SIZES:
        said = browse(chromium, folder, page, size, HOST).get("host")
        check("the lines that enqueue racing commands, and the whole of long lines, at " + size, said == wanted, str(said))


def check_heat(chromium, folder):
    """A finding of 48 work-groups, each in one of 24 blocks of elements."""
    path, page = os.path.join(folder, "groups.cl"), os.path.join(folder, "groups.html")
    with open(path, "w") as f:
        f.write(GROUPS)
    subprocess.run([refcl, "kernel", "-q", "-g", "48", "-l", "1", "-a", "buf:384", "--html", page, path])
    title = "work-group %d,0,0, a [%d..%d]: 1 times"
    wanted = "; ".join(title % (g, g // 2 * 16, g // 2 * 16 + 15) for g in range(48))
    for size in SIZES:
        said = browse(chromium, folder, page, size, HEAT)
        check("the heat map of many work-groups at " + size, (said.get("colored"), said.get("cells"), said.get("fits")) == (wanted, str(48 * 24), "true"), str(said))


def check_sections(chromium, folder):
    """A program under the layer, with refcl as the driver, that leaks objects and has needless waits."""
    here, program, page = os.path.dirname(os.path.abspath(__file__)), os.path.join(folder, "waits"), os.path.join(folder, "waits.html")
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-g", "-w", "-pthread", "-o", program, os.path.join(here, "../layer/waits.c"), "-lOpenCL"], check=True)
    subprocess.run([refcl, "run", "-q", "--on-driver", "--icd", os.path.join(os.path.dirname(refcl), "librefcl.so"), "--check", "race,api,needless", "--html", page,
                    "--", program, "plain"])
    with open(page, encoding="utf-8") as f:
        kinds = [f["kind"] for f in json.loads(re.search(r'type="application/json">(.*?)</script>', f.read(), re.S)[1])["report"]["findings"]]
    leaks = kinds.count("leak")
    check("leaks, and a needless wait", leaks > 1 and kinds.count("needless-wait") == 1 and len(kinds) == leaks + 1, str(kinds))
    said = browse(chromium, folder, page, SIZES[0], SECTIONS).get("sections")
    check("each kind has its section", said == "Failed calls of the API, and leaks: %d has %d; Hints, no faults: 1 has 1" % (leaks, leaks), str(said))


def check_list(chromium, folder):
    path, page = os.path.join(folder, "copies.cl"), os.path.join(folder, "copies.html")
    with open(path, "w") as f:
        f.write(COPIES)
    subprocess.run([refcl, "kernel", "-q", "-g", "16", "-l", "16", *["-a", "buf:16"] * 3, "--html", page, path])
    said = browse(chromium, folder, page, SIZES[0], LIST).get("list")
    wanted = "; ".join("data-race copies.cl:7 and copies.cl:%d; same cause: unwaited-copy copies.cl:%d" % (n, n) for n in (4, 5))
    check("the findings of a cause are below its first one", said == wanted, str(said))
    with open(path, "w") as f:
        f.write("kernel void k(global const int *a, global int *b) { int i = get_global_id(0); b[i] = a[i + 1]; }\n")
    subprocess.run([refcl, "kernel", "-q", "--auto", "--html", page, path])
    said = browse(chromium, folder, page, SIZES[0], LIST.replace('"list="', '"list=" + document.querySelector(".pane .head").textContent + "; "')).get("list")
    check("a hint of a kernel's access", said and said.startswith("access by work-item (15,0,0) of kernel 'k'") and "possible-out-of-bounds copies.cl:1" in said, str(said))
    for name in "mp", "twin":
        with open(os.path.join(folder, name + ".litmus"), "w") as f:
            f.write(LITMUS.replace("OPENCL mp", "OPENCL " + name))
    subprocess.run([refcl, "litmus", "check", "--html", page, *(os.path.join(folder, name + ".litmus") for name in ("mp", "twin"))], stdout=subprocess.DEVNULL)
    said = browse(chromium, folder, page, SIZES[0], LIST).get("list")
    check("witnesses of several tests have their names", said and all(said.count(name + ": ") == said.count(";") // 2 + 1 for name in ("mp", "twin")), str(said))


def main():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as folder:
        kernel, page = os.path.join(folder, "</script>.cl"), os.path.join(folder, "page.html")
        with open(os.path.join(folder, "two.cl"), "w") as f:
            f.write("kernel void k(global int *x, global int *y)\n{\n    *x += 1; // </script><b>\n    *y = 2;\n}\n")
        kernel = os.path.join(folder, "two.cl")
        run = subprocess.run([refcl, "kernel", "-q", "-g", "4", "-l", "2", "-a", "buf:1", "-a", "buf:1", "--html", page, kernel])
        check("findings are written", run.returncode == 1 and os.path.getsize(page) > 8000)
        with open(page, encoding="utf-8") as f:
            text = f.read()
        check("one file, nothing fetched", not re.search(r'(src|href)\s*=|@import|url\(["\']?http', text))
        check("data cannot end its element", text.count("</script>") == 2, str(text.count("</script>")))
        found = values(folder)
        check("values have the types of the arguments", found == ["0.1", "-3", "4294967293", "1.5, -2", "0.25"], str(found))
        check("events are those of the racing work-items", agents(folder) == {"(0,0,0)", "(2,0,0)"}, str(agents(folder)))
        if not chromium:
            tap.skip("in Chromium", "no Chromium")
            return tap.done()
        path = os.path.join(folder, "many.cl")
        with open(path, "w") as f:
            f.write(MANY)
        subprocess.run([refcl, "kernel", "-q", "-g", "16", "-l", "16", "-a", "buf:16", "-a", "buf:16", "-a", "buf:16", "--html", page, path])
        check_sections(chromium, folder)
        check_list(chromium, folder)
        check_long(chromium, folder)
        rows = browse(chromium, folder, page, SIZES[0], HEAT).get("rows")
        check("the rows of the heat map are elements", rows == "k.t; [0..15]; k.u; [0..15]; k.v; [0..15]", str(rows))
        check_heat(chromium, folder)
        events = browse(chromium, folder, outside(folder), SIZES[0], OUTSIDE).get("outside")
        check("an access that is not carried out is an event", events == "4: read buffer 1[3] ; 4: read buffer 1[4]marked; 4: write buffer 2[3] ", str(events))
        look(chromium, folder, page, "refcl kernel", {"lines": "t[l] is l;", "second": "k.u", "heat": "3", "value": "1"})
        with open(os.path.join(folder, "mp.litmus"), "w") as f:
            f.write(LITMUS)
        subprocess.run([refcl, "litmus", "check", "--html", page, os.path.join(folder, "mp.litmus")], stdout=subprocess.DEVNULL)
        look(chromium, folder, page, "refcl litmus check", {"lines": "*x is 1;", "second": "final state 1:r0=0 1:r1=0"}, "open(1);")
        said = browse(chromium, folder, page, SIZES[0], THREADS).get("threads", "")
        check("those of litmus tests have their names", {"P0", "P1"} <= set(said.split("; ")), said)
        path = os.path.join(folder, "mp.cl")
        with open(path, "w") as f:
            f.write("kernel void k(global int *x, global atomic_int *y, global int *o)\n{\n    if (get_global_id(0) == 0) {\n        x[0] = 1;\n        atomic_store(y, 1);\n"
                    "    } else {\n        o[0] = x[0];\n        o[1] = atomic_load(y);\n    }\n}\n")
        subprocess.run([refcl, "explore", "-g", "2", "-l", "1", "-a", "buf:1", "-a", "buf:1", "-a", "buf:2", "--html", page, path], stdout=subprocess.DEVNULL)
        look(chromium, folder, page, "refcl explore", {"lines": "x[0] is 1;"})
        said = browse(chromium, folder, page, SIZES[0], THREADS).get("threads", "")
        check("threads of kernels are work-items of them", {"work-item (%d,0,0) group (%d,0,0) of k" % (i, i) for i in (0, 1)} <= set(said.split("; ")), said)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
