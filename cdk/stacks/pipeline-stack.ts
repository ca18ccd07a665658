/** The pipeline: state machines from their files, a function for each state, a runner for each tool, rule and schedule. */
import { ArnFormat, CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Project } from 'aws-cdk-lib/aws-codebuild';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget, SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import type { ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { FilterCriteria, FilterRule, type IFunction, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { eventPartitions } from '#adapters/table-keys.ts';
import { type RunnerTool, runnerTools } from '#functions/rights/runner-rights.ts';
import { runnerUses } from '#functions/rights/uses.ts';
import { stateMachineNames } from '../asl-files.ts';
import { acceptFindings } from '../checks.ts';
import { CredentialsDoor } from '../constructs/build-credentials.ts';
import { DeadLetters } from '../constructs/dead-letters.ts';
import { eventsToSend } from '../constructs/events-to-send.ts';
import { type FunctionCode, ProductFunction } from '../constructs/product-function.ts';
import { runnerBoundary } from '../constructs/runner-boundary.ts';
import { RunnerProject } from '../constructs/runner-project.ts';
import { scheduleOf, type schedules } from '../constructs/schedules.ts';
import { StateMachineFile } from '../constructs/state-machine-file.ts';
import type { Options } from '../options.ts';
import type { DataStores, UsedResources } from '../rights/grant-uses.ts';
import { functionSettings, mailTopics, type Settings } from '../settings.ts';

export interface PipelineStackProps extends StackProps, DataStores {
  readonly options: Options;
  readonly code: FunctionCode;
}

export class PipelineStack extends Stack {
  /** Environment of every function. */
  readonly settings: Settings;
  /** What functions use, by port. */
  readonly on: UsedResources;
  /** Empty: plans name its URL to the agents in clusters. Its routes are in the stack of the API, which needs the pipeline. */
  readonly api: HttpApi;
  readonly reconcileManifest: StateMachine;
  readonly finishRun: StateMachine;
  readonly tick: ProductFunction;
  readonly recordDrift: ProductFunction;
  readonly collectResult: ProductFunction;
  /** Ends of executions that finish-run could not be notified of. */
  readonly lostEnds: DeadLetters;
  /** Ticks that failed or could not be called. */
  readonly lostTicks: DeadLetters;
  /** Batches of events that were not published within a day. */
  readonly lostEvents: DeadLetters;
  readonly #props: PipelineStackProps;
  readonly #boundary: ManagedPolicy;
  readonly #credentials: CredentialsDoor;
  readonly #runners: Readonly<Record<RunnerTool, RunnerProject>>;
  readonly #functions = new Map<string, ProductFunction>();
  readonly #machines = new Map<string, StateMachine>();
  readonly #bus: EventBus;

  constructor(scope: Construct, id: string, props: PipelineStackProps) {
    super(scope, id, props);
    this.#props = props;
    const { table, bucket, key, options } = props;
    const { installation } = options;
    this.api = new HttpApi(this, 'Api', { apiName: installation, description: 'Kubeloom', createDefaultStage: false });
    this.#credentials = new CredentialsDoor(this, 'BuildCredentials', this.api);
    const { route: credentialsRoute } = this.#credentials;
    this.#boundary = runnerBoundary(this, 'RunnerBoundary', { options, table, bucket, key, credentialsRoute });
    this.#runners = byTool((tool) => this.#runner(tool));
    const projects = this.#projects();
    const started = runnerTools.map((tool) => this.#runners[tool].project);
    this.on = {
      table,
      bucket,
      key,
      installation,
      projects: byTool((tool) => this.#runners[tool].projects),
      reconcileName: this.#physicalName('reconcile-manifest'),
      rollOutName: this.#physicalName('roll-out'),
      askRunnerName: this.#physicalName('ask-runner'),
      eventBus: installation,
      toolRoles: runnerTools.map((tool) => this.#runners[tool].role.roleArn),
    };
    this.settings = functionSettings({
      installation,
      tableName: table.tableName,
      bucketName: bucket.bucketName,
      secretKey: key.keyArn,
      reconcileArn: this.#machineArn('reconcile-manifest'),
      rollOutArn: this.#machineArn('roll-out'),
      askRunnerArn: this.#machineArn('ask-runner'),
      eventBus: installation,
      mailTopics: this.formatArn({ service: 'sns', resource: mailTopics(installation) }),
      options,
      agentUrl: this.api.apiEndpoint,
      projectNames: byTool((tool) => this.#runners[tool].project.projectName),
      otherProjectNames: projects.filter((one) => !started.includes(one)).map(({ projectName }) => projectName),
      images: byTool((tool) => this.#runners[tool].image.imageUri),
    });
    const { settings, on } = this;
    this.#credentials.open({ settings, on, code: props.code, logRetention: options.logDays, runners: this.#runners });
    this.#bus = new EventBus(this, 'Events', { eventBusName: installation, description: 'Kubeloom: what happens' });
    this.lostEnds = new DeadLetters(this, 'LostEnds');
    this.lostTicks = new DeadLetters(this, 'LostTicks');
    this.lostEvents = new DeadLetters(this, 'LostEvents');
    for (const name of stateMachineNames()) this.#machine(name);
    this.reconcileManifest = this.#machine('reconcile-manifest');
    this.finishRun = this.#machine('finish-run');
    this.#finishInterruptedRuns();
    this.tick = this.#scheduled('tick', options.tickMinutes, 'start what is due');
    this.#syncSources();
    this.#sendNotifications();
    const cidrs = options.runnerCidrs.join(',');
    new CfnOutput(this, 'RunnerCidrs', { value: cidrs, description: 'Networks that reach machines over SSH' });
    this.recordDrift = this.#function('record-drift');
    this.collectResult = this.#function('collect-result');
    this.#publishEvents();
  }

  #runner(tool: RunnerTool): RunnerProject {
    const { table, bucket, key, options } = this.#props;
    return new RunnerProject(this, `Runner-${tool}`, {
      tool,
      table,
      bucket,
      key,
      options,
      uses: runnerUses(tool),
      boundary: this.#boundary,
      credentials: this.#credentials,
    });
  }

  /** Those of all runners. */
  #projects(): readonly Project[] {
    return runnerTools.flatMap((tool) => this.#runners[tool].projects);
  }

  /** The function of a state; created on first use. */
  #function(name: string): ProductFunction {
    const made = this.#functions.get(name);
    if (made) return made;
    const fn = new ProductFunction(this, `Function-${name}`, {
      code: this.#props.code(name),
      description: `Kubeloom: ${name}`,
      environment: this.settings,
      logRetention: this.#props.options.logDays,
      name,
      on: this.on,
      // Each document of a commit is planned.
      ...(['sync-sources', 'send-notifications'].includes(name) && { timeout: Duration.minutes(5) }),
      // A throttled tick is not repeated: the next one does its work.
      ...(['tick', 'sync-sources', 'send-notifications'].includes(name) && {
        asynchronous: {
          failures: this.lostTicks,
          longestWait: Duration.minutes(this.#props.options.tickMinutes),
        },
      }),
    });
    this.#functions.set(name, fn);
    return fn;
  }

  /** The state machine of a file; those that it starts are created first. */
  #machine(name: string): StateMachine {
    const made = this.#machines.get(name);
    if (made) return made;
    const { machine } = new StateMachineFile(this, `StateMachine-${name}`, {
      name,
      physicalName: this.#physicalName(name),
      functions: (task): IFunction => this.#function(task).fn,
      stateMachines: (child) => this.#machine(child),
      projects: this.#projects(),
      // All images are assets of this stack, in one repository.
      images: `${this.#runners.terraform.image.repository.repositoryUri}:*`,
      project: (tool) => this.#runners[tool].project,
      logRetention: this.#props.options.logDays,
    });
    // During an upgrade, new definitions name jobs as only the runners of the same release read them.
    machine.node.addDependency(...this.#projects());
    this.#machines.set(name, machine);
    return machine;
  }

  #physicalName(name: string): string {
    return `${this.#props.options.installation}-${name}`;
  }

  /** Known before the machine is created: functions that start it are themselves part of its definition. */
  #machineArn(name: string): string {
    return this.formatArn({
      service: 'states',
      resource: 'stateMachine',
      resourceName: this.#physicalName(name),
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  }

  /** Catch does not run when an execution is aborted or times out, so finishing depends on the event of its end. */
  #finishInterruptedRuns(): void {
    const ends = [
      {
        id: 'ExecutionCutOff',
        description: 'a reconcile-manifest execution ended without success: release its lease, stop its builds',
        of: this.reconcileManifest,
        target: this.finishRun,
      },
      {
        id: 'RollOutInterrupted',
        description: 'a roll-out execution ended without success: continue it if it was interrupted',
        of: this.#machine('roll-out'),
        target: this.#machine('finish-roll-out'),
      },
    ];
    for (const { id, description, of, target } of ends)
      new Rule(this, id, {
        description,
        eventPattern: {
          source: ['aws.states'],
          detailType: ['Step Functions Execution Status Change'],
          detail: { status: ['FAILED', 'TIMED_OUT', 'ABORTED'], stateMachineArn: [of.stateMachineArn] },
        },
        targets: [new SfnStateMachine(target, { retryAttempts: 8, deadLetterQueue: this.lostEnds })],
      });
  }

  /** New events get their place among those of all manifests, and go to a bus that others may subscribe to. */
  #publishEvents(): void {
    const { table } = this.#props;
    const { fn } = this.#function('publish-events');
    fn.addEventSource(
      new DynamoEventSource(table, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 100,
        maxBatchingWindow: Duration.seconds(1),
        filters: [
          FilterCriteria.filter({
            eventName: FilterRule.isEqual('INSERT'),
            dynamodb: { Keys: { pk: { S: FilterRule.beginsWith(eventPartitions) } } },
          }),
        ],
        bisectBatchOnError: true,
        retryAttempts: 10_000,
        maxRecordAge: Duration.hours(24),
        onFailure: new SqsDlq(this.lostEvents),
      }),
    );
    acceptFindings(fn.role ?? fn, 'IAM5', /^Resource::\*$/, 'listing streams knows no resources');
  }

  /** By the schedule, and when a runner has ended that may have fetched a repository. */
  #syncSources(): void {
    const { fn } = this.#scheduled(
      'sync-sources',
      this.#props.options.tickMinutes,
      'ask git repositories that are due',
    );
    // During an upgrade, new code asks by it.
    fn.node.addDependency(this.#machine('ask-runner'));
    new Rule(this, 'SourceFetched', {
      description: 'a build of the runner that fetches repositories ended: submit what it left',
      eventPattern: {
        source: ['aws.codebuild'],
        detailType: ['CodeBuild Build State Change'],
        detail: {
          'build-status': ['SUCCEEDED', 'FAILED', 'STOPPED'],
          'project-name': [this.#runners.terraform.project.projectName],
        },
      },
      targets: [new LambdaTarget(fn, { retryAttempts: 2, deadLetterQueue: this.lostTicks })],
    });
  }

  /** By the schedule, for retries, and when the bus has an event that someone may want. */
  #sendNotifications(): void {
    const { tickMinutes } = this.#props.options;
    const { fn } = this.#scheduled('send-notifications', tickMinutes, 'send notifications that wait');
    eventsToSend(this, { bus: this.#bus, sender: fn, lost: this.lostTicks });
  }

  /** Finds what is due. One that fails is followed by the next, so none is repeated. */
  #scheduled(name: keyof typeof schedules, minutes: number, what: string): ProductFunction {
    const called = this.#function(name);
    scheduleOf(this, { name, called: called.fn, lost: this.lostTicks, every: Duration.minutes(minutes), what });
    return called;
  }
}

function byTool<Value>(make: (tool: RunnerTool) => Value): Readonly<Record<RunnerTool, Value>> {
  return Object.fromEntries(runnerTools.map((tool) => [tool, make(tool)])) as Record<RunnerTool, Value>;
}
