/** Runs the DynamoDB of this machine in a thread of its own: it uses the same machine as the state machines, but not their event loop. */
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { messageOf } from '../logger.ts';
import { awsJsonListener } from '../server/aws-json.ts';
import { type Doorkeeper, guarded, withKey } from '../server/callers.ts';
import { listenNear } from '../server/loopback-server.ts';
import { serveInThread } from '../server/worker-thread.ts';
import { plainWords } from '../stores/store-fault.ts';
import { openItemStore } from './item-store.ts';
import { migrateLevelDb } from './migrate-leveldb.ts';
import { deleteExpired, dynamoOperations } from './operations.ts';
import { type ThreadOptions, tableFile } from './start-dynamodb.ts';

const sweepMs = 10 * 60_000;

await serveInThread(async (logger) => {
  const options = workerData as ThreadOptions;
  const { directory, port, acceptLoss = false, streamed, words = plainWords } = options;
  const file = directory === undefined ? ':memory:' : join(directory, tableFile);
  const taken = directory === undefined ? undefined : await migrateLevelDb(directory, file, words);
  if (taken !== undefined) logger.info('the table was taken over from LevelDB', { entries: taken });
  const items = openItemStore(file, { acceptLoss, streamed, words });
  const listener = awsJsonListener('DynamoDB', '1.0', dynamoOperations(items), logger);
  const doorkeeper = await doorkeeperIn(options);
  const server = await listenNear(doorkeeper === undefined ? listener : guarded(listener, doorkeeper), port);
  const sweep = (): void => {
    for (const table of items.tablesThatExpire())
      deleteExpired(items, table, Date.now()).catch((error: unknown) =>
        logger.warn('expired items were not deleted', { table, cause: messageOf(error) }),
      );
  };
  const timer = setInterval(sweep, sweepMs);
  sweep();
  return {
    ...server,
    async close() {
      clearInterval(timer);
      await server.close();
      items.close();
    },
  };
});

async function doorkeeperIn({ accessKey, doorkeeperModule }: ThreadOptions): Promise<Doorkeeper | undefined> {
  if (accessKey === undefined) return undefined;
  if (doorkeeperModule === undefined) return withKey(accessKey);
  const { doorkeeperOf } = (await import(doorkeeperModule)) as { doorkeeperOf(accessKey: string): Doorkeeper };
  return doorkeeperOf(accessKey);
}
