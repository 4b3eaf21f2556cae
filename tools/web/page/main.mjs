/* The page: one or two sides, their differences, the link, light and dark. */
import { answers, itemsOf } from "./results.mjs";
import { make, table } from "./dom.mjs";
import { Engine } from "./engine.mjs";
import { OWN, Side } from "./side.mjs";
import { decodeState, encodeState, unpack } from "./state.mjs";

const FIRST = "message-passing/MP+rel+rlx.litmus";
const byId = id => document.getElementById(id);
const page = { sides: [], data: null, engine: null, applying: false };

function settings(side) {
  return [["model", side.model], ...Object.entries(side.switches).map(([n, v]) => [n, v])];
}
function differences() {
  const box = byId("differences"), [a, b] = page.sides;
  box.hidden = !b;
  for (const side of page.sides) side.results.only = new Set();
  if (!b) return;
  const rows = [], add = (what, x, y) => { if (x !== y) rows.push([what, x, y]); };
  const of = new Map(settings(a)), to = new Map(settings(b));
  add("test", a.verdict ? a.verdict.name : "", b.verdict ? b.verdict.name : "");
  if (a.editor.text() !== b.editor.text() && (!a.verdict || !b.verdict || a.verdict.name === b.verdict.name)) rows.push(["text of the test", "differs", "differs"]);
  for (const name of new Set([...of.keys(), ...to.keys()])) add(name, of.get(name) || "default", to.get(name) || "default");
  if (of.get("model") === OWN && to.get("model") === OWN && a.cat !== b.cat) rows.push(["text of the model", "differs", "differs"]);
  if (a.verdict && b.verdict && !a.busy && !b.busy) {
    const left = answers(a.verdict), right = answers(b.verdict);
    for (const name of new Set([...left, ...right].map(l => l[1]))) add(name, ...[left, right].map(list => (list.find(l => l[1] === name) || [0, 0, "not asked"])[2]));
    const keys = page.sides.map(s => new Set(itemsOf(s.verdict).map(i => i.key)));
    page.sides.forEach((side, i) => { side.results.only = new Set([...keys[i]].filter(k => !keys[1 - i].has(k))); });
    const only = i => [...page.sides[i].results.only].filter(k => k.startsWith("a ")).map(k => k.slice(2)).join("; ") || "none";
    if (only(0) !== only(1)) rows.push(["allowed here alone", only(0), only(1)]);
    page.sides.forEach(s => s.results.render());
  }
  box.replaceChildren(make("h2", {}, "Differences"), rows.length ? table("Where A and B differ", ["what", "A", "B"], rows) : make("p", {}, "None: verdicts and final states are the same."));
}
async function remember() {
  if (page.applying) return;
  const fragment = await encodeState({ s: page.sides.map(s => s.state()) });
  if (fragment === location.hash) return;
  page.own = fragment;
  try { history.replaceState(null, "", fragment); } catch { location.replace(fragment); }
}
function changed() {
  differences();
  if (page.sides.every(s => !s.busy)) remember();
}
function addSide() {
  const side = new Side(byId("sides"), "AB"[page.sides.length], { engine: page.engine, data: page.data, changed, compare: compareTwin });
  page.sides.push(side);
  return side;
}
function setSides(count) {
  while (page.sides.length > count) page.sides.pop().remove();
  while (page.sides.length < count) addSide();
  document.body.classList.toggle("two", count === 2);
  byId("compare").setAttribute("aria-pressed", String(count === 2));
  differences();
}
/* The twin of a kernel on side B. */
function compareTwin(side) {
  const state = side.state(), twin = page.data.kernels[side.kernel].twin;
  setSides(2);
  if (side !== page.sides[0]) page.sides[0].restore(state);
  page.sides[1].restore({ ...state, p: twin, k: null });
}
function apply(state) {
  const sides = state && Array.isArray(state.s) && state.s.length ? state.s.slice(0, 2) : [{ l: FIRST, m: "opencl.cat" }];
  page.applying = true;
  setSides(sides.length);
  sides.forEach((s, i) => page.sides[i].restore(s));
  page.applying = false;
}
async function share() {
  page.applying = false;
  await remember();
  const field = byId("link");
  field.hidden = false;
  field.value = location.href;
  field.focus();
  field.select();
  let copied = false;
  try { await navigator.clipboard.writeText(location.href); copied = true; } catch { /* the field is selected */ }
  byId("shared").textContent = copied ? "The link is copied." : "Copy the selected link.";
}
function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byId("theme").value = theme;
  for (const s of page.sides) if (s.results.graph && s.results.graph.isConnected) s.results.graph.draw();
}

async function start() {
  const packed = JSON.parse(byId("data").textContent);
  page.data = JSON.parse(new TextDecoder().decode(await unpack(packed.data)));
  const module = await WebAssembly.compile(await unpack(packed.wasm));
  page.engine = new Engine(packed.worker, module, page.data.models);
  byId("compare").addEventListener("click", () => {
    const two = page.sides.length === 1, first = page.sides[0].state();
    setSides(two ? 2 : 1);
    if (two) page.sides[1].restore(first);
    else changed();
  });
  byId("share").addEventListener("click", share);
  byId("licences").addEventListener("click", () => byId("about").showModal());
  byId("theme").addEventListener("change", event => { setTheme(event.target.value); try { localStorage.setItem("refcl-theme", event.target.value); } catch { /* not kept */ } });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme(byId("theme").value));
  window.addEventListener("hashchange", async () => { if (location.hash !== page.own) apply(await decodeState(location.hash)); });
  let resized = 0;
  window.addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(() => setTheme(byId("theme").value), 200); });
  let theme = "auto";
  try { theme = localStorage.getItem("refcl-theme") || "auto"; } catch { /* the default */ }
  setTheme(["light", "dark"].includes(theme) ? theme : "auto");
  apply(await decodeState(location.hash));
}
window.playground = page;
start().catch(error => { byId("sides").textContent = "The page cannot start here: " + error.message; });
