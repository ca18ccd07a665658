/** A runner: the CodeBuild project of one tool, whose image is a target of runner-images/Dockerfile. */
import { IgnoreMode, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { BuildSpec, Project } from 'aws-cdk-lib/aws-codebuild';
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { Effect, type IManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type RunnerTool, runnerActions, runnerBounds, toolUses } from '#functions/rights/runner-rights.ts';
import { acceptFindings } from '../checks.ts';
import { imageExclusions, imageRoot } from '../image-sources.ts';
import type { Options } from '../options.ts';
import { offeredTypes } from '../provider-types.ts';
import { type DataStores, grantUses } from '../rights/grant-uses.ts';
import { runnerSettings, type Settings } from '../settings.ts';
import { computeOf, otherComputes, type RunnerCompute } from './runner-compute.ts';
import { allowLogins, denyOwnRoles } from './runner-logins.ts';

/** Tools that start Terraform. */
const pluginTools: readonly RunnerTool[] = ['terraform', 'drift'];

export interface RunnerProjectProps extends DataStores {
  readonly tool: RunnerTool;
  readonly options: Options;
  /** What it uses of the ports: `artifacts.getText`. */
  readonly uses: readonly string[];
  /** The most that its role may do. */
  readonly boundary: IManagedPolicy;
}

export class RunnerProject extends Construct {
  /** That builds are started of. */
  readonly project: Project;
  /** With the one of the other compute, whose builds may still run. */
  readonly projects: readonly Project[];
  /** By a tag that is the hash of what is in it. */
  readonly image: DockerImageAsset;

  constructor(scope: Construct, id: string, props: RunnerProjectProps) {
    super(scope, id);
    const { tool, table, bucket, key, options } = props;
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
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codebuild.amazonaws.com'),
      description: `Kubeloom runner: ${tool}`,
      permissionsBoundary: props.boundary,
    });
    const settings = runnerSettings({
      installation,
      tableName: table.tableName,
      bucketName: bucket.bucketName,
      secretKey: key.keyArn,
      options,
    });
    const logGroup = new LogGroup(this, 'Log', { retention, removalPolicy: RemovalPolicy.DESTROY });
    const compute = computeOf(tool, image, options);
    const [project, ...others] = [compute, ...otherComputes(tool, image, options)].map((one) =>
      makeProject(this, one, { tool, role, logGroup, settings, unused: one !== compute }),
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
    };
    const uses = [...props.uses, ...toolUses[tool]];
    grantUses(role, { uses, bounds: runnerBounds[tool], holder: 'runner' }, on);
    if (runnerBounds[tool].secretReads?.includes('user/')) allowLogins(role, tool, options);
    denyControlPlane(role, tool);
    acceptFindings(role, 'IAM5', /^Resource::\*$/, 'to sign in to the registry of images knows no resources');
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
 * Tools run modules and templates of users with this role's credentials in the environment. Whatever is allowed one day,
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
