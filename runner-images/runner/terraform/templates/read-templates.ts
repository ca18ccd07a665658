/** The templates of a workspace: each version with which something of it was created, read once. */
import type { ProviderInstance } from '#domain/cluster-state.ts';
import type { SecretReader } from '../../stage-context.ts';
import { isPlugin, keepPlugin } from './plugin-folder.ts';
import {
  type HookName,
  hasHook,
  hookNames,
  type ProviderFiles,
  type VersionInUse,
  versionFiles,
} from './provider-files.ts';

/** The part of a workspace that was created with one version of templates. */
export interface WorkspacePart extends VersionInUse {
  /** Pool ids. */
  readonly pools: readonly string[];
}

/** What a version of templates has. */
interface VersionTemplates {
  readonly files: ProviderFiles;
  readonly hooks: ReadonlySet<HookName>;
}

export interface TemplatePart extends WorkspacePart, VersionTemplates {}

export interface WorkspaceTemplates {
  /** Those of the version of the job's provider, which may be one whose resources are only deleted. */
  readonly main: VersionTemplates;
  readonly parts: readonly TemplatePart[];
}

export interface TemplatesWanted {
  readonly provider: ProviderInstance;
  readonly destroy: boolean;
  /** @default all of it with those of `provider` */
  readonly parts?: readonly WorkspacePart[];
}

/** Finds or fetches them. Throws `StageFailure`. */
export async function readTemplates(context: SecretReader, wanted: TemplatesWanted): Promise<WorkspaceTemplates> {
  const { provider, destroy } = wanted;
  const parts = partsOf(wanted);
  const isMain = (part: WorkspacePart): boolean => part.provider.templates === provider.templates;
  const main = await readVersion(context, { provider, wanted: parts.find(isMain)?.wanted ?? !destroy });
  const read: TemplatePart[] = [];
  for (const part of parts) read.push({ ...part, ...(isMain(part) ? main : await readVersion(context, part)) });
  return { main, parts: read };
}

/** The same for a workspace that is changed: copies of plugins are kept for as long as the manifest exists. Throws `StageFailure`. */
export async function readTemplatesToChange(
  context: SecretReader,
  wanted: TemplatesWanted,
): Promise<WorkspaceTemplates> {
  for (const { provider } of partsOf(wanted)) if (isPlugin(provider)) await keepPlugin(context, provider);
  return readTemplates(context, wanted);
}

function partsOf({ parts = [], provider, destroy }: TemplatesWanted): readonly WorkspacePart[] {
  return parts.length > 0 ? parts : [{ provider, wanted: !destroy, pools: [] }];
}

async function readVersion(context: SecretReader, version: VersionInUse): Promise<VersionTemplates> {
  const files = await versionFiles(context, version);
  const found = await Promise.all(hookNames.map(async (hook) => ((await hasHook(files, hook)) ? [hook] : [])));
  return { files, hooks: new Set(found.flat()) };
}
