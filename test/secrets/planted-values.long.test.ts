/** Values of Secrets stay where they belong: a whole life on disk, then every file, answer and history is searched for them. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  ListStateMachinesCommand,
  SFNClient,
} from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Platform, startPlatform } from '#local/platform.ts';
import { inOneThread } from '#test/local/one-thread.ts';
import { at } from '../local/clients.ts';
import { manifestWith, plantedSecrets } from './planted-documents.ts';

/** Letters and digits only, so that no encoding but base64 changes them. */
const mark = (length: number): string => randomBytes(length).toString('hex').slice(0, length);

/** Planted where it may be seen: a search that misses this value finds nothing. */
const visible = mark(40);
const planted = plantedSecrets(mark);
const passwordOfProxy = mark(24);

let directory: string;
let platform: Platform;
/** Everything that was sent outside, by place. */
const reported = new Map<string, string>();
const settings = ['KUBELOOM_SIM_FAULTS', 'KUBELOOM_SIM_STAGE_MS', 'KUBELOOM_LOG', 'KUBELOOM_STAGE_RETRY_SECONDS'];
const before = settings.map((name) => [name, process.env[name]] as const);

async function api(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(`${platform.apiUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${platform.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  reported.set(`${method} ${path} #${reported.size}`, `${JSON.stringify([...response.headers])}${text}`);
  return { status: response.status, text };
}

const manifestPath = '/v1/manifests/default/planted';

interface Existing {
  readonly status: string;
  readonly attempt: number;
  readonly clusters: readonly {
    readonly status: string;
    readonly progress: { readonly stage: string | null } | null;
  }[];
}

/** Looks until it is so. */
async function until(holds: (manifest: Existing) => boolean): Promise<Existing> {
  for (;;) {
    const manifest = JSON.parse((await api('GET', manifestPath)).text) as Existing;
    if (holds(manifest)) return manifest;
    await pause(20);
  }
}

const ended = async (): Promise<string> => (await until(({ status }) => ['Done', 'Failed'].includes(status))).status;

/** A stage of that attempt is running. */
const atWork = (wanted: number) =>
  until(
    ({ attempt, clusters: [cluster] }) =>
      attempt === wanted && cluster?.status === 'Running' && !!cluster.progress?.stage,
  );

async function start(): Promise<void> {
  platform = await startPlatform({
    dataDir: directory,
    runner: 'sim',
    apiPort: 0,
    graceMs: 100,
    product: inOneThread(),
  });
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeloom-planted-'));
  process.env.KUBELOOM_LOG = 'none';
  process.env.KUBELOOM_STAGE_RETRY_SECONDS = '0';
  await start();
});
afterAll(async () => {
  await platform.stop();
  await rm(directory, { recursive: true, force: true });
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

describe('values of Secrets', () => {
  it('the planted values go through a full, a failing, a killed and a cancelled run', async () => {
    for (const secret of planted.documents) {
      const { status } = await api('PUT', `/v1/secrets/default/${secret.metadata.name}`, secret);
      expect(status).toBeLessThan(300);
    }
    const first = manifestWith({ visible, compute: 1 });
    expect((await api('POST', `${manifestPath}/plan`, first)).status).toBe(200);
    expect((await api('PUT', manifestPath, first)).status).toBe(202);
    expect(await ended()).toBe('Done');

    process.env.KUBELOOM_SIM_FAULTS = '[{"stage":"kubernetes","class":"user"}]';
    expect((await api('PUT', manifestPath, manifestWith({ visible, compute: 2 }))).status).toBe(202);
    expect(await ended()).toBe('Failed');

    process.env.KUBELOOM_SIM_STAGE_MS = '60000';
    expect((await api('PUT', manifestPath, manifestWith({ visible, compute: 3 }))).status).toBe(202);
    await atWork(1);
    await platform.stop();
    delete process.env.KUBELOOM_SIM_STAGE_MS;
    await start();
    expect(await ended()).toBe('Done');

    process.env.KUBELOOM_SIM_STAGE_MS = '60000';
    expect((await api('PUT', manifestPath, manifestWith({ visible, compute: 4 }))).status).toBe(202);
    await atWork(1);
    process.env.KUBELOOM_SIM_STAGE_MS = '0';
    expect((await api('POST', `${manifestPath}/cancel`)).status).toBe(202);
    expect(await ended()).toBe('Failed');
    expect((await api('POST', `${manifestPath}/retry`)).status).toBe(202);
    expect(await ended()).toBe('Done');
  });

  it('refused values are not shown, nor the password of a proxy', async () => {
    const { refused } = planted;
    expect((await api('PUT', `/v1/secrets/default/${refused.metadata.name}`, refused)).status).toBe(422);
    const proxy = `http://nodes:${passwordOfProxy}@proxy.example.com:3128`;
    const withPassword = await api('PUT', manifestPath, manifestWith({ visible, compute: 3, proxy }));
    expect(withPassword.status).toBe(422);
    expect(withPassword.text).toContain('installationProxy.endpoint');
  });

  it('the planted values are in no answer of the API', async () => {
    await api('POST', `${manifestPath}/plan`);
    await api('GET', '/v1/secrets?namespace=default');
    await api('GET', `${manifestPath}/events?limit=200`);
    const { text } = await api('GET', `${manifestPath}/runs`);
    for (const { runId } of (JSON.parse(text) as { items: readonly { runId: string }[] }).items) {
      const logs = await api('GET', `${manifestPath}/runs/${runId}/logs`);
      for (const { path } of (JSON.parse(logs.text) as { items: readonly { path: string }[] }).items)
        expect((await api('GET', path)).status).toBe(200);
    }
    expect([...reported.values()].some((answer) => answer.includes(visible))).toBe(true);
    expect(placesOf(reported)).toEqual([]);
  });

  it('the planted values are in no input, output or history of an execution', async () => {
    const histories = await executionsOf(platform.endpoints.stepFunctions, platform.token);
    expect([...histories.keys()].length).toBeGreaterThan(10);
    expect(placesOf(histories)).toEqual([]);
  });

  it('the planted values are in no item of the table', async () => {
    const { Items } = await new DynamoDBClient(at(platform.endpoints.dynamodb, platform.token)).send(
      new ScanCommand({ TableName: 'kubeloom' }),
    );
    const items = new Map((Items ?? []).map((item) => [`${item.pk?.S} ${item.sk?.S}`, JSON.stringify(item)]));
    expect([...items.values()].some((item) => item.includes(visible))).toBe(true);
    expect(placesOf(items)).toEqual([]);
  });

  it('the planted values are in no file in clear, and sealed in the parameter store', async () => {
    const files = new Map<string, string>();
    for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      files.set(relative(directory, path), await readFile(path, 'latin1'));
    }
    const found = [...files].filter(([, text]) => text.includes(visible)).map(([path]) => path.split('/')[0]);
    expect(found).toEqual(expect.arrayContaining(['s3', 'dynamodb']));
    expect([...files.keys()].some((path) => path.startsWith('ssm/'))).toBe(true);
    expect(placesOf(files)).toEqual([]);
  });
});

/** Where a planted value is found, as it is or in base64. */
function placesOf(texts: ReadonlyMap<string, string>): string[] {
  const needles = [...planted.values, { what: 'password of the proxy', value: passwordOfProxy }].flatMap(
    ({ what, value }) => [value, ...inBase64(value)].map((needle) => ({ what, needle })),
  );
  return [...texts].flatMap(([place, text]) =>
    needles.filter(({ needle }) => text.includes(needle)).map(({ what }) => `${place}: ${what}`),
  );
}

/** The middle of `value` as base64 of a longer text has it, for each place at which it may begin there. */
function inBase64(value: string): string[] {
  return [0, 1, 2].map((shift) => {
    const text = Buffer.from(`${'-'.repeat(shift)}${value}`).toString('base64');
    return text.slice(4, -4);
  });
}

async function executionsOf(endpoint: string, token: string): Promise<ReadonlyMap<string, string>> {
  const sfn = new SFNClient(at(endpoint, token));
  const found = new Map<string, string>();
  const { stateMachines = [] } = await sfn.send(new ListStateMachinesCommand({}));
  for (const { stateMachineArn } of stateMachines) {
    const { executions = [] } = await sfn.send(new ListExecutionsCommand({ stateMachineArn }));
    for (const { executionArn, name } of executions) {
      const described = await sfn.send(new DescribeExecutionCommand({ executionArn }));
      const history = await sfn.send(new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }));
      found.set(
        `execution ${name}`,
        JSON.stringify([described.input, described.output, described.cause, history.events]),
      );
    }
  }
  return found;
}
