/** Fields of a cluster about what is in it: its storage, and documents that Kubeloom applies. */
import { z } from 'zod';
import { shown, TemplatesReference } from './names.ts';

const DocumentName = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, {
    error: (issue) =>
      `${shown(issue.input)} is not a name of documents; use lower-case letters, digits and "-", such as "web-shop"`,
  });

const ClusterDocument = z.strictObject({
  name: DocumentName.describe('A name that comes with Kubeloom ([storage](storage.md)), or a name of your own.'),
  enabled: z.boolean().default(true).describe('`false`: documents that come with Kubeloom are not applied.'),
  inline: z
    .string()
    .max(200_000)
    .optional()
    .describe(
      'Kubernetes objects as YAML, `---` between them; instead of the documents that come with Kubeloom under this name.',
    ),
  templatesRef: TemplatesReference.optional().describe(
    'A git repository that has them, in a folder of this name below `paths.manifestsK8s` ([templates](templates.md)).',
  ),
});

/** Fields of `KubernetesCluster`. */
export const clusterDocumentFields = {
  storage: z
    .enum(['longhorn', 'none'])
    .optional()
    .describe(
      'Kubeloom: what serves volume claims ([storage](storage.md)). Default: `longhorn` for a new cluster with compute nodes without taints, if the installation has Longhorn; an existing cluster keeps what it has.',
    ),
  documents: z
    .array(ClusterDocument)
    .max(50, { error: 'there are more than 50 documents; put several objects into one' })
    .optional()
    .describe('Kubeloom: documents that it applies to the cluster, compares with it and removes from it.'),
} as const;
