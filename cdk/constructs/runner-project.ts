/** A runner: the CodeBuild project of one tool, whose image is made from runner-images/<tool>/Dockerfile. */
import { fileURLToPath } from 'node:url';
import { Duration, IgnoreMode, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { BuildSpec, ComputeType, LinuxArmBuildImage, Project } from 'aws-cdk-lib/aws-codebuild';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { type RunnerTool, runnerSettings } from '../settings.ts';
import { grantSecrets } from './secret-access.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** All that an image is made of; anything else must not change its tag. */
const imageSources = ['runner-images', 'functions', 'templates', 'package.json', 'package-lock.json', 'tsconfig.json'];

export interface RunnerProjectProps {
  readonly tool: RunnerTool;
  readonly installation: string;
  readonly table: ITableV2;
  readonly bucket: IBucket;
  /** @default 60 minutes */
  readonly timeout?: Duration;
}

export class RunnerProject extends Construct {
  readonly project: Project;

  constructor(scope: Construct, id: string, props: RunnerProjectProps) {
    super(scope, id);
    const image = new DockerImageAsset(this, 'Image', {
      directory: root,
      file: `runner-images/${props.tool}/Dockerfile`,
      platform: Platform.LINUX_ARM64,
      exclude: ['*', ...imageSources.map((path) => `!${path}`), '**/node_modules'],
      ignoreMode: IgnoreMode.DOCKER,
    });
    const settings = runnerSettings({
      installation: props.installation,
      tableName: props.table.tableName,
      bucketName: props.bucket.bucketName,
    });
    this.project = new Project(this, 'Project', {
      description: `Kubeloom runner: ${props.tool}`,
      environment: {
        buildImage: LinuxArmBuildImage.fromEcrRepository(image.repository, image.imageTag),
        computeType: ComputeType.SMALL,
      },
      environmentVariables: Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, { value }])),
      // The stage comes as environment variables of the build; the image knows the rest.
      buildSpec: BuildSpec.fromObject({ version: '0.2', phases: { build: { commands: ['kubeloom-runner'] } } }),
      timeout: props.timeout ?? Duration.minutes(60),
      logging: {
        cloudWatch: {
          logGroup: new LogGroup(this, 'Log', {
            retention: RetentionDays.THREE_MONTHS,
            removalPolicy: RemovalPolicy.DESTROY,
          }),
        },
      },
    });
    props.bucket.grantReadWrite(this.project);
    props.table.grantReadWriteData(this.project);
    grantSecrets(Stack.of(this), this.project, { installation: props.installation, read: true });
  }
}
