/** OpenStack: the project of an application credential, its roles and quotas. */
import { z } from 'zod';
import { AccessToken, ApiUrl, CloudName, CloudWord } from '#domain/observed/cloud-texts.ts';
import { trimmedEnd } from '#domain/trimmed-end.ts';
import { askCloud, json, mustAsk, quotaUnread } from '../ask.ts';
import { type CheckInput, type CheckOfType, identity, quotaFinding } from '../finding.ts';

const Limits = z.object({
  limits: z.object({
    absolute: z
      .object({
        totalCoresUsed: z.number(),
        maxTotalCores: z.number(),
        totalInstancesUsed: z.number(),
        maxTotalInstances: z.number(),
      })
      .partial(),
  }),
});
const Catalog = z.object({
  token: z.object({
    project: z.object({ name: CloudName }),
    roles: z.array(z.object({ name: CloudName })).default([]),
    catalog: z.array(
      z.object({
        type: CloudWord,
        endpoints: z.array(z.object({ interface: CloudWord, region: CloudName.nullish(), url: ApiUrl })),
      }),
    ),
  }),
});

/** The token's catalog, and the headers of requests with it. Throws `CheckRefused`. */
export async function logInToOpenstack(
  fields: CheckInput['fields'],
): Promise<z.infer<typeof Catalog> & { readonly headers: Readonly<Record<string, string>> }> {
  const { authurl = '', applicationcredentialid: id, applicationcredentialsecret: secret } = fields;
  const login = { identity: { methods: ['application_credential'], application_credential: { id, secret } } };
  const url = `${trimmedEnd(authurl, '/')}/auth/tokens`;
  const answer = await mustAsk('application credential', url, json({ auth: login }));
  const { token } = Catalog.parse(answer.json);
  const catalog = token.catalog.map(({ type, endpoints }) => ({
    type,
    endpoints: endpoints.filter((end) => mayGoTo(end.url, authurl)),
  }));
  return {
    token: { ...token, catalog },
    headers: { 'x-auth-token': AccessToken.parse(answer.headers['x-subject-token']) },
  };
}

/** The token goes to no address that only the machine of the runner has, unless the login itself is there. */
function mayGoTo(url: string, authurl: string): boolean {
  if (!URL.canParse(url) || !URL.canParse(authurl)) return false;
  const { hostname } = new URL(url);
  const isInside = /^(?:localhost|127\.|169\.254\.|0\.|\[(?:::|fe[89ab]))/i.test(hostname);
  return !isInside || hostname === new URL(authurl).hostname;
}

export const check: CheckOfType = async ({ fields, regions }) => {
  const { token, headers } = await logInToOpenstack(fields);
  const compute =
    token.catalog.find(({ type }) => type === 'compute')?.endpoints.filter((end) => end.interface === 'public') ?? [];
  const quotas = await Promise.all(
    compute
      .filter(({ region }) => regions.length === 0 || regions.includes(region ?? ''))
      .map(async ({ region, url: nova }) => {
        const answered = await askCloud(`${nova}/limits`, { headers });
        const found = Limits.safeParse(answered.json).data?.limits.absolute;
        if (found === undefined) return [quotaUnread(`compute in ${region}`, answered)];
        return (['Cores', 'Instances'] as const).flatMap((word) => {
          const [used, limit] = [found[`total${word}Used`], found[`maxTotal${word}`]];
          // Below zero: without limit.
          return used === undefined || limit === undefined || limit < 0
            ? []
            : [quotaFinding(`${word} in ${region}`, used, limit)];
        });
      }),
  );
  return [identity(token.project.name, `roles ${token.roles.map(({ name }) => name).join(', ')}`), ...quotas.flat()];
};
