/* One test with its model, switches and results; the page has one or two. */
import { make } from "./dom.mjs";
import { createEditor } from "./litmus.mjs";
import { USUAL, relationsOf, switchesOf } from "./models.mjs";
import { Results } from "./results.mjs";

export const OWN = "own model";
const DELAY = 300, TIME = 20000, ALLOW = 4, KERNEL = "kernel:";
const NAMES = { "opencl.cat": "OpenCL", "opencl-scoped-sc.cat": "OpenCL, scoped order of seq_cst", "vulkan.cat": "Vulkan", "sc.cat": "sequential consistency", [OWN]: "a model of your own (cat)" };

/* What a test's comment teaches: the lines without "Key: value" but for Why. */
function teaching(text) {
  const comment = /\(\*([\s\S]*?)\*\)/.exec(text.slice(0, 4000)) || /^\w+ [^\n]*\n\s*"([^"]*)"/.exec(text);
  if (!comment) return "";
  const lines = comment[1].split("\n").map(l => l.trim());
  return lines.filter(l => !/^(Expect|States|Race|Usage|Clauses|Requires|Verdicts|Variants|Under|Covers|Kind)\s*:/.test(l)).join(" ").replace(/\s+/g, " ").trim();
}

export class Side {
  constructor(parent, name, { engine, data, changed, compare }) {
    Object.assign(this, { name, engine, data, changed, compare, model: "opencl.cat", switches: {}, extra: [], cat: null, chosenTest: "", kernel: "" });
    this.box = make("section", { class: "side", "aria-label": "Test " + name });
    parent.append(this.box);
    this.build();
    this.results = new Results(this.output, { clauses: data.clauses, chosen: () => changed(), mark: lines => this.editor.mark(lines), advise: (state, allow, answer) => this.advise(state, allow, answer) });
  }
  build() {
    const { data } = this, id = key => `${key}-${this.name}`;
    this.library = make("select", { id: id("library"), size: 8, on: { change: () => this.open(this.library.value) } });
    this.find = make("input", { id: id("find"), type: "search", placeholder: "name, folder or words", on: { input: () => this.fillLibrary() } });
    this.models = make("select", { id: id("model"), on: { change: () => this.setModel(this.models.value) } },
      ...[...Object.keys(data.models).filter(m => NAMES[m]), OWN].map(m => make("option", { value: m }, NAMES[m])));
    this.teaching = make("p", { class: "teaching" });
    this.twinButton = make("button", { type: "button", on: { click: () => this.compare(this) } }, "Compare with its twin");
    this.launchText = make("code", {});
    this.launch = make("p", { class: "launch", hidden: true }, "A kernel, compiled before; explored with ", this.launchText, " ", this.twinButton);
    this.switchBox = make("div", { class: "switches" });
    this.switchTitle = make("summary", {}, "Switches of the model");
    this.more = make("select", { id: id("more"), on: { change: () => { if (this.more.value) this.extra.push(this.more.value); this.more.value = ""; this.run(); } } });
    this.catBox = make("div", { class: "editor cat", hidden: true });
    this.editorBox = make("div", { class: "editor" });
    this.status = make("p", { class: "status", role: "status", "aria-live": "polite" });
    this.runButton = make("button", { type: "button", class: "main", title: "Ctrl-Enter", on: { click: () => this.run() } }, "Check");
    this.cancelButton = make("button", { type: "button", disabled: true, on: { click: () => this.cancel() } }, "Cancel");
    this.output = make("div", { class: "output", "aria-label": "Results of test " + this.name });
    this.box.append(make("h2", {}, "Test " + this.name), make("div", { class: "input" },
      make("details", { class: "library" }, make("summary", {}, "Library of tests and kernels"), make("label", { for: id("find") }, "Find"), this.find, make("label", { for: id("library") }, "Tests and kernels"), this.library),
      this.teaching, this.launch, this.editorBox, make("div", { class: "actions" }, this.runButton, this.cancelButton, this.status),
      make("div", { class: "row" }, make("span", { class: "field" }, make("label", { for: id("model") }, "Model"), this.models), make("span", { class: "field" }, make("label", { for: id("more") }, "Show relation"), this.more)), this.catBox,
      make("details", { class: "switchlist" }, this.switchTitle, this.switchBox)), this.output);
    const later = () => { this.busy = true; clearTimeout(this.timer); this.timer = setTimeout(() => this.run(), DELAY); };
    this.editor = createEditor(this.editorBox, { language: "litmus", label: "Litmus test " + this.name, changed: () => { this.chosenTest = ""; this.teaching.textContent = ""; later(); }, run: () => this.run() });
    this.catEditor = createEditor(this.catBox, { language: "cat", label: "Model in the cat language, test " + this.name, changed: () => { this.cat = this.catEditor.text(); this.fillModel(); later(); }, run: () => this.run() });
    this.fillLibrary();
    this.fillModel();
  }
  fillLibrary() {
    const words = this.find.value.toLowerCase().split(/\s+/).filter(Boolean), groups = new Map();
    for (const [path, text] of Object.entries(this.data.tests)) {
      const all = (path + " " + (words.length ? text : "")).toLowerCase();
      if (!words.every(w => all.includes(w))) continue;
      const slash = path.lastIndexOf("/"), folder = path.slice(0, slash);
      if (!groups.has(folder)) groups.set(folder, make("optgroup", { label: folder }));
      groups.get(folder).append(make("option", { value: path }, path.slice(slash + 1)));
    }
    const kernels = Object.entries(this.data.kernels).filter(([name, k]) => words.every(w => ("kernels/" + name + " " + k.text).toLowerCase().includes(w)));
    const group = make("optgroup", { label: "kernels in OpenCL C" }, ...kernels.map(([name]) => make("option", { value: KERNEL + name }, name)));
    this.library.replaceChildren(...(kernels.length ? [group] : []), ...groups.values());
    this.library.value = this.chosenTest;
  }
  modelText() { return this.model === OWN ? this.cat || "" : this.data.models[this.model]; }
  fillModel() {
    const text = this.modelText(), switches = switchesOf(text, this.data.models);
    this.models.value = this.model;
    this.catBox.hidden = this.model !== OWN;
    for (const name of Object.keys(this.switches)) if (!switches.some(s => s.name === name && s.values.includes(this.switches[name]))) delete this.switches[name];
    this.switchBox.replaceChildren(...switches.map(({ name, values }) => {
      const select = make("select", { "data-switch": name, on: { change: () => { if (select.value === values[0]) delete this.switches[name]; else this.switches[name] = select.value; this.titleSwitches(switches.length); label.classList.toggle("changed", name in this.switches); this.run(); } } }, ...values.map(v => make("option", { value: v }, v)));
      select.value = this.switches[name] || values[0];
      const label = make("label", { title: this.data.switches[name] || "", class: name in this.switches ? "changed" : "" }, make("span", {}, name), select);
      return label;
    }));
    this.titleSwitches(switches.length);
    const relations = relationsOf(text, this.data.models).filter(r => !USUAL.includes(r)).sort();
    this.more.replaceChildren(make("option", { value: "" }, "of the model\u2026"), ...relations.map(r => make("option", { value: r }, r)));
  }
  titleSwitches(count) {
    const set = Object.entries(this.switches).map(([n, v]) => `${n}=${v}`);
    this.switchTitle.textContent = count ? `Switches of the model (${count})${set.length ? ": " + set.join(", ") : ""}` : "The model has no switches";
  }
  setModel(name) {
    if (name === OWN && this.cat === null) { this.cat = this.modelText(); this.catEditor.set(this.cat); }
    this.model = name;
    this.fillModel();
    this.run();
  }
  setText(text) {
    this.setKernel("");
    this.editor.set(text);
    this.teaching.textContent = teaching(text);
    const vulkan = /^\s*vulkan\b/i.test(text);
    if (vulkan !== (this.model === "vulkan.cat") && this.model !== OWN && this.model !== "sc.cat") this.model = vulkan ? "vulkan.cat" : "opencl.cat";
  }
  setKernel(name) {
    const kernel = this.data.kernels[name];
    this.kernel = kernel ? name : "";
    this.launch.hidden = !kernel;
    this.editor.setKernel(Boolean(kernel));
    if (!kernel) return;
    this.editor.set(kernel.text);
    this.teaching.textContent = kernel.teaching;
    this.launchText.textContent = kernel.options;
    if (this.model === "vulkan.cat") this.model = "opencl.cat";
  }
  open(path) {
    const kernel = path.startsWith(KERNEL) ? path.slice(KERNEL.length) : "";
    if (!this.data.tests[path] && !this.data.kernels[kernel]) return;
    if (kernel) this.setKernel(kernel);
    else this.setText(this.data.tests[path]);
    this.chosenTest = this.library.value = path;
    this.results.key = null;
    this.fillModel();
    this.run();
  }
  request() {
    return { test: this.kernel ? this.data.kernels[this.kernel].program : this.editor.text(), model: this.model === OWN ? "own.cat" : this.model, cat: this.model === OWN ? this.cat : undefined, timeout: TIME,
      switches: Object.entries(this.switches).map(([n, v]) => `${n}=${v}`).join(" ") };
  }
  /* A change of this test that allows or forbids STATE; another check of this side cancels it. */
  advise(state, allow, answer) {
    this.engine.ask(this.name, { ...this.request(), state, flags: allow ? ALLOW : 0 }, answer);
  }
  run() {
    clearTimeout(this.timer);
    const request = { ...this.request(), relations: [...new Set([...USUAL, ...this.extra])].join(" ") };
    this.status.textContent = "Checking\u2026";
    this.cancelButton.disabled = false;
    this.verdict = null;
    this.busy = true;
    this.engine.ask(this.name, request, (answer, last) => this.receive(answer, last));
  }
  cancel() {
    this.engine.cancel(this.name);
    this.finish("Cancelled.");
  }
  finish(text) {
    this.busy = false;
    this.status.textContent = text;
    this.cancelButton.disabled = true;
    this.changed();
  }
  receive(answer, last) {
    const { error, failure } = answer;
    this.editor.errors([]);
    this.catEditor.errors([]);
    if (failure || error) {
      const where = error && error.line ? ` (line ${error.line}${error.file === "test.litmus" ? "" : " of " + error.file})` : "";
      this.results.message(failure ? "Unknown: " + failure : `${error.message}${where}. [${error.rule}]`, "wrong");
      if (error && error.line && error.file === "test.litmus") this.editor.errors([error]);
      if (error && error.line && error.file === "own.cat") this.catEditor.errors([error]);
      this.finish(failure ? "No answer." : "The input has an error.");
      return;
    }
    this.verdict = answer;
    this.results.show(answer, last);
    if (last) this.finish(`Answered in ${(answer.microseconds / 1000).toFixed(1)} ms: ${answer.executions} executions.`);
    else this.status.textContent = "Listing forbidden states\u2026";
  }
  state() {
    const test = this.kernel ? { p: this.kernel } : this.chosenTest ? { l: this.chosenTest } : { t: this.editor.text() };
    return { ...test, m: this.model, ...(this.model === OWN ? { c: this.cat } : {}), w: this.switches, k: this.results.key, ...(this.extra.length ? { r: this.extra } : {}) };
  }
  restore(state) {
    const text = state.l ? this.data.tests[state.l] : state.t;
    this.setText(String(text ?? ""));
    if (state.p) this.setKernel(String(state.p));
    this.chosenTest = this.kernel ? KERNEL + this.kernel : state.l && this.data.tests[state.l] ? state.l : "";
    this.library.value = this.chosenTest;
    this.model = state.m === OWN || this.data.models[state.m] ? state.m : "opencl.cat";
    this.cat = this.model === OWN ? String(state.c ?? "") : this.cat;
    if (this.model === OWN) this.catEditor.set(this.cat);
    this.switches = { ...(state.w || {}) };
    this.extra = Array.isArray(state.r) ? state.r.map(String) : [];
    this.results.key = state.k ?? null;
    this.fillModel();
    this.run();
  }
  remove() {
    this.engine.cancel(this.name);
    this.box.remove();
  }
}
