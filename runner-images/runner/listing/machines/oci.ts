/** Oracle Cloud: instances by their ids, each in its region. */
import { z } from 'zod';
import { CloudWord } from '#domain/observed/cloud-texts.ts';
import type { CloudAnswer } from '../../provider-check/ask.ts';
import { questionIn } from '../../provider-check/clouds/oci.ts';
import { type OciMethod, ociKey } from '../../provider-check/signed-oci.ts';
import { denies, Ocid } from '../clouds/oci.ts';
import { isTagged, shaped, Tags } from '../listing.ts';
import { type MachineAt, type MachineNow, type MachinesIn, mustBeDone, NotDone } from '../machine-acts.ts';

const schema = z.object({ id: Ocid, lifecycleState: CloudWord, freeformTags: Tags });
const powers: Readonly<Record<string, 'off' | 'going'>> = {
  STOPPED: 'off',
  TERMINATING: 'going',
  TERMINATED: 'going',
};
/** Oracle has no protection of instances. */
const refusals = { denies, keeps: () => undefined };

export const machines: MachinesIn = async (input) => {
  const key = ociKey(input.fields);
  const ask = (
    { id, place = '' }: MachineAt,
    method: OciMethod,
    query: Readonly<Record<string, string>> = {},
  ): Promise<CloudAnswer> =>
    questionIn(input, key, place)('iaas', `20160918/instances/${encodeURIComponent(id)}`, query, method);
  const look = async (machine: MachineAt): Promise<MachineNow | undefined> => {
    const answer = await ask(machine, 'GET');
    if (answer.status === 404) return undefined;
    const { lifecycleState, freeformTags } = shaped(`the instance ${machine.id}`, answer, { schema, denies });
    return { isOurs: isTagged(freeformTags, input.cluster), power: powers[lifecycleState] ?? 'on' };
  };
  // What a key may not do, Oracle says, does not exist: an instance that can still be read does.
  const act = async (what: string, machine: MachineAt, answer: CloudAnswer): Promise<void> => {
    if (answer.status === 404 && (await look(machine)) !== undefined)
      throw new NotDone(`${what} of ${machine.id}`, 'HTTP 404: a permission is missing', 'denied');
    mustBeDone(`${what} of ${machine.id}`, answer, refusals);
  };
  return {
    look,
    stop: async (machine) => act('stop', machine, await ask(machine, 'POST', { action: 'STOP' })),
    remove: async (machine) => act('deletion', machine, await ask(machine, 'DELETE')),
  };
};
