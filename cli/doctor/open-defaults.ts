/** Options of an installation whose defaults are wider than most would keep: the stacks show them as outputs. */
import type { Stack } from '@aws-sdk/client-cloudformation';
import { type AwsCheck, passed, warned } from './aws-check.ts';

/** `deploy` gives the command with these options. A stack of a release before these outputs is not judged. */
export function checkOpenDefaults(
  stacks: ReadonlyMap<string, Stack>,
  deploy: (more: string) => string,
): readonly AwsCheck[] {
  const outputOf = (part: string, key: string): string | undefined =>
    stacks.get(part)?.Outputs?.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
  const admins = outputOf('api', 'Admins');
  const networks = outputOf('pipeline', 'RunnerCidrs');
  return [
    ...(admins === undefined ? [] : [judgeAdmins(admins, deploy)]),
    ...(networks === undefined ? [] : [judgeNetworks(networks, deploy)]),
  ];
}

function judgeAdmins(admins: string, deploy: (more: string) => string): AwsCheck {
  if (!admins.split(',').includes('*')) return passed('admins', admins);
  const found = '*: every caller whom the API accepts is an admin of all namespaces';
  return warned('admins', found, deploy(' -c admins=iam:arn:aws:iam::ACCOUNT:role/NAME'));
}

function judgeNetworks(networks: string, deploy: (more: string) => string): AwsCheck {
  const name = 'SSH to machines';
  if (!networks.split(',').includes('0.0.0.0/0'))
    return passed(name, `from ${networks}, and nodes of the same cluster`);
  // Runners have no fixed address unless they are given one.
  const found = 'from everywhere (0.0.0.0/0), by key only';
  return warned(name, found, deploy(' -c runnerCidrs=NETWORK_OF_RUNNERS,NETWORK_OF_PEOPLE'));
}
