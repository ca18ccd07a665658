/** TemplateGitReference documents: a git repository whose Terraform modules are used instead of the built-in ones. */
import { z } from 'zod';
import { apiVersions } from './input-manifest.ts';
import { SecretMetadata, SecretReference, shown, Text } from './names.ts';

export const TemplateGitReference = z.strictObject({
  apiVersion: z.enum(apiVersions),
  kind: z.literal('TemplateGitReference'),
  metadata: SecretMetadata,
  spec: z.strictObject({
    endpoint: z.strictObject({
      url: Text.regex(/^(?![a-z+]+:\/\/)[^\s/@]+\.[^\s/@]+\/\S+$/i, {
        error: (issue) =>
          `${shown(issue.input)} is not an address without scheme; use host and path such as "github.com/org/repo"`,
      }).describe('Repository without scheme, e.g. github.com/org/repo.'),
      protocol: z.literal('https').describe('Only https.'),
    }),
    auth: z
      .strictObject({
        secretRef: SecretReference.describe('Secret with `token`, and `username` if it is not x-access-token.'),
      })
      .optional(),
    commit: Text.describe('Tag, branch or commit hash.'),
    paths: z
      .strictObject({
        terraformer: Text.describe('Folder of the Terraform modules.'),
        playbooks: Text.optional().describe('Accepted, not used.'),
        configLb: Text.optional().describe('Accepted, not used.'),
        configK8s: Text.optional().describe('Accepted, not used.'),
        manifestsK8s: Text.optional().describe('Accepted, not used.'),
      })
      .describe('Folders in the repository.'),
  }),
});
export type TemplateGitReference = z.infer<typeof TemplateGitReference>;
