/** DynamoDB on 127.0.0.1, kept in SQLite: what was acknowledged survives a kill of the process and a power cut. */
import { mkdir } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { LogFields, Logger } from '../logger.ts';
import { silentLogger } from '../logger.ts';
import { closeThread } from '../worker-thread.ts';

/** In the directory of the table. */
export const tableFile = 'table.sqlite';

export interface ThreadOptions {
  /** Absent: in memory. */
  readonly directory: string | undefined;
  /** 0: any. */
  readonly port: number;
  /** Only requests signed with it are answered; absent: all requests. */
  readonly accessKey?: string;
  /** Starts although acknowledged changes are lost. @default false */
  readonly acceptLoss?: boolean;
}

export type DynamoDbReport =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'log'; readonly level: keyof Logger; readonly message: string; readonly fields: LogFields };

export interface LocalDynamoDb {
  readonly url: string;
  readonly port: number;
  /** Calls back when it ends without having been closed. */
  onEnd(notify: (cause: string) => void): void;
  /** Writes out and closes. */
  close(): Promise<void>;
}

/** Starts it, on the requested port when that is free. Throws, with the file and what to do, when the store cannot be opened. */
export async function startDynamoDb(options: ThreadOptions & { readonly logger?: Logger }): Promise<LocalDynamoDb> {
  const { logger = silentLogger, ...workerData } = options;
  if (options.directory) await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const worker = new Worker(new URL('./dynamodb-thread.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 256 },
  });
  let cause = 'it ended';
  let closing = false;
  let reportEnd: ((cause: string) => void) | undefined;
  worker.on('error', (error) => {
    cause = error.message;
  });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    worker.on('message', (report: DynamoDbReport) => {
      if (report.kind === 'log') logger[report.level](report.message, report.fields);
      else if (report.kind === 'listening') resolve(report.port);
      else reject(new Error(report.message));
    });
    void exited.then(() => reject(new Error(`the local DynamoDB stopped before it was ready: ${cause}`)));
  });
  void exited.then(() => {
    if (!closing) reportEnd?.(cause);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    onEnd: (notify) => {
      reportEnd = notify;
    },
    close: () => {
      closing = true;
      return closeThread(worker, exited);
    },
  };
}
