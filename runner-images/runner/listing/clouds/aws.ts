/** AWS: instances, volumes and addresses of each region, by the tag of the cluster. */
import { keysOf } from '../../provider-check/clouds/aws.ts';
import { signedAws } from '../../provider-check/signed-aws.ts';
import { allPages, clusterTag, eachRegion, type ListOfType, NotListed, plainName } from '../listing.ts';

interface Wanted {
  readonly kind: 'machine' | 'volume' | 'address';
  readonly action: string;
  /** The element that begins each thing, with its id. */
  readonly id: string;
  readonly filters?: readonly (readonly [name: string, values: readonly string[]])[];
  /** Addresses come all at once. */
  readonly pages: boolean;
}

/** Machines that are terminated are listed for an hour. */
const alive = ['pending', 'running', 'shutting-down', 'stopping', 'stopped'];
const wanted: readonly Wanted[] = [
  {
    ...{ kind: 'machine', action: 'DescribeInstances', id: 'instanceId', pages: true },
    filters: [['instance-state-name', alive]],
  },
  { kind: 'volume', action: 'DescribeVolumes', id: 'volumeId', pages: true },
  { kind: 'address', action: 'DescribeAddresses', id: 'allocationId', pages: false },
];

export const list: ListOfType = async (input) => {
  const keys = await keysOf(input);
  return eachRegion(input, async (region) => {
    const found = await Promise.all(wanted.map((one) => listed(one, region)));
    return found.flat();
  });

  async function listed({ kind, action, id, filters = [], pages }: Wanted, region: string) {
    const what = `${action} in ${region}`;
    const url = input.bases.ec2 ?? `https://ec2.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
    const things = await allPages(what, async (next) => {
      const body = new URLSearchParams({
        ...{ Action: action, Version: '2016-11-15' },
        ...filterFields([[`tag:${clusterTag}`, [input.cluster]], ...filters]),
        ...(pages && { MaxResults: '500' }),
        ...(next !== undefined && { NextToken: next }),
      });
      const { status, text } = await signedAws({ service: 'ec2', region, url, body: String(body) }, keys);
      if (status !== 200) {
        const code = /<Code>([\w.]+)<\/Code>/.exec(text)?.[1] ?? `HTTP ${status}`;
        throw new NotListed(what, code, code === 'UnauthorizedOperation');
      }
      if (!text.includes(`<${action}Response`)) throw new NotListed(what, 'the answer has another form');
      return { items: thingsOf(text, id), next: /<nextToken>([^<]+)<\/nextToken>/.exec(text)?.[1] };
    });
    return things.map(({ id: value, name }) => ({ id: value, name: plainName(name, input.cluster), kind }));
  }
};

function filterFields(filters: readonly (readonly [name: string, values: readonly string[]])[]) {
  return Object.fromEntries(
    filters.flatMap(([name, values], at) => [
      [`Filter.${at + 1}.Name`, name],
      ...values.map((value, index) => [`Filter.${at + 1}.Value.${index + 1}`, value]),
    ]),
  );
}

/** By the element that begins each; the tag Name is below it. An attachment of a volume names its id once more. */
function thingsOf(xml: string, element: string): readonly { readonly id: string; readonly name: string }[] {
  const found = new Map<string, string>();
  for (const part of xml.split(`<${element}>`).slice(1)) {
    const id = unescaped(part.slice(0, part.indexOf('<')));
    const [, name] = /<key>Name<\/key>\s*<value>([^<]*)<\/value>/.exec(part) ?? [];
    if (!found.has(id) || name !== undefined) found.set(id, name === undefined ? id : unescaped(name));
  }
  return [...found].map(([id, name]) => ({ id, name }));
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}
