/* The editor: syntax of litmus tests and models, completion, errors at their place. */
import { autocompletion, closeBrackets, completeFromList, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, LanguageSupport, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const ORDERS = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"].map(o => "memory_order_" + o);
const SCOPES = ["work_item", "sub_group", "work_group", "device", "all_svm_devices"].map(s => "memory_scope_" + s);
const FLAGS = ["CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE", "CLK_IMAGE_MEM_FENCE"];
const FUNCTIONS = {
  atomic_load_explicit: "(x, memory_order_acquire, memory_scope_device)", atomic_store_explicit: "(x, 1, memory_order_release, memory_scope_device)",
  atomic_exchange_explicit: "(x, 1, memory_order_acq_rel, memory_scope_device)", atomic_fetch_add_explicit: "(x, 1, memory_order_acq_rel, memory_scope_device)",
  atomic_fetch_sub_explicit: "(x, 1, memory_order_relaxed, memory_scope_device)", atomic_fetch_or_explicit: "(x, 1, memory_order_relaxed, memory_scope_device)",
  atomic_fetch_and_explicit: "(x, 1, memory_order_relaxed, memory_scope_device)", atomic_fetch_max_explicit: "(x, 1, memory_order_relaxed, memory_scope_device)",
  atomic_compare_exchange_strong_explicit: "(x, &r0, 1, memory_order_acq_rel, memory_order_acquire, memory_scope_device)",
  atomic_work_item_fence: "(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)", work_group_barrier: "(CLK_GLOBAL_MEM_FENCE)",
  sub_group_barrier: "(CLK_GLOBAL_MEM_FENCE)", barrier: "(CLK_GLOBAL_MEM_FENCE)", atomic_load: "(x)", atomic_store: "(x, 1)" };
const TYPES = ["atomic_int", "atomic_uint", "atomic_long", "atomic_ulong", "int", "uint", "long", "ulong", "char", "short", "queue", "user_event"];
const WORDS = ["exists", "~exists", "forall", "filter", "locations", "global", "local", "generic", "svm_atomics", "svm_fine", "svm_coarse", "if", "else", "while", "for"];
/* Parts of Vulkan instructions, between dots. */
const VULKAN = { ld: "load", st: "store", rmw: "read-modify-write", membar: "memory barrier", cbar: "control barrier", atom: "atomic", nonpriv: "non-private", acq: "order acquire",
  rel: "order release", acq_rel: "order acquire and release", rlx: "order relaxed", sg: "scope sub-group", wg: "scope work-group", qf: "scope queue family", dv: "scope device",
  sc0: "storage class 0", sc1: "storage class 1", semsc0: "semantics: storage class 0", semsc1: "semantics: storage class 1", semav: "make available", semvis: "make visible",
  av: "availability", vis: "visibility", avdevice: "availability operation, device domain", visdevice: "visibility operation, device domain" };

const isVulkan = state => /^\s*vulkan\b/i.test(state.doc.sliceString(0, 200));
const option = (type, detail) => label => ({ label, type, detail });
const openclOptions = [...ORDERS.map(option("enum", "order")), ...SCOPES.map(option("enum", "scope")), ...FLAGS.map(option("constant", "fence flag")), ...TYPES.map(option("type")),
  ...WORDS.map(option("keyword")), ...Object.entries(FUNCTIONS).map(([label, call]) => ({ label, type: "function", apply: label + call }))];
const completeOpenCL = completeFromList(openclOptions);
const vulkanOptions = Object.entries(VULKAN).map(([label, detail]) => ({ label, detail, type: "keyword" }));

function complete(context) {
  if (!isVulkan(context.state)) return completeOpenCL(context);
  const word = context.matchBefore(/[a-z_0-9]+|(?<=\.)/);
  return word && (word.text || context.explicit) ? { from: word.from, options: vulkanOptions, validFor: /^\w*$/ } : null;
}

/* Comments: depth of (* *), whether within C's. */
function comment(stream, state) {
  while (!stream.eol()) {
    if (state.c ? stream.match("*/") : stream.match("*)")) { if (state.c) state.c = false; else state.depth--; if (!state.depth && !state.c) break; }
    else if (state.depth && stream.match("(*")) state.depth++;
    else stream.next();
  }
  return "comment";
}
const stream = (name, word) => StreamLanguage.define({
  name,
  startState: () => ({ depth: 0, c: false }),
  token(stream, state) {
    if (state.depth || state.c) return comment(stream, state);
    if (stream.eatSpace()) return null;
    if (name !== "c" && stream.match("(*")) { state.depth = 1; return comment(stream, state); }
    if (stream.match("/*")) { state.c = true; return comment(stream, state); }
    if (stream.match("//")) { stream.skipToEnd(); return "comment"; }
    if (stream.match(/^"[^"]*"?/)) return "string";
    if (stream.match(/^\d+/)) return "number";
    const found = stream.match(/^[~A-Za-z_][\w-]*/);
    if (found) return word(found[0]);
    stream.next();
    return "operator";
  },
  languageData: { commentTokens: { block: { open: "(*", close: "*)" } } },
});
function litmusWord(word) {
  if (ORDERS.includes(word) || SCOPES.includes(word) || FLAGS.includes(word)) return "atom";
  if (/^(atomic_\w+_explicit|atomic_(load|store|exchange|fetch|compare|flag|work_item|init|add|inc|cmpxchg)\w*|\w*barrier|\w*fence|cl[A-Z]\w*|enqueue_\w+)$/.test(word)) return "def";
  if (TYPES.includes(word) || word === "bool" || word === "void") return "type";
  if (/^[PH]\d+$/.test(word)) return "heading";
  if (WORDS.includes(word) || /^(const|do|break|continue|return|wg|dev|sg|qf|kernel|host|OPENCL|VULKAN|C|ld|st|rmw|membar|cbar|beq|bne|blt|bge|goto|avdevice|visdevice|ssw)$/i.test(word)) return "keyword";
  return VULKAN[word] ? "atom" : "variableName";
}
const litmusLanguage = stream("litmus", litmusWord), kernelLanguage = stream("c", litmusWord);
const catLanguage = stream("cat", word => (/^(let|rec|and|acyclic|irreflexive|empty|flag|as|include|procedure|call|if|then|else|end|show|undefined_unless)$/.test(word.replace("~", "")) ? "keyword" : "variableName"));

const colors = HighlightStyle.define([["comment", "comment"], ["string", "string"], ["number", "number"], ["keyword", "keyword"], ["atom", "atom"], ["typeName", "type"], ["heading", "heading"]]
  .map(([tag, name]) => ({ tag: tags[tag], color: `var(--code-${name})` })).concat([{ tag: tags.definition(tags.variableName), color: "var(--code-def)" }]));
const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--field)", fontSize: "13px", height: "100%" }, ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--soft)", color: "var(--quiet)", border: "none" }, ".cm-activeLine": { backgroundColor: "var(--soft)" },
  "&.cm-focused": { outline: "2px solid var(--accent)" }, ".cm-cursor": { borderLeftColor: "var(--text)" }, ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": { backgroundColor: "var(--select) !important" },
  ".cm-tooltip": { backgroundColor: "var(--field)", color: "var(--text)", border: "1px solid var(--line)" }, ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-here": { backgroundColor: "var(--mark)" } });

