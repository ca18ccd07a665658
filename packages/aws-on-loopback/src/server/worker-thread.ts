/** Servers that run in a thread of their own: how they are started, what they report, how they end. */
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads';
import { type LogFields, type Logger, messageOf } from '../logger.ts';

export interface Listening {
  readonly url: string;
  readonly port: number;
}

type Report =
  | { readonly kind: 'listening'; readonly at: Listening }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'log'; readonly level: keyof Logger; readonly message: string; readonly fields: LogFields };

export interface ServerThread extends Listening {
  /** Given to the `onOrder` of the thread. */
  order(order: unknown): void;
  /** Asks it to end, and ends it by force when that takes too long. */
  close(): Promise<void>;
}

/** Starts a thread that calls `serveInThread`; `onEnd`: it ended without having been closed. Throws with the error of its start. */
export async function startThread(
  file: URL,
  options: WorkerOptions & { readonly what: string; readonly logger: Logger; readonly onEnd: (cause: string) => void },
): Promise<ServerThread> {
  const { what, logger, onEnd, ...workerOptions } = options;
  const worker = new Worker(file, workerOptions);
  let cause = 'it ended';
  let closing = false;
  worker.on('error', (error) => {
    cause = error.message;
  });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const at = await new Promise<Listening>((resolve, reject) => {
    worker.on('message', (report: Report) => {
      if (report.kind === 'log') logger[report.level](report.message, report.fields);
      else if (report.kind === 'listening') resolve(report.at);
      else reject(new Error(report.message));
    });
    void exited.then(() => reject(new Error(`${what} stopped before it was ready: ${cause}`)));
  }).catch(async (error: unknown) => {
    // It may have threads of its own, which would keep this process alive.
    closing = true;
    await worker.terminate();
    throw error;
  });
  void exited.then(() => {
    if (!closing) onEnd(cause);
  });
  return {
    url: at.url,
    port: at.port,
    order: (order) => worker.postMessage({ order }),
    async close() {
      closing = true;
      worker.postMessage('close');
      const slow = setTimeout(() => void worker.terminate(), 5_000);
      await exited;
      clearTimeout(slow);
    },
  };
}

/** The other side: starts a server in this thread and reports it; `close` is called once, at the end. */
export async function serveInThread(
  start: (logger: Logger) => Promise<Listening & { close(): Promise<void>; onOrder?(order: unknown): void }>,
): Promise<void> {
  const report = (message: Report): void => parentPort?.postMessage(message);
  const log =
    (level: keyof Logger): Logger['info'] =>
    (message, fields = {}) =>
      report({ kind: 'log', level, message, fields });
  try {
    const server = await start({ info: log('info'), warn: log('warn'), error: log('error') });
    parentPort?.on('message', (message: 'close' | { readonly order: unknown }) => {
      if (message !== 'close') server.onOrder?.(message.order);
      else void server.close().then(() => parentPort?.close());
    });
    report({ kind: 'listening', at: { url: server.url, port: server.port } });
  } catch (error) {
    report({ kind: 'failed', message: messageOf(error) });
    parentPort?.close();
  }
}
