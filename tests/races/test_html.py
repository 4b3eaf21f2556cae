#!/usr/bin/env python3
"""The page of `refcl kernel --html` in headless Chromium: events, relations to switch, the source of an event."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import PATIENCE, REFCL as refcl
from tap import check


PROBE = """<script>
const say = (key, value) => { const p = document.createElement("p"); p.className = "probe"; p.textContent = key + "=" + value;
                              document.body.appendChild(p); };
const count = what => document.querySelectorAll(what).length;
say("events", count(".event")); say("accesses", count(".event.access"));
say("columns", count("svg .head")); say("races", count(".edge.race"));
for (const relation of ["po", "rf", "race", "cmd"]) {
  const before = count(".edge." + relation), box = document.getElementById("show-" + relation);
  box.click(); const off = count(".edge." + relation); box.click();
  say("toggle-" + relation, (before > 0) + "," + (off === 0) + "," + (count(".edge." + relation) === before));
}
document.querySelector(".event.access").dispatchEvent(new MouseEvent("click"));
say("source", document.querySelector("#details .here").textContent.trim());
say("clause", document.querySelector("#relations").textContent.includes("CL 3.3.6"));
document.querySelectorAll("nav button")[1].click();
say("second", document.querySelector("#message h1").textContent);
</script>"""


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
        check("events are those of the racing work-items", agents(folder) == {"(0,0,0)", "(2,0,0)"}, str(agents(folder)))
        if not chromium:
            tap.skip("in Chromium", "no Chromium")
            return tap.done()
        with open(page, "w", encoding="utf-8") as f:
            f.write(text.replace("</body>", PROBE + "</body>"))
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir=" + folder + "/profile",
                   "--window-size=1800,1000", "--virtual-time-budget=3000", "--dump-dom", "file://" + page]
        dom = ""
        for _ in range(3):  # a browser does not always start
            try:
                dom = dom or subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                            timeout=PATIENCE).stdout.decode()
            except subprocess.TimeoutExpired:
                pass
        said = dict(re.findall(r'class="probe">([^=<]*)=([^<]*)<', dom))
        check("both accesses are marked", said.get("accesses") == "2", str(said))
        check("a column per agent", int(said.get("columns", 0)) >= 4, str(said))
        check("the race is drawn", said.get("races") == "1", str(said))
        for relation in ("po", "rf", "race", "cmd"):
            check("relation %s can be switched" % relation, said.get("toggle-" + relation) == "true,true,true", str(said))
        check("a click shows the source line", "*x += 1;" in said.get("source", ""), str(said))
        check("relations name their clauses", said.get("clause") == "true", str(said))
        check("the second finding opens", "y" in said.get("second", ""), str(said))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
