/** How many builds the account may run at once on the compute that the runners use: new accounts have 1, or even 0. */
import type { Project } from '@aws-sdk/client-codebuild';
import { paginateListServiceQuotas, type ServiceQuota } from '@aws-sdk/client-service-quotas';
import { type AwsCheck, look, passed } from './aws-check.ts';
import type { AwsClients } from './aws-clients.ts';

/** The compute that the default options use: for an account in which nothing is deployed yet. */
const byDefault = 'ARM/Small';

/** Stages of five clusters, which a manifest may work on at once, with some room. */
const comfortable = 10;

/** Where CodeBuild has containers on arm64, as its API documents it; it may be more by now. */
const armRegions = [
  ...['us-east-1', 'us-east-2', 'us-west-2', 'sa-east-1', 'eu-west-1', 'eu-central-1'],
  ...['ap-south-1', 'ap-northeast-1', 'ap-southeast-1', 'ap-southeast-2'],
];

/** No findings where it does not matter: runners that exist show that the region has them. */
function checkArm(projects: readonly Project[], region: string): readonly AwsCheck[] {
  if (projects.length > 0 || armRegions.includes(region)) return [];
  const found = `AWS documents none of CodeBuild for ${region}; the stack of the pipeline may be refused`;
  const fix = `check in the console of CodeBuild whether ${region} has them by now, or deploy to one of ${armRegions.join(', ')}`;
  return [{ name: 'containers on arm64', state: 'warning', found, fix }];
}

export async function checkQuotas(
  clients: AwsClients,
  projects: readonly Project[],
  region: string,
): Promise<readonly AwsCheck[]> {
  const used = new Set(projects.map(({ environment }) => computeName(environment)));
  if (used.size === 0) used.add(byDefault);
  const atOnce = await look('builds at once', 'servicequotas:ListServiceQuotas', async () => {
    const quotas: ServiceQuota[] = [];
    for await (const page of paginateListServiceQuotas({ client: clients.quotas }, { ServiceCode: 'codebuild' }))
      quotas.push(...(page.Quotas ?? []));
    return [...used].sort().map((compute) => judge(compute, quotas, region));
  });
  return [...checkArm(projects, region), ...atOnce];
}

/** As Service Quotas calls it: `ARM/Small`, `ARM Lambda/2GB`. */
export function computeName(environment: Project['environment']): string {
  const { type = '', computeType = '' } = environment ?? {};
  const size = computeType.split('_').at(-1) ?? '';
  if (type === 'ARM_LAMBDA_CONTAINER') return `ARM Lambda/${size}`;
  if (type === 'ARM_CONTAINER') return `ARM/${size.charAt(0)}${size.slice(1).toLowerCase()}`;
  return `${type}/${size}`;
}

function judge(compute: string, quotas: readonly ServiceQuota[], region: string): AwsCheck {
  const name = `builds at once (${compute})`;
  const wanted = `Concurrently running builds for ${compute} environment`.toLowerCase();
  const quota = quotas.find(({ QuotaName }) => QuotaName?.toLowerCase() === wanted);
  if (quota?.Value === undefined) {
    const fix = `aws service-quotas list-service-quotas --service-code codebuild --region ${region} shows what there is`;
    return { name, state: 'warning', found: 'Service Quotas does not list it', fix };
  }
  if (quota.Value >= comfortable) return passed(name, String(quota.Value));
  const { QuotaCode: code } = quota;
  const fix = `aws service-quotas request-service-quota-increase --service-code codebuild --quota-code ${code} --desired-value 20 --region ${region}`;
  if (quota.Value === 0) return { name, state: 'wrong', found: '0: no stage can run in this account', fix };
  const waits = quota.Value === 1 ? 'stages wait for each other' : 'several clusters at once wait for each other';
  return { name, state: 'warning', found: `${quota.Value}: ${waits}`, fix };
}
