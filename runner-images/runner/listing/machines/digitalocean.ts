/** DigitalOcean: droplets of the account by their ids. */
import { z } from 'zod';
import { CloudName, CloudWord } from '#domain/observed/cloud-texts.ts';
import { json } from '../../provider-check/ask.ts';
import { denies, digitalOceanOf, tagOf } from '../clouds/digitalocean.ts';
import { shaped } from '../listing.ts';
import { actingOf, type MachineAt, type MachinesIn } from '../machine-acts.ts';

const schema = z.object({ droplet: z.object({ status: CloudWord, tags: z.array(CloudName).nullish() }) });

export const machines: MachinesIn = async (input) => {
  const ask = digitalOceanOf(input);
  // It keeps nothing: a refusal with another status is about an event that is pending.
  const act = actingOf({ denies, keeps: () => undefined }, ask);
  const pathOf = ({ id }: MachineAt): string => `droplets/${encodeURIComponent(id)}`;
  const power = (machine: MachineAt, type: 'shutdown' | 'power_off'): Promise<void> =>
    act(`${type} of ${machine.id}`, `${pathOf(machine)}/actions`, json({ type }));
  return {
    async look(machine) {
      const answer = await ask(pathOf(machine));
      if (answer.status === 404) return undefined;
      const { droplet } = shaped(`the droplet ${machine.id}`, answer, { schema, denies });
      const isOurs = droplet.tags?.includes(tagOf(input.cluster)) === true;
      return { isOurs, power: droplet.status === 'off' ? 'off' : 'on' };
    },
    stop: (machine) => power(machine, 'shutdown'),
    switchOff: (machine) => power(machine, 'power_off'),
    remove: (machine) => act(`deletion of ${machine.id}`, pathOf(machine), { method: 'DELETE' }),
  };
};
