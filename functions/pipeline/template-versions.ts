/** Which templates each provider instance of a manifest uses, as versions that can be compared. */
import type { ManifestRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { defaultTemplates, InputManifest } from '#domain/manifest/input-manifest.ts';
import { TemplateGitReference } from '#domain/manifest/template-git-reference.ts';
import type { Deps } from '../ports.ts';
import type { Planning } from './cluster-plans.ts';

type Ports = Pick<Deps, 'templateReferences' | 'ids'>;

/** What plans of a manifest need. Throws `PlanRefused` when templates are named that are not stored. */
export async function planningOf(deps: Ports, manifest: ManifestRecord): Promise<Planning> {
  return { ids: deps.ids, templates: manifest.deleting ? {} : await templateVersions(deps, manifest) };
}

/** `git:<url>@<commit>#<path>` by provider instance, for those that do not use the templates that come with Kubeloom. */
async function templateVersions(
  deps: Ports,
  { namespace, document }: ManifestRecord,
): Promise<Readonly<Record<string, string>>> {
  const { providers } = InputManifest.parse(document).spec;
  const own = providers.flatMap(({ name, templatesRef }) =>
    templatesRef && templatesRef.name !== defaultTemplates ? [{ name, templatesRef }] : [],
  );
  const versions = own.map(
    async ({ name, templatesRef }) => [name, await versionOf(deps, { namespace, ...templatesRef })] as const,
  );
  return Object.fromEntries(await Promise.all(versions));
}

async function versionOf(
  deps: Ports,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<string> {
  const stored = await deps.templateReferences.get(namespace, name);
  if (stored === undefined) {
    throw new PipelineError('PlanRefused', `there is no TemplateGitReference "${namespace}/${name}"; apply it first`);
  }
  const { endpoint, commit, paths } = TemplateGitReference.parse(stored).spec;
  return `git:${endpoint.url}@${commit}#${paths.terraformer}`;
}
