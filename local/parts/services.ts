/** The AWS services of a platform, on 127.0.0.1. */
import type { RequestListener } from 'node:http';
import { startDynamoDb } from 'aws-on-loopback/dynamodb/start-dynamodb.ts';
import { eventBusListener } from 'aws-on-loopback/event-bus/event-bus.ts';
import { type LocalS3, openS3 } from 'aws-on-loopback/s3/s3-listener.ts';
import { guarded } from 'aws-on-loopback/server/callers.ts';
import { door } from 'aws-on-loopback/server/door.ts';
import { type LoopbackServer, listenNear } from 'aws-on-loopback/server/loopback-server.ts';
import { openParameterStore } from 'aws-on-loopback/ssm/parameter-store.ts';
import { ssmListener } from 'aws-on-loopback/ssm/ssm-listener.ts';
import { stsListener } from 'aws-on-loopback/sts/sts-listener.ts';
import { eventPartitions, tableSchema } from '#adapters/table-keys.ts';
import { bucket, type Endpoints, eventBusName } from '../environment.ts';
import { type HealthTrouble, partEnded } from '../health.ts';
import { expiringPrefixes } from '../housekeeping.ts';
import { doorkeeperOf } from '../rights/doorkeeper.ts';
import { toolSessions } from '../rights/tool-sessions.ts';
import { storeWords } from '../store-words.ts';
import { type Ground, inDirectory } from './ground.ts';

/** Services that answer at once, and those that only listen until they can do their work: until then clients retry. */
export interface Services {
  readonly servers: Readonly<Record<ServiceName, ServerAddress>>;
  readonly endpoints: Endpoints;
  readonly objects: LocalS3;
  readonly doors: Readonly<Record<'stepFunctions' | 'codeBuild' | 'builds', ReturnType<typeof door>>>;
  /** Whom the end of the database is reported to. */
  readonly listeners: ((trouble: HealthTrouble) => void)[];
}
type ServiceName = 'dynamodb' | 's3' | 'ssm' | 'sts' | 'eventBus' | 'stepFunctions' | 'codeBuild' | 'builds';

export async function startServices(ground: Ground): Promise<Services> {
  const { directory, inMemory, acceptLoss, accessKey, logger } = ground;
  const doorkeeper = doorkeeperOf(accessKey);
  const open = async (name: ServiceName, listener: RequestListener): Promise<LoopbackServer> => {
    const server = await listenNear(guarded(listener, doorkeeper), directory.ports[name]);
    ground.onStop(() => server.close());
    return server;
  };
  const listeners: ((trouble: HealthTrouble) => void)[] = [];
  const dynamodb = await startTable(ground, (trouble) => {
    for (const listener of listeners) listener(trouble);
  });
  const objects = await openS3({
    directory: inDirectory(ground, 's3'),
    buckets: [bucket],
    expiring: expiringPrefixes,
    flush: !inMemory,
    logger,
  });
  const s3 = await open('s3', objects.listener);
  const parameters = await openParameterStore(inDirectory(ground, 'ssm'), { acceptLoss, words: storeWords });
  const ssm = await open('ssm', ssmListener(parameters, logger));
  const sts = await open('sts', stsListener(toolSessions(accessKey), logger));
  const file = inDirectory(ground, 'events.jsonl');
  const eventBus = await open('eventBus', eventBusListener({ name: eventBusName, file, logger }));
  const doors = { stepFunctions: door(), codeBuild: door(), builds: door() };
  const stepFunctions = await open('stepFunctions', doors.stepFunctions.listener);
  const codeBuild = await open('codeBuild', doors.codeBuild.listener);
  const builds = await open('builds', doors.builds.listener);
  const servers = { s3, ssm, sts, stepFunctions, codeBuild, builds, dynamodb, eventBus };
  return { servers, endpoints: endpointsOf(servers), objects, doors, listeners };
}

async function startTable(ground: Ground, report: (trouble: HealthTrouble) => void): Promise<ServerAddress> {
  const { directory, inMemory, acceptLoss, accessKey, logger } = ground;
  const dynamodb = await startDynamoDb({
    directory: inMemory ? undefined : inDirectory(ground, 'dynamodb'),
    port: directory.ports.dynamodb ?? 0,
    accessKey,
    doorkeeperModule: new URL('../rights/doorkeeper.ts', import.meta.url).href,
    acceptLoss,
    streamed: { attribute: tableSchema.partitionKey, prefix: eventPartitions },
    words: storeWords,
    logger,
    onEnd(cause) {
      const trouble = partEnded('the database of this platform', cause);
      logger.error(trouble.detail);
      report(trouble);
    },
  });
  ground.onStop(() => dynamodb.close());
  return dynamodb;
}

interface ServerAddress {
  readonly url: string;
  readonly port: number;
}

function endpointsOf(servers: Services['servers']): Endpoints {
  return {
    dynamodb: servers.dynamodb.url,
    s3: servers.s3.url,
    ssm: servers.ssm.url,
    stepFunctions: servers.stepFunctions.url,
    codeBuild: servers.codeBuild.url,
    eventBus: servers.eventBus.url,
    sts: servers.sts.url,
    builds: servers.builds.url,
  };
}
