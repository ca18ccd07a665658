/** What a tenancy of Oracle Cloud may have in a region: networks, GB of volumes, cores. */
import { z } from 'zod';
import { CloudWord } from '#domain/observed/cloud-texts.ts';
import { quotaUnread } from './ask.ts';
import { type CheckFinding, quotaFinding } from './finding.ts';
import type { OciQuestion } from './signed-oci.ts';

const Domains = z.array(z.object({ name: CloudWord }));
const Availability = z.object({ used: z.number(), available: z.number() });
const Limits = z.array(z.object({ name: CloudWord, value: z.number() }));
const limitsFix = 'grant "inspect resource-availability in tenancy" so that this can be checked';

export interface OciPlace {
  readonly compartmentId: string;
  readonly tenancyocid: string;
  readonly region: string;
}

export async function limitsOf(question: OciQuestion, place: OciPlace): Promise<readonly CheckFinding[]> {
  const { compartmentId, region } = place;
  const networks = await availability(question, place, ['vcn', 'vcn-count'], `virtual cloud networks in ${region}`);
  const domains = Domains.safeParse(
    (await question('identity', '20160918/availabilityDomains', { compartmentId })).body,
  );
  const storage = await Promise.all(
    (domains.data ?? []).map(({ name }) =>
      availability(question, place, ['block-storage', 'total-storage-gb', name], `GB of volumes in ${name}`),
    ),
  );
  return [networks, ...storage, await coresOf(question, place)];
}

async function availability(
  question: OciQuestion,
  { tenancyocid: compartmentId }: OciPlace,
  [service, limit, availabilityDomain]: readonly [service: string, limit: string, domain?: string],
  name: string,
): Promise<CheckFinding> {
  const query = { compartmentId, ...(availabilityDomain === undefined ? {} : { availabilityDomain }) };
  const answer = await question('limits', `20190729/services/${service}/limits/${limit}/resourceAvailability`, query);
  const found = answer.status < 300 ? Availability.safeParse(answer.json).data : undefined;
  return found === undefined
    ? quotaUnread(name, answer, limitsFix)
    : quotaFinding(name, found.used, found.used + found.available);
}

/** Oracle shows usage for one series at a time, and the series of the manifest is not known here. */
async function coresOf(question: OciQuestion, { tenancyocid, region }: OciPlace): Promise<CheckFinding> {
  const name = `cores in ${region}`;
  const query = { compartmentId: tenancyocid, serviceName: 'compute', scopeType: 'AD', limit: '1000' };
  const answer = await question('limits', '20190729/limitValues', query);
  const values = answer.status < 300 ? Limits.safeParse(answer.body).data : undefined;
  if (values === undefined) return quotaUnread(name, answer, limitsFix);
  const series = new Map<string, number>();
  for (const { name: limit, value } of values) {
    const [, one] = /^((?!.*reserv)[a-z0-9-]+?)-core(?:-ad)?-count$/.exec(limit) ?? [];
    if (one !== undefined && value > 0) series.set(one, Math.max(value, series.get(one) ?? 0));
  }
  const words = [...series].map(([one, value]) => `${one} ${value}`).join(', ');
  const ok = series.size > 0;
  return {
    about: 'quota',
    name,
    ok,
    message: ok ? `allowed in a domain: ${words}` : 'none may run: request a higher limit',
  };
}
