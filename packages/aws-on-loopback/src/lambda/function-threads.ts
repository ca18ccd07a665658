/**
 * Functions in threads that are watched from outside: one that takes too long or too much memory is ended with its thread. A call with a
 * large event has a thread for itself, as in Lambda; small ones share a thread while it answers, since most of their time they wait.
 */
import { Worker } from 'node:worker_threads';
import { type Logger, messageOf } from '../logger.ts';
import { CallEnded, type FunctionCall, type ThreadAnswer, type ThreadCall, turns } from './thread-calls.ts';

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
  /** Why it ended, if no one ended it. */
  cause: CallEnded;
  wasLoaded: boolean;
  idle?: NodeJS.Timeout;
}

const stopped = (): CallEnded => new CallEnded('busy', 'the platform is being stopped');
const isBlocked = ({ unanswered }: Thread): boolean => unanswered >= mostUnanswered;

export function functionThreads(pool: ThreadPool): FunctionThreads {
  return new WatchedThreads(pool);
}

class WatchedThreads implements FunctionThreads {
  readonly loaded: Promise<void>;
  readonly #pool: Required<Omit<ThreadPool, 'environment' | 'warm'>> & Pick<ThreadPool, 'environment'>;
  /** Threads that stay though they serve nothing. */
  readonly #kept: number;
  readonly #threads = new Set<Thread>();
  readonly #exits = new Set<Promise<void>>();
  readonly #waiting: Waiting[] = [];
  readonly #noteLoaded: () => void;
  readonly #beat: NodeJS.Timeout;
  #calls = 0;
  #closed = false;

  constructor({ most = 4, memoryMb = 512, idleMs = 60_000, warm = true, ...pool }: ThreadPool) {
    this.#pool = { ...pool, most, memoryMb, idleMs };
    this.#kept = warm ? 1 : 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.loaded = promise;
    this.#noteLoaded = resolve;
    this.#beat = setInterval(() => this.#ask(), beatMs).unref();
    if (warm) this.#start();
  }

  count(): number {
    return this.#threads.size;
  }

