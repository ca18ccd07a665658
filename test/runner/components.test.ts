/** Components of Cluster API in the nodes stage: their files, their Secrets, and what is refused before anything is touched. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, globalAgent, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ComponentState, DocumentState } from '#domain/cluster-documents.ts';
import { type ClusterFacts, noFacts } from '#domain/cluster-state.ts';
import { applyDocuments } from '#runner/documents/apply-documents.ts';
import { prepareDocuments } from '#runner/documents/prepare-documents.ts';
import { Kubectl } from '#runner/kubernetes/kubectl.ts';
import { selfSigned } from '#test/fakes/self-signed.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from './stage-world.ts';

const sumOf = (text: string) => createHash('sha256').update(text).digest('hex');
const objects = (name: string, more = '') =>
  `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${name}-system }\n---\napiVersion: v1\nkind: Secret\nmetadata: { name: login, namespace: ${name}-system }\nstringData: { password: "\${PASSWORD:=none}" }\n${more}`;
const series = (contract: string) =>
  `kind: Metadata\nreleaseSeries:\n- { major: 1, minor: 11, contract: ${contract} }\n`;
const definition = (versions: readonly string[]) => ({
  ...{
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gardens.demo.example' },
  },
  spec: {
    ...{ group: 'demo.example', scope: 'Namespaced', names: { kind: 'Garden', plural: 'gardens' } },
    versions: versions.map((name, index) => ({ name, served: true, storage: index === versions.length - 1 })),
  },
});

let world: StageWorld;
let directory: string;
let server: Server;
let host: string;
const served = new Map<string, string>();
let requests: string[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-releases-'));
  const files = selfSigned(directory, 'releases');
  const [key, certificate] = [readFileSync(files.key), readFileSync(files.certificate, 'utf8')];
  server = createServer({ key, cert: certificate }, (request, response) => {
    requests.push(request.url ?? '');
    const content = served.get(request.url ?? '') ?? '';
    if (content.startsWith('to ')) response.writeHead(302, { location: content.slice(3) }).end();
    else response.writeHead(content === '' ? 404 : 200).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  globalAgent.options.ca = certificate;
});
afterAll(() => {
  delete globalAgent.options.ca;
  server.close();
  rmSync(directory, { recursive: true });
});

beforeEach(async () => {
  world = stageWorld({ KUBELOOM_TEMPLATE_PRIVATE_HOSTS: host });
  requests = [];
  served.clear();
  world.set('KUBELOOM_DOCUMENTS', world.directory);
  live();
  const script = [
    'case "$*" in',
    `*api-versions*) echo apiextensions.k8s.io/v1; cat ${world.directory}/versions 2>/dev/null;;`,
    `*" get "*) cat >/dev/null; cat ${world.directory}/live;;`,
    `*" apply "*) cat | tee -a ${world.directory}/applied;;`,
    `*" delete "*) cat >> ${world.directory}/deleted;;`,
    'esac; exit 0',
  ];
  world.set('KUBELOOM_KUBECTL', world.script('kubectl', `#!/bin/sh\n${script.join('\n')}\n`));
  await world.ports.artifacts.putText('kubeconfigs/team/shop/shop-1234567', 'a kubeconfig');
});
afterEach(() => world.close());

/** What the cluster has. */
function live(...items: readonly object[]): void {
  writeFileSync(join(world.directory, 'live'), JSON.stringify({ kind: 'List', items }));
}

/** A file that the installation has, by its sum. */
function kept(text: string) {
  writeFileSync(join(world.directory, sumOf(text)), text);
  return { url: 'https://releases.example/file.yaml', sha256: sumOf(text) };
}

function component(
  provider: string,
  text: string,
  change: Partial<ComponentState> = {},
  contract = 'v1beta2',
): DocumentState {
  const kind = provider === 'cluster-api' ? 'core' : 'infrastructure';
  return {
    ...{ name: `capi.${provider}`, version: 'component@v1.11.1', values: {} },
    component: { kind, provider, source: kept(text), metadata: kept(series(contract)), ...change },
  };
}

async function apply(documents: readonly DocumentState[], facts: ClusterFacts = noFacts) {
  const target = twoProviderState({ documents: [...documents] });
  const wanted = documents.map(({ name, version }) => ({ name, version }));
  const work = { patch: [], remove: [], maxUnavailable: 1, documents: wanted };
  const stages = [{ stage: 'nodes' as const, reasons: [], work }];
  await world.put(aDocument(stages, { direction: 'settle', before: target, target, facts }), facts);
  return world.run('nodes');
}

