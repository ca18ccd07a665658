/** Azure: a token of the tenant, the subscription, its permissions as Azure lists them for us, and the cores of a region. */
import { z } from 'zod';
import { AccessToken, CloudName, CloudWord } from '#domain/observed/cloud-texts.ts';
import { webIdentityToken } from '../../web-identity.ts';
import { askCloud, bearer, form, mustAsk, quotaUnread } from '../ask.ts';
import {
  type CheckFinding,
  type CheckOfType,
  identity,
  type LoginInput,
  permissionFinding,
  quotaFinding,
  unreported,
} from '../finding.ts';

const Token = z.object({ access_token: AccessToken });
const Subscription = z.object({ displayName: CloudName, state: CloudWord });
const Permissions = z.object({
  value: z.array(z.object({ actions: z.array(CloudName), notActions: z.array(CloudName).default([]) })),
});
const Usages = z.object({
  value: z.array(
    z.object({
      currentValue: z.number(),
      limit: z.number(),
      name: z.object({ value: CloudName, localizedValue: CloudName }),
    }),
  ),
});

export const check: CheckOfType = async (input) => {
  const { subscriptionid = '' } = input.fields;
  const token = await azureToken(input);
  const arm = `${input.bases.management ?? 'https://management.azure.com'}/subscriptions/${subscriptionid}`;
  const headers = bearer(token);
  const about = await mustAsk('subscription', `${arm}?api-version=2022-12-01`, { headers });
  const { displayName, state } = Subscription.parse(about.json);
  const isEnabled = state === 'Enabled';
  const who: CheckFinding = { ...identity(displayName, `subscription is ${state}`), ok: isEnabled };
  const listed = await askCloud(`${arm}/providers/Microsoft.Authorization/permissions?api-version=2022-04-01`, {
    headers,
  });
  const granted = Permissions.safeParse(listed.json).data?.value;
  const permissions =
    granted === undefined
      ? [
          unreported(
            'permission',
            'Microsoft.Authorization/permissions/read',
            'is missing: grant it so that each permission can be checked',
          ),
        ]
      : input.permissions.map((action) => {
          const ok = granted.some((grant) => allows(grant, action));
          return permissionFinding(action, ok);
        });
  const quotas = await Promise.all(input.regions.map((region) => coresOf(arm, headers, region)));
  return [who, ...permissions, ...quotas];
};

export async function azureToken({ fields, bases }: LoginInput): Promise<string> {
  const { tenantid = '', clientid = '', clientsecret } = fields;
  const proof: Readonly<Record<string, string>> =
    clientsecret === undefined
      ? {
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: (await webIdentityToken('api://AzureADTokenExchange', () => undefined)).token,
        }
      : { client_secret: clientsecret };
  const url = `${bases.login ?? 'https://login.microsoftonline.com'}/${encodeURIComponent(tenantid)}/oauth2/v2.0/token`;
  const scope = 'https://management.azure.com/.default';
  const answer = await mustAsk(
    'login',
    url,
    form({ grant_type: 'client_credentials', client_id: clientid, scope, ...proof }),
  );
  return Token.parse(answer.json).access_token;
}

function allows(
  grant: { readonly actions: readonly string[]; readonly notActions: readonly string[] },
  action: string,
): boolean {
  return grant.actions.some((one) => fits(one, action)) && !grant.notActions.some((one) => fits(one, action));
}

/** Azure writes `*` for any text, and no letter large or small. */
function fits(pattern: string, action: string): boolean {
  const [first = '', ...others] = pattern.toLowerCase().split('*');
  const last = others.pop();
  const text = action.toLowerCase();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  // Each word at its first place leaves the most for those after it.
  let at = first.length;
  for (const word of others) {
    const found = text.indexOf(word, at);
    if (found < 0) return false;
    at = found + word.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

async function coresOf(arm: string, headers: ReturnType<typeof bearer>, region: string): Promise<CheckFinding> {
  const place = region.toLowerCase().replaceAll(' ', '');
  const url = `${arm}/providers/Microsoft.Compute/locations/${place}/usages?api-version=2024-07-01`;
  const answer = await askCloud(url, { headers });
  const cores = Usages.safeParse(answer.json).data?.value.find(({ name }) => name.value === 'cores');
  if (cores === undefined) {
    return quotaUnread(
      `cores in ${region}`,
      answer,
      'grant Microsoft.Compute/locations/usages/read so that this can be checked',
    );
  }
  return quotaFinding(`${cores.name.localizedValue} in ${region}`, cores.currentValue, cores.limit);
}
