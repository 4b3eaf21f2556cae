/* Makes the page, one file: build.mjs ROOT CHECKER.wasm VERSION OUTPUT, in a folder with node_modules. */
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { createRequire } from "node:module";

const [root, wasm, version, output] = process.argv.slice(2), here = path.join(root, "tools/web/page");
const require = createRequire(path.join(process.cwd(), "package.json")), esbuild = require("esbuild");
const read = file => fs.readFileSync(path.join(root, file), "utf8");

async function bundle(entry) {
  const result = await esbuild.build({ entryPoints: [path.join(here, entry)], bundle: true, minify: true, write: false, format: "iife", target: "es2022", charset: "utf8", legalComments: "none", metafile: true, nodePaths: [path.join(process.cwd(), "node_modules")] });
  return { text: result.outputFiles[0].text, inputs: Object.keys(result.metafile.inputs) };
}
function tests() {
  const found = {};
  for (const [folder, prefix] of [["litmus/suite", ""], ["tests/models/patterns/vulkan", "vulkan/patterns/"], ["tests/models/vulkan", "vulkan/rules/"]])
    for (const file of fs.readdirSync(path.join(root, folder), { recursive: true }).map(String).filter(f => f.endsWith(".litmus")).sort()) found[prefix + file] = read(path.join(folder, file));
  return found;
}
/* Kernels with the programs that they were lowered to, in the folder kernels; first what each teaches. */
function kernels() {
  const found = {};
  for (const file of fs.readdirSync("kernels").filter(f => f.endsWith(".program")).sort()) {
    const name = file.slice(0, -".program".length), lines = read(`tools/web/kernels/${name}.cl`).split("\n"), header = key => lines.find(l => l.startsWith(`// ${key}: `))?.slice(key.length + 5);
    found[name] = { text: lines.join("\n"), program: fs.readFileSync(path.join("kernels", file), "utf8"), twin: header("Twin"), options: header("Options"), teaching: lines.slice(0, lines.findIndex(l => l.startsWith("// Options: "))).map(l => l.slice(3)).join(" ") };
  }
  return found;
}
function clauses() {
  const texts = {};
  for (const file of ["opencl-memory-model", "vulkan-memory-model"]) for (const c of JSON.parse(read(`spec-xref/clauses/${file}.json`)).clauses) texts[c.id] = c.text;
  return texts;
}
function switches() {
  const texts = {};
  for (const a of JSON.parse(read("spec-xref/clauses/ambiguities.json")).ambiguities) if (a.switch) texts[a.switch] = [texts[a.switch], a.text].filter(Boolean).join(" ");
  return texts;
}
/* The licence of each package that a bundle has parts of. */
function licences(inputs) {
  const names = [...new Set(inputs.map(f => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(f)).filter(Boolean).map(m => m[1]))].sort();
  return ["refcl\n" + read("LICENSE"), ...names.map(name => {
    const folder = path.join(process.cwd(), "node_modules", name), info = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
    const file = fs.readdirSync(folder).find(f => /^licen[cs]e/i.test(f));
    if (!file) throw new Error(name + " has no licence file");
    return `${name} ${info.version} (${info.license})\n${fs.readFileSync(path.join(folder, file), "utf8").trim()}`;
  })].join("\n\n" + "-".repeat(60) + "\n\n");
}
const pack = bytes => zlib.gzipSync(bytes, { level: 9 }).toString("base64");
const escapeHtml = text => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const inScript = text => text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");

const main = await bundle("main.mjs"), worker = await bundle("worker.mjs");
const models = Object.fromEntries(fs.readdirSync(path.join(root, "memmodel/models")).filter(f => f.endsWith(".cat")).map(f => [f, read("memmodel/models/" + f)]));
const data = { models, tests: tests(), kernels: kernels(), clauses: clauses(), switches: switches() };
const style = read("tools/web/page/page.css"), dark = /data-theme=dark\] \{([^}]*)\}/.exec(style)[1];
const parts = {
  STYLE: style.replace("@DARK@", dark), VERSION: version, LICENCES: escapeHtml(licences([...main.inputs, ...worker.inputs])), SCRIPT: inScript(main.text),
  DATA: JSON.stringify({ data: pack(JSON.stringify(data)), wasm: pack(fs.readFileSync(wasm)), worker: worker.text }).replaceAll("<", "\\u003c"),
};
const page = read("tools/web/page/page.html").replace(/@(STYLE|VERSION|LICENCES|SCRIPT|DATA)@/g, (all, name) => parts[name]);
fs.writeFileSync(output, page);
console.log(`${output}: ${page.length} characters, ${zlib.gzipSync(page, { level: 9 }).length} bytes compressed`);
