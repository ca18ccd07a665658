/** Exoscale: instances by their ids, each in its zone. */
import { z } from 'zod';
import { CloudId, CloudWord } from '#domain/observed/cloud-texts.ts';
import type { CloudAnswer } from '../../provider-check/ask.ts';
import { askExoscale } from '../../provider-check/signed-exoscale.ts';
import { denies, exoscaleApi } from '../clouds/exoscale.ts';
import { isTagged, shaped, Tags } from '../listing.ts';
import { type MachineAt, type MachinesIn, mustBeDone } from '../machine-acts.ts';

const schema = z.object({ id: CloudId, state: CloudWord, labels: Tags });
const powers: Readonly<Record<string, 'off' | 'going'>> = {
  stopped: 'off',
  destroying: 'going',
  destroyed: 'going',
  expunging: 'going',
};

function keeps({ text }: CloudAnswer): string | undefined {
  return /protect/i.test(text) ? 'it is protected against that' : undefined;
}

export const machines: MachinesIn = async (input) => {
  const urlOf = ({ id, place = '' }: MachineAt): string =>
    `${exoscaleApi(input, place)}/instance/${encodeURIComponent(id)}`;
  const act = async (what: string, machine: MachineAt, answer: CloudAnswer): Promise<void> =>
    mustBeDone(`${what} of ${machine.id}`, answer, { denies, keeps });
  return {
    async look(machine) {
      const answer = await askExoscale(input.fields, urlOf(machine));
      if (answer.status === 404) return undefined;
      const { state, labels } = shaped(`the instance ${machine.id}`, answer, { schema, denies });
      return { isOurs: isTagged(labels, input.cluster), power: powers[state] ?? 'on' };
    },
    stop: async (machine) =>
      act('stop', machine, await askExoscale(input.fields, `${urlOf(machine)}:stop`, { method: 'PUT' })),
    remove: async (machine) =>
      act('deletion', machine, await askExoscale(input.fields, urlOf(machine), { method: 'DELETE' })),
  };
};
