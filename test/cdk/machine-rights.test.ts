/** Least privilege of state machines, both ways: what their files name is allowed, and nothing else. */
import { describe, expect, it } from 'vitest';
import { kebabCase, stateMachineNames, stateMachineText } from '../../cdk/asl-files.ts';
import { actionsOf, installation, resourcesOf, roleId, statementsOf } from './synthesised.ts';

const { pipeline } = installation;

const ofMachines = [
  ...['logs:CreateLogDelivery', 'logs:DeleteLogDelivery', 'logs:DescribeLogGroups', 'logs:DescribeResourcePolicies'],
  ...['logs:GetLogDelivery', 'logs:ListLogDeliveries', 'logs:PutResourcePolicy', 'logs:UpdateLogDelivery'],
  ...['xray:GetSamplingRules', 'xray:GetSamplingTargets', 'xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
];

describe('state machines', () => {
  for (const name of stateMachineNames()) {
    it(`${name} may call what its file names and no more`, () => {
      const machine = resourcesOf(pipeline, 'AWS::StepFunctions::StateMachine').find(
        ({ Properties }) => Properties.StateMachineName === `kubeloom-${name}`,
      );
      const statements = statementsOf(pipeline, roleId(machine?.Properties.RoleArn));
      const called = calls(JSON.parse(stateMachineText(name)));
      expect(actionsOf(statements)).toEqual([...new Set([...called.actions, ...ofMachines])].sort());
      const invoked = statements
        .filter(({ Action }) => Action === 'lambda:InvokeFunction')
        .map(({ Resource }) => JSON.stringify(Resource));
      for (const task of called.functions)
        expect(invoked.join()).toContain(`Function${task.replaceAll('-', '')}Function`);
      expect(invoked.join().match(/Fn::GetAtt/g)?.length ?? 0).toBe(called.functions.length);
    });
  }
});

const integrations: Readonly<Record<string, readonly string[]>> = {
  'arn:aws:states:::codebuild:startBuild': ['codebuild:StartBuild'],
  'arn:aws:states:::codebuild:startBuild.sync': [
    ...['codebuild:StartBuild', 'codebuild:StopBuild', 'codebuild:BatchGetBuilds'],
    ...['events:PutRule', 'events:PutTargets', 'events:DescribeRule'],
  ],
  'arn:aws:states:::states:startExecution.sync:2': [
    ...['states:StartExecution', 'states:DescribeExecution', 'states:StopExecution'],
    ...['events:PutRule', 'events:PutTargets', 'events:DescribeRule'],
  ],
};

/** Every `Resource` of every Task, however deep. */
function calls(value: unknown): { readonly actions: readonly string[]; readonly functions: readonly string[] } {
  const resources = new Set<string>();
  const visit = (inner: unknown): void => {
    if (typeof inner !== 'object' || inner === null) return;
    if ('Type' in inner && inner.Type === 'Task' && 'Resource' in inner) resources.add(String(inner.Resource));
    for (const one of Object.values(inner)) visit(one);
  };
  visit(value);
  const functions = [...resources].flatMap((resource) => {
    const placeholder = /^\$\{(\w+)\}$/.exec(resource)?.[1];
    return placeholder === undefined ? [] : [kebabCase(placeholder)];
  });
  const others = [...resources].filter((resource) => !resource.startsWith('${'));
  const actions = others.flatMap((resource) => {
    const needed = integrations[resource];
    if (!needed) throw new Error(`this test does not know what ${resource} needs`);
    return needed;
  });
  return { functions, actions: functions.length > 0 ? [...actions, 'lambda:InvokeFunction'] : actions };
}
