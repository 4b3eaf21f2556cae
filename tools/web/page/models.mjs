/* What pages need to know of models: their switches, and the relations that they define. */
const COMMENT = /\(\*[\s\S]*?\*\)/g;

/* TEXT with the models that it includes. */
function withIncludes(text, models, depth = 0) {
  return text.replace(/^\s*include\s+"([^"]+)"/gm, (all, name) => (models[name] && depth < 5 ? withIncludes(models[name], models, depth + 1) : all));
}
/* [{name, values}], the first value being the default. */
export function switchesOf(text, models) {
  return [...withIncludes(text, models).matchAll(/@switch[ \t]+(\S+)[ \t]+([^\n*]*)/g)].map(m => ({ name: m[1], values: m[2].trim().split(/\s+/) }));
}
export function relationsOf(text, models) {
  const names = [...withIncludes(text, models).replace(COMMENT, " ").matchAll(/^\s*(?:let(?:\s+rec)?|and)\s+([a-z][\w.-]*)\s*=/gim)].map(m => m[1]);
  return [...new Set(names)];
}
/* Shown without being asked for, where the model has them. */
export const USUAL = ["gsw", "lsw", "isw", "sw", "synchronizes-with", "ghb", "lhb", "ihb", "hb", "happens-before"];
export const MEANINGS = { po: "program order", rf: "reads from", co: "coherence order", fr: "from reads: before the next write", rmw: "read-modify-write",
  gsw: "synchronizes with, global memory", lsw: "synchronizes with, local memory", ghb: "happens before, global memory", lhb: "happens before, local memory",
  isw: "synchronizes with, images", ihb: "happens before, images" };
