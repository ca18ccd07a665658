/** Builds of one cluster, what they have of their own, and what others have. */
import { twoProviderState } from '#test/rendering/states.ts';
import { aCheck, aDocument, prefix } from '#test/runner/stage-world.ts';

/** A pool whose machines are users', documents and providers with Secrets of their own and of a shared namespace. */
function state() {
  const made = structuredClone(twoProviderState());
  for (const { source } of made.pools)
    if (source.kind === 'dynamic') Object.assign(source.provider, { secret: 'shared/cloud' });
  const [first] = made.pools;
  const node = first?.nodes[0];
  if (first === undefined || node === undefined) throw new Error('the state has no node');
  const machine = {
    ...node,
    name: 'own-01',
    static: { endpoint: '203.0.113.9', username: 'root', secret: 'team/machine' },
  };
  made.pools.push({ ...first, id: 'own', name: 'own', source: { kind: 'static' }, nodes: [machine] });
  const document = { name: 'docs', version: 'inline', values: {}, text: 'a: 1', templatesSecret: 'team/git' };
  return { ...made, documents: [document] };
}

const stage = JSON.stringify(aDocument([], { target: state() }));
const check = JSON.stringify(aCheck(state()));
const access = { namespace: 'team', manifest: 'shop', cluster: 'shop-1234567', caller: 'ann', seconds: 3600 };
const facts = { nodes: {}, loadBalancers: {}, simulated: [] };
const certificate = JSON.stringify({
  kind: 'certificate',
  role: 'view',
  request: '',
  clusterName: 'shop',
  ...access,
  kubeconfigKey: 'kubeconfigs/team/shop/shop-1234567',
  states: [state()],
  facts,
});
const ssh = JSON.stringify({
  kind: 'ssh',
  publicKey: 'ssh-ed25519 AAAA',
  nodes: ['own-01'],
  ...access,
  current: state(),
  facts,
});
const states = JSON.stringify({
  kind: 'state',
  namespace: 'team',
  manifest: 'shop',
  cluster: 'shop-1234567',
  workspaces: ['machines-hz'],
});
const lookup = (kind: string) => JSON.stringify({ kind, url: 'git.example/x', revision: 'main', secret: 'team/git' });
const source = JSON.stringify({
  kind: 'source',
  name: 's',
  url: 'g.example/x',
  ref: 'main',
  path: '.',
  secret: 'team/git',
});
const credentials = JSON.stringify({
  kind: 'credentials',
  provider: 'hz',
  type: 'hetzner',
  secret: 'shared/cloud',
  regions: [],
});

/** Each kind of build, with what it may read of its own, and which of its Secrets. */
export const buildCases: readonly {
  readonly what: string;
  readonly job: string;
  readonly document: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly secrets: readonly string[];
}[] = [
  {
    what: 'terraform',
    job: `${prefix}/infrastructure/do/1`,
    document: stage,
    reads: ['terraform', 'plugins', 'runs'],
    writes: ['terraform', 'plugins', 'kept-states'],
    secrets: ['user/shared/cloud', 'ssh/team/shop/shop-1234567/pool'],
  },
  {
    what: 'ansible',
    job: `${prefix}/configuration/do/1`,
    document: stage,
    reads: ['runs'],
    writes: [],
    secrets: ['user/team/machine', 'ssh/team/shop/shop-1234567/pool'],
  },
  {
    what: 'kubeone',
    job: `${prefix}/kubernetes/undo/2`,
    document: stage,
    reads: ['kubeconfigs', 'runs'],
    writes: ['kubeconfigs', 'pki'],
    secrets: ['user/team/machine', 'ssh/team/shop/shop-1234567/pool'],
  },
  {
    what: 'kubectl',
    job: `${prefix}/nodes/do/1`,
    document: stage,
    reads: ['kubeconfigs', 'runs'],
    writes: [],
    secrets: ['user/team/git'],
  },
  {
    what: 'a check for drift',
    job: `${prefix}/drift/do/1`,
    document: check,
    reads: ['terraform', 'kubeconfigs', 'plugins', 'runs'],
    writes: [],
    secrets: ['user/shared/cloud', 'user/team/machine', 'user/team/git', 'ssh/team/shop/shop-1234567/pool'],
  },
  ...[
    {
      what: 'a check of credentials',
      job: 'checks/team/shop/hz/1',
      document: credentials,
      secrets: ['user/shared/cloud'],
    },
    {
      what: 'a look-up of templates',
      job: 'checks/_templates/team/t/d/1',
      document: lookup('templates'),
      secrets: ['user/team/git'],
    },
    { what: 'a reading of a source', job: 'checks/_sources/team/s/1-a', document: source, secrets: ['user/team/git'] },
    {
      what: 'a question for SSH',
      job: 'access/team/shop/shop-1234567/ssh-a/1',
      document: ssh,
      secrets: ['user/team/machine', 'ssh/team/shop/shop-1234567/pool'],
    },
  ].map((one) => ({ reads: [], writes: [], ...one })),
  {
    what: 'a question about states',
    job: 'access/team/shop/shop-1234567/state-a/1',
    document: states,
    reads: ['terraform', 'kubeconfigs', 'plugins'],
    writes: [],
    secrets: ['ssh/team/shop/shop-1234567/pool'],
  },
  {
    what: 'a question for a certificate',
    job: 'access/team/shop/shop-1234567/certificate-a/1',
    document: certificate,
    reads: ['kubeconfigs'],
    writes: [],
    secrets: [],
  },
];

