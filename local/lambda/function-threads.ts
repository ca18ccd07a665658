/**
 * Functions in threads, as Lambda has them: each thread serves one call at a time, and a call that takes too long or too much memory is
 * ended with its thread, from outside. No other call notices.
 */
import { Worker } from 'node:worker_threads';
import { type Logger, messageOf } from '../logger.ts';

export interface FunctionCall {
  /** Name of the function in its module. */
  readonly name: string;
  readonly event: unknown;
  /** Who waits for it: no caller gets all threads. */
  readonly caller: string;
  /** From now to its end. */
  readonly timeoutMs: number;
}

/**
 * Why there is no answer: it took longer than its time, no thread had time for it, it needed more memory than a thread has, or its
 * thread ended by a fault.
 */
export type EndOfCall = 'slow' | 'busy' | 'memory' | 'fault';

export class CallEnded extends Error {
  readonly end: EndOfCall;

  constructor(end: EndOfCall, message: string) {
    super(message);
    this.end = end;
  }
}

export interface FunctionThreads {
  /** What the function returns, as JSON. Throws `CallEnded`, or an error with the name and message that the function threw. */
  invoke(call: FunctionCall): Promise<unknown>;
  /** Resolves when a thread has loaded its module, or could not. */
  readonly loaded: Promise<void>;
  /** Threads that exist now. */
  count(): number;
  /** Ends all of them, and the calls that they serve. */
  close(): Promise<void>;
}

export interface ThreadPool {
  /** URL of a module that exports `routes`, or the `handler` of one function. */
  readonly module: string;
  readonly logger: Logger;
  /** Threads at most; one more than a single caller gets. @default 4 */
  readonly most?: number;
  /** What the objects of a thread may need. @default 512 */
  readonly memoryMb?: number;
  /** A thread that served nothing for so long ends. @default a minute */
  readonly idleMs?: number;
  /** Whether one thread stays all the time, so that a call does not wait for its start. @default true */
  readonly warm?: boolean;
  /** Variables in addition to those of this thread. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** What a thread is asked. */
export type ThreadCall = Pick<FunctionCall, 'name' | 'event' | 'timeoutMs'>;
/** What it answers; its first message says that it has loaded its module. */
export type ThreadAnswer =
  | { readonly loaded: true }
  | { readonly output: unknown }
  | { readonly thrown: { readonly name: string; readonly message: string } };

interface Waiting extends FunctionCall {
  settle(answer: ThreadAnswer | CallEnded): void;
}

interface Thread {
  readonly worker: Worker;
  serves?: Waiting | undefined;
  /** It is being ended, and gets no call any more. */
  ending: boolean;
  loaded: boolean;
  idle?: NodeJS.Timeout;
}

export function functionThreads(pool: ThreadPool): FunctionThreads {
  const { module, logger, most = 4, memoryMb = 512, idleMs = 60_000, warm = true } = pool;
  const kept = warm ? 1 : 0;
  const threads = new Set<Thread>();
  const exits = new Set<Promise<void>>();
  const waiting: Waiting[] = [];
  const { promise: loaded, resolve: noteLoaded } = Promise.withResolvers<void>();
  let closed = false;

  const start = (): Thread => {
    const worker = new Worker(new URL('./function-thread.ts', import.meta.url), {
      workerData: module,
      env: { ...process.env, ...pool.environment },
      resourceLimits: { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: memoryMb },
    });
    const thread: Thread = { worker, ending: false, loaded: false };
    threads.add(thread);
    worker.on('message', (message: ThreadAnswer) => {
      if (!('loaded' in message)) return finish(thread, message);
      thread.loaded = true;
      noteLoaded();
    });
    worker.on('error', (error: NodeJS.ErrnoException) => end(thread, endBy(error, memoryMb)));
    const exit = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        threads.delete(thread);
        noteLoaded();
        thread.serves?.settle(new CallEnded('fault', 'its thread ended'));
        exits.delete(exit);
        resolve();
        if (closed) return;
        serve();
        // One that never loads its module would be started again for ever.
        if (threads.size < kept && thread.loaded) start();
      });
    });
    exits.add(exit);
    return thread;
  };

  const finish = (thread: Thread, answer: ThreadAnswer): void => {
    thread.serves?.settle(answer);
    thread.serves = undefined;
    clearTimeout(thread.idle);
    thread.idle = setTimeout(() => {
      if (thread.serves === undefined && threads.size > kept) end(thread);
    }, idleMs).unref();
    serve();
  };

  /** It counts until it has exited: code that cannot be interrupted at once must not make room for more of it. */
  const end = (thread: Thread, why?: CallEnded): void => {
    const { serves } = thread;
    thread.ending = true;
    thread.serves = undefined;
    clearTimeout(thread.idle);
    if (why) {
      serves?.settle(why);
      logger.warn('a thread of functions was ended', { function: serves?.name, cause: why.message });
    }
    void thread.worker.terminate();
  };

  const serve = (): void => {
    const servedFor = (caller: string): number => [...threads].filter(({ serves }) => serves?.caller === caller).length;
    for (const call of [...waiting]) {
      if (servedFor(call.caller) >= Math.max(1, most - 1)) continue;
      const free = [...threads].find(({ serves, ending }) => serves === undefined && !ending);
      const thread = free ?? (threads.size < most ? start() : undefined);
      if (thread === undefined) return;
      waiting.splice(waiting.indexOf(call), 1);
      thread.serves = call;
      const { name, event, timeoutMs } = call;
      thread.worker.postMessage({ name, event, timeoutMs } satisfies ThreadCall);
    }
  };

  const outOfTime = (call: Waiting): void => {
    const place = waiting.indexOf(call);
    if (place >= 0) {
      waiting.splice(place, 1);
      call.settle(new CallEnded('busy', `no thread had time for it within ${seconds(call)} s`));
    }
    const thread = [...threads].find(({ serves }) => serves === call);
    if (thread) end(thread, new CallEnded('slow', `it took longer than ${seconds(call)} s`));
  };

  if (warm) start();
  return {
    loaded,
    count: () => threads.size,
    invoke: (given) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new CallEnded('busy', 'the platform is being stopped'));
        const call: Waiting = {
          ...given,
          settle(answer) {
            clearTimeout(timer);
            if (answer instanceof CallEnded) reject(answer);
            else if ('thrown' in answer) reject(Object.assign(new Error(answer.thrown.message), answer.thrown));
            else resolve('output' in answer ? answer.output : undefined);
          },
        };
        const timer = setTimeout(() => outOfTime(call), given.timeoutMs);
        waiting.push(call);
        serve();
      }),
    async close() {
      closed = true;
      const stopped = new CallEnded('busy', 'the platform is being stopped');
      for (const call of waiting.splice(0)) call.settle(stopped);
      for (const thread of threads) {
        thread.serves?.settle(stopped);
        end(thread);
      }
      await Promise.all(exits);
    },
  };
}

const seconds = ({ timeoutMs }: FunctionCall): number => Math.ceil(timeoutMs / 100) / 10;

function endBy(error: NodeJS.ErrnoException, memoryMb: number): CallEnded {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new CallEnded('memory', `it needed more than ${memoryMb} MB of memory`);
  return new CallEnded('fault', messageOf(error));
}
