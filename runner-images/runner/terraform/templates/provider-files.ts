/** The files of a provider type below `templates/terraform/<type>`: modules, `provider.json`, hooks. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ProviderInstance } from '#domain/cluster-state.ts';
import { closedText } from '#domain/observed/closed-texts.ts';
import { CloudName } from '#domain/observed/cloud-texts.ts';
import { printableText } from '#domain/observed/printable-text.ts';
import { builtinTemplates } from '#domain/planning/desired/build-desired-state.ts';
import { parseTemplateVersion } from '#domain/template-version.ts';
import { noProviderTemplate, ProviderTemplate } from '#rendering/provider-template.ts';
import { exists } from '../../exists.ts';
import { lastLine } from '../../process.ts';
import type { Environment } from '../../runner-config.ts';
import type { SecretReader, StageContext } from '../../stage-context.ts';
import { StageFailure } from '../../stage-failure.ts';
import { exitMeaning } from '../cli/diagnostics.ts';
import { ResourceAddress, type StateResource } from '../cli/terraform-cli.ts';
import { gitTemplates } from './git-templates.ts';
import { isPlugin, pluginFolder } from './plugin-folder.ts';

export const hookNames = [
  'inspect',
  'list',
  'stop',
  'remove',
  'before-apply',
  'after-apply',
  'after-destroy',
  'orphan',
] as const;
export type HookName = (typeof hookNames)[number];

/** What a hook reads on stdin. */
export interface HookInput {
  readonly installation: string;
  readonly cluster: string;
  readonly provider: string;
  readonly kind: 'machines' | 'dns';
  /** Everything of the workspace will be deleted. */
  readonly destroy: boolean;
  /** What the Terraform state has; empty after a destroy. */
  readonly resources: readonly StateResource[];
  /** `stop` and `remove`: what is stopped or deleted, as `list` answered it. */
  readonly machines?: readonly { readonly id: string; readonly name: string }[];
}

/** What a hook may answer on stdout. */
export const HookAnswer = z.object({
  /** `before-apply`, and `inspect`, which changes nothing: addresses that the next plan has to replace. */
  replace: z.array(ResourceAddress).default([]),
  /** Resources that existed, were unknown to Terraform, and were removed. */
  removed: z.array(CloudName).default([]),
  /** `list`: everything that has the tags of the cluster and the provider instance, apart from what was orphaned; machines by the names of their nodes. */
  items: z
    .array(
      z.object({
        id: closedText(200, /^[A-Za-z0-9/][!-~]*$/),
        name: CloudName,
        kind: closedText(40, /^[a-z][a-z-]*$/).default('machine'),
        /** It is off, as `stop` leaves it. */
        stopped: z.boolean().default(false),
      }),
    )
    .default([]),
});
export type HookAnswer = z.infer<typeof HookAnswer>;

export interface ProviderFiles {
  /** Absolute directory with `network`, `nodepool`, `dns`. */
  readonly directory: string;
  readonly template: ProviderTemplate;
}

/** Finds or fetches them. Throws `TemplatesMissing` for a type without templates. */
export async function providerFiles(
  context: Pick<
    SecretReader,
    'ports' | 'mask' | 'run' | 'runner' | 'workDirectory' | 'templatesDirectory' | 'document'
  >,
  provider: ProviderInstance,
): Promise<ProviderFiles> {
  const directory = await directoryOf(context, provider);
  if (!(await exists(directory))) {
    throw new StageFailure({
      class: 'user',
      code: 'TemplatesMissing',
      message: `There are no Terraform templates for provider type ${provider.type} (provider ${provider.name}).`,
      resource: provider.name,
      hint: 'Use another provider type, or add the templates to this installation.',
    });
  }
  const text = await readFile(join(directory, 'provider.json'), 'utf8').catch(() => undefined);
  if (text !== undefined) return { directory, template: templateOf(provider, text) };
  if (!isPlugin(provider)) return { directory, template: noProviderTemplate };
  throw new StageFailure({
    class: 'user',
    code: 'TemplatesFaulty',
    resource: provider.name,
    message: `The folder of provider type ${provider.type} (provider ${provider.name}) has no provider.json, which describes it.`,
    hint: 'Apply the document with a version of the type that has one: docs/plugins.md.',
  });
}

async function directoryOf(context: Parameters<typeof providerFiles>[0], provider: ProviderInstance): Promise<string> {
  if (isPlugin(provider)) return pluginFolder(context, provider);
  const version = parseTemplateVersion(provider.templates);
  return version === undefined
    ? join(context.templatesDirectory, 'terraform', provider.type)
    : gitTemplates(context, provider, version);
}

