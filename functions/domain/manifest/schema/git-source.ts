/** GitSource documents: a folder of a git repository whose manifests an installation fetches and submits itself. */
import { z } from 'zod';
import { intervalMinutes } from './drift-checks.ts';
import { dnsName, Metadata, shown, Text } from './names.ts';
import { RepositoryPath, RepositoryUrl } from './template-git-reference.ts';

const longestMinutes = 24 * 60;

const Prune = z
  .strictObject({
    most: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('How many manifests may be deleted after one commit; if more files are gone, none is deleted.'),
    names: z
      .array(dnsName(63))
      .max(1000)
      .optional()
      .describe('Manifests that may be deleted when their files are gone, without a limit.'),
  })
  .refine(({ most, names }) => most !== undefined || names !== undefined, {
    error: 'says neither how many may be deleted nor which; give `most` or `names`, or write false',
  });

export const GitSource = z.strictObject({
  apiVersion: z.literal('kubeloom.dev/v1'),
  kind: z.literal('GitSource'),
  metadata: Metadata,
  spec: z.strictObject({
    url: RepositoryUrl.describe('Repository without scheme, e.g. github.com/org/repo; https only.'),
    ref: Text.max(250).describe('Branch, tag or commit hash.'),
    path: RepositoryPath.default('.').describe(
      'Folder or file, from the root of the repository. Of a folder all `.yaml`, `.yml` and `.json` files are read, those of its subfolders too.',
    ),
    secretRef: z
      .strictObject({
        name: Text.describe('Name of the Secret.'),
        namespace: Text.optional().describe('The namespace of the GitSource.'),
      })
      .optional()
      .describe(
        'Secret with `token`, and `username` if it is not x-access-token; without it, the repository is public.',
      ),
    every: z
      .string()
      .refine(
        (every) => {
          const minutes = intervalMinutes(every);
          return minutes !== undefined && minutes >= 1 && minutes <= longestMinutes;
        },
        {
          error: (issue) =>
            `${shown(issue.input)} is not an interval between 1 minute and 1 day; use a number with m, h or d, such as "5m"`,
        },
      )
      .default('5m')
      .describe('How often the commit of the repository is read: `1m` to `1d`.'),
    onPlan: z
      .enum(['apply', 'propose'])
      .default('apply')
      .describe('`propose`: plans wait until someone approves them with `kubeloom approve`.'),
    onFault: z
      .enum(['nothing', 'others'])
      .default('nothing')
      .describe('What is submitted of a commit with faults: nothing, or the files without faults.'),
    prune: z
      .union([z.literal(false), Prune], { error: 'is neither false nor a limit; write false, or `most` or `names`' })
      .default(false)
      .describe('Whether manifests are deleted, with their clusters, when their file is gone.'),
    suspend: z.boolean().default(false).describe('true: the repository is not read and nothing is submitted.'),
  }),
});
export type GitSource = z.infer<typeof GitSource>;

/** `<namespace>/<name>` of its Secret: always of its own namespace. */
export function gitSourceSecret({ metadata, spec }: GitSource): string | undefined {
  return spec.secretRef && `${metadata.namespace}/${spec.secretRef.name}`;
}
