/** A management plane from the command line to its cluster, on a platform that simulates. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Platform, startPlatform } from '#local/platform.ts';
import { aComponent, aPlane } from '#test/planes/planes.ts';
import { kubeloom as run } from './kubeloom.ts';

let platform: Platform;
let folder: string;
const settings = ['KUBELOOM_SIM_STAGE_MS', 'KUBELOOM_LOG'];
const before = settings.map((name) => [name, process.env[name]] as const);
const manifest = {
  apiVersion: 'kubeloom.dev/v1',
  kind: 'InputManifest',
  metadata: { name: 'mgmt', namespace: 'team' },
  spec: {
    providers: [{ name: 'sim-1', providerType: 'sim' }],
    nodePools: {
      dynamic: [
        {
          name: 'control',
          count: 1,
          serverType: 'small',
          image: 'linux',
          providerSpec: { name: 'sim-1', region: 'one' },
        },
      ],
    },
    kubernetes: {
      clusters: [{ name: 'mgmt', version: '1.34.2', network: '192.168.2.0/24', pools: { control: ['control'] } }],
    },
  },
};

const kubeloom = (...args: readonly string[]) =>
  run(args, { environment: { KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token } });

function file(name: string, ...documents: readonly object[]): string {
  const path = join(folder, name);
  writeFileSync(path, documents.map((document) => JSON.stringify(document)).join('\n---\n'));
  return path;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubeloom-planes-'));
  process.env.KUBELOOM_LOG = 'none';
  process.env.KUBELOOM_SIM_STAGE_MS = '0';
  platform = await startPlatform({ inMemory: true, runner: 'sim', apiPort: 0, graceMs: 100 });
});
afterAll(async () => {
  await platform.stop();
  rmSync(folder, { recursive: true, force: true });
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

it('CO-2: a management cluster is rolled out by one command, its plane is upgraded, shown and deleted by others', async () => {
  const both = file('both.yaml', manifest, aPlane());
  const applied = await kubeloom('apply', '-f', both, '--wait');
  expect(applied, applied.stderr).toMatchObject({ code: 0 });
  const listed = await kubeloom('planes', 'list', '-n', 'team');
  expect(listed.stdout).toMatch(/capi\s+mgmt\s+mgmt\s+installed\s+1\/1/);

  const newer = file('newer.yaml', aPlane([aComponent({ version: 'v1.12.0' })]));
  const planned = await kubeloom('plan', '-f', newer);
  expect(planned, planned.stderr).toMatchObject({ code: 0 });
  expect(planned.stdout).toContain('capi.cluster-api');
  const upgraded = await kubeloom('apply', '-f', newer, '--wait');
  expect(upgraded, upgraded.stderr).toMatchObject({ code: 0 });
  const described = await kubeloom('planes', 'describe', 'capi', '-n', 'team');
  expect(described.stdout).toMatch(/capi\.cluster-api\s+core\s+v1\.12\.0\s+v1\.12\.0/);

  const refused = await kubeloom('apply', '-f', both);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('capi.cluster-api v1.11.1 is older than v1.12.0, which is installed');
  expect((await kubeloom('planes', 'get', 'capi', '-n', 'team')).stdout).toContain('version: v1.12.0');
  const unasked = await kubeloom('planes', 'delete', 'capi', '-n', 'team');
  expect(unasked).toMatchObject({ code: 9, stderr: expect.stringContaining('1 component removed from cluster mgmt') });
  expect((await kubeloom('planes', 'delete', 'capi', '-n', 'team', '--yes')).stdout).toContain(
    'ManagementPlane team/capi deleted',
  );
  expect((await kubeloom('planes', 'list', '-n', 'team')).stdout).toContain('no ManagementPlanes in namespace team');
  expect(await kubeloom('planes', 'describe', 'capi', '-n', 'team')).toMatchObject({ code: 4 });
});
