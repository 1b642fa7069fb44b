import type { CompileAnswer, CompileRequest } from "./compiler.worker";
import type { WasmLanguage } from "./language";
import type { Compiled } from "./problem";

const timeout = 60_000; // ms that a compilation may take, the first download included

interface Waiting {
  resolve: (compiled: Compiled) => void;
  reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

/** A compiler in a Web Worker, which begins with the first source and ends with close. */
export class Compiler {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastID = 0;

  compile(language: WasmLanguage, source: string): Promise<Compiled> {
    const worker = this.#start();
    const id = ++this.#lastID;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#fail("The compiler took too long."), timeout);
      this.#waiting.set(id, { resolve, reject, timer });
      // A worker has no origin to name.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage({ id, language, source } satisfies CompileRequest);
    });
  }

  close(): void {
    this.#fail("The compiler was closed.");
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL("./compiler.worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<CompileAnswer>) => this.#end(data));
    worker.addEventListener("error", () => this.#fail("The compiler could not be loaded."));
    this.#worker = worker;
    return worker;
  }

  #end({ id, failure, ...compiled }: CompileAnswer): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (failure === undefined) waiting.resolve(compiled);
    else waiting.reject(new Error(failure));
  }

  /** Gives up everything that waits; the next source gets a new worker. */
  #fail(message: string): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new Error(message));
    }
    this.#waiting.clear();
  }
}
