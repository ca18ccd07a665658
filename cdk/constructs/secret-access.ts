/** Who may do what with the secrets of an installation. */
import type { Stack } from 'aws-cdk-lib';
import { Effect, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { secretPrefix } from '../settings.ts';

export interface SecretAccess {
  readonly installation: string;
  /** Reading values: runners only. */
  readonly read: boolean;
}

/** Lets `grantee` list, write and remove secrets; only a reader can decrypt them. */
export function grantSecrets(stack: Stack, grantee: IGrantable, access: SecretAccess): void {
  const path = secretPrefix(access.installation).slice(1);
  const arn = (resourceName: string) => stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName });
  const actions = ['ssm:GetParameter', 'ssm:GetParametersByPath', 'ssm:PutParameter', 'ssm:DeleteParameter'];
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions, resources: [arn(path), arn(`${path}/*`)] }),
  );
  // The key of SSM lets everybody in the account decrypt through SSM, so not to allow it would not be enough.
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      effect: access.read ? Effect.ALLOW : Effect.DENY,
      actions: ['kms:Decrypt'],
      resources: [stack.formatArn({ service: 'kms', resource: 'key', resourceName: '*' })],
      conditions: { StringEquals: { 'kms:ViaService': `ssm.${stack.region}.amazonaws.com` } },
    }),
  );
}
