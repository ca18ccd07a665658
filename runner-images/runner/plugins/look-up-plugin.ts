/** Finds out what a provider type is that does not come with Kubeloom, keeps its files, and judges properties by its schema. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitReferences } from '#adapters/git-references.ts';
import type { PluginAnswer, PluginLookup } from '#contracts/job.ts';
import { archiveVersionText, templateVersionText } from '#domain/template-version.ts';
import { judgeBySchema, readSchema } from '#rendering/property-schema.ts';
import { type ProviderTemplate, usedFields } from '#rendering/provider-template.ts';
import type { AnswerContext } from '../answer-question.ts';
import { StageFailure } from '../stage-failure.ts';
import { templateOf } from '../terraform/provider-files.ts';
import { keepCopy, pluginFolder } from './plugin-folder.ts';

/** Throws `StageFailure` when there is no such type, or its description is faulty. */
export async function lookUpPlugin(lookup: PluginLookup, context: AnswerContext): Promise<PluginAnswer> {
  const version = await versionOf(lookup, context);
  const plugin = { name: lookup.name, type: lookup.name, templates: version };
  const folder = await pluginFolder(context, plugin);
  const template = await described(lookup, folder);
  const has = async (module: string) =>
    (await readFile(join(folder, module, 'main.tf')).catch(() => undefined)) !== undefined;
  const [network, nodepool, dns] = await Promise.all(['network', 'nodepool', 'dns'].map(has));
  const faults = judged(lookup, template);
  // Nothing is made with a document that is refused.
  if (faults.length === 0) await keepCopy(context, plugin, folder);
  const secret = secretFields(template);
  return {
    ...{ version, title: template.title ?? lookup.name, machines: network === true && nodepool === true },
    ...{ dns: dns === true, ...(secret.length > 0 && { secret }), faults },
  };
}

async function versionOf({ name, url, version, sha256 }: PluginLookup, { ports }: AnswerContext): Promise<string> {
  if (sha256 !== undefined) return archiveVersionText({ url, sha256 });
  const privateHosts = ports.config.KUBELOOM_TEMPLATE_PRIVATE_HOSTS;
  const answer = await new GitReferences({ privateHosts, document: 'plugin' }).resolve(url, version);
  if ('commit' in answer) return templateVersionText({ url, commit: answer.commit, path: '.' });
  const { reason: message, fix: hint } = answer;
  throw new StageFailure({ class: 'user', code: 'PluginUnresolved', message, resource: name, hint });
}

/** Its `provider.json`, which a plugin must have. */
async function described({ name, url }: PluginLookup, folder: string): Promise<ProviderTemplate> {
  const text = await readFile(join(folder, 'provider.json'), 'utf8').catch(() => undefined);
  if (text !== undefined) return templateOf({ name, type: name }, text);
  throw new StageFailure({
    ...{ class: 'user', code: 'TemplatesFaulty', resource: name },
    message: `The folder of provider type ${name} in ${url} has no provider.json, which describes it.`,
    hint: 'Add it: docs/plugins.md; `kubeloom provider init` writes one.',
  });
}

/** Without a schema a type takes no properties. */
function judged({ name, properties }: PluginLookup, template: ProviderTemplate): PluginAnswer['faults'] {
  const schema = objectSchema(name, 'properties', template.properties ?? noProperties);
  if (template.secret !== undefined) objectSchema(name, 'secret', template.secret);
  return Object.entries(properties).flatMap(([pool, given]) =>
    judgeBySchema(schema, given).map((fault) => ({ pool, ...fault })),
  );
}

const noProperties = { type: 'object', properties: {}, additionalProperties: false };

/** A schema that does not say "object" would judge nothing. */
function objectSchema(
  name: string,
  part: 'properties' | 'secret',
  schema: Schema,
): Parameters<typeof judgeBySchema>[0] {
  const result = readSchema(schema);
  if ('problem' in result) throw faulty(name, part, result.problem);
  if (schema.type !== 'object') throw faulty(name, part, 'its type is not "object"');
  return result.read;
}

type Schema = NonNullable<ProviderTemplate['properties']>;

function faulty(name: string, part: string, problem: string): StageFailure {
  return new StageFailure({
    ...{ class: 'user', code: 'TemplatesFaulty', resource: name },
    message: `"${part}" in the provider.json of provider type ${name} is not a JSON Schema that can be used: ${problem}`,
    hint: 'Its author has to correct it; `kubeloom provider test` finds it.',
  });
}

/** What the Secret must have. */
function secretFields(template: ProviderTemplate): string[] {
  const { required } = template.secret ?? {};
  if (Array.isArray(required)) return required.map(String);
  return usedFields(template).filter((field) => !template.optionalFields.includes(field));
}
