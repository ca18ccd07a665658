/** Documents of a git repository in the nodes stage: fetched at their commit, filled like those that they replace, applied. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { builtinDocument, type DocumentState } from '#domain/cluster-documents.ts';
import { documentsLabel } from '#rendering/documents.ts';
import { type PreparedDocument, prepareDocuments } from '#runner/documents/prepare-documents.ts';
import { fakeConfig } from '#test/fakes/fake-deps.ts';
import { twoProviderState } from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from '#test/runner/stage-world.ts';
import { type GitServer, startGitServer } from './git-server.ts';

const classOf = (name: string) => `apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: { name: ${name} }\n`;
const settings = (value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: shop }\ndata: { a: "${value}" }\n`;

let open: GitServer;
let locked: GitServer;
let first: string;
let second: string;
let world: StageWorld;

beforeAll(async () => {
  open = await startGitServer();
  locked = await startGitServer({ token: 'sesame-open' });
  first = open.commit({
    'kubernetes/longhorn-classes/each-zone/class.yaml': classOf("'ours-${zone}'"),
    'kubernetes/autoscaler/agent.yml': settings('${api} ${agentHash}'),
    'kubernetes/shop/settings.yaml': settings('${HOME}'),
    'kubernetes/shop/README.md': 'text',
    'terraform/hetzner/nodepool/main.tf': '# a module',
  });
  second = locked.commit({ 'kubernetes/shop/settings.yaml': settings('private') });
}, 30_000);
afterAll(() => Promise.all([open.close(), locked.close()]));
beforeEach(() => {
  world = stageWorld();
});
afterEach(() => world.close());

const version = (server: GitServer, commit: string) => `git:${server.url}@${commit}#kubernetes`;

/** Prepares it as the nodes stage does, with its rights. */
async function prepare(server: GitServer, document: DocumentState) {
  const ports = { config: fakeConfig({ KUBELOOM_TEMPLATE_PRIVATE_HOSTS: server.host }) };
  world.set('NODE_EXTRA_CA_CERTS', server.certificate);
  world.file('kubernetes/upstream/agent.mjs', 'the agent');
  const target = twoProviderState({ documents: [document] });
  const work = { patch: [], remove: [], maxUnavailable: 1, documents: [] };
  await world.put(aDocument([{ stage: 'nodes', reasons: [], work }], { direction: 'settle', before: target, target }));
  const found: PreparedDocument[] = [];
  const result = await world.run('nodes', {
    tool: async (context) => {
      const around = { ...context, ports: { ...context.ports, ...ports } };
      found.push(...(await prepareDocuments(around, [document])));
      return { nodesPatched: 0, nodesRemoved: 0 };
    },
  });
  return { objects: found[0]?.objects ?? [], error: result.error };
}

test('templates of a repository are filled with the values of those that they replace', async () => {
  const classes = { ...builtinDocument('longhorn-classes', { zone: ['aws-1-zone', 'hz-1-zone'] }) };
  const { objects } = await prepare(open, { ...classes, version: version(open, first) });
  expect(objects.map(({ metadata }) => [metadata.name, metadata.labels?.[documentsLabel]])).toEqual([
    ['ours-aws-1-zone', 'longhorn-classes'],
    ['ours-hz-1-zone', 'longhorn-classes'],
  ]);
});

test('the autoscaler of a repository gets the agent of this version', async () => {
  const document = builtinDocument('autoscaler', {
    image: 'an-image',
    api: 'https://kubeloom.example',
    ca: '',
    proxy: '',
    noProxy: '',
  });
  const { objects } = await prepare(open, { ...document, version: version(open, first) });
  expect(objects).toMatchObject([{ data: { a: expect.stringMatching(/^https:\/\/kubeloom\.example [0-9a-f]{16}$/) } }]);
});

test('documents of a name of their own are applied as they are', async () => {
  const { objects } = await prepare(open, { name: 'shop', version: version(open, first), values: {} });
  expect(objects).toMatchObject([{ kind: 'ConfigMap', data: { a: '${HOME}' } }]);
});

test('a private repository is opened with its Secret, which no log shows', async () => {
  await world.ports.secrets.put('user/team/git', { token: 'sesame-open' });
  const document = { name: 'shop', version: version(locked, second), values: {} };
  expect((await prepare(locked, { ...document, templatesSecret: 'team/git' })).objects).toHaveLength(1);
  expect(await world.log('nodes')).not.toContain('sesame-open');
  expect((await prepare(locked, document)).error).toMatchObject({ class: 'credentials', code: 'TemplatesForbidden' });
});

test('a repository without files for the name is refused with its place', async () => {
  const { error } = await prepare(open, { name: 'nothing', version: version(open, first), values: {} });
  expect(error).toMatchObject({
    class: 'user',
    code: 'TemplatesMissing',
    message: expect.stringContaining('folder kubernetes/nothing'),
  });
});
