/** Turns what a handler uses into the statements of its role: these actions on these resources, nothing wider. */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { IProject } from 'aws-cdk-lib/aws-codebuild';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { tableSchema } from '#adapters/table-keys.ts';
import {
  type Bounds,
  mayReplaceSecrets,
  prefixesOf,
  type RunnerTool,
  runnerTools,
} from '#functions/rights/runner-rights.ts';
import { actionsOf } from '#functions/rights/uses.ts';
import { acceptFindings } from '../checks.ts';
import { secretPrefix } from '../settings.ts';

export interface DataStores {
  readonly table: ITableV2;
  readonly bucket: IBucket;
  /** Encrypts the table, the bucket and the secrets. */
  readonly key: IKey;
}

export interface UsedResources extends DataStores {
  readonly installation: string;
  /** State machines that `workflows` starts. */
  readonly reconcileName: string;
  readonly rollOutName: string;
  readonly askRunnerName: string;
  /** Bus that `bus` publishes to. */
  readonly eventBus: string;
  /** Projects of each runner. */
  readonly projects: Readonly<Partial<Record<RunnerTool, readonly IProject[]>>>;
}

type Resources = readonly string[];

export interface RoleGrant {
  readonly uses: readonly string[];
  /** What of the stored things it may touch. */
  readonly bounds: Bounds;
  /** What runs in the role: only runners see values of secrets and states of Terraform. */
  readonly holder: 'function' | 'runner';
}

/** Gives `role` what `uses` (`manifests.get`) need within the bounds, and denies a function what only runners may see. */
export function grantUses(role: Role, { uses, bounds, holder }: RoleGrant, on: UsedResources): void {
  const actions = actionsOf(uses);
  const stack = Stack.of(role);
  const secret = secretPrefix(on.installation).slice(1);
  const arn = (service: string, resource: string, resourceName: string, arnFormat?: ArnFormat): string =>
    stack.formatArn({ service, resource, resourceName, ...(arnFormat && { arnFormat }) });
  const states = (resource: string, name: string) => arn('states', resource, name, ArnFormat.COLON_RESOURCE_NAME);
  const allow = (wanted: readonly string[], resources: Resources, conditions?: PolicyStatement['conditions']): void => {
    const chosen = actions.filter((action) => wanted.includes(action));
    if (chosen.length === 0 || resources.length === 0) return;
    role.addToPolicy(
      new PolicyStatement({ actions: [...chosen], resources: [...resources], ...(conditions && { conditions }) }),
    );
  };
  const named = (begin: string) => actions.filter((action) => action.startsWith(begin));

  const index = `${on.table.tableArn}/index/${tableSchema.dueIndex.name}`;
  const ofTable = named('dynamodb:');
  const keysOf = (action: string): string => prefixesOf(action, bounds).join();
  for (const keys of new Set(ofTable.map(keysOf))) {
    const leading = {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys.split(',').map((key) => `${key}*`) },
    };
    const those = ofTable.filter((action) => keysOf(action) === keys);
    allow(
      those.filter((action) => action !== 'dynamodb:Query'),
      [on.table.tableArn],
      leading,
    );
    allow(
      those.filter((action) => action === 'dynamodb:Query'),
      [on.table.tableArn, index],
      leading,
    );
  }
  allow(['s3:ListBucket'], [on.bucket.bucketArn], listsBelow(prefixesOf('s3:ListBucket', bounds)));
  for (const action of ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'])
    allow(
      [action],
      prefixesOf(action, bounds).map((prefix) => on.bucket.arnForObjects(`${prefix}*`)),
    );
  for (const action of ['ssm:GetParameter', 'ssm:PutParameter', 'ssm:DeleteParameter'])
    allow(
      [action],
      prefixesOf(action, bounds).map((path) => arn('ssm', 'parameter', `${secret}/${path}*`)),
      action === 'ssm:PutParameter' && !mayReplaceSecrets(uses)
        ? { StringEquals: { 'ssm:Overwrite': 'false' } }
        : undefined,
    );
  allow(['ssm:GetParametersByPath'], [arn('ssm', 'parameter', secret), arn('ssm', 'parameter', `${secret}/*`)]);
  const machines = [
    ...(uses.includes('workflows.startReconcile') ? [on.reconcileName] : []),
    ...(uses.includes('workflows.startRollOut') ? [on.rollOutName] : []),
  ];
  allow(
    ['states:StartExecution'],
    machines.map((name) => states('stateMachine', name)),
  );
  allow(['states:StartSyncExecution'], [states('stateMachine', on.askRunnerName)]);
  allow(['states:DescribeExecution', 'states:StopExecution'], [states('execution', `${on.reconcileName}:*`)]);
  // What starts roll-outs reads whether they still run.
  if (machines.includes(on.rollOutName))
    allow(['states:DescribeExecution'], [states('execution', `${on.rollOutName}:*`)]);
  allow(['events:PutEvents'], [arn('events', 'event-bus', on.eventBus)]);
  allow(
    named('codebuild:'),
    (bounds.builds ?? runnerTools).flatMap((tool) => on.projects[tool] ?? []).map(({ projectArn }) => projectArn),
  );

  grantKey(role, actions, on.key, holder === 'runner');
  if (holder === 'function') denyWhatOnlyRunnersSee(role, on);
  acceptFindings(
    role,
    'IAM5',
    /^Resource::.*[/:]\*$/,
    'under a prefix of one bucket, one path of secrets, one state machine: their names are created at run time',
  );
  acceptFindings(role, 'IAM5', /^Action::kms:(GenerateDataKey|ReEncrypt)\*$/, 'as KMS documents it for services');
}

