/** A provider type that does not come with Kubeloom: its name, where its folder is from, and which version. */
import { z } from 'zod';
import { isProviderType } from '../../provider-types.ts';
import { shown, Text } from './names.ts';
import { isPlainAddress } from './plain-address.ts';

/** `providerType` of an instance whose `plugin` says more. */
export const pluginType = 'plugin';

const isArchive = (url: string): boolean => /\.(tar\.gz|tgz)$/i.test(url);

const address = /^(https:\/\/)?(?!.*\/\.\.?(\/|$))[a-z0-9][a-z0-9.-]*(:\d{1,5})?(\/[^\s/@#?:%\\]+)+\/?$/i;

const Url = Text.max(300)
  .refine((url) => !/\.so$/i.test(url), {
    error: (issue) =>
      `${shown(issue.input)} is a library of Go: it would run as a part of Kubeloom, with all of its rights; describe the provider with Terraform modules instead: docs/plugins.md`,
  })
  .refine((url) => (address.test(url) && isPlainAddress(pluginAddress({ url }))) || /\.so$/i.test(url), {
    error: (issue) =>
      `${shown(issue.input)} is neither a git repository nor an archive at an https address; write host and path, such as "github.com/acme/providers"`,
  });

/** Host and path, without scheme. */
export function pluginAddress({ url }: { readonly url: string }): string {
  return url.replace(/^https:\/\//i, '').replace(/\/$/, '');
}

export const ProviderPlugin = z
  .strictObject({
    name: Text.regex(/^[a-z][a-z0-9_-]{0,30}$/, {
      error: (issue) =>
        `${shown(issue.input)} is not a name of a provider type; use lower-case letters, digits, "-" and "_"`,
    })
      .refine((name) => !isProviderType(name) && name !== pluginType, {
        error: (issue) =>
          `${shown(issue.input)} comes with Kubeloom; name it as providerType, with templatesRef for modules of your own`,
      })
      .describe('Name of the type, and of its folder.'),
    url: Url.describe(
      'Host and path of a git repository, or, with `sha256`, of an archive (.tar.gz); fetched over https.',
    ),
    version: Text.max(100)
      .default('latest')
      .describe(
        'Branch, tag or commit of the repository. `latest`: its highest version tag when the document is accepted.',
      ),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, { error: 'is not a SHA-256; use its 64 digits and letters a to f' })
      .optional()
      .describe('SHA-256 of the archive; archives need it.'),
  })
  .superRefine(({ url, sha256 }, { addIssue }) => {
    if (isArchive(url) && sha256 === undefined)
      addIssue({ code: 'custom', path: ['sha256'], message: 'is missing; give the SHA-256 of the archive' });
    if (!isArchive(url) && sha256 !== undefined)
      addIssue({
        code: 'custom',
        path: ['sha256'],
        message: 'is for archives (.tar.gz); name the commit of a repository as version',
      });
  });
export type ProviderPlugin = z.infer<typeof ProviderPlugin>;