/** Throws `TemplatesFaulty`. */
export function templateOf({ name, type }: Pick<ProviderInstance, 'name' | 'type'>, text: string): ProviderTemplate {
  const read = readJson(ProviderTemplate, text);
  if ('value' in read) return read.value;
  throw new StageFailure({
    class: 'user',
    code: 'TemplatesFaulty',
    message: `The provider.json of the templates for ${type} (provider ${name}) cannot be used: ${read.problem}.`,
    resource: name,
    hint: 'Correct it; `kubeloom provider test` lists all faults of the templates.',
  });
}

/** The value of a text that others wrote, or its fault. */
function readJson<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
): { readonly value: z.infer<Schema> } | { readonly problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { problem: `it is not JSON: ${printableText((error as Error).message, 200)}` };
  }
  const read = schema.safeParse(json);
  if (read.success) return { value: read.data };
  const issues = read.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
  return { problem: printableText(issues.join('; '), 1000) };
}

/** A version of templates with which something of a workspace was created. */
export interface VersionInUse {
  readonly provider: ProviderInstance;
  /** The target still has something of it. */
  readonly wanted: boolean;
}

/**
 * The files of a version in use. Resources that are only deleted use Kubeloom's own templates when theirs are no longer
 * available: provider block and hooks are those of the same cloud.
 */
export async function versionFiles(
  context: Parameters<typeof providerFiles>[0] & Pick<StageContext, 'attempt' | 'emit'>,
  { provider, wanted }: VersionInUse,
): Promise<ProviderFiles> {
  try {
    return await providerFiles(context, provider);
  } catch (error) {
    const passes = error instanceof StageFailure && error.error.class === 'transient';
    const waits = passes && context.attempt < context.ports.config.KUBELOOM_MAX_STAGE_ATTEMPTS;
    // Nothing of ours knows the cloud of a plugin; its own files are kept.
    if (wanted || waits || isPlugin(provider) || !(error instanceof StageFailure)) throw error;
    return providerFiles(context, { ...provider, templates: builtinTemplates });
  }
}

/** Names of hooks in templates for 0.1.0; accepted for one release. */
const formerNames: Partial<Record<HookName, string>> = { orphan: 'let-go' };

/** Path of the hook, a file `<hook>.ts` next to the modules of the type; undefined when it has none. */
async function pathOfHook({ directory }: ProviderFiles, hook: HookName): Promise<string | undefined> {
  for (const name of [hook, formerNames[hook]]) {
    const path = join(directory, `${name}.ts`);
    if (name !== undefined && (await exists(path))) return path;
  }
  return undefined;
}

/** True when the type has this hook. */
export async function hasHook(files: ProviderFiles, hook: HookName): Promise<boolean> {
  return (await pathOfHook(files, hook)) !== undefined;
}

const answering: readonly HookName[] = ['list', 'inspect', 'before-apply', 'after-apply'];

/** Runs a hook of the type. */
export async function runHook(
  context: Pick<StageContext, 'run'>,
  files: ProviderFiles,
  hook: HookName,
  input: HookInput,
  environment: Readonly<Record<string, string>> = {},
): Promise<HookAnswer> {
  const program = (await pathOfHook(files, hook)) ?? join(files.directory, `${hook}.ts`);
  const result = await context.run({
    label: `${hook} ${input.provider}`,
    program: process.execPath,
    args: [program],
    environment,
    input: JSON.stringify(input),
    totalMs: 10 * 60_000,
  });
  if (result.code !== 0) {
    throw new StageFailure({
      ...exitMeaning(result.code),
      code: 'ProviderHookFailed',
      message: `${hook} of provider ${input.provider} failed: ${lastLine(result.stderr) || `exit code ${result.code}`}`,
      resource: input.provider,
    });
  }
  const read = readJson(HookAnswer, answering.includes(hook) ? result.stdout : '{}');
  if ('value' in read) return read.value;
  throw new StageFailure({
    class: 'bug',
    code: 'ProviderHookFailed',
    message: `${hook} of provider ${input.provider} returned invalid JSON: ${read.problem}`,
    resource: input.provider,
    hint: 'It has to answer {"replace": […], "removed": […]} on standard output, and nothing else; messages belong on standard error.',
  });
}

/** Module variables that come from the runner's environment, as the type's `provider.json` names them. */
export function variablesFromEnvironment(
  wanted: Readonly<Record<string, string>>,
  environment: Environment,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(wanted).flatMap(([variable, name]) => {
      const value = environment[name];
      return value === undefined || value === '' ? [] : [[variable, value]];
    }),
  );
}
