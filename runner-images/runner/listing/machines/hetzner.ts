/** Hetzner: servers of the project by their ids. */
import { z } from 'zod';
import { CloudWord } from '#domain/observed/cloud-texts.ts';
import type { CloudAnswer } from '../../provider-check/ask.ts';
import { denies, hetznerOf, isProtected } from '../clouds/hetzner.ts';
import { isTagged, shaped, Tags } from '../listing.ts';
import { actingOf, type MachineAt, type MachinesIn } from '../machine-acts.ts';

const schema = z.object({ server: z.object({ status: CloudWord, labels: Tags }) });
const powers: Readonly<Record<string, 'off' | 'going'>> = { off: 'off', deleting: 'going' };

function keeps(answer: CloudAnswer): string | undefined {
  return isProtected(answer) ? 'it is protected against that' : undefined;
}

export const machines: MachinesIn = async (input) => {
  const ask = hetznerOf(input);
  const act = actingOf({ denies, keeps }, ask);
  const pathOf = ({ id }: MachineAt): string => `servers/${encodeURIComponent(id)}`;
  const power = (machine: MachineAt, name: 'shutdown' | 'poweroff'): Promise<void> =>
    act(`${name} of ${machine.id}`, `${pathOf(machine)}/actions/${name}`, { method: 'POST' });
  return {
    async look(machine) {
      const answer = await ask(pathOf(machine));
      if (answer.status === 404) return undefined;
      const { server } = shaped(`the server ${machine.id}`, answer, { schema, denies });
      return { isOurs: isTagged(server.labels, input.cluster), power: powers[server.status] ?? 'on' };
    },
    stop: (machine) => power(machine, 'shutdown'),
    switchOff: (machine) => power(machine, 'poweroff'),
    remove: (machine) => act(`deletion of ${machine.id}`, pathOf(machine), { method: 'DELETE' }),
  };
};
