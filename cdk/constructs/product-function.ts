/** A Lambda function of ours: one file under functions/, bundled, with the defaults that all share. */
import { fileURLToPath } from 'node:url';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Architecture, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface ProductFunctionProps {
  /** File below functions/ that exports `handler`. */
  readonly file: string;
  readonly description: string;
  readonly environment: Readonly<Record<string, string>>;
  /** @default 30 seconds */
  readonly timeout?: Duration;
  /** MB. @default 512 */
  readonly memory?: number;
}

export class ProductFunction extends NodejsFunction {
  constructor(scope: Construct, id: string, props: ProductFunctionProps) {
    super(scope, id, {
      entry: `${root}functions/${props.file}`,
      projectRoot: root,
      depsLockFilePath: `${root}package-lock.json`,
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memory ?? 512,
      timeout: props.timeout ?? Duration.seconds(30),
      environment: { ...props.environment, NODE_OPTIONS: '--enable-source-maps' },
      loggingFormat: LoggingFormat.JSON,
      logGroup: new LogGroup(scope, `${id}Log`, {
        retention: RetentionDays.THREE_MONTHS,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
      bundling: {
        format: OutputFormat.ESM,
        target: 'node24',
        mainFields: ['module', 'main'],
        sourceMap: true,
        sourcesContent: false,
        minify: true,
        // The SDK of the lock file, not the one that the runtime happens to bring.
        bundleAwsSDK: true,
        // Packages in CommonJS call `require`, which an ES module has not.
        banner: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);",
      },
    });
  }
}
