/** Who may do what with the secrets of an installation. */
import type { Stack } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { secretPrefix } from '../settings.ts';

export interface SecretAccess {
  readonly installation: string;
  /** Reading values: runners only. */
  readonly read: boolean;
}

/** Lets `grantee` list, write and remove secrets, and read their values if it is a runner. */
export function grantSecrets(stack: Stack, grantee: IGrantable, access: SecretAccess): void {
  const path = secretPrefix(access.installation).slice(1);
  const arn = (resourceName: string) => stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName });
  // Whether a secret exists is asked with GetParameter without decryption; the value stays encrypted then.
  const actions = ['ssm:GetParameter', 'ssm:GetParametersByPath', 'ssm:PutParameter', 'ssm:DeleteParameter'];
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions, resources: [arn(path), arn(`${path}/*`)] }),
  );
  if (!access.read) return;
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['kms:Decrypt'],
      resources: [stack.formatArn({ service: 'kms', resource: 'key', resourceName: '*' })],
      conditions: { StringEquals: { 'kms:ViaService': `ssm.${stack.region}.amazonaws.com` } },
    }),
  );
}
