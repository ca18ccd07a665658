/** A state machine from its file under state-machines/, with a role that allows what the file calls and no more. */
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IProject } from 'aws-cdk-lib/aws-codebuild';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { expressMachines } from '#contracts/state-inputs.ts';
import type { RunnerTool } from '#functions/rights/runner-rights.ts';
import { placeholdersOf, stateMachineText } from '../asl-files.ts';
import { acceptFindings } from '../checks.ts';
import { startsOnly } from '../rights/grant-uses.ts';

export interface StateMachineFileProps {
  /** File name without `.asl.json`. */
  readonly name: string;
  /** The physical name, known beforehand so that functions can be given it. */
  readonly physicalName: string;
  /** By file name: `plan-cluster`. */
  readonly functions: (name: string) => IFunction;
  /** By file name: `run-stage`. */
  readonly stateMachines: (name: string) => StateMachine;
  /** What `codebuild:startBuild.sync` may start. */
  readonly projects: readonly IProject[];
  /** On which images, as a pattern: those of releases before, too. */
  readonly images: string;
  /** What a placeholder of a project stands for. */
  readonly project: (tool: RunnerTool) => IProject;
  readonly logRetention: RetentionDays;
}

export class StateMachineFile extends Construct {
  readonly machine: StateMachine;

  constructor(scope: Construct, id: string, props: StateMachineFileProps) {
    super(scope, id);
    const definition = stateMachineText(props.name);
    const placeholders = placeholdersOf(props.name);
    const functions = placeholders.filter(({ kind }) => kind === 'function');
    const machines = placeholders.filter(({ kind }) => kind === 'stateMachine');
    const tools = placeholders.flatMap((one) => (one.kind === 'project' ? [one] : []));
    this.machine = new StateMachine(this, 'Machine', {
      stateMachineName: props.physicalName,
      definitionBody: DefinitionBody.fromString(definition),
      definitionSubstitutions: Object.fromEntries([
        ...functions.map(({ placeholder, name }) => [placeholder, props.functions(name).functionArn]),
        ...machines.map(({ placeholder, name }) => [placeholder, props.stateMachines(name).stateMachineArn]),
        ...tools.map(({ placeholder, name }) => [placeholder, props.project(name).projectName]),
      ]),
      ...(expressMachines.includes(props.name) && { stateMachineType: StateMachineType.EXPRESS }),
      tracingEnabled: true,
      logs: {
        destination: new LogGroup(this, 'Log', {
          logGroupName: `/aws/vendedlogs/states/${props.physicalName}`,
          retention: props.logRetention,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        // Names and outcomes of states; the data between them is in the history, for those who may read it.
        level: LogLevel.ALL,
        includeExecutionData: false,
      },
    });
    if (functions.length > 0) this.#allowCalls(functions.map(({ name }) => props.functions(name).functionArn));
    if (definition.includes('states:::codebuild:startBuild.sync')) this.#allowWatchedBuilds(props);
    else if (tools.length > 0)
      this.#allow(['codebuild:StartBuild'], projectArns(tools.map(({ name }) => props.project(name))), startsOnly());
    for (const { name } of machines) this.#allowChild(props.stateMachines(name));
    acceptFindings(this.machine, 'IAM5', /^Resource::\*$/, 'log delivery and tracing know no resources');
    acceptFindings(this.machine, 'IAM5', /:execution:.*:\*$/, 'executions of a child get their names when they start');
  }

  /** The functions as they are named in the definition, no versions or aliases of them. */
  #allowCalls(resources: string[]): void {
    this.#allow(['lambda:InvokeFunction'], resources);
  }

  #allow(actions: string[], resources: string[], conditions: PolicyStatement['conditions'] = {}): void {
    this.machine.addToRolePolicy(new PolicyStatement({ actions, resources, conditions }));
  }

  /** `startBuild.sync` starts, watches and stops builds; without BatchGetBuilds the state would hang. */
  #allowWatchedBuilds({ projects, images }: StateMachineFileProps): void {
    this.#allow(['codebuild:StartBuild'], projectArns(projects), startsOnly(images));
    this.#allow(['codebuild:StopBuild', 'codebuild:BatchGetBuilds'], projectArns(projects));
    this.#allowRule('StepFunctionsGetEventForCodeBuildStartBuildRule');
  }

  /** `startExecution.sync:2` starts, watches and stops children. */
  #allowChild(child: StateMachine): void {
    child.grantStartExecution(this.machine);
    child.grantExecution(this.machine, 'states:DescribeExecution', 'states:StopExecution');
    this.#allowRule('StepFunctionsGetEventsForStepFunctionsExecutionRule');
  }

  /** The rule that Step Functions itself creates to be notified of the end. */
  #allowRule(resourceName: string): void {
    this.#allow(
      ['events:PutTargets', 'events:PutRule', 'events:DescribeRule'],
      [Stack.of(this).formatArn({ service: 'events', resource: 'rule', resourceName })],
    );
  }
}

const projectArns = (projects: readonly IProject[]): string[] => projects.map(({ projectArn }) => projectArn);
