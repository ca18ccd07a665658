/** A first manifest: providers with their Secrets, a pool of each, one cluster; one placeholder marks each value to fill in. */
import { supportedMinors } from '#domain/kubernetes-versions.ts';
import { type ProviderTypeFacts, providerTypes, type SecretField } from '#domain/provider-types.ts';
import { CliError, exitCodes } from '../exit-codes.ts';

/** The placeholder for values that only the user knows. */
export const placeholder = 'REPLACE-ME';

/** Types that create machines. */
export const nodeTypes: readonly string[] = typesOf().flatMap(([type, { nodes }]) => (nodes ? [type] : []));

/** YAML with comments. Throws `CliError` for a type that does not exist or creates no machines. */
export function scaffold(name: string, types: readonly string[]): string {
  const chosen = types.map((type) => {
    const facts = new Map(typesOf()).get(type);
    if (facts?.nodes) return { type, facts, instance: `${type}-1` };
    const why = facts ? 'creates no machines' : 'is not a provider type';
    throw new CliError(`"${type}" ${why}: choose of ${nodeTypes.join(', ')}`, exitCodes.usage);
  });
  const secrets = chosen.filter(({ facts }) => facts.secret.length > 0 && !facts.secretOptional);
  const [first] = chosen;
  const pools = [
    ...(first ? [{ ...first, pool: 'control', count: 3 }] : []),
    ...chosen.map((one, index) => ({ ...one, pool: computePool(index), count: 2 })),
  ];
  return [
    `# Fill in every ${placeholder}, then: kubeloom validate -f FILE, kubeloom plan -f FILE, kubeloom apply -f FILE --wait.`,
    '# Every field: docs/manifest.md. What each provider needs: docs/providers/TYPE.md, kubeloom provider list.',
    ...secrets.flatMap(({ instance, facts }) => [...secretLines(instance, facts), '---']),
    'apiVersion: kubeloom.dev/v1',
    'kind: InputManifest',
    'metadata:',
    `  name: ${name}`,
    'spec:',
    '  providers:',
    ...chosen.flatMap((one) => [
      `    - name: ${one.instance}`,
      `      providerType: ${one.type}`,
      ...(secrets.includes(one) ? [`      secretRef: { name: ${one.instance}, namespace: default }`] : []),
    ]),
    '  nodePools:',
    '    # Each pool is a number of equal machines. Nodes are numbered in hexadecimal: the tenth is …-0a.',
    '    dynamic:',
    ...pools.flatMap(poolLines),
    '  kubernetes:',
    '    clusters:',
    `      - name: ${name}`,
    `        version: "${supportedMinors.at(-1)}.0"`,
    '        # Network of the mesh between the nodes: any private network that is not in use there.',
    '        network: 192.168.2.0/24',
    '        pools:',
    '          control: [control]',
    `          compute: [${chosen.map((_, index) => computePool(index)).join(', ')}]`,
    '',
  ].join('\n');
}

const computePool = (index: number): string => `compute-${index + 1}`;

function secretLines(instance: string, { secret, keyless }: ProviderTypeFacts): string[] {
  return [
    '# Credentials: better in a file of their own that is never committed.',
    ...(keyless ? ['# Without a key of the cloud: docs/secrets.md.'] : []),
    ...['apiVersion: v1', 'kind: Secret', 'metadata:', `  name: ${instance}`, 'stringData:'],
    ...secret.filter(({ required }) => required).map(secretLine),
  ];
}

const secretLine = ({ name, format }: SecretField): string => `  ${name}: ${placeholder} # ${format}`;

interface Pool {
  readonly pool: string;
  readonly instance: string;
  readonly facts: ProviderTypeFacts;
  readonly count: number;
}

function poolLines({ pool, instance, facts, count }: Pool): string[] {
  const network = facts.externalNetworkNeeded ? [`          externalNetworkName: ${placeholder}`] : [];
  return [
    `      - name: ${pool}`,
    '        providerSpec:',
    `          name: ${instance}`,
    `          region: ${placeholder}`,
    ...network,
    `        count: ${count}`,
    `        serverType: ${placeholder} # as ${facts.title} calls it`,
    `        image: ${placeholder}`,
  ];
}

function typesOf(): readonly [string, ProviderTypeFacts][] {
  return Object.entries(providerTypes);
}
