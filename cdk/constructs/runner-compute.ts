/** The compute of builds: containers of CodeBuild, or its Lambda compute for tools that were chosen for it. */
import { Duration } from 'aws-cdk-lib';
import {
  type BuildEnvironment,
  BuildSpec,
  ComputeType,
  type IBuildImage,
  ImagePullPrincipalType,
  LinuxArmBuildImage,
} from 'aws-cdk-lib/aws-codebuild';
import type { IRepository } from 'aws-cdk-lib/aws-ecr';
import type { DockerImageAsset } from 'aws-cdk-lib/aws-ecr-assets';
import { stageMarginMinutes } from '#contracts/job.ts';
import type { RunnerTool } from '#functions/rights/runner-rights.ts';
import { longestQueueMinutes, type Options } from '../options.ts';

type Size = Options['runnerSize'];

const containerTypes = {
  small: ComputeType.SMALL,
  medium: ComputeType.MEDIUM,
  large: ComputeType.LARGE,
} as const satisfies Record<Size, ComputeType>;

/** The number of processors depends on the memory. */
const lambdaTypes = {
  small: ComputeType.LAMBDA_2GB,
  medium: ComputeType.LAMBDA_4GB,
  large: ComputeType.LAMBDA_8GB,
} as const satisfies Record<Size, ComputeType>;

/** Terraform processes at once: one with the plugin of aws, the largest, takes 0.3 GB of its own, and 0.5 GB of its program (docs/aws/compute.md). */
const lambdaWorkspaces = { small: 2, medium: 4, large: 6 } as const satisfies Record<Size, number>;

export interface RunnerCompute {
  /** Id of the project. Checks on Lambda compute have a project of their own, since a project keeps its time limits and Lambda compute accepts none. */
  readonly id: 'Project' | 'LambdaProject';
  /** Variables of the environment. */
  readonly settings: Readonly<Record<string, string>>;
  readonly environment: BuildEnvironment;
  /** Part of the buildspec: the user of commands. Lambda compute has one user, which is not root. */
  readonly runAs: { readonly 'run-as'?: string };
  /** Lambda compute has a limit of its own, 15 minutes, and takes no other. */
  readonly timeout: { readonly timeout?: Duration; readonly queuedTimeout?: Duration };
  /** Longest stage: it ends in order before the build is killed. */
  readonly stageMinutes: number;
}

const lambdaMinutes = 15;
/** As `stageMarginMinutes`: a check changes nothing, so its tools are not given the time of an apply, and images are loaded as they are read. */
export const lambdaMarginMinutes = 2;

/** A check takes a few; one that hangs would be paid four times a day. */
const checkMinutes = 30;

/** Compute of the project whose builds are started. */
export function computeOf(tool: RunnerTool, image: DockerImageAsset, options: Options): RunnerCompute {
  return computeOn(isOnLambda(tool, options), tool, image, options);
}

/** Checks have a project on each compute type that the region has, whichever is chosen. */
export function otherComputes(tool: RunnerTool, image: DockerImageAsset, options: Options): readonly RunnerCompute[] {
  return tool === 'drift' && options.lambdaCompute ? [computeOn(!isOnLambda(tool, options), tool, image, options)] : [];
}

function isOnLambda(tool: RunnerTool, { lambdaCompute, lambdaRunners }: Options): boolean {
  return lambdaCompute && lambdaRunners.some((name) => name === tool);
}

function computeOn(lambda: boolean, tool: RunnerTool, image: DockerImageAsset, options: Options): RunnerCompute {
  const { runnerSize: size, runnerMinutes } = options;
  if (lambda) {
    const buildImage = new LambdaRunnerImage(image);
    return {
      id: tool === 'drift' ? 'LambdaProject' : 'Project',
      settings: { KUBELOOM_TERRAFORM_WORKSPACES: String(lambdaWorkspaces[size]) },
      environment: { buildImage, computeType: lambdaTypes[size] },
      runAs: {},
      timeout: {},
      stageMinutes: lambdaMinutes - lambdaMarginMinutes,
    };
  }
  const minutes = tool === 'drift' ? Math.min(runnerMinutes, checkMinutes) : runnerMinutes;
  return {
    id: 'Project',
    settings: {},
    environment: {
      buildImage: LinuxArmBuildImage.fromEcrRepository(image.repository, image.imageTag),
      computeType: containerTypes[size],
    },
    // The user of the images; without it CodeBuild runs commands as root, whatever the image says.
    runAs: { 'run-as': 'node' },
    timeout: { timeout: Duration.minutes(minutes), queuedTimeout: Duration.minutes(longestQueueMinutes) },
    stageMinutes: minutes - stageMarginMinutes,
  };
}

/** A custom image on Lambda compute, which CodeBuild supports but CDK has no class for. */
class LambdaRunnerImage implements IBuildImage {
  readonly type = 'ARM_LAMBDA_CONTAINER';
  readonly imageId: string;
  readonly repository: IRepository;
  readonly defaultComputeType = ComputeType.LAMBDA_2GB;
  readonly imagePullPrincipalType = ImagePullPrincipalType.SERVICE_ROLE;

  constructor(image: DockerImageAsset) {
    this.imageId = image.imageUri;
    this.repository = image.repository;
  }

  validate(): string[] {
    return [];
  }

  runScriptBuildspec(entrypoint: string): BuildSpec {
    return BuildSpec.fromObject({ version: '0.2', phases: { build: { commands: [entrypoint] } } });
  }
}
