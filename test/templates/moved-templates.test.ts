/** Every door by which templates move, with a real git host over https and a real runner: the reference, a GitSource, a branch; public and private. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OnTemplates } from '#domain/manifest/schema/on-templates.ts';
import { useDeps } from '#functions/wire.ts';
import { as, bindRoles } from '#test/api/api-under-test.ts';
import { aSecret } from '#test/api/documents.ts';
import { boundedFunctions } from '#test/fakes/bounded-functions.ts';
import { manifestOf } from '#test/pipeline/harness/manifests.ts';
import { key } from '#test/pipeline/harness/pipeline.ts';
import { type SourceWorld, sourceWorld } from '#test/sources/source-world.ts';
import { type GitServer, startGitServer } from './git-server.ts';

const token = 'kl-planted-token-of-moving-templates';
let server: GitServer;
let world: SourceWorld;
let first: string;

async function open(options: Parameters<typeof startGitServer>[0] = {}): Promise<void> {
  server = await startGitServer(options);
  world = sourceWorld(server);
  first = server.commit({ 'modules/README.md': 'one' });
  if (options.token) await world.call('PUT', '/v1/secrets/team/git', { body: aSecret('git', { token }) });
}

beforeEach(() => open());
afterEach(async () => {
  await server.close();
});

function referenceTo(commit: string, isPrivate = false) {
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'TemplateGitReference',
    metadata: { namespace: 'team', name: 'own' },
    spec: {
      endpoint: { url: server.url, protocol: 'https' },
      commit,
      paths: { terraformer: 'modules' },
      ...(isPrivate && { auth: { secretRef: { name: 'git', namespace: 'team' } } }),
    },
  };
}

function manifest(onTemplates: OnTemplates) {
  const { spec, ...rest } = manifestOf([{ compute: { work: 1 } }]);
  const providers = spec.providers.map((provider) => ({ ...provider, templatesRef: { name: 'own' }, onTemplates }));
  return { ...rest, spec: { ...spec, providers } };
}

const putReference = (commit: string, isPrivate?: boolean) =>
  world.call('PUT', '/v1/templates/team/own', { body: referenceTo(commit, isPrivate) });

/** Stores the manifest, and notes that its run has reached its end. */
async function done(onTemplates: OnTemplates): Promise<void> {
  const put = () => world.call('PUT', '/v1/manifests/team/shop', { body: manifest(onTemplates) });
  let answer = await put();
  // A runner looks up the branch of a private repository.
  if (answer.status === 409) {
    await world.build();
    answer = await put();
  }
  expect(answer.status).toBe(202);
  const { deps } = world;
  const at = deps.clock.now().toISOString();
  const term = { now: at, dueAt: at, expiresAt: at };
  const taken = await deps.manifests.takeLease(key, 'the-run', term);
  const later = new Date(Date.parse(at) + 6 * 3_600_000).toISOString();
  const { generation, attempt } = await stored();
  await deps.manifests.settle(key, taken?.lease.fence ?? 0, { generation, attempt }, 'Done', at, { dueAt: later });
}

async function stored() {
  const record = await world.deps.manifests.get(key);
  if (record === undefined) throw new Error('the manifest is gone');
  return record;
}

const commitInUse = async () => /@([0-9a-f]{40})#/.exec((await stored()).templates?.['sim-1'] ?? '')?.[1];

/** The tick that compares, with what its runners find out. */
async function compare(): Promise<void> {
  useDeps(boundedFunctions(world.deps));
  await world.step();
  await world.build();
  world.deps.clock.advance(21);
  await world.step();
}

