/** Oracle Cloud: instances and volumes of the compartment in each region, taken by their freeform tag. */
import { z } from 'zod';
import { closedText } from '#domain/observed/closed-texts.ts';
import { CloudName, CloudWord, PageToken } from '#domain/observed/cloud-texts.ts';
import { questionIn } from '../../provider-check/clouds/oci.ts';
import { ociKey } from '../../provider-check/signed-oci.ts';
import { allPages, type DeniedBy, eachRegion, isTagged, type ListOfType, plainName, shaped, Tags } from '../listing.ts';

/** `ocid1.instance.oc1.eu-frankfurt-1.anth…` */
export const Ocid = closedText(255, /^ocid1(?:\.[\w-]*)+$/);

const schema = z.array(z.object({ id: Ocid, displayName: CloudName, lifecycleState: CloudWord, freeformTags: Tags }));
const kinds = { machine: 'instances', volume: 'volumes' } as const;

export const list: ListOfType = async (input) => {
  const { cluster, fields } = input;
  const key = ociKey(fields);
  return eachRegion(input, async (region) => {
    const question = questionIn(input, key, region);
    const found = await Promise.all(
      Object.entries(kinds).map(async ([kind, path]) => {
        const what = `${path} in ${region}`;
        const things = await allPages(what, async (next) => {
          const query = {
            compartmentId: fields.compartmentocid ?? '',
            limit: '100',
            ...(next !== undefined && { page: next }),
          };
          const answer = await question('iaas', `20160918/${path}`, query);
          return {
            items: shaped(what, answer, { schema, denies }),
            next: PageToken.optional().parse(answer.headers['opc-next-page']),
          };
        });
        // What is terminated is listed for some hours.
        return things
          .filter(
            ({ freeformTags, lifecycleState }) => isTagged(freeformTags, cluster) && !/^TERMINAT/.test(lifecycleState),
          )
          .map(({ id, displayName }) => ({
            id,
            name: plainName(displayName, cluster),
            kind: kind as keyof typeof kinds,
            place: region,
          }));
      }),
    );
    return found.flat();
  });
};

/** Oracle does not say which of the two: of a list it is the permission. */
export const denies: DeniedBy = ({ json }) => json.code === 'NotAuthorizedOrNotFound';
