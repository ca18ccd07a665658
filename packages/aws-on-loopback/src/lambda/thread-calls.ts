/** Calls of functions in threads, how they end, and what is sent to a thread and back. */

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