describe('doors', () => {
  it('a reference that is applied with another branch replaces the machines of manifests that say so', async () => {
    await putReference('main');
    await done('replace');
    const next = server.commit({ 'modules/README.md': 'two' }, 'v2');
    const { json } = await putReference('v2');
    expect(json.behind).toEqual([
      {
        namespace: 'team',
        name: 'shop',
        change: `provider sim-1 at ${first.slice(0, 7)}, now ${next.slice(0, 7)}`,
        next: 'replace',
      },
    ]);
    await compare();
    expect(await commitInUse()).toBe(next);
    expect((await stored()).attempt).toBe(2);
    expect(world.deps.workflows.started.at(-1)?.runId).toBe((await stored()).runId);
  });

  it('a reference that a GitSource reads does the same, although the manifest in its repository did not change', async () => {
    const files = (commit: string) => ({
      'clusters/own.yaml': JSON.stringify(referenceTo(commit)),
      'clusters/shop.yaml': JSON.stringify(manifest('replace')),
    });
    await putReference('main');
    await done('replace');
    server.commit(files('main'));
    await world.put();
    await world.settle();
    const next = server.commit({ 'modules/README.md': 'two' }, 'v2');
    server.git('checkout', '-q', 'main');
    server.commit(files('v2'));
    const source = await world.later();
    expect(source.status).toMatchObject({ state: 'Ready' });
    await compare();
    expect(await commitInUse()).toBe(next);
  });

  it('a public branch that moves is reported to a manifest that says so, and its run is not started', async () => {
    await putReference('main');
    await done('report');
    const next = server.commit({ 'modules/README.md': 'two' });
    const now = world.deps.clock.now().toISOString();
    await world.deps.manifests.askForTemplates(key, { since: now }, now);
    await compare();
    expect(await stored()).toMatchObject({ attempt: 1, behind: { 'sim-1': { to: expect.stringContaining(next) } } });
    expect(await commitInUse()).toBe(first);
  });

  it.each(['replace', 'report', 'propose'] as const)(
    'a private branch that moves is looked up by one runner, for onTemplates %s',
    async (onTemplates) => {
      await server.close();
      await open({ token });
      await putReference('main', true);
      await done(onTemplates);
      const next = server.commit({ 'modules/README.md': 'two' });
      const builds = world.deps.builds.started.length;
      world.deps.clock.advance(600);
      const { json } = await putReference('main', true);
      expect(json.behind).toMatchObject([{ next: onTemplates, change: expect.stringContaining('once it is known') }]);
      await world.step();
      // Other ticks wait for the same answer, however old it becomes.
      world.deps.clock.advance(30);
      await world.step();
      await world.build();
      world.deps.clock.advance(300);
      await world.step();
      expect(world.deps.builds.started).toHaveLength(builds + 1);
      const record = await stored();
      expect(await commitInUse()).toBe(onTemplates === 'replace' ? next : first);
      if (onTemplates !== 'replace') expect(record.behind?.['sim-1']?.to).toContain(next);
      expect(record.behind?.['sim-1']?.plan !== undefined).toBe(onTemplates === 'propose');
      expect(record).not.toHaveProperty('templatesAsked');
      expect(JSON.stringify([record, await world.deps.events.list(key, 100)])).not.toContain(token);
    },
  );

  it('callers who may not see a manifest learn only that there is one more', async () => {
    world = sourceWorld(server, { KUBELOOM_ADMINS: 'user:root' });
    await bindRoles(world.deps, 'lib', { operator: 'olga' });
    const own = (commit: string) => ({ ...referenceTo(commit), metadata: { namespace: 'lib', name: 'own' } });
    const put = (commit: string, sub: string) =>
      world.call('PUT', '/v1/templates/lib/own', { body: own(commit), ...as(sub) });
    await put('main', 'olga');
    const { spec, ...rest } = manifest('report');
    const providers = spec.providers.map((one) => ({ ...one, templatesRef: { name: 'own', namespace: 'lib' } }));
    const body = { ...rest, spec: { ...spec, providers } };
    expect((await world.call('PUT', '/v1/manifests/team/shop', { body, ...as('root') })).status).toBe(202);
    server.commit({ 'modules/README.md': 'two' }, 'v2');
    expect((await put('v2', 'olga')).json).toMatchObject({ behind: [], others: 1 });
    expect((await put('v2', 'root')).json).toMatchObject({ behind: [{ name: 'shop' }], others: 0 });
  });
});

describe('text templates of Claudie', () => {
  it("a reference to Claudie's own repository is refused with what to do", async () => {
    const body = referenceTo('main');
    const claudie = {
      ...body,
      spec: { ...body.spec, endpoint: { ...body.spec.endpoint, url: 'github.com/berops/claudie-config' } },
    };
    const { status, json } = await world.call('PUT', '/v1/templates/team/own', { body: claudie });
    expect(status).toBe(422);
    expect(json.faults).toMatchObject([
      {
        path: 'spec.endpoint.url',
        reason: expect.stringContaining('.tpl'),
        fix: expect.stringContaining('templatesRef'),
      },
    ]);
  });
});
