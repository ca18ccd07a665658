/**
 * A GitSource on a whole platform: a push to a private repository is fetched by a real runner and becomes machines. And what Terraform
 * would replace although the plan keeps it is refused on real machines before any of them is touched.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { accessKeyOf } from '#local/rights/access-key.ts';
import { allowGitServer, type GitServer, startGitServer } from '#test/templates/git-server.ts';
import { eventually } from './host-workshop.ts';
import { clusterOf, Installation, nodesOf } from './installation.ts';
import { smallManifest } from './small-manifest.ts';

const token = 'kl-planted-token-of-a-private-repository';
const name = 'pushed';
const key = { namespace: 'default', name };
const source = { namespace: 'default', name: 'clusters' };
let server: GitServer;
let installation: Installation;
let forget: () => void;

const push = (workers: number): string =>
  server.commit({
    'clusters/pushed.yaml': JSON.stringify(
      smallManifest({ name, compute: { work: { provider: 'local-1', region: 'here', count: workers } } }),
    ),
  });

/** The manifest, once the run of a generation has ended. */
async function ended(generation: number): Promise<ManifestDescription> {
  let found: ManifestDescription | undefined;
  await eventually(
    `generation ${generation} has ended`,
    async () => {
      await pause(300);
      found = await installation.api.getManifest(key).catch(() => undefined);
      return found?.generation === generation && ['Done', 'Failed'].includes(found.status);
    },
    240,
  );
  if (found === undefined) throw new Error('there is no manifest');
  return found;
}

/** The bucket of the platform. */
function bucket() {
  const { endpoints, token: own } = installation.platform;
  const credentials = { accessKeyId: accessKeyOf(own), secretAccessKey: 'any' };
  const s3 = new S3Client({ region: 'us-east-1', endpoint: endpoints.s3, credentials, forcePathStyle: true });
  const Bucket = 'kubeloom';
  return {
    list: async (Prefix: string) =>
      ((await s3.send(new ListObjectsV2Command({ Bucket, Prefix }))).Contents ?? []).map(({ Key = '' }) => Key),
    get: async (Key: string) =>
      (await (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString()) ?? '',
    put: (Key: string, Body: string) => s3.send(new PutObjectCommand({ Bucket, Key, Body })),
  };
}

/** The key of Terraform's state that has the machines. */
async function stateOfMachines(): Promise<string> {
  const keys = await bucket().list(`terraform/default/${name}/`);
  for (const one of keys) if ((await bucket().get(one)).includes('triggers_replace')) return one;
  throw new Error(`no state has machines: ${keys.join(', ')}`);
}

beforeAll(async () => {
  server = await startGitServer({ token });
  forget = allowGitServer(server);
  installation = await Installation.open({ tickSeconds: 10 });
  await installation.api.putSecret(
    { namespace: 'default', name: 'git' },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'git', namespace: 'default' },
      stringData: { token },
    },
  );
});

afterAll(async () => {
  await installation?.close();
  await server?.close();
  forget?.();
});

it('a push to a private repository is fetched by a runner and becomes machines, and its token is nowhere', async () => {
  const commit = push(1);
  await installation.api.putGitSource(source, {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'GitSource',
    metadata: source,
    spec: { url: server.url, ref: 'main', path: 'clusters', every: '1m', secretRef: { name: 'git' } },
  });
  const made = await ended(1);
  expect(made.status, JSON.stringify(clusterOf(made).failure)).toBe('Done');
  expect(await installation.hosts()).toEqual(nodesOf(made));
  const shown = await installation.api.getGitSource(source);
  expect(shown.status).toMatchObject({ state: 'Ready', commit, manifests: [{ name, state: 'applied' }] });
  const { items } = await installation.api.listEvents(key);
  expect(JSON.stringify(items)).toContain(`gitsource:clusters@${commit}`);
  expect(JSON.stringify([shown, items])).not.toContain(token);
});

it('a machine that Terraform would replace although the plan keeps it is refused before any machine is touched', async () => {
  const before = nodesOf(await installation.api.getManifest(key));
  const path = await stateOfMachines();
  const state = await bucket().get(path);
  const { resources, ...rest } = JSON.parse(state);
  const hosts = resources.filter((one: { readonly name: string }) => one.name === 'host');
  for (const { instances } of hosts)
    for (const { attributes } of instances)
      attributes.triggers_replace.value = attributes.triggers_replace.value.map((one: unknown) => `${one}-other`);
  await bucket().put(path, JSON.stringify({ ...rest, resources }));
  push(2);
  await installation.api.syncGitSource(source);
  const refused = await ended(2);
  expect(clusterOf(refused).failure).toMatchObject({
    code: 'ReplacementRefused',
    class: 'user',
    message: expect.stringContaining('terraform_data: triggers_replace'),
  });
  expect(nodesOf(refused)).toEqual(before);
  expect(await installation.hosts()).toEqual(before);

  await bucket().put(path, state);
  const retried = await installation.retry(name);
  expect(retried.status, JSON.stringify(clusterOf(retried).failure)).toBe('Done');
  expect(nodesOf(retried)).toEqual(expect.arrayContaining([...before]));
  expect(await installation.hosts()).toHaveLength(before.length + 1);
});
