/* The page's state in the fragment of its address: JSON, compressed where the browser can. */
async function pipe(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
const toBase64 = bytes => btoa(Array.from(bytes, b => String.fromCharCode(b)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const fromBase64 = text => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));

export async function encodeState(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  return "#z" + toBase64(await pipe(bytes, new CompressionStream("deflate-raw")));
}
/* null: there is none, or it is damaged. */
export async function decodeState(fragment) {
  if (!fragment.startsWith("#z")) return null;
  try {
    return JSON.parse(new TextDecoder().decode(await pipe(fromBase64(fragment.slice(2)), new DecompressionStream("deflate-raw"))));
  } catch {
    return null;
  }
}
export async function unpack(base64) {
  return pipe(fromBase64(base64), new DecompressionStream("gzip"));
}
