/** TemplateGitReference documents: a git repository whose Terraform modules, or documents in clusters, are used instead of the built-in ones. */
import { z } from 'zod';
import { apiVersions } from './input-manifest.ts';
import { SecretMetadata, SecretReference, shortText, shown, Text } from './names.ts';

/** Host and path; nothing that a URL or a version of templates would read as something else, and no way up. */
const repositoryAddress =
  /^(?![a-z+]+:\/\/)(?!.*\/\.\.?(\/|$))[^\s/@#?%\\][^\s/@#?%\\.]*\.[^\s/@#?%\\]+\/[^\s@#?%\\]+$/i;
/** From the root of the repository, down, and not into git's own files. */
const folderInside = /^(?!\/)(?!(.*\/)?(\.\.|\.git)(\/|$))[\w ./-]*$/;

/** Host and path of a repository, without scheme. */
export const RepositoryUrl = shortText(300).regex(repositoryAddress, {
  error: (issue) =>
    `${shown(issue.input)} is not host and path of a repository; write them like "github.com/org/repo", without scheme, "@", "#", "?", "%", "\\" and ".."`,
});

/** From the root of a repository. */
export const RepositoryPath = shortText(500).regex(folderInside, {
  error: (issue) =>
    `${shown(issue.input)} is not a folder of a repository; use letters, digits, "-", "_", "." and "/", without "/" at the beginning and without ".."`,
});

/** One schema, as each is made at each cold start of a function. */
const notUsed = Text.optional().describe('Accepted, not used.');

export const TemplateGitReference = z.strictObject({
  apiVersion: z.enum(apiVersions),
  kind: z.literal('TemplateGitReference'),
  metadata: SecretMetadata,
  spec: z.strictObject({
    endpoint: z.strictObject({
      url: RepositoryUrl.describe('Repository without scheme, e.g. github.com/org/repo.'),
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
        terraformer: RepositoryPath.optional().describe(
          'Folder of the Terraform modules, from the root of the repository; needed by providers.',
        ),
        playbooks: notUsed,
        configLb: notUsed,
        configK8s: notUsed,
        manifestsK8s: RepositoryPath.optional().describe(
          'Folder of documents in clusters, one below it for each name ([templates](templates.md)).',
        ),
      })
      .describe('Folders in the repository.'),
  }),
});
export type TemplateGitReference = z.infer<typeof TemplateGitReference>;
