/** Lambda's event source on the stream of the table: gives a function what is new, again and again until it takes it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { LambdaHost } from '../lambda/lambda-host.ts';
import { type Logger, messageOf } from '../logger.ts';

interface Change {
  readonly id: number;
  readonly image: Readonly<Record<string, unknown>>;
}

const longestPauseMs = 60_000;

export interface EventSource {
  readonly databaseUrl: string;
  readonly accessKey: string;
  /** Calls the function with a batch of records. */
  readonly invoke: (batch: object) => Promise<unknown>;
  /** How long a look waits for something new. @default 20 s */
  readonly waitMs?: number;
  /** @default none: a look ends after `waitMs` */
  readonly signal?: AbortSignal;
}

/** One look: what is new goes to the function. `taken` is what the last look returned: the database forgets up to there. */
export async function deliverChanges(
  { databaseUrl, accessKey, invoke, waitMs = 20_000, signal }: EventSource,
  taken: number | undefined,
): Promise<number | undefined> {
  const response = await fetch(databaseUrl, {
    method: 'POST',
    headers: {
      'x-amz-target': 'DynamoDB_20120810.ReadNewItems',
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/`,
    },
    body: JSON.stringify({ waitMs, ...(taken !== undefined && { forget: taken }) }),
    ...(signal && { signal }),
  });
  if (!response.ok) throw new Error(`the database answered ${response.status}`);
  const { changes } = (await response.json()) as { readonly changes: readonly Change[] };
  if (changes.length > 0) await invoke(batchOf(changes));
  return changes.at(-1)?.id ?? taken;
}

/** The returned function ends it. */
export function startEventSource(options: {
  readonly databaseUrl: string;
  readonly accessKey: string;
  readonly lambdas: Pick<LambdaHost, 'invoke'>;
  readonly functionName: string;
  readonly logger: Logger;
}): () => Promise<void> {
  const { databaseUrl, accessKey, lambdas, functionName, logger } = options;
  const end = new AbortController();
  const source = {
    databaseUrl,
    accessKey,
    invoke: (batch: object) => lambdas.invoke(functionName, batch),
    signal: end.signal,
  };
  const run = async (): Promise<void> => {
    let taken: number | undefined;
    let failures = 0;
    while (!end.signal.aborted) {
      try {
        taken = await deliverChanges(source, taken);
        failures = 0;
      } catch (error) {
        if (end.signal.aborted) return;
        failures += 1;
        logger.error('events were not published; they are given again', { cause: messageOf(error) });
        await pause(Math.min(longestPauseMs, 500 * 2 ** failures), undefined, { signal: end.signal }).catch(() => {});
      }
    }
  };
  const under = run();
  return async () => {
    end.abort();
    await under;
  };
}

/** As DynamoDB gives it to Lambda. */
const batchOf = (changes: readonly Change[]): object => ({
  Records: changes.map(({ id, image }) => ({
    eventID: String(id),
    eventName: 'INSERT',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    dynamodb: { NewImage: image, SequenceNumber: String(id), StreamViewType: 'NEW_IMAGE' },
  })),
});
