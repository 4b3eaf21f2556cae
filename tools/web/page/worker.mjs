/* The worker: answers a request with the verdict, then with forbidden states and advice too; or, for a state,
 * with the change that allows or forbids it. */
import { createChecker } from "./checker.mjs";

const ALL = 3;
let checker = null;

self.onmessage = async ({ data }) => {
  if (data.module) {
    checker = createChecker(data.module, data.models);
    return;
  }
  const { cat, ...request } = data.request;
  try {
    const ready = await checker;
    if (cat !== undefined) ready.setFile(request.model, cat);
    if (request.state !== undefined) {
      self.postMessage({ json: ready.advise(request), last: true });
      return;
    }
    const first = ready.check({ ...request, flags: 0 });
    const wrong = first.startsWith('{"error"');
    self.postMessage({ json: first, last: wrong });
    if (!wrong) self.postMessage({ json: ready.check({ ...request, flags: ALL }), last: true });
  } catch (error) {
    self.postMessage({ failure: error instanceof RangeError ? "limit reached: depth of the search" : "limit reached: memory (" + error.message + ")" });
  }
};
