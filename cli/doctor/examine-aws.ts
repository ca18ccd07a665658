/** `kubeloom doctor --aws`: everything that an installation in AWS depends on, checked with the caller's credentials. */

import { type Signer, signerOf } from '#client/aws-signer.ts';
import { WhoAmI } from '#contracts/http-documents.ts';
import { parseJson } from '#domain/json.ts';
import { counted } from '#domain/words.ts';
import { paint, print, printTable, printWrapped } from '../print/output.ts';
import { checkAccount, checkNewQuotas, checkQuotas, findPlace } from './aws-account.ts';
import { type AwsCheck, type AwsClients, awsClients, look, passed, skipped, warned, wrong } from './aws-check.ts';
import { checkInstallation } from './aws-installation.ts';

interface AwsExamination {
  /** The region to check. @default the region of the SDK's own settings */
  readonly region?: string;
  /** Prefix of the stacks. */
  readonly installation: string;
  /** For an API with authorization=jwt. @default requests are signed */
  readonly token?: string;
}

interface AwsReport {
  readonly installation: string;
  readonly region?: string;
  readonly account?: string;
  readonly checks: readonly AwsCheck[];
}

const needIdentity = ['account', 'installation', 'builds at once', 'API'];

/** Never throws for faults of the account: it reports them. */
export async function examineAws(
  { region, installation, token }: AwsExamination,
  clients: AwsClients = awsClients(region),
): Promise<AwsReport> {
  const { checks, place } = await findPlace(clients);
  if (!place) {
    const because = 'needs a region and an identity';
    return { installation, checks: [...checks, ...needIdentity.map((name) => skipped(name, because))] };
  }
  const [account, found] = await Promise.all([
    checkAccount(clients, place),
    checkInstallation(clients, installation, place.region),
  ]);
  const [quotas, api] = await Promise.all([
    checkQuotas(clients, found.projects, place.region),
    checkApi({ url: found.apiUrl, token, sign: signerOf(place.region, clients.sts.config.credentials) }),
  ]);
  return { installation, ...place, checks: [...quotas, ...checks, ...account, ...found.checks, ...api] };
}

/** What the account lacks for this release, and the installed one does without. Never throws for faults of the account. */
export async function examineForUpgrade(
  { region, installation }: Pick<AwsExamination, 'region' | 'installation'>,
  clients: AwsClients = awsClients(region),
): Promise<readonly AwsCheck[]> {
  const { checks, place } = await findPlace(clients);
  if (!place) return checks.filter(({ state }) => state === 'wrong');
  const { projects, checks: found } = await checkInstallation(clients, installation, place.region);
  const missing = skipped('builds at once', `the account has no project of ${installation} in ${place.region}`);
  const unread = found.filter(({ name, state }) => state === 'wrong' && name === 'images of runners');
  return projects.length > 0 ? checkNewQuotas(clients, projects, place.region) : [...unread, missing];
}

const apiCheck = 'API';

interface ApiQuestion {
  readonly url: string | undefined;
  readonly sign: Signer;
  /** Address of an OIDC issuer, for installations with authorization=jwt. */
  readonly token: string | undefined;
}

async function checkApi({ url, sign, token }: ApiQuestion): Promise<readonly AwsCheck[]> {
  if (url === undefined) return [skipped(apiCheck, 'its stack is not deployed')];
  return look(apiCheck, 'execute-api:Invoke', async () => {
    const target = new URL(`${url.replace(/\/$/, '')}/v1/whoami`);
    const plain = { accept: 'application/json' };
    const headers = token ? { ...plain, authorization: `Bearer ${token}` } : await sign('GET', target, plain);
    const response = await fetch(target, { headers, signal: AbortSignal.timeout(30_000) }).catch((cause: unknown) => {
      throw Object.assign(new Error(`nothing answers at ${url}`, { cause }), { code: 'ECONNREFUSED' });
    });
    return judge(url, response.status, await response.text(), token !== undefined);
  });
}

function judge(url: string, status: number, body: string, withToken: boolean): AwsCheck {
  if (status === 200) {
    const caller = WhoAmI.safeParse(parseJson(body));
    if (!caller.success) {
      const fix = '`kubeloom version --check` compares the versions of both';
      return warned(apiCheck, `${url} answers with something that this version does not understand`, fix);
    }
    const { grants, name: who } = caller.data;
    const roles = grants.map(({ role, namespaces }) => `${role} of ${namespaces.join(', ')}`).join('; ');
    if (grants.length > 0) return passed(apiCheck, `${url} answers; you are ${who}, ${roles}`);
    const fix = 'ask an admin for a role: kubeloom apply a RoleBinding, or -c admins=… at the next deployment';
    return warned(apiCheck, `${url} answers, but ${who} has no role there`, fix);
  }
  if (status === 401) {
    const fix = withToken
      ? 'fetch a new token from the issuer'
      : 'it requires tokens (authorization=jwt): set KUBELOOM_TOKEN';
    return wrong(apiCheck, `${url} does not know the caller (401)`, fix);
  }
  if (status === 403) {
    const fix = 'let this principal execute-api:Invoke on the API; with authorization=jwt, set KUBELOOM_TOKEN';
    return wrong(apiCheck, `${url} denies access to the caller (403)`, fix);
  }
  const fix = status >= 500 ? 'docs/aws/runbooks/api-server-errors.md' : 'deploy the version of this command line';
  return wrong(apiCheck, `${url} answered with ${status}`, fix);
}

const marks: Readonly<Record<AwsCheck['state'], string>> = {
  ok: paint('green', 'ok'),
  warning: paint('yellow', 'warning'),
  wrong: paint('red', 'wrong'),
  skipped: paint('dim', 'skipped'),
};

export function showAws({ checks }: AwsReport): void {
  printTable(
    ['', 'CHECK', 'FOUND'],
    checks.map(({ name, state, found }) => [marks[state], name, found]),
  );
  // One command may fix several findings; each is on a line of its own, to be copied.
  const fixes = new Set(checks.flatMap(({ fix }) => (fix === undefined ? [] : [fix])));
  for (const fix of fixes) {
    const meant = checks.filter((check) => check.fix === fix);
    print();
    for (const { name, state } of meant) print(`${marks[state]}  ${paint('bold', name)}`);
    print(`  ${fix}`);
  }
  print();
  const wrong = checks.filter(({ state }) => state === 'wrong').length;
  const warnings = checks.filter(({ state }) => state === 'warning').length;
  if (wrong === 0 && warnings === 0) print('no problems found');
  else printWrapped(`${wrong} wrong, ${counted(warnings, 'warning')}`);
}
