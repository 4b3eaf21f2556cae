/* Requests to the checker, which runs in a worker: one at a time, the newest of each side; cancelled by
 * ending the worker. */
const GRACE = 5000; // beyond the time limit that the checker watches itself

export class Engine {
  /* SOURCE: the worker's script; MODULE: the compiled checker; MODELS: texts by name. */
  constructor(source, module, models) {
    this.url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.module = module;
    this.models = models;
    this.queue = [];
    this.running = null;
    this.start();
  }
  start() {
    this.worker = new Worker(this.url);
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = event => { event.preventDefault(); this.fail(event.message || "the worker failed"); };
    this.worker.postMessage({ module: this.module, models: this.models });
  }
  /* ANSWER gets each part: the verdict, then the same with forbidden states; {failure} if there is none. */
  ask(side, request, answer) {
    this.cancel(side);
    this.queue.push({ side, request, answer });
    this.next();
  }
  cancel(side) {
    this.queue = this.queue.filter(q => q.side !== side);
    if (this.running && this.running.side === side) {
      clearTimeout(this.timer);
      this.running = null;
      this.worker.terminate();
      this.start();
    }
    this.next();
  }
  next() {
    if (this.running || !this.queue.length) return;
    this.running = this.queue.shift();
    this.timer = setTimeout(() => this.fail("no answer within the time limit"), this.running.request.timeout * 2 + GRACE);
    this.worker.postMessage({ request: this.running.request });
  }
  receive({ json, last, failure }) {
    if (!this.running) return;
    if (failure) { this.fail(failure); return; }
    const { answer } = this.running;
    if (last) { clearTimeout(this.timer); this.running = null; }
    answer(JSON.parse(json), last);
    this.next();
  }
  /* A trap leaves the checker's memory as it is: a new worker takes over. */
  fail(failure) {
    const failed = this.running;
    clearTimeout(this.timer);
    this.running = null;
    this.worker.terminate();
    this.start();
    if (failed) failed.answer({ failure }, true);
    this.next();
  }
}
