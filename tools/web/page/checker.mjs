/* The checker in WebAssembly (../playground.h): the few calls of a system that it imports, and its functions
 * with strings of JavaScript. */
const NOT_FOUND = -44, NOT_SUPPORTED = 52;

function imports(view) {
  const succeed = pointers => { for (const p of pointers) view().setUint32(p, 0, true); return 0; };
  const wasi = {
    clock_time_get: (...args) => { view().setBigUint64(args[args.length - 1], BigInt(Math.round(performance.now() * 1e6)), true); return 0; },
    fd_write: (fd, vectors, count, written) => {
      let size = 0;
      for (let i = 0; i < count; i++) size += view().getUint32(vectors + 8 * i + 4, true);
      view().setUint32(written, size, true);
      return 0;
    },
    environ_sizes_get: (...pointers) => succeed(pointers),
    environ_get: () => 0,
  };
  const other = module => new Proxy(module, { get: (known, name) => known[name] || (() => (name.startsWith("__syscall") ? NOT_FOUND : NOT_SUPPORTED)), has: () => true });
  return { wasi_snapshot_preview1: other(wasi), env: other({ emscripten_notify_memory_growth: () => {} }) };
}

/* MODULE: a WebAssembly.Module; FILES: texts of models by name. */
export async function createChecker(module, files) {
  let wasm = null;
  const view = () => new DataView(wasm.memory.buffer), encoder = new TextEncoder(), decoder = new TextDecoder();
  const needed = imports(view), given = {};
  for (const i of WebAssembly.Module.imports(module)) (given[i.module] ||= {})[i.name] = needed[i.module][i.name];
  wasm = (await WebAssembly.instantiate(module, given)).exports;
  wasm._initialize();
  const put = text => {
    const bytes = encoder.encode(text), at = wasm.malloc(bytes.length + 1);
    if (!at) throw new Error("out of memory");
    const memory = new Uint8Array(wasm.memory.buffer);
    memory.set(bytes, at);
    memory[at + bytes.length] = 0;
    return at;
  };
  const call = (name, texts, ...numbers) => {
    const at = texts.map(put), result = wasm[name](...at, ...numbers);
    at.forEach(wasm.free);
    return result;
  };
  const take = at => {
    if (!at) throw new Error("out of memory");
    const memory = new Uint8Array(wasm.memory.buffer), json = decoder.decode(memory.subarray(at, memory.indexOf(0, at)));
    wasm.playground_free(at);
    return json;
  };
  const checker = {
    setFile: (name, text) => { if (!call("playground_set_file", [name, text])) throw new Error("too many models"); },
    /* The verdict as text, JSON by ../playground.c. */
    check: ({ test, model, switches = "", relations = "", flags = 0, timeout = 20000 }) => take(call("playground_check", [test, model, switches, relations], flags, timeout)),
  };
  checker.advise = ({ test, model, switches = "", state, flags = 0, timeout = 20000 }) => take(call("playground_advise", [test, model, switches, state], flags, timeout));
  for (const [name, text] of Object.entries(files)) checker.setFile(name, text);
  return checker;
}