/** What kubectl was given. */
function given(name: 'applied' | 'deleted'): string {
  const file = join(world.directory, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
const applied = () => given('applied');

/** Applies without waiting for what does not work yet. */
async function applyAtOnce(documents: readonly DocumentState[], facts: ClusterFacts = noFacts): Promise<ClusterFacts> {
  const target = twoProviderState({ documents: [...documents] });
  const work = { patch: [], remove: [], maxUnavailable: 1, documents: [] };
  const stages = [{ stage: 'nodes' as const, reasons: [], work }];
  await world.put(aDocument(stages, { direction: 'settle', before: target, target, facts }), facts);
  const result = await world.run('nodes', {
    tool: async (context) => {
      const prepared = await prepareDocuments(context, documents);
      await applyDocuments(context, new Kubectl(context, 'none'), prepared, { totalMs: 0 });
      return {};
    },
  });
  expect(result.ok).toBe(true);
  return world.facts();
}

describe('files of releases', () => {
  test('CO-1: a file is fetched over https, through redirects, and its contract is in the facts', async () => {
    const text = objects('one');
    served.set('/a', `to https://${host}/b`);
    served.set('/b', text);
    const source = { url: `https://${host}/a`, sha256: sumOf(text) };
    expect(await apply([component('cluster-api', 'unused', { source })])).toMatchObject({ ok: true });
    expect(requests).toEqual(['/a', '/b']);
    expect((await world.facts()).documents?.['capi.cluster-api']).toMatchObject({
      ...{ version: 'component@v1.11.1', contract: 'v1beta2' },
      objects: ['v1 Namespace one-system', 'v1 Secret one-system/login'],
    });
  });

  test.each([
    ['another content', '/a', 'something else', 'ComponentWrong', 'has the SHA-256'],
    ['no such file', '/b', objects('x'), 'ComponentUnreachable', 'answers HTTP 404'],
    ['a redirect without TLS', '/a', 'to http://127.0.0.1/b', 'ComponentUnreachable', 'a URL without TLS'],
    ['a redirect to a private host', '/a', 'to https://127.0.0.2:1/b', 'ComponentRefused', 'is in a private network'],
    ['redirects in a circle', '/a', 'to /a', 'ComponentUnreachable', 'more than 5 times'],
  ])('CO-1: %s is refused, and nothing is applied', async (_, path, content, code, message) => {
    served.set(path, content);
    const source = { url: `https://${host}/a`, sha256: sumOf(`wanted ${code} ${message}`) };
    const result = await apply([component('cluster-api', 'unused', { source })]);
    expect(result).toMatchObject({ ok: false, error: { code, message: expect.stringContaining(message) } });
    expect(applied()).toBe('');
  });
});

describe('secrets of components', () => {
  test('CO-4: the value of a Secret reaches the cluster, and no log, event, fact or result', async () => {
    await world.ports.secrets.put('user/team/login', { PASSWORD: 'correct-horse' });
    const document = component('cluster-api', objects('two'), { secret: 'team/login' });
    const result = await apply([document]);
    expect(result.ok).toBe(true);
    expect(applied()).toContain('correct-horse');
    const traces = [result, await world.facts(), await world.log('nodes'), await world.reported()];
    expect(JSON.stringify(traces)).not.toContain('correct-horse');
    const before = (await world.facts()).documents?.['capi.cluster-api']?.hash;
    await world.ports.secrets.put('user/team/login', { PASSWORD: 'battery-staple' });
    await apply([document]);
    expect((await world.facts()).documents?.['capi.cluster-api']?.hash).toBe(before);
    expect(applied()).toContain('battery-staple');
  });

  test('CO-4: a Secret that is gone stops the component before anything is applied', async () => {
    const result = await apply([component('cluster-api', objects('two'), { secret: 'team/gone' })]);
    expect(result).toMatchObject({ ok: false, error: { code: 'SecretMissing', class: 'credentials' } });
    expect(applied()).toBe('');
  });
});

describe('a component that does not work', () => {
  const manager = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
    metadata: { name: 'manager', namespace: 'core-system' },
  };
  const pair = () => [
    component('cluster-api', objects('core', `---\n${JSON.stringify(manager)}\n`)),
    component('infrastructure-demo', objects('demo')),
  ];

  test('CO-1: it holds those after it, and the facts say so', async () => {
    live(manager);
    const { documents = {} } = await applyAtOnce(pair());
    expect(documents).toMatchObject({
      'capi.cluster-api': { unfinished: 'these do not work yet: apps/v1 Deployment core-system/manager' },
    });
    expect(Object.keys(documents)).toEqual(['capi.cluster-api']);
    expect(await world.reported()).toContainEqual(
      expect.stringContaining('ComponentHeld: capi.infrastructure-demo is not applied: it waits for capi.cluster-api'),
    );
    expect(applied()).not.toContain('demo-system');
  });

  test('CO-1: what it had before stays meanwhile, and goes with its next application', async () => {
    const labels = { 'kubeloom.dev/documents': 'capi.cluster-api' };
    const old = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'moved', namespace: 'core-system', labels } };
    const had = 'v1 ConfigMap core-system/moved';
    live(old, manager);
    const known = { 'capi.cluster-api': { version: 'component@v1.11.1', hash: '', objects: [had] } };
    const held = await applyAtOnce(pair(), { ...noFacts, documents: known });
    expect(given('deleted')).toBe('');
    expect(held.documents?.['capi.cluster-api']?.objects).toContain(had);
    live(old);
    const done = await applyAtOnce(pair(), held);
    expect(given('deleted')).toContain('moved');
    expect(done.documents?.['capi.cluster-api']?.objects).not.toContain(had);
  });
});