const setLines = StateEffect.define();
const lines = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const e of transaction.effects)
      if (e.is(setLines)) return Decoration.set(e.value.filter(n => n >= 1 && n <= transaction.state.doc.lines).map(n => Decoration.line({ class: "cm-here" }).range(transaction.state.doc.line(n).from)));
    return marks.map(transaction.changes);
  },
  provide: field => EditorView.decorations.from(field),
});

/* LANGUAGE: "litmus" or "cat".  CHANGED: called after changes by the user; RUN: by Ctrl-Enter. */
export function createEditor(parent, { language, label, changed, run }) {
  let silent = false;
  const support = language === "cat" ? catLanguage : litmusLanguage, kernel = new Compartment();
  const extensions = [lineNumbers(), history(), drawSelection(), bracketMatching(), closeBrackets(), highlightActiveLine(), lintGutter(), lines, syntaxHighlighting(colors), theme,
    kernel.of(new LanguageSupport(support)), autocompletion({ override: language === "cat" ? [] : [complete] }), EditorView.lineWrapping, EditorView.contentAttributes.of({ "aria-label": label }),
    keymap.of([{ key: "Mod-Enter", run: () => { run(); return true; } }, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
    EditorView.updateListener.of(update => { if (update.docChanged && !silent) changed(); })];
  const view = new EditorView({ parent, state: EditorState.create({ extensions }) });
  const errors = list => view.dispatch(setDiagnostics(view.state, list.map(({ line, column, message }) => {
    const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines)), from = Math.min(at.from + Math.max(column, 1) - 1, at.to);
    const word = /^[\w-]*/.exec(view.state.doc.sliceString(from, at.to))[0].length;
    return { from, to: Math.min(from + Math.max(word, 1), at.to), severity: "error", message };
  })));
  return {
    view, errors,
    text: () => view.state.doc.toString(),
    /* A kernel is compiled already: its source cannot be changed here. */
    setKernel: is => view.dispatch({ effects: kernel.reconfigure(is ? [new LanguageSupport(kernelLanguage), EditorState.readOnly.of(true)] : new LanguageSupport(support)) }),
    set: text => { silent = true; view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }); silent = false; },
    mark: numbers => view.dispatch({ effects: setLines.of([...new Set(numbers)].sort((a, b) => a - b)) }),
  };
}
