/* What is shown of a verdict: the answers, final states, findings, and the one that is chosen with its graph. */
import { make } from "./dom.mjs";
import { graph } from "./graph.mjs";

export const stateKey = (verdict, state) => verdict.terms.map((t, i) => t + "=" + state.values[i]).join(" ") || "(nothing is observed)";
const ANSWERS = { condition: { holds: "holds", fails: "does not hold", unknown: "unknown" }, race: { found: "found", none: "none", unknown: "unknown" }, usage: { found: "found", none: "none", unknown: "unknown" } };

export function answers(verdict) {
  const kernel = verdict.termination ? [["divergence", "Barrier divergence", ANSWERS.race[verdict.divergence]], ["termination", "Ends", { always: "always", "not-always": "not always", unknown: "unknown" }[verdict.termination]]] : [];
  return [["condition", "Condition", `${verdict.quantifier}: ${ANSWERS.condition[verdict.condition]}`], ["race", "Races", ANSWERS.race[verdict.race]], ["usage", "Invalid use", ANSWERS.usage[verdict.usage]], ...kernel];
}
/* Clauses that a text names, such as "CL 3.3.6 A4, A5: ...", with what they say. */
export function clausesIn(text, clauses) {
  const head = text.split(/[:;]/)[0], found = [];
  let section = "";
  for (const part of head.split(/,\s*/)) {
    const match = /^((?:CL|VKMM|CLC)?(?:\s*[\d.]+)?)\s*([A-Z]+\d+[a-z]?|[a-z-]+)(?:\s*(?:-|to)\s*[A-Z]+\d+)?$/.exec(part.trim());
    section = match && match[1].trim() ? match[1].trim() : section;
    for (const id of [part.trim(), match && section + " " + match[2]]) {
      const ids = !id ? [] : clauses[id] ? [id] : Object.keys(clauses).filter(c => c.startsWith(id + " ") && id.startsWith("VKMM"));
      for (const i of ids) if (!found.some(f => f.id === i)) found.push({ id: i, text: clauses[i] });
    }
  }
  return found;
}
function clauseList(texts, clauses) {
  const found = texts.flatMap(t => clausesIn(t, clauses)), seen = new Set();
  const rows = found.filter(f => !seen.has(f.id) && seen.add(f.id));
  return rows.length ? make("dl", { class: "clauses" }, ...rows.flatMap(f => [make("dt", {}, f.id), make("dd", {}, f.text)])) : null;
}
function violation(v, clauses) {
  const steps = make("ol", { class: "cycle" }, ...v.steps.map((s, i) => make("li", {}, make("span", {}, s.text), s.edge ? make("span", { class: "edge" }, ` ${s.edge}${s.clause ? " [" + s.clause + "]" : ""} \u2192 ${i === v.steps.length - 1 ? "the first" : "the next"}`) : null)));
  return make("div", { class: "violation" }, make("p", {}, "Violates the axiom ", make("b", {}, v.axiom), v.clause ? ": " + v.clause : "", "."), v.steps.length ? make("p", {}, v.steps.at(-1).edge ? "The cycle:" : "Because of:") : null,
    v.steps.length ? steps : null, clauseList([v.clause, ...v.steps.map(s => s.clause || "")], clauses));
}
function cycleOf(v) {
  return v ? v.steps.map((s, i) => ({ from: s.event, to: v.steps[(i + 1) % v.steps.length].event, edge: s.edge })).filter(s => s.edge && s.from !== undefined) : [];
}
/* What is said of a change that has an EFFECT. */
function changes(advice, effect, more = "") {
  if (!advice.length) return [make("b", {}, `No change of at most two places that ${effect} is known.`)];
  return [make("b", {}, `The smallest change that ${effect}: `), ...advice.flatMap((a, i) => [i ? "; and " : "", make("code", {}, a.change)]), `${more || ""}. Now: ${advice.map(a => a.falls_short).join("; ")}.`];
}
/* [{key, kind, title, execution, violations}] */
export function itemsOf(verdict) {
  return [...verdict.states.map(s => ({ key: "a " + stateKey(verdict, s), kind: "allowed", title: stateKey(verdict, s), values: s.values, satisfies: s.satisfies, racy: s.racy, execution: s.execution, violations: [] })),
    ...(verdict.forbidden || []).map(s => ({ key: "f " + stateKey(verdict, s), kind: "forbidden", title: stateKey(verdict, s), values: s.values, satisfies: s.satisfies, execution: s.execution, violations: s.violations })),
    ...verdict.findings.map(f => ({ key: "x " + f.name, kind: "finding", title: f.name.replaceAll("_", " "), execution: f.execution, violations: [], finding: true }))];
}

