/** AWS: instances, volumes and addresses of each region, by the tag of the cluster. */
import { closedText } from '#domain/observed/closed-texts.ts';
import { CloudName, PageToken } from '#domain/observed/cloud-texts.ts';
import { keysOf } from '../../provider-check/clouds/aws.ts';
import { type AwsQuestion, signedAws } from '../../provider-check/signed-aws.ts';
import {
  allPages,
  clusterTag,
  type DeniedBy,
  eachRegion,
  type ListInput,
  type ListOfType,
  NotListed,
  plainName,
  refusalOf,
} from '../listing.ts';
import { type Element, elementsAt, readXml, textOf } from '../xml.ts';

interface Wanted {
  readonly kind: 'machine' | 'volume' | 'address';
  readonly action: string;
  /** Where the answer has the things, and the element with the id of each. */
  readonly path: readonly string[];
  readonly id: string;
  readonly filters?: readonly (readonly [name: string, values: readonly string[]])[];
  /** Addresses come all at once. */
  readonly pages: boolean;
}

/** Machines that are terminated are listed for an hour. */
const alive = ['pending', 'running', 'shutting-down', 'stopping', 'stopped'];
const wanted: readonly Wanted[] = [
  {
    kind: 'machine',
    action: 'DescribeInstances',
    id: 'instanceId',
    pages: true,
    path: ['reservationSet', 'item', 'instancesSet', 'item'],
    filters: [['instance-state-name', alive]],
  },
  { kind: 'volume', action: 'DescribeVolumes', id: 'volumeId', path: ['volumeSet', 'item'], pages: true },
  { kind: 'address', action: 'DescribeAddresses', id: 'allocationId', path: ['addressesSet', 'item'], pages: false },
];

export const list: ListOfType = async (input) => {
  const keys = await keysOf(input);
  return eachRegion(input, async (region) => {
    const found = await Promise.all(wanted.map((one) => listed(one, region)));
    return found.flat();
  });

  async function listed({ kind, action, id, path, filters = [], pages }: Wanted, region: string) {
    const what = `${action} in ${region}`;
    const things = await allPages(what, async (next) => {
      const body = new URLSearchParams({
        Action: action,
        Version: '2016-11-15',
        ...filterFields([[`tag:${clusterTag}`, [input.cluster]], ...filters]),
        ...(pages && { MaxResults: '500' }),
        ...(next !== undefined && { NextToken: next }),
      });
      const reply = await signedAws(ec2Question(input, region, body), keys);
      if (reply.status !== 200) {
        const { why, isDenied } = refusalOf(reply, denies);
        throw new NotListed(what, ec2Code(reply) ?? why, isDenied);
      }
      const [answer] = elementsAt(readXml(reply.text), [`${action}Response`]);
      if (answer === undefined) throw new NotListed(what, 'the answer has another form');
      const items = elementsAt(answer, path).map((thing) => named(thing, id));
      return { items, next: PageToken.optional().parse(textOf(answer, 'nextToken') || undefined) };
    });
    return things.map(({ id: value, name }) => ({
      id: value,
      name: plainName(name, input.cluster),
      kind,
      place: region,
    }));
  }
};

export function ec2Question({ bases }: ListInput, region: string, body: URLSearchParams): AwsQuestion {
  const url = bases.ec2 ?? `https://ec2.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  return { service: 'ec2', region, url, body: String(body) };
}

/** The code of a refusal. */
export function ec2Code({ text }: { readonly text: string }): string | undefined {
  return /<Code>([\w.]{1,100})<\/Code>/.exec(text)?.[1];
}

export const denies: DeniedBy = (answer) => ec2Code(answer) === 'UnauthorizedOperation';

function filterFields(filters: readonly (readonly [name: string, values: readonly string[]])[]) {
  return Object.fromEntries(
    filters.flatMap(([name, values], at) => [
      [`Filter.${at + 1}.Name`, name],
      ...values.map((value, index) => [`Filter.${at + 1}.Value.${index + 1}`, value]),
    ]),
  );
}

/** `i-0123456789abcdef0`; it becomes an argument of actions. */
export const AwsId = closedText(40, /^[a-z]+-[0-9a-f]+$/);

/** Its own id, and its tag Name. */
function named(thing: Element, element: string): { readonly id: string; readonly name: string } {
  const id = AwsId.parse(textOf(thing, element));
  const tag = elementsAt(thing, ['tagSet', 'item']).find((one) => textOf(one, 'key') === 'Name');
  return { id, name: CloudName.parse((tag && textOf(tag, 'value')) || id) };
}
