/** Google Cloud: instances of the project by their numbers, each in its zone: a name may be another machine's a moment later. */
import { z } from 'zod';
import { CloudId, CloudWord } from '#domain/observed/cloud-texts.ts';
import { askCloud, bearer, type CloudAnswer } from '../../provider-check/ask.ts';
import { gcpToken } from '../../provider-check/clouds/gcp.ts';
import { denies, gcpProject, isBecause } from '../clouds/gcp.ts';
import { isTagged, NotListed, shaped, Tags } from '../listing.ts';
import { actingOf, type MachineAt, type MachinesIn } from '../machine-acts.ts';

const schema = z.object({ id: CloudId, status: CloudWord, labels: Tags });

function keeps(answer: CloudAnswer): string | undefined {
  return isBecause(answer, 'invalidResourceUsage') ? 'it is protected against that' : undefined;
}

export const machines: MachinesIn = async (input) => {
  const headers = bearer((await gcpToken(input)).token);
  const urlOf = ({ id, place = '' }: MachineAt): string => {
    if (!/^zones\/[\w-]+$/.test(place) || !/^[1-9][0-9]*$/.test(id)) throw new NotListed(id, 'its zone is not known');
    return `${gcpProject(input)}/${place}/instances/${id}`;
  };
  const act = actingOf({ denies, keeps });
  return {
    async look(machine) {
      const answer = await askCloud(urlOf(machine), { headers });
      if (answer.status === 404) return undefined;
      const { id, status, labels } = shaped(`the instance ${machine.id}`, answer, { schema, denies });
      if (id !== machine.id) throw new NotListed(`the instance ${machine.id}`, 'the answer is about another machine');
      // STOPPING is both on the way to be off and on the way to be deleted.
      return { isOurs: isTagged(labels, input.cluster), power: status === 'TERMINATED' ? 'off' : 'on' };
    },
    stop: async (machine) => act(`stop of ${machine.id}`, `${urlOf(machine)}/stop`, { method: 'POST', headers }),
    remove: async (machine) => act(`deletion of ${machine.id}`, urlOf(machine), { method: 'DELETE', headers }),
  };
};
