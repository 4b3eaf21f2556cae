/* An execution as a graph, threads beside each other, and the same as tables. */
import cytoscape from "cytoscape";
import { make, table } from "./dom.mjs";
import { MEANINGS } from "./models.mjs";

const WIDTH = 168, COLUMN = 232, ROW = 78, TOP = 92;
/* Line styles as well as colors distinguish relations. */
const STYLES = { po: ["--po", "solid"], rf: ["--rf", "solid"], co: ["--co", "dashed"], fr: ["--fr", "dotted"], rmw: ["--quiet", "dotted"], cycle: ["--bad", "solid"] };
const MORE = ["--more-1", "--more-2", "--more-3", "--more-4"];
const READABLE = 0.75; // a graph that is wider at this scale scrolls
/* Where a label is tried: at so much from the start of its edge, so much below it. */
const PLACES = [0, -13, 13].flatMap(below => [34, ...Array.from({ length: 17 }, (_, i) => 10 + 12 * i)].map(along => ({ along, below })));
const off = new Set(["ghb", "lhb", "ihb", "hb", "happens-before"]); // relations that the reader has switched off; shared by all graphs

const placeOf = (thread, threads) => [thread.host ? "host" : "", !thread.host && `wg ${thread.work_group}`, !thread.host && thread.sub_group < 65536 && `sg ${thread.sub_group}`,
  threads.some(t => t.device) && !thread.host && `dev ${thread.device}`].filter(Boolean).join(", ");

/* Pairs of a transitive relation that others do not imply; a relation with a cycle stays. */
function reduce(pairs) {
  const next = new Map(), key = (a, b) => a * 4096 + b;
  for (const [a, b] of pairs) next.set(a, (next.get(a) || []).concat(b));
  const has = new Set(pairs.map(([a, b]) => key(a, b)));
  if (pairs.some(([a, b]) => has.has(key(b, a)))) return pairs;
  return pairs.filter(([a, b]) => !(next.get(a) || []).some(c => c !== b && has.has(key(c, b))));
}
/* {relation: [[from, to]]}, program order added. */
function edgesOf(execution) {
  const edges = { po: [] }, last = new Map();
  execution.events.forEach((e, i) => {
    if (e.thread === undefined || e.hidden) return;
    if (last.has(e.thread)) edges.po.push([last.get(e.thread), i]);
    last.set(e.thread, i);
  });
  for (const [name, a, b] of execution.edges)
    if (!execution.events[a].hidden && !execution.events[b].hidden) (edges[name] ||= []).push([a, b]);
  for (const name of Object.keys(edges)) if (!STYLES[name]) edges[name] = reduce(edges[name]);
  return edges;
}
const eventLabel = e => (e.line ? e.line + ": " : "") + e.text.replace(/ \(.*\)$/, "") + (e.order || e.scope ? "\n" + [e.order, e.scope].filter(Boolean).join(", ").replaceAll("_", " ") : "");

