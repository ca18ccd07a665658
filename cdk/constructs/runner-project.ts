/** A runner: the CodeBuild project of one tool, whose image is a target of runner-images/Dockerfile. */
import { IgnoreMode, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { BuildSpec, Project } from 'aws-cdk-lib/aws-codebuild';
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  ArnPrincipal,
  Effect,
  type IManagedPolicy,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type JobPlace, jobRights, noPlace } from '#functions/rights/job-rights.ts';
import { type RunnerTool, runnerActions, runnerBounds, toolUses } from '#functions/rights/runner-rights.ts';
import { acceptFindings } from '../checks.ts';
import { imageExclusions, imageRoot } from '../image-sources.ts';
import type { Options } from '../options.ts';
import { offeredTypes } from '../provider-types.ts';
import { type DataStores, grantUses } from '../rights/grant-uses.ts';
import { runnerSettings, type Settings } from '../settings.ts';
import type { CredentialsDoor } from './build-credentials.ts';
import { computeOf, otherComputes, type RunnerCompute } from './runner-compute.ts';
import { allowLogins, denyOwnRoles } from './runner-logins.ts';

/** Tools that start Terraform. */
const pluginTools: readonly RunnerTool[] = ['terraform', 'drift'];

export interface RunnerProjectProps extends DataStores {
  readonly tool: RunnerTool;
  readonly options: Options;
  /** What it uses of the ports: `artifacts.getText`. */
  readonly uses: readonly string[];
  /** The most that its roles may do. */
  readonly boundary: IManagedPolicy;
  /** Where builds ask for their credentials. */
  readonly credentials: Pick<CredentialsDoor, 'role' | 'url' | 'route'>;
}

/** The place of a session's job, as policies of its role name it; a tag that is missing makes a statement match nothing. */
const placeInTags: JobPlace = Object.assign(
  {},
  noPlace,
  ...Object.keys(noPlace).map((part) => ({ [part]: `\${aws:PrincipalTag/${part}}` })),
);

export class RunnerProject extends Construct {
  /** That builds are started of. */
  readonly project: Project;
  /** With the one of the other compute, whose builds may still run. */
  readonly projects: readonly Project[];
  /** By a tag that is the hash of what is in it. */
  readonly image: DockerImageAsset;
  /** That builds work in, a session for each, for its job; users let it into their own accounts, so it keeps its name. */
  readonly role: Role;
  /** That builds start with: they ask for a session of the other one. */
  readonly buildRole: Role;

