/** Azure: machines of the subscription by their resource ids. One that is stopped is deallocated: it costs no processor. */
import { z } from 'zod';
import { CloudName, CloudWord } from '#domain/observed/cloud-texts.ts';
import { askCloud, bearer, type CloudAnswer } from '../../provider-check/ask.ts';
import { azureToken } from '../../provider-check/clouds/azure.ts';
import { azureApi, azureCode, denies } from '../clouds/azure.ts';
import { isTagged, NotListed, shaped, Tags } from '../listing.ts';
import { actingOf, type MachineAt, type MachinesIn } from '../machine-acts.ts';

const version = 'api-version=2024-07-01';
const schema = z.object({
  id: CloudName,
  tags: Tags,
  properties: z.object({
    provisioningState: CloudWord.optional(),
    instanceView: z.object({ statuses: z.array(z.object({ code: CloudWord })).default([]) }),
  }),
});
const off = ['PowerState/deallocated', 'PowerState/stopped'];

/** A lock, or a machine that cannot be deallocated. */
function keeps(answer: CloudAnswer): string | undefined {
  const code = azureCode(answer);
  return code === 'ScopeLocked' || code === 'OperationNotAllowed' ? `${code}: Azure keeps it` : undefined;
}

export const machines: MachinesIn = async (input) => {
  const headers = bearer(await azureToken(input));
  const base = input.bases.management ?? azureApi;
  // An id is a path: none that is not that of a machine of this subscription gets a request.
  const below = `/subscriptions/${input.fields.subscriptionid}/resourceGroups/`.toLowerCase();
  const isMachine = (id: string): boolean =>
    id.toLowerCase().startsWith(below) &&
    /^[\w.()-]+\/providers\/Microsoft\.Compute\/virtualMachines\/[\w.-]+$/i.test(id.slice(below.length));
  const urlOf = ({ id }: MachineAt, action = ''): string => {
    if (!isMachine(id)) throw new NotListed(id, 'it is not the id of a machine of the subscription');
    return `${base}${id}${action}?${version}`;
  };
  const act = actingOf({ denies, keeps });
  return {
    async look(machine) {
      const answer = await askCloud(`${urlOf(machine)}&$expand=instanceView`, { headers });
      if (answer.status === 404) return undefined;
      const { tags, properties } = shaped(machine.id, answer, { schema, denies });
      if (properties.provisioningState === 'Deleting') return { isOurs: isTagged(tags, input.cluster), power: 'going' };
      const isOff = properties.instanceView.statuses.some(({ code }) => off.includes(code));
      return { isOurs: isTagged(tags, input.cluster), power: isOff ? 'off' : 'on' };
    },
    stop: async (machine) =>
      act(`deallocate of ${machine.id}`, urlOf(machine, '/deallocate'), { method: 'POST', headers }),
    remove: async (machine) => act(`deletion of ${machine.id}`, urlOf(machine), { method: 'DELETE', headers }),
  };
};