function layout(execution, threads) {
  const rows = new Map(), at = new Map(), inits = execution.events.map((e, i) => [e, i]).filter(([e]) => e.thread === undefined && !e.hidden);
  execution.events.forEach((e, i) => {
    if (e.thread === undefined || e.hidden) return;
    const row = rows.get(e.thread) || 0;
    rows.set(e.thread, row + 1);
    at.set(i, { x: e.thread * COLUMN, y: TOP + row * ROW });
  });
  const middle = (threads.length - 1) * COLUMN / 2;
  inits.forEach(([, i], k) => at.set(i, { x: middle + (k - (inits.length - 1) / 2) * (WIDTH + 24), y: -18 }));
  return at;
}
/* How far an edge bends: around the events between, and apart from other edges of the same pair. */
function bend(name, from, to, same) {
  if (name === "po") return 0;
  const columns = Math.abs(from.x - to.x) / COLUMN, side = same % 2 ? -1 : 1;
  if (name === "cycle" && columns < 0.2 && to.y - from.y === ROW) return 0; // over program order
  if (columns < 0.2 && Math.abs(from.y - to.y) > 1.5 * ROW) return side * (WIDTH + 32 + 40 * same); // the curve reaches half as far
  if (columns < 0.2) return side * (34 + 22 * same + Math.abs(from.y - to.y) / 6);
  return side * (8 + 20 * same + (columns > 1.2 ? 40 : 0));
}
function elements(execution, threads, edges, cycle) {
  const at = layout(execution, threads), used = new Map(), list = threads.map((t, i) => ({ data: { id: "t" + i, label: `${t.name}${placeOf(t, threads) ? " (" + placeOf(t, threads) + ")" : ""}` }, classes: "thread" }));
  for (const [i, position] of at) {
    const e = execution.events[i];
    list.push({ data: { id: "e" + i, label: eventLabel(e), parent: e.thread === undefined ? undefined : "t" + e.thread }, position, classes: cycle.some(c => c.from === i || c.to === i) ? "event marked" : "event" });
  }
  const add = (name, a, b, label, classes) => {
    const key = Math.min(a, b) + "-" + Math.max(a, b), same = used.get(key) || 0;
    if (name !== "po") used.set(key, same + 1);
    list.push({ data: { source: "e" + a, target: "e" + b, label, distance: bend(name, at.get(a), at.get(b), same), ...PLACES[0], name }, classes });
  };
  for (const c of cycle) if (at.has(c.from) && at.has(c.to) && c.from !== c.to) add("cycle", c.from, c.to, c.edge, "cycle");
  for (const [name, pairs] of Object.entries(edges)) {
    const inCycle = new Set(cycle.filter(c => c.edge === name).map(c => c.from + "-" + c.to));
    if (!off.has(name)) for (const [a, b] of pairs) if (a !== b && at.has(a) && at.has(b) && !inCycle.has(a + "-" + b)) add(name, a, b, name === "po" ? "" : name, "r-" + name);
  }
  return list;
}
function styles(names) {
  const css = getComputedStyle(document.documentElement), color = name => css.getPropertyValue(name).trim();
  const relation = (name, [variable, line]) => ({ selector: "." + (name === "cycle" ? name : "r-" + CSS.escape(name)), style: { "line-color": color(variable), "target-arrow-color": color(variable), color: color(variable), "line-style": line } });
  return [
    { selector: ".event", style: { shape: "round-rectangle", width: WIDTH, height: 42, "background-color": color("--field"), "border-width": 1.2, "border-color": color("--line-strong"), label: "data(label)", "text-wrap": "wrap", "text-valign": "center",
      "text-halign": "center", "font-size": 13, "font-family": "ui-monospace, monospace", color: color("--text"), "line-height": 1.15 } },
    { selector: ".marked", style: { "border-width": 3, "border-color": color("--bad") } },
    { selector: ".thread", style: { shape: "round-rectangle", "background-color": color("--soft"), "background-opacity": 1, "border-width": 0, label: "data(label)", "text-valign": "bottom", "text-margin-y": 4, "font-size": 13, "font-weight": "bold", color: color("--text"), padding: 10 } },
    { selector: "edge", style: { width: 2, "curve-style": "unbundled-bezier", "control-point-distances": "data(distance)", "control-point-weights": 0.5, "target-arrow-shape": "triangle", "arrow-scale": 1, "source-label": "data(label)", "source-text-offset": "data(along)", "source-text-margin-y": "data(below)", "source-text-margin-x": e => (e.data("distance") ? 0 : 16), "font-size": 12, "font-weight": "bold",
      "text-background-color": color("--page"), "text-background-opacity": 0.9, "text-background-padding": 1 } },
    ...names.map(n => relation(n, STYLES[n] || [MORE[[...n].reduce((h, c) => h + c.charCodeAt(0), 0) % MORE.length], "solid"])), relation("cycle", STYLES.cycle), { selector: ".cycle", style: { width: 4, "z-index": 9 } },
  ];
}
/* Moves each label along its edge to where it covers neither events nor labels before it, or the least of them. */
function placeLabels(cy) {
  const taken = cy.nodes(".event").map(n => n.boundingBox({ includeLabels: false }));
  const shared = (a, b) => Math.max(0, Math.min(a.x2, b.x2) - Math.max(a.x1, b.x1)) * Math.max(0, Math.min(a.y2, b.y2) - Math.max(a.y1, b.y1));
  for (const edge of cy.edges("[label != '']").toArray()) {
    const from = edge.sourceEndpoint(), to = edge.targetEndpoint(), length = Math.hypot(from.x - to.x, from.y - to.y);
    let best = null;
    for (const where of PLACES.filter((p, i) => !i || p.along < length - 10)) {
      edge.data(where);
      const place = edge.boundingBox({ includeNodes: false, includeEdges: false }), covered = taken.reduce((sum, t) => sum + shared(place, t), 0);
      if (!best || covered < best.covered) best = { where, place, covered };
      if (!covered) break;
    }
    edge.data(best.where);
    taken.push(best.place);
  }
}
function tables(execution, threads, edges) {
  const name = i => { const e = execution.events[i]; return (e.thread === undefined ? "initial: " : threads[e.thread].name + ": ") + e.text; };
  const events = execution.events.filter(e => !e.hidden).sort((a, b) => a.step - b.step);
  return make("details", { class: "tables" }, make("summary", {}, "The same as tables"),
    table("Events, in one possible order", ["thread", "line", "event", "scope"], events.map(e => [e.thread === undefined ? "initial" : threads[e.thread].name, e.line || "", e.text, (e.scope || "").replaceAll("_", " ")])),
    table("Relations", ["relation", "from", "to"], Object.entries(edges).flatMap(([relation, pairs]) => pairs.map(([a, b]) => [relation, name(a), name(b)]))));
}

