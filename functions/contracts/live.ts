/** What happens to a manifest now: the answer that a page or a terminal that watches it asks for, again and again. */
import { z } from 'zod';
import { ClusterDescription, ManifestDescription, ShownEvent } from './api-bodies.ts';

/** Parts of it that the caller has are left out: the document, and nodes of clusters. */
const LiveManifest = ManifestDescription.extend({
  document: ManifestDescription.shape.document.optional(),
  clusters: z.array(ClusterDescription.extend({ nodes: ClusterDescription.shape.nodes.optional() })),
}).meta({ id: 'LiveManifest' });

export const Live = z
  .object({
    manifest: LiveManifest,
    parts: z
      .object({
        document: z.string(),
        nodes: z.record(z.string(), z.string()).describe('by id of the cluster'),
      })
      .describe(
        'what of the manifest is large: a tag of each part, for `have` of the next request, which leaves it out',
      ),
    events: z.array(ShownEvent).describe('oldest first, at most 100'),
    next: z.string().optional().describe('for `since`; request again at once while there are 100 events'),
  })
  .meta({ id: 'Live' });
export type Live = z.infer<typeof Live>;
