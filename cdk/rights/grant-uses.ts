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
import { mailTopics, secretPrefix } from '../settings.ts';

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
  /** ARNs of the roles of tools. */
  readonly toolRoles: readonly string[];
}

type Resources = readonly string[];

export interface RoleGrant {
  readonly uses: readonly string[];
  /** What of the stored things it may touch. */
  readonly bounds: Bounds;
  /** The same by action, as patterns of IAM, for a role whose sessions have less than its bounds. @default all below the prefixes of the bounds */
  readonly patterns?: Readonly<Record<string, readonly string[]>>;
  /** What runs in the role: only runners see values of secrets and states of Terraform. */
  readonly holder: 'function' | 'runner';
}

/** Gives `role` what `uses` (`manifests.get`) need within the bounds, and denies a function what only runners may see. */
export function grantUses(role: Role, { uses, bounds, patterns, holder }: RoleGrant, on: UsedResources): void {
  const actions = actionsOf(uses);
  const stack = Stack.of(role);
  const secret = secretPrefix(on.installation).slice(1);
  const arn = (service: string, resource: string, resourceName: string, arnFormat?: ArnFormat): string =>
    stack.formatArn({ service, resource, resourceName, ...(arnFormat && { arnFormat }) });
  const states = (resource: string, name: string) => arn('states', resource, name, ArnFormat.COLON_RESOURCE_NAME);
  const allow: Allow = (wanted, resources, conditions) => {
    const chosen = actions.filter((action) => wanted.includes(action));
    if (chosen.length === 0 || resources.length === 0) return;
    role.addToPolicy(
      new PolicyStatement({ actions: [...chosen], resources: [...resources], ...(conditions && { conditions }) }),
    );
  };
  const named = (begin: string) => actions.filter((action) => action.startsWith(begin));
  const patternsOf = (action: string): readonly string[] =>
    patterns === undefined ? prefixesOf(action, bounds).map((prefix) => `${prefix}*`) : (patterns[action] ?? []);

  allowTable(on, named('dynamodb:'), patternsOf, allow);
  allow(['s3:ListBucket'], [on.bucket.bucketArn], listsBelow(patternsOf('s3:ListBucket')));
  for (const action of ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'])
    allow(
      [action],
      patternsOf(action).map((pattern) => on.bucket.arnForObjects(pattern)),
    );
  for (const action of ['ssm:GetParameter', 'ssm:PutParameter', 'ssm:DeleteParameter'])
    allow(
      [action],
      patternsOf(action).map((path) => arn('ssm', 'parameter', `${secret}/${path}`)),
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
  allow(['sts:AssumeRole', 'sts:TagSession'], on.toolRoles);
  const topics = [stack.formatArn({ service: 'sns', resource: `${mailTopics(on.installation)}*` })];
  allow(
    named('sns:').filter((action) => action !== 'sns:Subscribe'),
    topics,
  );
  allow(['sns:Subscribe'], topics, { StringEquals: { 'sns:Protocol': 'email' } });
  allow(['events:PutEvents'], [arn('events', 'event-bus', on.eventBus)]);
  allow(
    named('codebuild:'),
    (bounds.builds ?? runnerTools).flatMap((tool) => on.projects[tool] ?? []).map(({ projectArn }) => projectArn),
  );

  const read = uses.includes('secrets.get')
    ? patternsOf('ssm:GetParameter').map((path) => arn('ssm', 'parameter', `${secret}/${path}`))
    : [];
  grantKey(role, actions, on.key, holder === 'runner' || read.length > 0);
  if (holder === 'function') denyWhatOnlyRunnersSee(role, on, read);
  acceptFindings(
    role,
    'IAM5',
    /^Resource::.*(?:[/:]|\/notification-|-notification_)\*$/,
    'under a prefix of one bucket, one path of secrets, those and the topics of notifications, one state machine: their names are created at run time',
  );
  acceptFindings(role, 'IAM5', /^Action::kms:(GenerateDataKey|ReEncrypt)\*$/, 'as KMS documents it for services');
}

type Allow = (wanted: readonly string[], resources: Resources, conditions?: PolicyStatement['conditions']) => void;

/** Items by the keys that each action may use; the index has the same. */
function allowTable(
  { table }: UsedResources,
  actions: readonly string[],
  patternsOf: (action: string) => readonly string[],
  allow: Allow,
): void {
  const index = `${table.tableArn}/index/${tableSchema.dueIndex.name}`;
  const keysOf = (action: string): string => patternsOf(action).join();
  for (const keys of new Set(actions.map(keysOf))) {
    const leading = {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys.split(',') },
    };
    const those = actions.filter((action) => keysOf(action) === keys);
    allow(
      those.filter((action) => action !== 'dynamodb:Query'),
      [table.tableArn],
      leading,
    );
    allow(
      those.filter((action) => action === 'dynamodb:Query'),
      [table.tableArn, index],
      leading,
    );
  }
}

/** Listing keys of these patterns. IfExists: a read of an object that does not exist has no prefix, and is answered with 404 only to who may list. */
export function listsBelow(patterns: readonly string[]): NonNullable<PolicyStatement['conditions']> {
  return { StringLikeIfExists: { 's3:prefix': [...patterns] } };
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

/** The values of secrets, apart from `but`, also where SSM's own key would give access to every principal of the account; and Terraform's states. */
function denyWhatOnlyRunnersSee(role: Role, { bucket }: DataStores, but: readonly string[]): void {
  const { region } = Stack.of(role);
  role.addToPolicy(
    new PolicyStatement({
      effect: Effect.DENY,
      actions: ['kms:Decrypt'],
      resources: ['*'],
      conditions: {
        StringEquals: { 'kms:ViaService': `ssm.${region}.amazonaws.com` },
        // Parameter Store names the parameter that it decrypts.
        ...(but.length > 0 && { StringNotLike: { 'kms:EncryptionContext:PARAMETER_ARN': [...but] } }),
      },
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