/* CYCLE: [{from, to, edge}].  Returns the element; call its `draw` when it is in the page. */
export function graph(execution, threads, cycle, label) {
  const edges = edgesOf(execution), names = Object.keys(edges), canvas = make("div", { class: "canvas", role: "img", "aria-label": label + "; the tables below have the same" });
  const switches = make("fieldset", { class: "relations" }, make("legend", {}, "Relations"));
  const scroll = make("div", { class: "scroll" }, canvas), box = make("div", { class: "graph" }, switches, scroll, tables(execution, threads, edges));
  let cy = null;
  box.draw = () => {
    if (cy) cy.destroy();
    cy = cytoscape({ container: canvas, elements: elements(execution, threads, edges, cycle), style: styles(names), layout: { name: "preset" }, userZoomingEnabled: false, userPanningEnabled: false, autoungrabify: true, boxSelectionEnabled: false, maxZoom: 1.25, minZoom: 0.2 });
    placeLabels(cy);
    const { w, h } = cy.elements().boundingBox(), scale = Math.max(READABLE, Math.min(1.25, (scroll.clientWidth - 24) / w));
    canvas.style.width = Math.max(w * scale + 24, scroll.clientWidth) + "px";
    canvas.style.height = Math.max(h * scale + 24, 120) + "px";
    cy.resize();
    cy.fit(undefined, 12);
    box.edges = () => cy.edges().map(e => e.data("name"));
  };
  for (const name of names) {
    const input = make("input", { type: "checkbox", on: { change: () => { if (input.checked) off.delete(name); else off.add(name); box.draw(); } } });
    input.checked = !off.has(name);
    switches.append(make("label", { title: MEANINGS[name] || "defined by the model" }, input, make("span", { class: "swatch", style: `border-color: var(${(STYLES[name] || [MORE[[...name].reduce((h, c) => h + c.charCodeAt(0), 0) % MORE.length]])[0]}); border-style: ${(STYLES[name] || [0, "solid"])[1]}` }), name));
  }
  return box;
}