export class Results {
  constructor(parent, { clauses, chosen, mark, advise }) {
    this.box = parent;
    this.clauses = clauses;
    this.chosen = chosen;   // called with the key of what the reader chooses
    this.mark = mark;       // called with the lines of its events
    this.advise = advise;   // asked for a change: the state's values, whether to allow it, and the receiver of the answer
    this.key = null;
    this.only = new Set();  // keys that the other side does not have
  }
  message(text, kind) {
    this.verdict = null;
    this.box.replaceChildren(make("p", { class: "message " + kind }, text));
    this.mark([]);
  }
  show(verdict, complete) {
    this.verdict = verdict;
    this.complete = complete;
    this.items = itemsOf(verdict);
    if (!this.items.some(i => i.key === this.key)) {
      const finding = this.items.find(i => i.finding), asked = (verdict.termination && finding) || this.items.find(i => i.satisfies), first = asked || finding || this.items[0]; // a kernel's condition holds of most states
      if (complete || asked) this.key = first ? first.key : null;
    }
    this.render();
  }
  choose(key) {
    this.key = key;
    this.chosen(key);
    this.render();
    const button = [...this.box.querySelectorAll("[aria-pressed=true]")].pop();
    if (button) button.focus();
  }
  list(kind, title, none) {
    const items = this.items.filter(i => i.kind === kind);
    const badge = i => [i.satisfies ? make("span", { class: "badge asked" }, "asked about") : null, i.racy ? make("span", { class: "badge bad" }, "race") : null, this.only.has(i.key) ? make("span", { class: "badge only" }, "only here") : null];
    return make("section", { class: kind }, make("h3", {}, `${title} (${items.length})`), items.length ? make("ul", {}, ...items.map(i => make("li", {}, make("button", { type: "button", "data-key": i.key, "aria-pressed": String(i.key === this.key), class: this.only.has(i.key) ? "only" : "",
      on: { click: () => this.choose(i.key) } }, make("code", {}, i.title), ...badge(i))))) : make("p", { class: "quiet" }, none));
  }
  render() {
    const v = this.verdict;
    if (!v) return;
    const facts = make("dl", { class: "answers" }, ...answers(v).flatMap(([key, name, text]) => [make("dt", {}, name), make("dd", { "data-answer": key, class: key + "-" + v[key] }, text)]));
    const notes = [(v.race === "found" || v.usage === "found") && "The behavior of this program is undefined: the lists say only what the model's consistent executions do.", v.limit && "Unknown in part: " + v.limit, !v.states_complete && "Not all allowed final states are listed.", this.complete && v.forbidden && !v.forbidden_complete && "Not all forbidden final states are listed.",
      v.flags.length && "Flags: " + v.flags.join(", ").replaceAll("_", " ")].filter(Boolean);
    const waiting = this.complete ? "Every candidate execution's state is allowed." : "Being listed\u2026";
    this.box.replaceChildren(facts, ...notes.map(n => make("p", { class: "note" }, n)), make("div", { class: "lists" }, this.list("allowed", "Allowed final states", "None."), this.list("forbidden", "Forbidden final states", waiting),
      v.findings.length || v.race !== "none" || v.usage !== "none" ? this.list("finding", "Races and other findings", "None.") : make("section", { class: "finding" }, make("h3", {}, "Races and other findings (0)"), make("p", { class: "quiet" }, "None."))));
    this.detail();
  }
  detail() {
    const v = this.verdict, item = this.items.find(i => i.key === this.key), box = make("section", { class: "detail", "aria-label": "The chosen execution" });
    this.box.append(box);
    if (!item) { this.mark([]); return; }
    const titles = { allowed: "Allowed: an execution that ends with ", forbidden: "Forbidden: a candidate that would end with ", finding: "Finding: an execution with " };
    box.append(make("h3", {}, titles[item.kind], make("code", {}, item.title)));
    for (const w of item.violations) box.append(violation(w, this.clauses));
    if (!item.finding && item.values.length) this.change(item, box);
    if (item.finding) this.finding(item, box);
    if (item.execution) {
      const cycle = cycleOf(item.violations[0]), g = graph(item.execution, v.threads, cycle, `Execution graph of ${item.title}`);
      box.append(g);
      g.draw();
      this.graph = g;
      this.mark((cycle.length ? cycle.map(c => item.execution.events[c.from]) : item.execution.events).map(e => e.line).filter(Boolean));
    }
    for (const [t, end] of (item.execution ? item.execution.ends : []).entries()) if (end !== "ends") box.append(make("p", {}, `${v.threads[t].name}: ${end.replaceAll("_", " ")}`));
  }
  /* A button that looks for the change that allows or forbids the state. */
  change(item, box) {
    const allow = item.kind === "forbidden", what = allow ? "allows this state" : "forbids this state", said = make("p", { class: "advice", role: "status", hidden: true });
    const button = make("button", { type: "button", class: "change", on: { click: () => {
      button.disabled = true;
      said.hidden = false;
      said.textContent = "Trying changes\u2026";
      this.advise(item.values.join(" "), allow, answer => {
        button.disabled = false;
        said.replaceChildren(...(answer.failure || answer.error ? ["Unknown: " + (answer.failure || answer.error.message)] : changes(answer.advice, what + (allow ? "" : " without a race"), answer.racy && "; it is then reached with a race")));
      });
    } } }, `Find the smallest change that ${what}`);
    box.append(button, said);
  }
  finding(item, box) {
    const v = this.verdict, w = v.race_witness;
    if (w && "x " + w.axiom === item.key) box.append(make("p", {}, w.clause ? w.clause + "." : "", " Between:"), make("ol", {}, ...w.steps.map(s => make("li", {}, s.text))), clauseList([w.clause], this.clauses) || "");
    if (!v.advice || v.race !== "found" || !/rac[ey]/.test(item.title)) return;
    box.append(make("p", { class: "advice" }, ...changes(v.advice, "removes the race")));
  }
}
