/** DynamoDB on 127.0.0.1, kept in SQLite: what was acknowledged survives a kill of the process and a power cut. */
import { mkdir } from 'node:fs/promises';
import { type Logger, silentLogger } from '../logger.ts';
import { type ServerThread, startThread } from '../server/worker-thread.ts';
import type { StoreWords } from '../stores/store-fault.ts';
import type { Streamed } from './change-stream.ts';

/** In the directory of the table. */
export const tableFile = 'table.sqlite';

export interface ThreadOptions {
  /** Absent: in memory. */
  readonly directory: string | undefined;
  /** 0: any. */
  readonly port: number;
  /** Only requests signed with it are answered; absent: all requests. */
  readonly accessKey?: string;
  /** URL of a module whose `doorkeeperOf` says, for this key, who may do what. @default who signs with the key, everything */
  readonly doorkeeperModule?: string;
  /** New items that the stream of the table has. @default none */
  readonly streamed?: Streamed;
  readonly words?: StoreWords;
  /** Starts although acknowledged changes are lost. @default false */
  readonly acceptLoss?: boolean;
}

export type LocalDynamoDb = ServerThread;

/** Starts it, on the requested port when that is free. Throws, with the file and what to do, when the store cannot be opened. */
export async function startDynamoDb({
  logger = silentLogger,
  onEnd = () => {},
  ...workerData
}: ThreadOptions & {
  readonly logger?: Logger;
  /** Called when it ends without having been closed. */
  readonly onEnd?: (cause: string) => void;
}): Promise<LocalDynamoDb> {
  if (workerData.directory) await mkdir(workerData.directory, { recursive: true, mode: 0o700 });
  return startThread(new URL('./dynamodb-thread.ts', import.meta.url), {
    workerData,
    what: 'the local DynamoDB',
    logger,
    onEnd,
    resourceLimits: { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 256 },
  });
}
