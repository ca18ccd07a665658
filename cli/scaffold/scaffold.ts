/**
 * A first manifest: providers with their Secrets, a pool of each, one cluster, and a load balancer where one is wanted. Values that work
 * are filled in; one placeholder marks each value that only the user knows.
 */
import { type CloudDefaults, cloudDefaults } from '#domain/catalogue/cloud-defaults.ts';
import { supportedMinors } from '#domain/kubernetes-versions.ts';
import { type ProviderTypeFacts, providerTypes, type SecretField } from '#domain/provider-types.ts';
import { CliError, exitCodes } from '../exit-codes.ts';

/** The placeholder for values that only the user knows. */
export const placeholder = 'REPLACE-ME';

/** Types that create machines, and `static` for machines that exist. */
export const nodeTypes: readonly string[] = [
  ...typesOf().flatMap(([type, { nodes }]) => (nodes ? [type] : [])),
  'static',
];

export interface FirstManifest {
  readonly name: string;
  /** Some of `nodeTypes`; the first one has the control nodes. */
  readonly types: readonly string[];
  /** A load balancer of the API. @default false */
  readonly balanced?: boolean;
  /** Provider type that serves its names. @default the first of `types` that serves any */
  readonly dns?: string | undefined;
}

interface Chosen {
  readonly type: string;
  readonly instance: string;
  /** Undefined for static machines. */
  readonly facts: ProviderTypeFacts | undefined;
}

/** YAML with comments. Throws `CliError` for a type that does not exist or cannot do what it is asked for. */
export function scaffold({ name, types, balanced = false, dns }: FirstManifest): string {
  const chosen = types.map((type) => chosenOf(type, ({ nodes }) => nodes, 'creates no machines', nodeTypes));
  const names = balanced || dns !== undefined ? dnsOf(chosen, dns) : undefined;
  const providers = [...chosen, ...(names && !types.includes(names.type) ? [names] : [])];
  const secrets = providers.filter(
    ({ facts }) => facts === undefined || (facts.secret.length > 0 && !facts.secretOptional),
  );
  const clouds = providers.filter(({ facts }) => facts !== undefined);
  const pools = poolsOf(chosen, names !== undefined);
  const dynamic = pools.flatMap(({ facts, ...pool }) => (facts === undefined ? [] : poolLines({ facts, ...pool })));
  const fixed = pools.flatMap((pool) => (pool.facts === undefined ? staticLines(pool) : []));
  return [
    `# Fill in every ${placeholder}, then: kubeloom validate -f FILE, kubeloom plan -f FILE, kubeloom apply -f FILE --wait.`,
    '# Every field: docs/manifest.md. What a cloud sells: kubeloom provider types TYPE. What each provider needs: docs/providers/TYPE.md.',
    ...secrets.flatMap((one) => [...secretLines(one), '---']),
    'apiVersion: kubeloom.dev/v1',
    'kind: InputManifest',
    'metadata:',
    `  name: ${name}`,
    'spec:',
    ...(clouds.length > 0 ? ['  providers:'] : []),
    ...clouds.flatMap((one) => [
      `    - name: ${one.instance}`,
      `      providerType: ${one.type}`,
      ...(secrets.includes(one) ? [`      secretRef: { name: ${one.instance}, namespace: default }`] : []),
    ]),
    '  nodePools:',
    ...(dynamic.length > 0
      ? [
          '    # Each pool is a number of equal machines. Nodes are numbered in hexadecimal: the tenth is …-0a.',
          '    dynamic:',
          ...dynamic,
        ]
      : []),
    ...(fixed.length > 0 ? ['    # Machines that exist: docs/providers/static.md.', '    static:', ...fixed] : []),
    ...clusterLines(name, pools),
    ...(names ? balancerLines(name, names.instance) : []),
    '',
  ].join('\n');
}

function chosenOf(
  type: string,
  accepts: (facts: ProviderTypeFacts) => boolean,
  otherwise: string,
  known: readonly string[],
): Chosen {
  if (type === 'static' && known.includes(type)) return { type, instance: 'static-1', facts: undefined };
  const facts = new Map(typesOf()).get(type);
  if (facts && accepts(facts)) return { type, facts, instance: `${type}-1` };
  const why = facts ? otherwise : 'is not a provider type';
  throw new CliError(`"${type}" ${why}: choose of ${known.join(', ')}`, exitCodes.usage);
}

/** Who serves the names of the load balancer. */
function dnsOf(chosen: readonly Chosen[], dns: string | undefined): Chosen {
  const known = typesOf().flatMap(([type, facts]) => (facts.dns ? [type] : []));
  if (dns !== undefined) return chosenOf(dns, (facts) => facts.dns, 'serves no names', known);
  const served = chosen.find(({ facts }) => facts?.dns);
  if (served) return served;
  throw new CliError(`none of the providers serves names: add --dns with one of ${known.join(', ')}`, exitCodes.usage);
}

