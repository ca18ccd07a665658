/** The doors by which templates move, from kubectl's side: a real kube-apiserver, a real git host over https, and the platform between them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OnTemplates } from '#domain/manifest/schema/on-templates.ts';
import { GitReferences } from '#functions/adapters/git-references.ts';
import { useDeps, wire } from '#functions/wire.ts';
import { type GitServer, startGitServer, trust } from '#test/templates/git-server.ts';
import { OperatorWorld, simManifest } from './operator-world.ts';

const references = 'templategitreferences.kubeloom.dev';
let server: GitServer;
let world: OperatorWorld;
beforeAll(async () => {
  server = await startGitServer();
  trust(server);
  server.commit({ 'modules/README.md': 'one' });
  world = await OperatorWorld.start();
  // With the sim runner names of commits are recorded as they are written; here the host is asked.
  useDeps({ ...wire(), templateSources: new GitReferences({ privateHosts: [server.host] }) });
});
afterAll(async () => {
  await world?.stop();
  await server?.close();
});

function reference(name: string, commit: string) {
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'TemplateGitReference',
    metadata: { name },
    spec: { endpoint: { url: server.url, protocol: 'https' }, commit, paths: { terraformer: 'modules' } },
  };
}

function manifest(name: string, onTemplates: OnTemplates) {
  const { spec, ...rest } = simManifest(name);
  const providers = spec.providers.map((provider) => ({ ...provider, templatesRef: { name }, onTemplates }));
  return { ...rest, spec: { ...spec, providers } };
}

const edit = (name: string, commit: string) =>
  world.kubectl(['patch', references, name, '--type=merge', '-p', JSON.stringify({ spec: { commit } })]);
const key = (name: string) => ({ namespace: 'default', name });
const runsOf = async (name: string) => (await world.platform.api.listRuns(key(name))).items;
const messageOf = async (name: string) =>
  (await world.get(name, references))?.status?.conditions?.find(({ type }) => type === 'Accepted')?.message;

/** The manifest with its reference to a branch, done once. */
async function done(name: string, onTemplates: OnTemplates): Promise<void> {
  await world.apply(reference(name, 'main'), manifest(name, onTemplates));
  await world.wait(name, 'condition=Ready');
  expect(await runsOf(name)).toHaveLength(1);
}

describe('an edit of a TemplateGitReference in Kubernetes', () => {
  test('the machines of a manifest that says replace are replaced, and the reference names the manifest', async () => {
    const operator = world.operator();
    await done('mover', 'replace');
    const next = server.commit({ 'modules/README.md': 'two' }, 'v2');
    await edit('mover', 'v2');
    await world.until('the rolling update has started', async () => {
      await world.platform.platform.quickTick();
      return (await runsOf('mover')).length === 2;
    });
    await world.wait('mover', 'condition=Ready');
    expect(await messageOf('mover')).toMatch(
      new RegExp(`default/mover: provider sim-1 at [0-9a-f]{7}, now ${next.slice(0, 7)} \\(onTemplates: replace\\)`),
    );
    await operator.stop();
  });

  test('a manifest that says report runs on unchanged, and its object says what it lags behind', async () => {
    const operator = world.operator();
    await done('reader', 'report');
    const nodes = (await world.platform.api.getManifest(key('reader'))).clusters?.[0]?.nodes;
    const next = server.commit({ 'modules/README.md': 'three' }, 'v3');
    await edit('reader', 'v3');
    await world.until(
      'the reference has been sent',
      async () => (await messageOf('reader'))?.includes('reader') === true,
    );
    await world.until('the manifest lags', async () => {
      await world.platform.platform.quickTick();
      return (await world.platform.api.getManifest(key('reader'))).behind !== undefined;
    });
    expect(await messageOf('reader')).toContain(`now ${next.slice(0, 7)} (onTemplates: report)`);
    expect(await runsOf('reader')).toHaveLength(1);
    expect((await world.platform.api.getManifest(key('reader'))).clusters?.[0]?.nodes).toEqual(nodes);
    await operator.stop();
  });
});