  invoke(given: FunctionCall): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(stopped());
      this.#calls += 1;
      const call: Waiting = {
        ...given,
        id: this.#calls,
        turn: new Int32Array(),
        settle(answer) {
          clearTimeout(timer);
          if (answer instanceof CallEnded) reject(answer);
          else if ('thrown' in answer) reject(Object.assign(new Error(answer.thrown.message), answer.thrown));
          else resolve(answer.output);
        },
      };
      const timer = setTimeout(() => this.#outOfTime(call), given.timeoutMs);
      this.#waiting.push(call);
      this.#serve();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#beat);
    const why = stopped();
    for (const call of this.#waiting.splice(0)) call.settle(why);
    for (const thread of this.#threads) {
      for (const call of thread.calls.values()) call.settle(why);
      thread.calls.clear();
      this.#end(thread);
    }
    await Promise.all(this.#exits);
  }

  #start(): void {
    const { module, environment, memoryMb } = this.#pool;
    const worker = new Worker(new URL('./function-thread.ts', import.meta.url), {
      workerData: module,
      env: { ...process.env, ...environment },
      resourceLimits: { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: memoryMb },
    });
    const cause = new CallEnded('fault', 'its thread ended');
    const thread: Thread = { worker, calls: new Map(), state: 'loading', unanswered: 0, cause, wasLoaded: false };
    this.#threads.add(thread);
    worker.on('message', (message: ThreadAnswer) => this.#hear(thread, message));
    worker.on('error', (error: NodeJS.ErrnoException) => {
      thread.cause = endBy(error, memoryMb);
      this.#end(thread, thread.cause);
    });
    const exit = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        this.#exits.delete(exit);
        resolve();
        this.#exited(thread);
      });
    });
    this.#exits.add(exit);
  }

  #hear(thread: Thread, message: ThreadAnswer): void {
    if (message === 'beat') thread.unanswered = 0;
    else if (message === 'loaded') this.#noteStart(thread);
    else this.#finish(thread, message);
  }

  #noteStart(thread: Thread): void {
    if (thread.state === 'loading') thread.state = 'serving';
    thread.wasLoaded = true;
    this.#noteLoaded();
    this.#rest(thread);
    this.#serve();
  }

  #exited(thread: Thread): void {
    const { calls, cause, wasLoaded } = thread;
    this.#threads.delete(thread);
    this.#noteLoaded();
    for (const call of calls.values()) call.settle(cause);
    // One that never loads its module would be started again for ever.
    if (!wasLoaded && this.#threads.size === 0) for (const call of this.#waiting.splice(0)) call.settle(cause);
    if (this.#closed) return;
    this.#serve();
    if (this.#threads.size < this.#kept && wasLoaded) this.#start();
  }

  #finish(thread: Thread, answer: Exclude<ThreadAnswer, string>): void {
    thread.calls.get(answer.id)?.settle(answer);
    thread.calls.delete(answer.id);
    this.#rest(thread);
    this.#serve();
  }

  #rest(thread: Thread): void {
    clearTimeout(thread.idle);
    thread.idle = setTimeout(() => {
      if (thread.calls.size === 0 && this.#threads.size > this.#kept) this.#end(thread);
    }, this.#pool.idleMs).unref();
  }

  /** It counts until it has exited: code that cannot be interrupted at once must not make room for more of it. */
  #end(thread: Thread, why?: CallEnded): void {
    thread.state = 'ending';
    clearTimeout(thread.idle);
    if (why) {
      const names = [...thread.calls.values()].map(({ name }) => name).join(', ');
      this.#pool.logger.warn('a thread of functions was ended', { functions: names, cause: why.message });
      const others = new CallEnded('other', 'its thread was ended, as a request in it took too long');
      for (const call of thread.calls.values()) call.settle(thread.calls.size === 1 ? why : others);
      thread.calls.clear();
    }
    void thread.worker.terminate();
  }

  #threadFor({ isLarge, caller }: Waiting): Thread | undefined {
    const threads = [...this.#threads];
    const serving = threads.filter((thread) => thread.state === 'serving' && !isBlocked(thread));
    const isCallers = ({ calls: its }: Thread) => [...its.values()].some((call) => call.caller === caller);
    const mayHaveMore = threads.filter(isCallers).length < Math.max(1, this.#pool.most - 1);
    const isShared = ({ calls: its }: Thread) => its.size > 0 && [...its.values()].every((call) => !call.isLarge);
    const shared = isLarge ? undefined : serving.find((one) => isShared(one) && (mayHaveMore || isCallers(one)));
    return shared ?? (mayHaveMore ? serving.find(({ calls: its }) => its.size === 0) : undefined);
  }

  #serve(): void {
    for (const call of [...this.#waiting]) {
      const thread = this.#threadFor(call);
      if (thread === undefined) continue;
      this.#waiting.splice(this.#waiting.indexOf(call), 1);
      thread.calls.set(call.id, call);
      call.turn = new Int32Array(new SharedArrayBuffer(4));
      const { id, name, event, timeoutMs, turn } = call;
      thread.worker.postMessage({ id, name, event, timeoutMs, turn } satisfies ThreadCall);
    }
    const isLoading = [...this.#threads].some(({ state }) => state === 'loading');
    if (this.#waiting.length > 0 && this.#threads.size < this.#pool.most && !isLoading) this.#start();
  }

  #outOfTime(call: Waiting): void {
    const place = this.#waiting.indexOf(call);
    if (place >= 0) {
      this.#waiting.splice(place, 1);
      call.settle(new CallEnded('busy', `no thread had time for it within ${seconds(call)} s`));
    }
    const thread = [...this.#threads].find(({ calls: its }) => its.get(call.id) === call);
    if (thread === undefined) return;
    const slow = new CallEnded('slow', `it took longer than ${seconds(call)} s`);
    if (thread.calls.size === 1 || isBlocked(thread)) this.#end(thread, slow);
    // The others continue, and so does this one, as its thread answers; no one waits for it.
    call.settle(slow);
    thread.calls.delete(call.id);
  }

  /** Calls that wait in a blocked thread, and that it has not started. */
  #takeBack(thread: Thread): void {
    for (const call of thread.calls.values()) {
      if (Atomics.compareExchange(call.turn, 0, turns.open, turns.takenBack) !== turns.open) continue;
      thread.calls.delete(call.id);
      this.#waiting.push(call);
    }
    this.#serve();
  }

  /** Asks each thread with calls whether it still answers. */
  #ask(): void {
    for (const thread of this.#threads) {
      if (thread.state !== 'serving' || thread.calls.size === 0) continue;
      if (thread.unanswered === 0) thread.worker.postMessage('beat' satisfies ThreadCall);
      thread.unanswered += 1;
      if (isBlocked(thread)) this.#takeBack(thread);
    }
  }
}

const seconds = ({ timeoutMs }: FunctionCall): number => Math.ceil(timeoutMs / 100) / 10;

function endBy(error: NodeJS.ErrnoException, memoryMb: number): CallEnded {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new CallEnded('memory', `it needed more than ${memoryMb} MB of memory`);
  return new CallEnded('fault', messageOf(error));
}
