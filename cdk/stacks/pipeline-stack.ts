/** The pipeline: state machines from their files, a function for each state, a runner for each tool, rule and schedule. */
import { ArnFormat, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { stateMachineNames } from '../asl-files.ts';
import { ProductFunction } from '../constructs/product-function.ts';
import { RunnerProject } from '../constructs/runner-project.ts';
import { StateMachineFile } from '../constructs/state-machine-file.ts';
import { functionSettings, type RunnerTool, runnerTools, type Settings } from '../settings.ts';

/** Tasks that start reconcile-manifest; a test holds both lists against the ports that the tasks use. */
export const startsRuns: readonly string[] = ['release-run', 'start-next-attempt', 'tick'];
export const stopsBuilds: readonly string[] = ['stop-builds'];

export interface PipelineStackProps extends StackProps {
  readonly installation: string;
  readonly table: ITableV2;
  readonly bucket: IBucket;
}

export class PipelineStack extends Stack {
  /** Environment of every function. */
  readonly settings: Settings;
  readonly reconcileManifest: StateMachine;
  readonly #props: PipelineStackProps;
  readonly #runners: Readonly<Record<RunnerTool, RunnerProject>>;
  readonly #functions = new Map<string, ProductFunction>();
  readonly #machines = new Map<string, StateMachine>();

  constructor(scope: Construct, id: string, props: PipelineStackProps) {
    super(scope, id, props);
    this.#props = props;
    const { installation, table, bucket } = props;
    const runner = (tool: RunnerTool) =>
      new RunnerProject(this, `Runner-${tool}`, { tool, installation, table, bucket });
    this.#runners = {
      terraform: runner('terraform'),
      ansible: runner('ansible'),
      kubeone: runner('kubeone'),
      kubectl: runner('kubectl'),
    };
    this.settings = functionSettings({
      installation,
      tableName: table.tableName,
      bucketName: bucket.bucketName,
      reconcileArn: this.#machineArn('reconcile-manifest'),
      projectNames: {
        terraform: this.#runners.terraform.project.projectName,
        ansible: this.#runners.ansible.project.projectName,
        kubeone: this.#runners.kubeone.project.projectName,
        kubectl: this.#runners.kubectl.project.projectName,
      },
    });
    for (const name of stateMachineNames()) this.#machine(name);
    this.reconcileManifest = this.#machine('reconcile-manifest');
    this.#finishWhatWasCutOff();
    this.#tick();
  }

  /** The function of a state; made when first asked for. */
  #function(name: string): ProductFunction {
    const made = this.#functions.get(name);
    if (made) return made;
    const { table, bucket } = this.#props;
    const fn = new ProductFunction(this, `Function-${name}`, {
      file: `tasks/${name}.ts`,
      description: `Kubeloom: ${name}`,
      environment: definedOnly(this.settings),
      timeout: Duration.minutes(1),
      memory: 1024,
    });
    table.grantReadWriteData(fn);
    bucket.grantReadWrite(fn);
    if (startsRuns.includes(name)) this.#allowRuns(fn);
    if (stopsBuilds.includes(name)) this.#allowStopping(fn);
    this.#functions.set(name, fn);
    return fn;
  }

  /** Starting reconcile-manifest, and asking how an execution of it stands. */
  #allowRuns(fn: ProductFunction): void {
    const executions = this.formatArn({
      service: 'states',
      resource: 'execution',
      resourceName: `${this.#physicalName('reconcile-manifest')}:*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ['states:StartExecution'],
        resources: [this.#machineArn('reconcile-manifest')],
      }),
    );
    fn.addToRolePolicy(
      new PolicyStatement({ actions: ['states:DescribeExecution', 'states:StopExecution'], resources: [executions] }),
    );
  }

  #allowStopping(fn: ProductFunction): void {
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ['codebuild:ListBuildsForProject', 'codebuild:BatchGetBuilds', 'codebuild:StopBuild'],
        resources: runnerTools.map((tool) => this.#runners[tool].project.projectArn),
      }),
    );
  }

  /** The state machine of a file; those that it starts are made first. */
  #machine(name: string): StateMachine {
    const made = this.#machines.get(name);
    if (made) return made;
    const { machine } = new StateMachineFile(this, `StateMachine-${name}`, {
      name,
      physicalName: this.#physicalName(name),
      functions: (task): IFunction => this.#function(task),
      stateMachines: (child) => this.#machine(child),
      projects: runnerTools.map((tool) => this.#runners[tool].project),
    });
    this.#machines.set(name, machine);
    return machine;
  }

  #physicalName(name: string): string {
    return `${this.#props.installation}-${name}`;
  }

  /** Known before the machine is made: functions that start it are themselves part of its definition. */
  #machineArn(name: string): string {
    return this.formatArn({
      service: 'states',
      resource: 'stateMachine',
      resourceName: this.#physicalName(name),
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  }

  /** Catch does not run when an execution is aborted or times out, so finishing hangs on the event of its end. */
  #finishWhatWasCutOff(): void {
    new Rule(this, 'ExecutionCutOff', {
      description: 'a reconcile-manifest execution ended without success: release its lease, stop its builds',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: {
          status: ['FAILED', 'TIMED_OUT', 'ABORTED'],
          stateMachineArn: [this.reconcileManifest.stateMachineArn],
        },
      },
      targets: [new SfnStateMachine(this.#machine('finish-run'), { retryAttempts: 8 })],
    });
  }

  /** Finds what is due: missed starts, expired leases. */
  #tick(): void {
    const tick = this.#function('tick');
    new Schedule(this, 'Tick', {
      schedule: ScheduleExpression.rate(Duration.minutes(5)),
      target: new LambdaInvoke(tick, { retryAttempts: 1 }),
      description: 'Kubeloom: start what is due',
    });
  }
}

function definedOnly(settings: Settings): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
