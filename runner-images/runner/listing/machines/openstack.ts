/** OpenStack: servers of the project by their ids, each in its region. */
import { z } from 'zod';
import { CloudId, CloudWord } from '#domain/observed/cloud-texts.ts';
import { askCloud, type CloudAnswer, json } from '../../provider-check/ask.ts';
import { logInToOpenstack } from '../../provider-check/clouds/openstack.ts';
import { denies } from '../clouds/openstack.ts';
import { isTagged, NotListed, shaped, Tags } from '../listing.ts';
import { actingOf, type MachineAt, type MachinesIn } from '../machine-acts.ts';

const schema = z.object({
  server: z.object({
    id: CloudId,
    status: CloudWord,
    metadata: Tags,
    'OS-EXT-STS:task_state': CloudWord.nullish(),
  }),
});
const powers: Readonly<Record<string, 'off' | 'going'>> = {
  SHUTOFF: 'off',
  SHELVED: 'off',
  SHELVED_OFFLOADED: 'off',
  DELETED: 'going',
  SOFT_DELETED: 'going',
};

function keeps({ status, text }: CloudAnswer): string | undefined {
  return status === 409 && /\blocked\b/i.test(text) ? 'it is locked' : undefined;
}

export const machines: MachinesIn = async (input) => {
  const { token, headers } = await logInToOpenstack(input.fields);
  const compute = token.catalog.find(({ type }) => type === 'compute')?.endpoints ?? [];
  const urlOf = ({ id, place }: MachineAt): string => {
    const end = compute.find((one) => one.interface === 'public' && (place === undefined || one.region === place));
    if (end === undefined) throw new NotListed(id, 'the catalog has no such service');
    return `${end.url}/servers/${encodeURIComponent(id)}`;
  };
  const act = actingOf({ denies, keeps });
  return {
    async look(machine) {
      const answer = await askCloud(urlOf(machine), { headers });
      if (answer.status === 404) return undefined;
      const { server } = shaped(`the server ${machine.id}`, answer, { schema, denies });
      const isGoing = server['OS-EXT-STS:task_state'] === 'deleting';
      return {
        isOurs: isTagged(server.metadata, input.cluster),
        power: isGoing ? 'going' : (powers[server.status] ?? 'on'),
      };
    },
    stop: async (machine) =>
      act(`stop of ${machine.id}`, `${urlOf(machine)}/action`, json({ 'os-stop': null }, headers)),
    remove: async (machine) => act(`deletion of ${machine.id}`, urlOf(machine), { method: 'DELETE', headers }),
  };
};
