/** Verda: the client, the locations and the balance. */
import { z } from 'zod';
import { AccessToken, CloudWord } from '#domain/observed/cloud-texts.ts';
import { trimmedEnd } from '#domain/trimmed-end.ts';
import { askCloud, bearer, json, mustAsk, quotaUnread } from '../ask.ts';
import {
  type CheckFinding,
  type CheckOfType,
  identity,
  type LoginInput,
  unknownRegions,
  unreported,
} from '../finding.ts';

const OAuth = z.object({ access_token: AccessToken });

const Locations = z.array(z.object({ code: CloudWord }));
const Balance = z.object({ amount: z.number(), currency: CloudWord });

/** The address of the API, and the headers of requests. Throws `CheckRefused`. */
export async function logInToVerda({ fields, bases }: LoginInput): Promise<{
  readonly base: string;
  readonly headers: ReturnType<typeof bearer>;
}> {
  const base = trimmedEnd(fields.baseurl ?? bases.api ?? 'https://api.verda.com/v1', '/');
  const { clientid: client_id = '', clientsecret: client_secret = '' } = fields;
  const login = json({ grant_type: 'client_credentials', client_id, client_secret });
  const { access_token } = OAuth.parse((await mustAsk('login', `${base}/oauth2/token`, login)).json);
  return { base, headers: bearer(access_token) };
}

export const check: CheckOfType = async ({ fields, bases, regions }) => {
  const { base, headers } = await logInToVerda({ fields, bases });
  await mustAsk('instances', `${base}/instances`, { headers });
  const locations = Locations.safeParse((await askCloud(`${base}/locations`, { headers })).body).data;
  const reported = await askCloud(`${base}/balance`, { headers });
  const balance = Balance.safeParse(reported.json).data;
  const left =
    balance === undefined ? quotaUnread('balance', reported) : balanceFinding(balance.amount, balance.currency);
  return [
    identity('client', 'may log in and list instances'),
    ...(locations === undefined
      ? []
      : unknownRegions(
          regions,
          locations.map(({ code }) => code),
        )),
    unreported('permission', 'cloud-api-v1', 'Verda has no request that shows it: only a plan can show it'),
    left,
  ];
};

/** Accounts that pay afterwards may have none. */
function balanceFinding(amount: number, currency: string): CheckFinding {
  const message = `is ${amount} ${currency}; nothing is created if it is too low`;
  return { about: 'quota', name: 'balance', ok: amount > 0 ? true : null, message };
}
