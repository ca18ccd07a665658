/** Ends a thread that has a server in it: by request first, by force when that takes too long. */
import type { Worker } from 'node:worker_threads';

/** Resolves when it has ended; `exited` does when the thread's `exit` was heard. */
export async function closeThread(worker: Worker, exited: Promise<void>): Promise<void> {
  worker.postMessage('close');
  const slow = setTimeout(() => void worker.terminate(), 5_000);
  await exited;
  clearTimeout(slow);
}
