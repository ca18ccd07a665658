/** Exoscale: instances and block storage of each zone, taken by their label. */
import { z } from 'zod';
import { CloudId, CloudName } from '#domain/observed/cloud-texts.ts';
import { askExoscale } from '../../provider-check/signed-exoscale.ts';
import {
  type DeniedBy,
  eachRegion,
  isTagged,
  type ListInput,
  type ListOfType,
  plainName,
  shaped,
  Tags,
} from '../listing.ts';

const Thing = z.object({ id: CloudId, name: CloudName.optional(), labels: Tags });
/** Path to the name of its list; nothing of it comes in pages. */
const kinds = {
  machine: ['instance', z.object({ instances: z.array(Thing) }).transform(({ instances }) => instances)],
  volume: [
    'block-storage',
    z.object({ 'block-storage-volumes': z.array(Thing) }).transform((body) => body['block-storage-volumes']),
  ],
} as const;

export const list: ListOfType = async (input) => {
  const { cluster, fields } = input;
  return eachRegion(input, async (zone) => {
    const base = exoscaleApi(input, zone);
    const found = await Promise.all(
      Object.entries(kinds).map(async ([kind, [path, schema]]) => {
        const things = shaped(`${path} in ${zone}`, await askExoscale(fields, `${base}/${path}`), {
          schema,
          denies,
        });
        return things
          .filter(({ labels }) => isTagged(labels, cluster))
          .map(({ id, name = id }) => ({
            id,
            name: plainName(name, cluster),
            kind: kind as keyof typeof kinds,
            place: zone,
          }));
      }),
    );
    return found.flat();
  });
};

export function exoscaleApi({ bases }: Pick<ListInput, 'bases'>, zone: string): string {
  return `${bases.api ?? `https://api-${zone}.exoscale.com`}/v2`;
}

/** "Forbidden by role policy for compute", or by that of the organisation. */
export const denies: DeniedBy = ({ status, json: { message } }) =>
  status === 403 && typeof message === 'string' && /^forbidden by [\w ]*policy/i.test(message);
