/**
 * DynamoDB on 127.0.0.1: dynalite on LevelDB. What was acknowledged survives a kill of the process; a power cut may
 * cost the last writes, since LevelDB does not flush each one.
 */
import { mkdir } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { closeThread } from '../worker-thread.ts';

export interface ThreadOptions {
  /** Absent: in memory. */
  readonly directory: string | undefined;
  /** 0: any. */
  readonly port: number;
  /** Answers only to who signs with it; absent: to everybody. */
  readonly accessKey?: string;
}

export interface LocalDynamoDb {
  readonly url: string;
  readonly port: number;
  /** Writes out and closes. */
  close(): Promise<void>;
}

/** Starts it, on the wished port when that is free. Throws when the store cannot be opened, e.g. because another process has it. */
export async function startDynamoDb(options: ThreadOptions): Promise<LocalDynamoDb> {
  if (options.directory) await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const worker = new Worker(new URL('./dynamodb-thread.ts', import.meta.url), {
    workerData: options,
    resourceLimits: { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 256 },
  });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', (message: { port: number }) => resolve(message.port));
    worker.once('error', (cause) => reject(new Error('the local DynamoDB does not start', { cause })));
    void exited.then(() => reject(new Error('the local DynamoDB stopped before it was ready')));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () => closeThread(worker, exited),
  };
}
