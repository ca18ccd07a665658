/** Clients of the services that the doctor asks, all with the caller's own credentials. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CodeBuildClient } from '@aws-sdk/client-codebuild';
import { ECRClient } from '@aws-sdk/client-ecr';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SSMClient } from '@aws-sdk/client-ssm';
import { STSClient } from '@aws-sdk/client-sts';

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
