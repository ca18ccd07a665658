/** Verda: instances by their description, volumes by the name of the cluster in theirs: they have no tags. */
import { z } from 'zod';
import { CloudId, CloudName, CloudWord } from '#domain/observed/cloud-texts.ts';
import { askCloud } from '../../provider-check/ask.ts';
import { logInToVerda } from '../../provider-check/clouds/verda.ts';
import { type ListOfType, plainName, shaped } from '../listing.ts';

const Instances = z.array(
  z.object({ id: CloudId, hostname: CloudName, description: CloudName.nullish(), status: CloudWord }),
);
const Volumes = z.array(z.object({ id: CloudId, name: CloudName, status: CloudWord.nullish() }));
/** An instance that is gone stays in the list for a while. */
const gone = ['deleting', 'deleted', 'discontinued'];

/** Its clients may do everything or nothing. */
const denies = (): boolean => false;

export const list: ListOfType = async ({ fields, bases, cluster }) => {
  const { base, headers } = await logInToVerda({ fields, bases });
  const ask = (path: string) => askCloud(`${base}/${path}`, { headers });
  const isOurs = (name: string): boolean => name.startsWith(`${cluster}-`);
  const instances = shaped('instances', await ask('instances'), { schema: Instances, denies });
  const volumes = shaped('volumes', await ask('volumes'), { schema: Volumes, denies });
  return [
    ...instances
      .filter(({ description, hostname, status }) => {
        const isDescribed = (description ?? '').startsWith(`kubeloom ${cluster} `);
        return (isDescribed || isOurs(hostname)) && !gone.includes(status);
      })
      .map(({ id, hostname }) => ({ id, name: plainName(hostname, cluster), kind: 'machine' as const })),
    ...volumes
      .filter(({ name, status }) => isOurs(name) && !gone.includes(status ?? ''))
      .map(({ id, name }) => ({ id, name: plainName(name, cluster), kind: 'volume' as const })),
  ];
};
