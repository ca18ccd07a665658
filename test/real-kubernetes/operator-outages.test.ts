/** What fails around the operator: the API, the API server of the cluster, watches, the operator itself. It converges, and nothing is done twice. */
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { OperatorWorld, simManifest } from './operator-world.ts';

let world: OperatorWorld;
beforeAll(async () => {
  world = await OperatorWorld.start();
});
afterAll(() => world?.stop());

const runsOf = async (name: string) => (await world.platform.api.listRuns({ namespace: 'default', name })).items;

/** The API at an extra address that can be disconnected. */
async function gatedApi() {
  const { port, hostname } = new URL(world.platform.platform.apiUrl);
  const open = new Set<Socket>();
  let isDown = false;
  const gate = createServer((client) => {
    if (isDown) {
      client.destroy();
      return;
    }
    const server = connect(Number(port), hostname);
    open.add(client);
    client.on('error', () => {}).on('close', () => server.destroy());
    server.on('error', () => {}).on('close', () => client.destroy());
    client.pipe(server).pipe(client);
  });
  await new Promise<void>((done) => gate.listen(0, '127.0.0.1', done));
  onTestFinished(() => void gate.close());
  const address = gate.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    apiUrl: `http://127.0.0.1:${address.port}`,
    down: () => {
      isDown = true;
      for (const one of open) one.destroy();
    },
    up: () => {
      isDown = false;
    },
  };
}

test('an API that does not answer for a while changes nothing in Kubernetes, and what was asked for meanwhile happens once', async () => {
  const gate = await gatedApi();
  const operator = world.operator({ apiUrl: gate.apiUrl });
  await world.apply(simManifest('outage'), simManifest('leaving'));
  await world.wait('outage', 'condition=Ready');
  await world.wait('leaving', 'condition=Ready');

  gate.down();
  await world.apply(simManifest('outage', { compute: 3 }));
  await world.kubectl(['delete', 'inputmanifests.kubeloom.dev', 'leaving', '--wait=false']);
  operator.forget();
  await world.until('five passes', () => operator.requests.filter((one) => one.endsWith('/secrets')).length >= 5);
  expect(operator.requests.filter((one) => !one.startsWith('GET'))).toEqual([]);
  expect(operator.log.filter((line) => line.includes('ConnectionFault')).length).toBeLessThan(4);

  gate.up();
  await world.until('the change is done', async () => (await world.get('outage'))?.status?.manifestGeneration === 2);
  await world.wait('outage', 'condition=Ready');
  await world.until('the deleted one is gone', async () => (await world.get('leaving')) === undefined);
  expect(await runsOf('outage')).toHaveLength(2);
  await operator.stop();
});

test('an operator that ends in the middle of a run, and its successor, make one run of each change', async () => {
  world.platform.stageMs(300);
  onTestFinished(() => world.platform.stageMs(0));
  const first = world.operator();
  await world.apply(simManifest('handover'));
  await world.until('it is in progress', async () => (await world.get('handover'))?.status?.state === 'IN_PROGRESS');
  await first.stop();
  const second = world.operator();
  await world.wait('handover', 'condition=Ready');
  expect(await runsOf('handover')).toHaveLength(1);
  await second.stop();
});

test('an operator that stopped after the submission and before it wrote that down submits nothing again', async () => {
  const operator = world.operator();
  await world.apply(simManifest('unwritten'));
  await world.wait('unwritten', 'condition=Ready');
  await operator.stop();
  const object = await world.get('unwritten');
  const { submitted: _, runId: __, ...status } = object?.status ?? {};
  const file = JSON.stringify({ ...object, status });
  await world.kubectl(['replace', '--subresource=status', '-f', '-'], file);

  const second = world.operator();
  await world.until('it is written again', async () => (await world.get('unwritten'))?.status?.runId !== undefined);
  expect(await runsOf('unwritten')).toHaveLength(1);
  await second.stop();
});

test('two operators at once make one run of each change', async () => {
  const both = [world.operator(), world.operator()];
  const names = Array.from({ length: 5 }, (_, index) => `pair-${index}`);
  await world.apply(...names.map((name) => simManifest(name)));
  for (const name of names) await world.wait(name, 'condition=Ready');
  await world.apply(...names.map((name) => simManifest(name, { compute: 1 })));
  for (const name of names)
    await world.until('the change is done', async () => (await world.get(name))?.status?.manifestGeneration === 2);
  for (const name of names) await world.wait(name, 'condition=Ready');
  for (const name of names) expect(await runsOf(name)).toHaveLength(2);
  await world.kubectl(['delete', 'inputmanifests.kubeloom.dev', ...names, '--timeout=90s']);
  await Promise.all(both.map((one) => one.stop()));
});

test('a watch from a version that the server no longer has ends with 410 Gone, and nothing is lost or done twice', async () => {
  const events: unknown[] = [];
  const path = '/apis/kubeloom.dev/v1/inputmanifests';
  const read = { happened: (event: unknown) => void events.push(event), silentMs: 10_000 };
  const watch = await world.access().watch(path, { resourceVersion: '1', timeoutSeconds: '5' }, read);
  await watch.ended;
  expect(events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
  const operator = world.operator({ watchFrom: '1' });
  await world.apply(simManifest('gone'), simManifest('gone-too'));
  await world.wait('gone', 'condition=Ready');
  await world.wait('gone-too', 'condition=Ready');
  await world.apply(simManifest('gone', { compute: 1 }));
  await world.until('the change is done', async () => (await world.get('gone'))?.status?.manifestGeneration === 2);
  await world.wait('gone', 'condition=Ready');
  await world.kubectl(['delete', 'inputmanifests.kubeloom.dev', 'gone-too', '--timeout=90s']);
  expect(await runsOf('gone')).toHaveLength(2);
  expect(operator.log).toEqual([]);
  await operator.stop();
});

test('an API server that starts again, so that its watches are too old, loses no change and no deletion', async () => {
  const operator = world.operator();
  await world.apply(simManifest('survivor'), simManifest('doomed'));
  await world.wait('survivor', 'condition=Ready');
  await world.wait('doomed', 'condition=Ready');
  await world.kubectl(['delete', 'inputmanifests.kubeloom.dev', 'doomed', '--wait=false']);
  await world.kubernetes.restartApi();
  await world.apply(simManifest('survivor', { compute: 4 }));
  await world.until('the change is done', async () => (await world.get('survivor'))?.status?.manifestGeneration === 2);
  await world.wait('survivor', 'condition=Ready');
  await world.until('the deleted one is gone', async () => (await world.get('doomed')) === undefined);
  expect(await runsOf('survivor')).toHaveLength(2);
  await operator.stop();
});

test('a change wakes an operator that would sleep for an hour', async () => {
  const operator = world.operator({ intervalMs: 3_600_000 });
  await world.until('its first pass', () => operator.requests.some((one) => one.endsWith('/inputmanifests')));
  await world.apply(simManifest('awake'));
  await world.until('it was submitted', async () => (await world.get('awake'))?.status?.runId !== undefined);
  await operator.stop();
});
