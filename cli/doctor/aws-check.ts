/** One finding of the doctor about an AWS account, the meaning of an error of the SDK, and the clients that are asked. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CodeBuildClient } from '@aws-sdk/client-codebuild';
import { ECRClient } from '@aws-sdk/client-ecr';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SSMClient } from '@aws-sdk/client-ssm';
import { STSClient } from '@aws-sdk/client-sts';

export interface AwsCheck {
  readonly name: string;
  /** `warning`: works, but not as it should; `skipped`: could not be checked, because of another finding. */
  readonly state: 'ok' | 'warning' | 'wrong' | 'skipped';
  /** What was found, for people. */
  readonly found: string;
  /** How to fix it: a command where there is one. */
  readonly fix?: string;
}

export const passed = (name: string, found: string): AwsCheck => ({ name, state: 'ok', found });
export const warned = (name: string, found: string, fix: string): AwsCheck => ({ name, state: 'warning', found, fix });
export const wrong = (name: string, found: string, fix: string): AwsCheck => ({ name, state: 'wrong', found, fix });
export const skipped = (name: string, because: string): AwsCheck => ({ name, state: 'skipped', found: because });

/** Runs a check; an error that it throws becomes a finding. `action` is the right that the check needs. */
export async function look(
  name: string,
  action: string,
  work: () => Promise<AwsCheck | readonly AwsCheck[]>,
): Promise<readonly AwsCheck[]> {
  try {
    return [await work()].flat();
  } catch (error) {
    return [{ name, state: 'wrong', ...explain(error, action) }];
  }
}

const noAnswer = /^(ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|TimeoutError)$/;

/** What happened and what to do about it. Rethrows errors that are neither from AWS nor from the network. */
function explain(error: unknown, action: string): Pick<AwsCheck, 'found' | 'fix'> {
  if (!(error instanceof Error)) throw error;
  const code = 'code' in error ? String(error.code) : '';
  if (isDenied(error)) {
    return {
      found: `access denied: ${action}`,
      fix: `let this principal ${action}, or run the doctor with a principal that may`,
    };
  }
  if (noAnswer.test(code) || noAnswer.test(error.name)) {
    return {
      found: `no answer (${code || error.name})`,
      fix: 'check that the region exists and that this machine reaches AWS (proxy, firewall)',
    };
  }
  if (!('$metadata' in error)) throw error;
  const [firstLine] = error.message.split('\n');
  return { found: `${error.name}: ${firstLine}`, fix: 'retry; if it keeps failing, see the status page of AWS' };
}

/** AWS answered that this principal may not do that. */
export function isDenied(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(AccessDenied|AccessDeniedException|UnauthorizedOperation|NotAuthorized|AccessDeniedFault)$/.test(error.name)
  );
}

export type AwsClients = ReturnType<typeof awsClients>;

/** `region`: the region to check; undefined: that of the SDK's own settings. */
export function awsClients(region: string | undefined) {
  const settings = {
    ...(region !== undefined && { region }),
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 15_000 },
  };
  return {
    cloudFormation: new CloudFormationClient(settings),
    codeBuild: new CodeBuildClient(settings),
    ecr: new ECRClient(settings),
    kms: new KMSClient(settings),
    lambda: new LambdaClient(settings),
    quotas: new ServiceQuotasClient(settings),
    stepFunctions: new SFNClient(settings),
    ssm: new SSMClient(settings),
    sts: new STSClient(settings),
  };
}
