/** The part of a job's rights that no tag can hold: which Secrets of users, and which copies of provider types. A session has it in addition to its role. */
import { PipelineError } from '#domain/errors.ts';
import { acceptedCopies } from './job-rights.ts';

/** A session policy has at most so many characters, as STS documents it. Tags and policy have a second limit after compression, which AWS does not publish. */
export const longestSessionPolicy = 2048;

export interface SessionScope {
  /** That of the job's manifest. */
  readonly namespace: string;
  /** `<namespace>/<name>` */
  readonly secrets: readonly string[];
  /** SHA-256 of copies. */
  readonly copies: readonly string[];
  /** Path prefix of all Secrets of the installation: `/kubeloom`. */
  readonly secretPrefix: string;
  /** `aws`, `aws-cn` … */
  readonly partition: string;
}

/**
 * A session policy as JSON. Secrets of the job's own namespace become one entry where they do not fit one by one; those of other namespaces
 * never do. Throws `InvalidManifest` when these are too many.
 */
export function sessionPolicy(scope: SessionScope): string {
  const exact = policyOf(scope);
  if (exact.length <= longestSessionPolicy) return exact;
  const own = `${scope.namespace}/`;
  const foreign = scope.secrets.filter((name) => !name.startsWith(own));
  const shorter = policyOf({ ...scope, secrets: [`${own}*`, ...foreign] });
  if (shorter.length <= longestSessionPolicy) return shorter;
  throw new PipelineError(
    'InvalidManifest',
    `the cluster uses ${foreign.length} Secrets of other namespaces and ${scope.copies.length} provider types from elsewhere: more than a build can be given rights to; store some of the Secrets in the namespace ${scope.namespace}`,
  );
}

function policyOf({ secrets, copies, secretPrefix, partition }: SessionScope): string {
  const parameter = (path: string): string => `arn:${partition}:ssm:*:*:parameter${secretPrefix}/${path}`;
  const object = (key: string): string => `arn:${partition}:s3:::*/${key}`;
  const copied = copies.map((copy) => object(acceptedCopies.replace('*', `${copy}.json`)));
  const allow = (statement: object): object => ({ Effect: 'Allow', ...statement });
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      allow({ NotAction: ['ssm:GetParameter', 's3:GetObject'], Resource: '*' }),
      allow({
        Action: 'ssm:GetParameter',
        Resource: [parameter('ssh/*'), ...secrets.map((name) => parameter(`user/${name}`))],
      }),
      allow({ Action: 's3:GetObject', NotResource: object(acceptedCopies) }),
      ...(copied.length > 0 ? [allow({ Action: 's3:GetObject', Resource: copied })] : []),
    ],
  });
}