/** What the cluster itself has, by folder. */
export const ownThings = {
  objects: [
    'terraform/team/shop/shop-1234567/machines-hz.tfstate',
    'kubeconfigs/team/shop/shop-1234567',
    'plugins/team/shop/copy.json',
    'kept-states/team/shop/shop-1234567/machines-hz-7-shop-abcde-g1-d1.tfstate',
    'pki/team/shop/shop-1234567.tar.gz',
    `${prefix}/facts.json`,
  ],
  secrets: [
    ...['user/team/machine', 'user/team/git', 'user/shared/cloud', 'ssh/team/shop/shop-1234567/pool'],
    // No document of the cluster names it.
    'user/team/unused',
  ],
};
export const ownIn = (folder: string): string => ownThings.objects.find((key) => key.startsWith(`${folder}/`)) ?? '';

/** What others have: other namespaces, another manifest of the namespace, another cluster of the manifest. */
const others = [
  'others/bank/bank-1234567',
  'team/bank/bank-1234567',
  'team/shop/shop-7654321',
  'team/shop/shop-12345678',
];
export const foreignThings = {
  objects: [
    ...others.flatMap((place) => [
      `terraform/${place}/machines-hz.tfstate`,
      `kept-states/${place}/machines-hz-7-run.tfstate`,
      `kubeconfigs/${place}`,
      `pki/${place}.tar.gz`,
      `checks/${place}/1/request.json`,
      `checks/${place}/1/result.json`,
      `access/${place}/ssh-a/1/result.json`,
    ]),
    ...['others/bank', 'team/bank'].map((manifest) => `plugins/${manifest}/copy.json`),
    ...['waypoint.json', 'facts.json', 'nodes/1/log.txt'].flatMap((name) => [
      `runs/others/bank/bank-g1-a1/bank-1234567/w00/${name}`,
      `runs/team/shop/shop-abcde-g1-a2/shop-1234567/w00/${name}`,
      `runs/team/shop/shop-abcde-g1-a1/shop-7654321/w00/${name}`,
      `runs/team/shop/shop-abcde-g1-a1/shop-1234567/w01/${name}`,
    ]),
    `checks/_copies/${'f'.repeat(64)}.json`,
    ...['documents/others/bank/1', 'agents/others/bank/x', 'plans/others/x', 'rollouts/others/x'],
  ],
  secrets: [
    ...['user/others/cloud', 'user/shared/other', 'ssh/others/bank/bank-1234567/pool'],
    ...['ssh/team/bank/bank-1234567/pool', 'ssh/team/shop/shop-7654321/pool'],
  ],
};

/** What says what a build is for: no build may change it, for itself or the next one. */
export const fixedDocuments = [
  ...['waypoint.json', 'path.json', 'stop.json', 'undo/stop.json', 'traffic/1/result.json'].map(
    (name) => `${prefix}/${name}`,
  ),
  ...buildCases.flatMap(({ job }) =>
    /^(checks|access)/.test(job) ? ['request.json', 'build.json'].map((name) => `${job}/${name}`) : [],
  ),
];