interface Pool extends Chosen {
  readonly pool: string;
  readonly as: 'control' | 'compute' | 'balancer';
  readonly count: number;
}

function poolsOf(chosen: readonly Chosen[], balanced: boolean): readonly Pool[] {
  const [first] = chosen;
  if (first === undefined) return [];
  // A load balancer needs machines of its own: of the first cloud, or else more of those that exist.
  const edge = chosen.find(({ facts }) => facts !== undefined) ?? first;
  return [
    { ...first, pool: 'control', as: 'control', count: 3 },
    ...chosen.map((one, index) => ({ ...one, pool: `compute-${index + 1}`, as: 'compute' as const, count: 2 })),
    ...(balanced ? [{ ...edge, pool: 'edge', as: 'balancer' as const, count: 2 }] : []),
  ];
}

function secretLines({ instance, facts }: Chosen): string[] {
  const lines =
    facts === undefined
      ? ['  privatekey: |', `    ${placeholder}`]
      : facts.secret.filter(({ required }) => required).map(secretLine);
  return [
    '# Credentials: better in a file of their own that is never committed.',
    ...(facts?.keyless ? ['# Without a key of the cloud: docs/secrets.md.'] : []),
    ...['apiVersion: v1', 'kind: Secret', 'metadata:', `  name: ${instance}`, 'stringData:'],
    ...lines,
  ];
}

const secretLine = ({ name, format }: SecretField): string => `  ${name}: ${placeholder} # ${format}`;

function poolLines({ pool, type, instance, facts, count }: Pool & { readonly facts: ProviderTypeFacts }): string[] {
  const usual = new Map<string, CloudDefaults>(Object.entries(cloudDefaults)).get(type);
  const {
    region = simple(type, 'region'),
    serverType = simple(type, 'small'),
    image = simple(type, 'image'),
  } = usual ?? {};
  const network = facts.externalNetworkNeeded ? [`          externalNetworkName: ${placeholder}`] : [];
  const form = image === placeholder && usual?.imageForm ? ` # ${usual.imageForm.form}` : '';
  return [
    `      - name: ${pool}`,
    '        providerSpec:',
    `          name: ${instance}`,
    `          region: ${region}`,
    ...network,
    `        count: ${count}`,
    `        serverType: ${serverType}${serverType === placeholder ? ` # as ${facts.title} calls it` : ''}`,
    // Flexible shapes of Oracle Cloud have no size of their own.
    ...(serverType.endsWith('.Flex') ? ['        machineSpec: { cpuCount: 2, memory: 8 }'] : []),
    `        image: ${image}${form}`,
  ];
}

/** Types without a cloud take any word. */
const simple = (type: string, word: string): string => (type === 'local' || type === 'sim' ? word : placeholder);

function staticLines({ pool, instance, count }: Pool): string[] {
  return [
    `      - name: ${pool}`,
    '        nodes:',
    ...Array.from({ length: count }, () => [
      `          - endpoint: ${placeholder} # its address`,
      '            username: root',
      `            secretRef: { name: ${instance}, namespace: default }`,
    ]).flat(),
  ];
}

function clusterLines(name: string, pools: readonly Pool[]): string[] {
  const of = (as: Pool['as']) => pools.flatMap((pool) => (pool.as === as ? pool.pool : [])).join(', ');
  return [
    '  kubernetes:',
    '    clusters:',
    `      - name: ${name}`,
    `        version: "${supportedMinors.at(-1)}.0"`,
    '        # Network of the mesh between the nodes: any private network that is not in use there.',
    '        network: 192.168.2.0/24',
    '        pools:',
    `          control: [${of('control')}]`,
    `          compute: [${of('compute')}]`,
  ];
}

function balancerLines(name: string, dns: string): string[] {
  return [
    '  # The address of the Kubernetes API: it stays when control nodes change. More roles: docs/manifest.md.',
    '  loadBalancers:',
    '    roles:',
    '      - { name: api, protocol: tcp, port: 6443, targetPort: 6443, targetPools: [control] }',
    '    clusters:',
    `      - name: ${name}-api`,
    '        roles: [api]',
    `        targetedK8s: ${name}`,
    '        pools: [edge]',
    `        dns: { dnsZone: ${placeholder}, provider: ${dns}, hostname: api.${name} }`,
  ];
}

function typesOf(): readonly [string, ProviderTypeFacts][] {
  return Object.entries(providerTypes);
}