describe('components that do not fit', () => {
  test('CO-1: a provider with a contract that the core does not work with is refused before anything is touched', async () => {
    const documents = [
      component('cluster-api', objects('core'), {}, 'v1beta1'),
      component('infrastructure-demo', objects('demo')),
    ];
    const result = await apply(documents);
    expect(result).toMatchObject({ ok: false, error: { code: 'ContractWrong', class: 'user' } });
    expect(result.error?.message).toContain(
      'capi.infrastructure-demo v1.11.1 has contract v1beta2, and capi.cluster-api v1.11.1 works with v1beta1',
    );
    expect(applied()).toBe('');
  });

  test('CO-1: a core of v1beta2 takes providers of v1beta1', async () => {
    const documents = [
      component('cluster-api', objects('core')),
      component('infrastructure-demo', objects('demo'), {}, 'v1beta1'),
    ];
    expect(await apply(documents)).toMatchObject({ ok: true, summary: { documentsApplied: 2 } });
  });

  test('CO-1: a release that the metadata does not know is refused', async () => {
    const document = { ...component('cluster-api', objects('core')), version: 'component@v1.12.0' };
    expect(await apply([document])).toMatchObject({ ok: false, error: { code: 'ContractUnknown' } });
  });

  test('CO-1: an older release than the one in the facts is refused before anything is touched', async () => {
    const installed = { version: 'component@v1.12.0', hash: '', objects: [] };
    const result = await apply([component('cluster-api', objects('core'))], {
      ...noFacts,
      documents: { 'capi.cluster-api': installed },
    });
    expect(result).toMatchObject({ ok: false, error: { code: 'ComponentDowngrade' } });
    expect(applied()).toBe('');
  });

  test('CO-1: a definition that does not know the version in which objects are stored is refused', async () => {
    live({ ...definition(['v1alpha4', 'v1beta1']), status: { storedVersions: ['v1alpha4', 'v1beta1'] } });
    const text = objects('core', `---\n${JSON.stringify(definition(['v1beta1', 'v1beta2']))}\n`);
    const result = await apply([component('cluster-api', text)]);
    expect(result).toMatchObject({ ok: false, error: { code: 'StoredVersionUnknown' } });
    expect(result.error?.message).toContain(
      'gardens.demo.example has objects stored as v1alpha4, which is not among v1beta1, v1beta2',
    );
    expect(applied()).toBe('');
  });

  test('CO-1: another storage version is named in an event', async () => {
    const established = { conditions: [{ type: 'Established', status: 'True' }] };
    live({ ...definition(['v1beta1']), status: { storedVersions: ['v1beta1'], ...established } });
    const text = objects('core', `---\n${JSON.stringify(definition(['v1beta1', 'v1beta2']))}\n`);
    expect(await apply([component('cluster-api', text)])).toMatchObject({ ok: true });
    expect(await world.reported()).toContainEqual(
      expect.stringContaining(
        'StorageVersionChanges: objects are stored in another version, v1beta1 to v1beta2: gardens.demo.example',
      ),
    );
  });

  test('CO-1: objects of kinds that the cluster does not have are refused, unless their definition comes with them', async () => {
    const certificate =
      '---\napiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata: { name: own, namespace: core-system }\n';
    const document = component('cluster-api', objects('core', certificate));
    expect(await apply([document])).toMatchObject({
      ok: false,
      error: { code: 'ComponentNeedsMore', message: expect.stringContaining('cert-manager.io/v1') },
    });
    writeFileSync(join(world.directory, 'versions'), 'cert-manager.io/v1\n');
    expect(await apply([document])).toMatchObject({ ok: true });
  });
});