  constructor(scope: Construct, id: string, props: RunnerProjectProps) {
    super(scope, id);
    const { tool, table, bucket, key, options, credentials } = props;
    const { installation, logDays: retention } = options;
    // The tag is the hash of these sources, in a repository of `cdk bootstrap` whose tags cannot be moved.
    const image = new DockerImageAsset(this, 'Image', {
      directory: imageRoot,
      file: 'runner-images/Dockerfile',
      target: tool,
      platform: Platform.LINUX_ARM64,
      exclude: [...imageExclusions()],
      ignoreMode: IgnoreMode.DOCKER,
      // For the option `providers`; the other images have no plugins.
      ...(pluginTools.includes(tool) && { buildArgs: { PROVIDER_TYPES: offeredTypes(options).join(' ') } }),
    });
    this.image = image;
    this.role = new Role(this, 'Role', {
      assumedBy: new ArnPrincipal(credentials.role.roleArn).withSessionTags(),
      description: `Kubeloom runner: ${tool}`,
      permissionsBoundary: props.boundary,
    });
    this.buildRole = new Role(this, 'BuildRole', {
      assumedBy: new ServicePrincipal('codebuild.amazonaws.com'),
      description: `Kubeloom builds: ${tool}`,
      permissionsBoundary: props.boundary,
    });
    this.buildRole.addToPolicy(
      new PolicyStatement({ actions: ['execute-api:Invoke'], resources: [credentials.route] }),
    );
    const { role, buildRole } = this;
    const settings = runnerSettings({
      installation,
      tableName: table.tableName,
      bucketName: bucket.bucketName,
      secretKey: key.keyArn,
      credentialsUrl: credentials.url,
      options,
    });
    const logGroup = new LogGroup(this, 'Log', { retention, removalPolicy: RemovalPolicy.DESTROY });
    const compute = computeOf(tool, image, options);
    const [project, ...others] = [compute, ...otherComputes(tool, image, options)].map((one) =>
      makeProject(this, one, { tool, role: buildRole, logGroup, settings, unused: one !== compute }),
    );
    if (project === undefined) throw new Error('a runner has a project');
    this.project = project;
    this.projects = [project, ...others];
    // Other stacks import some, and a value that is imported cannot go: all stay, so that options and rights can change.
    for (const { projectArn, projectName } of this.projects)
      for (const value of [projectArn, projectName]) Stack.of(this).exportValue(value);
    const on = {
      table,
      bucket,
      key,
      installation,
      reconcileName: '',
      rollOutName: '',
      askRunnerName: '',
      eventBus: '',
      projects: { [tool]: this.projects },
      toolRoles: [],
    };
    const uses = [...props.uses, ...toolUses[tool]];
    const patterns = jobRights(tool, placeInTags);
    grantUses(role, { uses, bounds: runnerBounds[tool], patterns, holder: 'runner' }, on);
    if (runnerBounds[tool].secretReads?.includes('user/')) allowLogins(role, tool, options);
    denyControlPlane(role, tool);
    denyControlPlane(buildRole, tool);
    acceptFindings(role, 'IAM5', /^Resource::\*$/, 'tokens know no resources: their audiences are bounded');
    acceptFindings(buildRole, 'IAM5', /^Resource::\*$/, 'to sign in to the registry of images knows no resources');
    acceptFindings(buildRole, 'IAM5', /^Resource::.*:log-group:.*:\*$/, 'the streams of its own log');
    acceptFindings(buildRole, 'IAM5', /:execute-api:.*\/\*\/POST\//, 'one route, of whichever stage the API has');
  }
}

interface ProjectParts {
  readonly tool: RunnerTool;
  readonly role: Role;
  readonly logGroup: LogGroup;
  readonly settings: Settings;
  /** The other compute is chosen: nothing starts builds of it. */
  readonly unused: boolean;
}

function makeProject(scope: Construct, compute: RunnerCompute, parts: ProjectParts): Project {
  const { tool, role, logGroup, settings, unused } = parts;
  const variables = { ...settings, ...compute.settings, KUBELOOM_STAGE_MINUTES: String(compute.stageMinutes) };
  const project = new Project(scope, compute.id, {
    role,
    description: `Kubeloom runner: ${tool}${unused ? ' (unused: the option lambdaRunners chose the other compute)' : ''}`,
    environment: compute.environment,
    environmentVariables: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, { value }])),
    // The stage comes as environment variables of the build; the image knows the rest.
    buildSpec: BuildSpec.fromObject({
      version: '0.2',
      ...compute.runAs,
      phases: { build: { commands: ['kubeloom-runner'] } },
    }),
    ...compute.timeout,
    grantReportGroupPermissions: false,
    logging: { cloudWatch: { logGroup } },
  });
  Validations.of(project).acknowledge({
    id: 'AwsSolutions-CB4',
    reason: 'builds have neither artifacts nor a cache, so there is nothing that this key would encrypt',
  });
  Validations.of(project).acknowledge({
    id: 'AwsSolutions-CB5',
    reason: 'the image is our own: the pinned tool and the runner',
  });
  return project;
}

/**
 * Tools run modules and templates of users, which may reach the credentials of these roles. Whatever is allowed one day,
 * they can neither change the stacks that started them nor get other rights.
 */
function denyControlPlane(role: Role, tool: RunnerTool): void {
  const services = ['cloudformation', 'events', 'iam', 'lambda', 'scheduler', 'sqs', 'states'];
  // Terraform's may see whether a build runs.
  const verbs = ['Create', 'Delete', 'Import', 'Invalidate', 'List', 'Put', 'Retry', 'Start', 'Stop', 'Update'];
  const seesBuilds = runnerActions(tool).includes('codebuild:BatchGetBuilds');
  const ofBuilds = seesBuilds ? verbs.map((verb) => `codebuild:${verb}*`) : ['codebuild:*'];
  const actions = [...services.map((service) => `${service}:*`), ...ofBuilds];
  role.addToPolicy(new PolicyStatement({ effect: Effect.DENY, actions, resources: ['*'] }));
  role.addToPolicy(denyOwnRoles(Stack.of(role)));
}
