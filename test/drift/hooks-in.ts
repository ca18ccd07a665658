/** The hooks of versions of templates, as a workspace has them. */
import type { SecretReader } from '#runner/stage-context.ts';
import { Hooks } from '#runner/terraform/templates/hooks.ts';
import { readTemplates, type WorkspacePart } from '#runner/terraform/templates/read-templates.ts';

export async function hooksIn(context: SecretReader, parts: readonly WorkspacePart[]): Promise<Hooks> {
  const [first] = parts;
  if (first === undefined) throw new Error('a workspace has at least one version of templates');
  return new Hooks(context, (await readTemplates(context, { provider: first.provider, destroy: false, parts })).parts);
}
