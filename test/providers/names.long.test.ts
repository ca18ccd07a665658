/** Names of a load balancer under a real Terraform: whatever changes, a name that stays always has an answer. */
import { afterEach, describe, expect, test } from 'vitest';
import { sampled } from '#test/sampled.ts';
import { Fleet, type Names } from './fleet.ts';
import type { CloudEvent } from './plugin/simulated-cloud.ts';
import { type ProviderCase, providerCases } from './provider-cases.ts';
import { done, skipsTerraform, type TerraformWorkspace } from './terraform-workspace.ts';

interface NameCase {
  readonly title: string;
  readonly tested: ProviderCase;
  /** Fields of the Secret that may be missing. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Cloudflare twice: accounts with load balancing have other records. */
const nameCases: readonly NameCase[] = providerCases
  .filter(({ dns }) => dns)
  .flatMap((tested): readonly NameCase[] => [
    { title: tested.type, tested, fields: {} },
    ...(tested.type === 'cloudflare'
      ? [{ title: 'cloudflare with load balancing', tested, fields: { loadbalancing: 'true' } }]
      : []),
  ]);
const addresses = ['203.0.113.1', '203.0.113.2', '203.0.113.3'] as const;
const owner = { tenant: 'one', project: 'first' };

let fleet: Fleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

function namesOf({ place }: ProviderCase, change: Partial<Names>): Names {
  const plain = { zone: place.zone, hostname: 'shop', alternativeNames: ['www'], healthCheckPort: 443 };
  return { ...plain, addresses: addresses.slice(0, 1), ...change };
}

interface Served {
  readonly fleet: Fleet;
  readonly workspace: TerraformWorkspace;
  /** Applies the names; answers with what was answered meanwhile. */
  readonly become: (change: Partial<Names>) => Promise<readonly Answers[]>;
}

async function serve({ tested, fields }: NameCase): Promise<Served> {
  const started = await Fleet.start(tested, fields);
  fleet = started;
  started.own('home', owner);
  const workspace = await started.names('home', namesOf(tested, {}));
  await done(workspace.init());
  const become = async (change: Partial<Names>) => {
    const before = answersOf(started.cloud.events).length;
    await started.names('home', namesOf(tested, change));
    await done(workspace.apply());
    return answersOf(started.cloud.events).slice(before);
  };
  await become({});
  return { fleet: started, workspace, become };
}

async function end({ fleet: served, workspace }: Served): Promise<void> {
  await done(workspace.destroy());
  expect(served.cloud.inventory.map(({ key }) => key)).toEqual([]);
}

describe.skipIf(skipsTerraform)('names of a load balancer', () => {
  test.each(sampled(nameCases, { oneOf: 12, from: 2 }))(
    '$title: addresses come and go, with and without a health check, and no name is without one',
    async (named) => {
      const served = await serve(named);
      const { fleet: cloud, workspace, become } = served;
      expect(await workspace.outputs()).toEqual({
        endpoint: expect.stringMatching(/^shop\.example\.com\.?$/),
        alternative_endpoints: { www: expect.stringMatching(/^www\.example\.com\.?$/) },
      });
      const steps: readonly Partial<Names>[] = [
        { addresses },
        { addresses: addresses.toReversed().slice(0, 2) },
        { addresses: addresses.slice(1), healthCheckPort: null },
        { addresses: addresses.slice(2), alternativeNames: ['www', 'web'] },
      ];
      for (const step of steps) {
        const steps = await become(step);
        const silent = ['shop', 'www'].filter((name) => steps.some((answers) => !isAnswered(answers, name)));
        expect(silent, JSON.stringify(step)).toEqual([]);
      }
      await cloud.names('home', { ...namesOf(named.tested, steps.at(-1) ?? {}), generation: 2 });
      expect(await workspace.plan()).toEqual([]);
      await end(served);
    },
    120_000,
  );

  test.each(sampled(nameCases, { oneOf: 12, from: 3 }))(
    '$title: changed host names, alternative names and zones exist before the old ones are deleted',
    async (named) => {
      const served = await serve(named);
      const { become } = served;
      const several = { addresses: addresses.slice(0, 2) };
      await become(several);
      const other = { ...several, hostname: 'store', alternativeNames: ['web'] };
      const renamed = await become(other);
      const [before] = renamed;
      expect(firstWith(renamed, ['store', 'web'])).toBeLessThanOrEqual(firstWithout(renamed, ['shop', 'www']));
      const abroad = { ...other, zone: `other-${named.tested.place.zone}` };
      const moved = await become(abroad);
      const old = [...(before ?? new Map()).keys()].map(zoneIn)[0] ?? '';
      const gone = moved.findIndex((answers) => ![...answers.keys()].some((answer) => zoneIn(answer) === old));
      const there = moved.findIndex((answers) =>
        ['store', 'web'].every((name) =>
          [...answers.keys()].some((answer) => nameIn(answer) === name && zoneIn(answer) !== old),
        ),
      );
      expect(there).toBeGreaterThanOrEqual(0);
      expect(there).toBeLessThanOrEqual(gone);
      await become({ ...abroad, hostname: 'web', alternativeNames: ['store'] });
      const [last = new Map()] = answersOf(served.fleet.cloud.events).slice(-1);
      expect(['store', 'web'].filter((name) => !isAnswered(last, name))).toEqual([]);
      await end(served);
    },
    120_000,
  );
});

/** What is answered at one moment: name and zone → the objects that do it. */
type Answers = ReadonlyMap<string, ReadonlySet<string>>;

const serving = /_(dns_record|record|record_set|a_record|rrset|load_balancer)$/;

/** What was answered after each event. */
function answersOf(events: readonly CloudEvent[]): readonly Answers[] {
  let now: Answers = new Map();
  return events
    .filter(({ type }) => serving.test(type))
    .map(({ key, action, values }) => {
      const without = [...now].map(
        ([answer, keys]) => [answer, new Set([...keys].filter((other) => other !== key))] as const,
      );
      const next = new Map(without.filter(([, keys]) => keys.size > 0));
      const { subdomain, name, zone, zone_id, zone_name, managed_zone, zone_name_or_id, domain } = values;
      const host = String(subdomain ?? name ?? domain).split('.')[0];
      const place = String(zone ?? zone_id ?? zone_name ?? managed_zone ?? zone_name_or_id ?? domain);
      if (action !== 'delete')
        next.set(`${host} in ${place}`, new Set([...(next.get(`${host} in ${place}`) ?? []), key]));
      now = next;
      return now;
    });
}

const nameIn = (answer: string): string => answer.split(' in ')[0] ?? '';
const zoneIn = (answer: string): string => answer.split(' in ')[1] ?? '';
const isAnswered = (answers: Answers, name: string): boolean =>
  [...answers.keys()].some((answer) => nameIn(answer) === name);

/** The first moment at which all of the names are answered; never: after the last one. */
function firstWith(steps: readonly Answers[], names: readonly string[]): number {
  const found = steps.findIndex((answers) => names.every((name) => isAnswered(answers, name)));
  return found < 0 ? Number.POSITIVE_INFINITY : found;
}

/** The first moment at which one of the names is not answered any more. */
function firstWithout(steps: readonly Answers[], names: readonly string[]): number {
  const found = steps.findIndex((answers) => names.some((name) => !isAnswered(answers, name)));
  return found < 0 ? steps.length : found;
}
