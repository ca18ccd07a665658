/** Runs the DynamoDB of this machine in a thread of its own: it uses the same machine as the state machines, but not their event loop. */
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { guarded } from '../../../../local/rights/access-key.ts';
import { messageOf } from '../logger.ts';
import { awsJsonListener } from '../server/aws-json.ts';
import { listenNear } from '../server/loopback-server.ts';
import { serveInThread } from '../server/worker-thread.ts';
import { openItemStore } from './item-store.ts';
import { migrateLevelDb } from './migrate-leveldb.ts';
import { deleteExpired, dynamoOperations } from './operations.ts';
import { type ThreadOptions, tableFile } from './start-dynamodb.ts';

const sweepMs = 10 * 60_000;

await serveInThread(async (logger) => {
  const { directory, port, accessKey, acceptLoss = false } = workerData as ThreadOptions;
  const file = directory === undefined ? ':memory:' : join(directory, tableFile);
  const taken = directory === undefined ? undefined : await migrateLevelDb(directory, file);
  if (taken !== undefined) logger.info('the table was taken over from LevelDB', { entries: taken });
  const items = openItemStore(file, { acceptLoss });
  const listener = awsJsonListener('DynamoDB', '1.0', dynamoOperations(items), logger);
  const server = await listenNear(accessKey === undefined ? listener : guarded(listener, accessKey), port);
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
