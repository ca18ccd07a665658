/**
 * Functions in threads that are watched from outside: one that takes too long or too much memory is ended with its thread. A call with a
 * large event has a thread for itself, as in Lambda; small ones share a thread while it answers, since most of their time they wait.
 */
import { Worker } from 'node:worker_threads';
import { type Logger, messageOf } from '../logger.ts';

export interface FunctionCall {
  /** Name of the function in its module. */
  readonly name: string;
  readonly event: unknown;
  /** It may take long to read: no other call is in its thread. */
  readonly isLarge: boolean;
  /** Who waits for it: no caller gets all threads. */
  readonly caller: string;
  /** From now to its end. */
  readonly timeoutMs: number;
}

/**
 * Why there is no answer: it took longer than its time, no thread had time for it, it needed more memory than a thread has, its thread
 * ended by a fault, or because of another call.
 */
export type EndOfCall = 'slow' | 'busy' | 'memory' | 'fault' | 'other';

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

/** What a thread is asked: to serve a call, or whether it still answers. */
export type ThreadCall =
  | 'beat'
  | (Pick<FunctionCall, 'name' | 'event' | 'timeoutMs'> & { readonly id: number; readonly turn: Int32Array });
/** Who has a call, in its `turn`: the thread once it has started it, unless the pool took it back before. */
export const turns = { open: 0, started: 1, takenBack: 2 } as const;
/** What it answers; its first message says that it has loaded its module. */
export type ThreadAnswer =
  | 'loaded'
  | 'beat'
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly thrown: { readonly name: string; readonly message: string } };

const beatMs = 250;
/**
 * So many beats without an answer: then a thread gets no further call, those that it has not started go to another, and it is ended when
 * the time of one is over. A machine that is busy lets a thread wait for a second.
 */
const mostUnanswered = 8;

interface Waiting extends FunctionCall {
  readonly id: number;
  turn: Int32Array;
  settle(answer: Exclude<ThreadAnswer, string> | CallEnded): void;
}

interface Thread {
  readonly worker: Worker;
  readonly calls: Map<number, Waiting>;
  state: 'loading' | 'serving' | 'ending';
  unanswered: number;
  idle?: NodeJS.Timeout;
}