/** Listing keys below these prefixes. IfExists: a read of an object that does not exist has no prefix, and is answered with 404 only to who may list. */
export function listsBelow(prefixes: readonly string[]): NonNullable<PolicyStatement['conditions']> {
  return { StringLikeIfExists: { 's3:prefix': prefixes.map((prefix) => `${prefix}*`) } };
}

/**
 * A caller that starts a build of a runner could give it other commands, another image or role, or variables that Node obeys, and so
 * read what only runners may read: of everything that a request may override, only one variable is allowed, which has the request,
 * and the image where `images` is given, a pattern.
 */
export function startsOnly(images?: string): NonNullable<PolicyStatement['conditions']> {
  const refused = ['source.buildspec', 'source.location', 'serviceRole', ...(images === undefined ? [image] : [])];
  return {
    Null: Object.fromEntries(refused.map((key) => [`codebuild:${key}`, 'true'])),
    'ForAllValues:StringEquals': { 'codebuild:environment.environmentVariables.name': ['KUBELOOM_JOB'] },
    ...(images !== undefined && { StringLikeIfExists: { [`codebuild:${image}`]: images } }),
  };
}

const image = 'environment.image';

/** The key through the services that the role may use, and never directly. */
function grantKey(role: Role, actions: readonly string[], key: IKey, decryptsSecrets: boolean): void {
  const { region } = Stack.of(role);
  const uses = (...wanted: string[]): boolean =>
    actions.some((action) => wanted.some((begin) => action.startsWith(begin)));
  const via = [
    ...(uses('dynamodb:') ? ['dynamodb'] : []),
    ...(uses('s3:GetObject', 's3:PutObject') ? ['s3'] : []),
    ...(decryptsSecrets && uses('ssm:GetParameter') ? ['ssm'] : []),
  ];
  const conditions = (services: readonly string[]) => ({
    StringEquals: { 'kms:ViaService': services.map((service) => `${service}.${region}.amazonaws.com`) },
  });
  if (via.length > 0) {
    role.addToPolicy(
      new PolicyStatement({
        actions: ['kms:Decrypt', 'kms:DescribeKey'],
        resources: [key.keyArn],
        conditions: conditions(via),
      }),
    );
  }
  const writes = [
    ...(uses('dynamodb:Put', 'dynamodb:Update', 'dynamodb:Delete', 'dynamodb:BatchWrite') ? ['dynamodb'] : []),
    ...(uses('s3:PutObject') ? ['s3'] : []),
    ...(uses('ssm:PutParameter') ? ['ssm'] : []),
  ];
  if (writes.length === 0) return;
  // As the services' documentation requires; a narrower policy could not be tried without an account.
  const statement = { actions: ['kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'], resources: [key.keyArn] };
  role.addToPolicy(new PolicyStatement({ ...statement, conditions: conditions(writes) }));
}

/** The values of secrets, also where SSM's own key would give access to every principal of the account; and Terraform's states. */
function denyWhatOnlyRunnersSee(role: Role, { bucket }: DataStores): void {
  const { region } = Stack.of(role);
  role.addToPolicy(
    new PolicyStatement({
      effect: Effect.DENY,
      actions: ['kms:Decrypt'],
      resources: ['*'],
      conditions: { StringEquals: { 'kms:ViaService': `ssm.${region}.amazonaws.com` } },
    }),
  );
  role.addToPolicy(
    new PolicyStatement({
      effect: Effect.DENY,
      actions: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'],
      resources: [bucket.arnForObjects('terraform/*')],
    }),
  );
}
