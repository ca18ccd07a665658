/** `kubeloom doctor --aws`: everything that an installation in AWS depends on, checked with the caller's credentials. */
import { signerOf } from '../aws-signer.ts';
import { checkAccount, findPlace } from './aws-account.ts';
import { checkApi } from './aws-api.ts';
import { type AwsCheck, skipped } from './aws-check.ts';
import { type AwsClients, awsClients } from './aws-clients.ts';
import { checkInstallation } from './aws-installation.ts';
import { checkQuotas } from './aws-quotas.ts';

export interface AwsExamination {
  /** The region to check. @default the region of the SDK's own settings */
  readonly region?: string;
  /** Prefix of the stacks. */
  readonly installation: string;
  /** For an API with authorization=jwt. @default requests are signed */
  readonly token?: string;
}

export interface AwsReport {
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
  return { installation, ...place, checks: [...checks, ...account, ...quotas, ...found.checks, ...api] };
}