export function functionThreads(pool: ThreadPool): FunctionThreads {
  const { module, logger, most = 4, memoryMb = 512, idleMs = 60_000, warm = true } = pool;
  const kept = warm ? 1 : 0;
  const threads = new Set<Thread>();
  const exits = new Set<Promise<void>>();
  const waiting: Waiting[] = [];
  const { promise: loaded, resolve: noteLoaded } = Promise.withResolvers<void>();
  let calls = 0;
  let closed = false;

  const start = (): void => {
    const worker = new Worker(new URL('./function-thread.ts', import.meta.url), {
      workerData: module,
      env: { ...process.env, ...pool.environment },
      resourceLimits: { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: memoryMb },
    });
    const thread: Thread = { worker, calls: new Map(), state: 'loading', unanswered: 0 };
    let cause = new CallEnded('fault', 'its thread ended');
    let wasLoaded = false;
    threads.add(thread);
    worker.on('message', (message: ThreadAnswer) => {
      if (message === 'beat') thread.unanswered = 0;
      else if (message !== 'loaded') return finish(thread, message);
      else if (thread.state === 'loading') thread.state = 'serving';
      if (message !== 'loaded') return;
      wasLoaded = true;
      noteLoaded();
      rest(thread);
      serve();
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      cause = endBy(error, memoryMb);
      end(thread, cause);
    });
    const exit = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        threads.delete(thread);
        exits.delete(exit);
        resolve();
        noteLoaded();
        for (const call of thread.calls.values()) call.settle(cause);
        // One that never loads its module would be started again for ever.
        if (!wasLoaded && threads.size === 0) for (const call of waiting.splice(0)) call.settle(cause);
        if (closed) return;
        serve();
        if (threads.size < kept && wasLoaded) start();
      });
    });
    exits.add(exit);
  };

  const finish = (thread: Thread, answer: Exclude<ThreadAnswer, string>): void => {
    thread.calls.get(answer.id)?.settle(answer);
    thread.calls.delete(answer.id);
    rest(thread);
    serve();
  };

  const rest = (thread: Thread): void => {
    clearTimeout(thread.idle);
    thread.idle = setTimeout(() => {
      if (thread.calls.size === 0 && threads.size > kept) end(thread);
    }, idleMs).unref();
  };

  /** It counts until it has exited: code that cannot be interrupted at once must not make room for more of it. */
  const end = (thread: Thread, why?: CallEnded): void => {
    thread.state = 'ending';
    clearTimeout(thread.idle);
    if (why) {
      const names = [...thread.calls.values()].map(({ name }) => name).join(', ');
      logger.warn('a thread of functions was ended', { functions: names, cause: why.message });
      const others = new CallEnded('other', 'its thread was ended, as a request in it took too long');
      for (const call of thread.calls.values()) call.settle(thread.calls.size === 1 ? why : others);
      thread.calls.clear();
    }
    void thread.worker.terminate();
  };

  const isBlocked = ({ unanswered }: Thread): boolean => unanswered >= mostUnanswered;

  const threadFor = ({ isLarge, caller }: Waiting): Thread | undefined => {
    const serving = [...threads].filter((thread) => thread.state === 'serving' && !isBlocked(thread));
    const isCallers = ({ calls: its }: Thread) => [...its.values()].some((call) => call.caller === caller);
    const mayHaveMore = [...threads].filter(isCallers).length < Math.max(1, most - 1);
    const isShared = ({ calls: its }: Thread) => its.size > 0 && [...its.values()].every((call) => !call.isLarge);
    const shared = isLarge ? undefined : serving.find((one) => isShared(one) && (mayHaveMore || isCallers(one)));
    return shared ?? (mayHaveMore ? serving.find(({ calls: its }) => its.size === 0) : undefined);
  };

  const serve = (): void => {
    for (const call of [...waiting]) {
      const thread = threadFor(call);
      if (thread === undefined) continue;
      waiting.splice(waiting.indexOf(call), 1);
      thread.calls.set(call.id, call);
      call.turn = new Int32Array(new SharedArrayBuffer(4));
      const { id, name, event, timeoutMs, turn } = call;
      thread.worker.postMessage({ id, name, event, timeoutMs, turn } satisfies ThreadCall);
    }
    const isLoading = [...threads].some(({ state }) => state === 'loading');
    if (waiting.length > 0 && threads.size < most && !isLoading) start();
  };

  const outOfTime = (call: Waiting): void => {
    const place = waiting.indexOf(call);
    if (place >= 0) {
      waiting.splice(place, 1);
      call.settle(new CallEnded('busy', `no thread had time for it within ${seconds(call)} s`));
    }
    const thread = [...threads].find(({ calls: its }) => its.get(call.id) === call);
    if (thread === undefined) return;
    const slow = new CallEnded('slow', `it took longer than ${seconds(call)} s`);
    if (thread.calls.size === 1 || isBlocked(thread)) end(thread, slow);
    // The others continue, and so does this one, as its thread answers; no one waits for it.
    call.settle(slow);
    thread.calls.delete(call.id);
  };

  /** Calls that wait in a blocked thread, and that it has not started. */
  const takeBack = (thread: Thread): void => {
    for (const call of thread.calls.values()) {
      if (Atomics.compareExchange(call.turn, 0, turns.open, turns.takenBack) !== turns.open) continue;
      thread.calls.delete(call.id);
      waiting.push(call);
    }
    serve();
  };

  const beat = setInterval(() => {
    for (const thread of threads) {
      if (thread.state !== 'serving' || thread.calls.size === 0) continue;
      if (thread.unanswered === 0) thread.worker.postMessage('beat' satisfies ThreadCall);
      thread.unanswered += 1;
      if (isBlocked(thread)) takeBack(thread);
    }
  }, beatMs).unref();

  if (warm) start();
  return {
    loaded,
    count: () => threads.size,
    invoke: (given) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new CallEnded('busy', 'the platform is being stopped'));
        calls += 1;
        const call: Waiting = {
          ...given,
          id: calls,
          turn: new Int32Array(),
          settle(answer) {
            clearTimeout(timer);
            if (answer instanceof CallEnded) reject(answer);
            else if ('thrown' in answer) reject(Object.assign(new Error(answer.thrown.message), answer.thrown));
            else resolve(answer.output);
          },
        };
        const timer = setTimeout(() => outOfTime(call), given.timeoutMs);
        waiting.push(call);
        serve();
      }),
    async close() {
      closed = true;
      clearInterval(beat);
      const stopped = new CallEnded('busy', 'the platform is being stopped');
      for (const call of waiting.splice(0)) call.settle(stopped);
      for (const thread of threads) {
        for (const call of thread.calls.values()) call.settle(stopped);
        thread.calls.clear();
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
