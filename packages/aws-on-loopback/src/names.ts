/** The account and region that the services emulate, and the ARNs in it. */
export const region = 'us-east-1';
export const account = '000000000000';

export const lambdaArn = (name: string): string => `arn:aws:lambda:${region}:${account}:function:${name}`;
export const stateMachineArn = (name: string): string => `arn:aws:states:${region}:${account}:stateMachine:${name}`;
export const executionArn = (machine: string, name: string): string =>
  `arn:aws:states:${region}:${account}:execution:${machine}:${name}`;
export const buildArn = (id: string): string => `arn:aws:codebuild:${region}:${account}:build/${id}`;
export const parameterArn = (name: string): string =>
  `arn:aws:ssm:${region}:${account}:parameter${name.startsWith('/') ? '' : '/'}${name}`;

/** Last part of an ARN: the name of a function, a machine or an execution. */
export const nameOfArn = (arn: string): string => arn.slice(arn.lastIndexOf(':') + 1);

/** `Plan Cluster`, `PlanCluster` or `planCluster` as file name: `plan-cluster`. */
export const toKebabCase = (name: string): string =>
  name
    .trim()
    .replace(/\s+/g, '-')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase();

/** The image of every project here, which is no image: a program of this machine. */
export const localImage = 'local';
