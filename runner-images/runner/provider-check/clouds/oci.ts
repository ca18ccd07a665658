/** Oracle Cloud: who the key is, what may be listed in the compartment, and the limits of regions. Nothing is written. */
import { z } from 'zod';
import { CloudName, CloudWord } from '#domain/observed/cloud-texts.ts';
import { CheckRefused, type CloudAnswer, mustBeGood, orUnreported, permissionShown } from '../ask.ts';
import { type CheckFinding, type CheckOfType, identity, type LoginInput, unreported } from '../finding.ts';
import { limitsOf } from '../oci-limits.ts';
import { askOci, type OciKey, type OciQuestion, ociKey } from '../signed-oci.ts';

/** The region of DNS requests when no machine has a region, as in the dns module. */
const regionOfNames = 'eu-frankfurt-1';
/** By the third part of an OCID; other realms are those of single customers. */
const domains: Readonly<Record<string, string>> = {
  oc1: 'oraclecloud.com',
  oc2: 'oraclegovcloud.com',
  oc3: 'oraclegovcloud.com',
  oc4: 'oraclegovcloud.uk',
  oc8: 'oraclecloud8.com',
  oc9: 'oraclecloud9.com',
  oc10: 'oraclecloud10.com',
};
/** Resource type of a policy to the list that shows whether anything of it is granted. */
const lists: Readonly<Record<string, readonly [service: string, path: string]>> = {
  compartments: ['identity', '20160918/availabilityDomains'],
  'instance-family': ['iaas', '20160918/instances'],
  'volume-family': ['iaas', '20160918/volumes'],
  vcns: ['iaas', '20160918/vcns'],
  subnets: ['iaas', '20160918/subnets'],
  'route-tables': ['iaas', '20160918/routeTables'],
  'security-lists': ['iaas', '20160918/securityLists'],
  'internet-gateways': ['iaas', '20160918/internetGateways'],
  'dhcp-options': ['iaas', '20160918/dhcps'],
  'network-security-groups': ['iaas', '20160918/networkSecurityGroups'],
  'vnic-attachments': ['iaas', '20160918/vnicAttachments'],
  'dns-zones': ['dns', '20180115/zones'],
  'dns-steering-policies': ['dns', '20180115/steeringPolicies'],
  'dns-steering-policy-attachments': ['dns', '20180115/steeringPolicyAttachments'],
  'health-check-family': ['healthchecks', '20180501/pingMonitors'],
};
const verbs = ['inspect', 'read', 'use', 'manage'];

const Compartment = z.object({ name: CloudName, lifecycleState: CloudWord });

export const check: CheckOfType = async (input) => {
  const { compartmentocid: compartmentId = '', tenancyocid = '' } = input.fields;
  const key = ociKey(input.fields);
  const [first = regionOfNames] = input.regions;
  const question = questionIn(input, key, first);
  const who = await whoIs(question, { compartmentId, region: first });
  const permissions = await Promise.all(
    strongest(input.permissions).map((permission) =>
      orUnreported('permission', permission, permissionOf(question, compartmentId, permission)),
    ),
  );
  const quotas = await Promise.all(
    input.regions.map((region) => {
      const place = { compartmentId, tenancyocid, region };
      return orUnreported('quota', `limits of ${region}`, limitsOf(questionIn(input, key, region), place));
    }),
  );
  return [who, ...permissions.flat(), ...quotas.flat()];
};

export function questionIn({ fields, bases }: LoginInput, key: OciKey, region: string): OciQuestion {
  const realm = fields.tenancyocid?.split('.')[2] ?? '';
  const domain = domains[realm];
  if (domain === undefined) {
    const message = `is in the realm "${realm}", whose address Kubeloom does not know: the first plan will show it`;
    throw new CheckRefused(unreported('identity', 'tenancyocid', message));
  }
  return (service, path, query, method) => {
    const usual = `https://${service}.${region}.${service === 'iaas' ? '' : 'oci.'}${domain}`;
    const url = new URL(`${bases[service] ?? usual}/${path}`);
    url.search = String(new URLSearchParams(query));
    return askOci(key, url, method);
  };
}

async function whoIs(
  question: OciQuestion,
  { compartmentId, region }: { readonly compartmentId: string; readonly region: string },
): Promise<CheckFinding> {
  const path = `20160918/compartments/${encodeURIComponent(compartmentId)}`;
  const answer = await question('identity', path, {});
  if (isRefusal(answer)) {
    const message = `the key is accepted, but it may not see the compartment (HTTP ${answer.status}): check compartmentocid, and that "inspect compartments" is granted`;
    return { about: 'identity', name: 'compartment', ok: false, message };
  }
  const hint = `check that tenancy, user, fingerprint and key belong together, that the key is older than some minutes, and that the tenancy is subscribed to ${region}`;
  mustBeGood('API key', answer, hint);
  const { name, lifecycleState: state } = Compartment.parse(answer.json);
  return { ...identity(`compartment ${name}`, `is ${state}`), ok: state === 'ACTIVE' };
}

/** For things that the key may not see, Oracle answers that they do not exist. */
const isRefusal = ({ status }: CloudAnswer): boolean => status === 403 || status === 404;

/** `manage` covers `use`, and so on: one statement for each resource type. */
function strongest(permissions: readonly string[]): readonly string[] {
  const found = new Map<string, string>();
  for (const permission of permissions) {
    const [verb = '', what = ''] = permission.split(' ');
    const before = found.get(what);
    if (before === undefined || verbs.indexOf(before) < verbs.indexOf(verb)) found.set(what, verb);
  }
  return [...found].map(([what, verb]) => `${verb} ${what}`);
}

async function permissionOf(
  question: OciQuestion,
  compartmentId: string,
  name: string,
): Promise<readonly CheckFinding[]> {
  const [verb, what = ''] = name.split(' ');
  const list = lists[what];
  if (list === undefined)
    return [unreported('permission', name, 'Oracle has no request that shows it: only a plan can show it')];
  const answer = await question(...list, { compartmentId });
  const isListed = answer.status < 300;
  if (!isListed || verb === 'inspect') {
    return [permissionShown(name, answer, isListed, 'add it to the policy for this compartment')];
  }
  return [unreported('permission', name, `they may be listed; only a plan can show whether "${verb}" is granted`)];
}
