/** OVHcloud: instances and volumes of the project, taken by the name of the cluster in theirs: they have no tags. */
import { z } from 'zod';
import { CloudId, CloudName, CloudWord } from '#domain/observed/cloud-texts.ts';
import { askCloud } from '../../provider-check/ask.ts';
import { logInToOvh } from '../../provider-check/clouds/ovh.ts';
import { type DeniedBy, type ListOfType, NotListed, plainName, shaped } from '../listing.ts';

/** Nothing of it comes in pages. */
const schema = z.array(z.object({ id: CloudId, name: CloudName, status: CloudWord }));
const kinds = { machine: 'instance', volume: 'volume' } as const;

export const list: ListOfType = async ({ fields, bases, cluster }) => {
  const login = await logInToOvh({ fields, bases });
  if (login === undefined) throw new NotListed('instances', `the endpoint ${fields.endpoint} is unknown`);
  const { project, headers } = login;
  const found = await Promise.all(
    Object.entries(kinds).map(async ([kind, path]) =>
      shaped(path, await askCloud(`${project}/${path}`, { headers }), { schema, denies })
        .filter(({ name, status }) => name.startsWith(`${cluster}-`) && !/^DELET/i.test(status))
        .map(({ id, name }) => ({ id, name: plainName(name, cluster), kind: kind as keyof typeof kinds })),
    ),
  );
  return found.flat();
};

/** A credential that is not valid has the same status and another message. */
const denies: DeniedBy = ({ status, json: { message } }) =>
  status === 403 && typeof message === 'string' && /not (been )?granted/i.test(message);
