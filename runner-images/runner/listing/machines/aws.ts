/** AWS: instances by their ids, each in its region. */
import type { CloudAnswer } from '../../provider-check/ask.ts';
import { keysOf } from '../../provider-check/clouds/aws.ts';
import { signedAws } from '../../provider-check/signed-aws.ts';
import { denies, ec2Code, ec2Question } from '../clouds/aws.ts';
import { clusterTag, NotListed, refusalOf } from '../listing.ts';
import { type MachineAt, type MachinesIn, mustBeDone } from '../machine-acts.ts';
import { elementsAt, readXml, textOf } from '../xml.ts';

const powers: Readonly<Record<string, 'off' | 'going'>> = {
  stopped: 'off',
  'shutting-down': 'going',
  terminated: 'going',
};

/** A protection against stopping or terminating; a spot machine that cannot be stopped. */
function keeps(answer: CloudAnswer): string | undefined {
  const code = ec2Code(answer);
  if (code === 'OperationNotPermitted') return `${code}: it is protected against that`;
  return code === 'UnsupportedOperation' ? `${code}: a machine of its kind cannot be stopped` : undefined;
}

export const machines: MachinesIn = async (input) => {
  const keys = await keysOf(input);
  const ask = (action: string, { id, place = '' }: MachineAt): Promise<CloudAnswer> => {
    const body = new URLSearchParams({ Action: action, Version: '2016-11-15', 'InstanceId.1': id });
    return signedAws(ec2Question(input, place, body), keys);
  };
  const act = async (action: string, machine: MachineAt): Promise<void> => {
    const answer = await ask(action, machine);
    if (!isUnknown(answer)) mustBeDone(`${action} of ${machine.id}`, answer, { denies, keeps });
  };
  return {
    async look(machine) {
      const answer = await ask('DescribeInstances', machine);
      if (isUnknown(answer)) return undefined;
      const what = `the instance ${machine.id}`;
      if (answer.status !== 200) {
        const { why, isDenied } = refusalOf(answer, denies);
        throw new NotListed(what, ec2Code(answer) ?? why, isDenied);
      }
      const instances = elementsAt(readXml(answer.text), [
        ...['DescribeInstancesResponse', 'reservationSet', 'item', 'instancesSet', 'item'],
      ]);
      const instance = instances.find((one) => textOf(one, 'instanceId') === machine.id);
      const state = instance && textOf(elementsAt(instance, ['instanceState'])[0] ?? instance, 'name');
      if (instance === undefined || state === undefined) throw new NotListed(what, 'the answer has another form');
      const isOurs = elementsAt(instance, ['tagSet', 'item']).some(
        (tag) => textOf(tag, 'key') === clusterTag && textOf(tag, 'value') === input.cluster,
      );
      return { isOurs, power: powers[state] ?? 'on' };
    },
    stop: (machine) => act('StopInstances', machine),
    remove: (machine) => act('TerminateInstances', machine),
  };
};

function isUnknown(answer: CloudAnswer): boolean {
  return ec2Code(answer) === 'InvalidInstanceID.NotFound';
}
