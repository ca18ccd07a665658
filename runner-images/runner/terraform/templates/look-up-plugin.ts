/** Finds out what a provider type is that does not come with Kubeloom, keeps its files, and judges properties by its schema. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitReferences } from '#adapters/git-references.ts';
import { type PluginAnswer, type PluginLookup, pluginKeys } from '#contracts/job.ts';
import { archiveVersionText, copyOf, templateVersionText, withCopy } from '#domain/template-version.ts';
import { judgeBySchema, readSchema } from '#rendering/property-schema.ts';
import { type ProviderTemplate, usedFields } from '#rendering/provider-template.ts';
import type { AnswerContext } from '../../answer-question.ts';
import { userSecret } from '../../credentials.ts';
import { StageFailure } from '../../stage-failure.ts';
import { checksumOfCopy, copyText } from './kept-copy.ts';
import { fetchPlugin, folderOf, keptText } from './plugin-folder.ts';
import { templateOf } from './provider-files.ts';
import { faultsBySchema } from './provider-login.ts';

/** Throws `StageFailure` when there is no such type, or its description is faulty. */
export async function lookUpPlugin(lookup: PluginLookup, context: AnswerContext): Promise<PluginAnswer> {
  const version = await versionOf(lookup, context);
  const { folder, copy } = await filesOf(lookup, context, version);
  const template = await described(lookup, folder);
  const has = async (module: string) =>
    (await readFile(join(folder, module, 'main.tf')).catch(() => undefined)) !== undefined;
  const [network, nodepool, dns] = await Promise.all(['network', 'nodepool', 'dns'].map(has));
  const faults = judged(lookup, template);
  const secretFaults = await secretFaultsOf(lookup, context, template);
  const sum = checksumOfCopy(copy);
  const key = pluginKeys.accepted(sum);
  // Nothing is made with a document that is refused. Whether it is there is not asked: a build reads no copies but those that it is given.
  if (faults.length + secretFaults.length === 0) await context.ports.artifacts.putText(key, copy, 'application/json');
  const secret = secretFields(template);
  return {
    version: withCopy(version, sum),
    title: template.title ?? lookup.name,
    machines: network === true && nodepool === true,
    dns: dns === true,
    ...(secret.length > 0 && { secret }),
    ...(secretFaults.length > 0 && { secretFaults: [...secretFaults] }),
    faults,
  };
}

/** What the manifest was accepted with before is not fetched again: its repository may be gone. */
async function filesOf(
  { name, kept }: PluginLookup,
  context: AnswerContext,
  version: string,
): Promise<{ readonly folder: string; readonly copy: string }> {
  const plugin = { name, type: name, templates: version };
  const before = copyOf(kept?.version ?? '');
  const copy =
    kept && before.copy && before.version === version ? await keptText(context, kept, before.copy) : undefined;
  if (copy !== undefined) return { folder: await folderOf(context, plugin, copy), copy };
  const folder = await fetchPlugin(context, plugin);
  return { folder, copy: await copyText(folder) };
}

async function versionOf(lookup: PluginLookup, { ports }: AnswerContext): Promise<string> {
  const { name, url, version, sha256, kept } = lookup;
  if (sha256 !== undefined) return archiveVersionText({ url, sha256 });
  const { KUBELOOM_TEMPLATE_PRIVATE_HOSTS: privateHosts, KUBELOOM_TEMPLATE_URLS: allowed } = ports.config;
  // A commit that was accepted before stays so, also when its branch moved on.
  const before = templateVersionText({ url, commit: version, path: '.' });
  const namedOnly = allowed.length > 0 && copyOf(kept?.version ?? '').version !== before;
  const answer = await new GitReferences({ privateHosts, namedOnly }).resolve(url, version, 'plugin');
  if ('commit' in answer) return templateVersionText({ url, commit: answer.commit, path: '.' });
  const { reason: message, fix: hint } = answer;
  throw new StageFailure({ class: 'user', code: 'PluginUnresolved', message, resource: name, hint });
}

/** Its `provider.json`, which a plugin must have. */
async function described({ name, url }: PluginLookup, folder: string): Promise<ProviderTemplate> {
  const text = await readFile(join(folder, 'provider.json'), 'utf8').catch(() => undefined);
  if (text !== undefined) return templateOf({ name, type: name }, text);
  throw new StageFailure({
    class: 'user',
    code: 'TemplatesFaulty',
    resource: name,
    message: `The folder of provider type ${name} in ${url} has no provider.json, which describes it.`,
    hint: 'Add it: docs/plugins.md; `kubeloom provider init` writes one.',
  });
}

/** Names what the Secret lacks, and never a value. */
async function secretFaultsOf(
  { name, secret }: PluginLookup,
  context: AnswerContext,
  template: ProviderTemplate,
): Promise<readonly string[]> {
  if (secret === undefined) return [];
  const values = await userSecret(context, secret, `provider type ${name}`);
  const lacking = secretFields(template).filter((field) => (values[field] ?? '').trim() === '');
  return template.secret === undefined
    ? lacking.map((field) => `${field} is missing`)
    : faultsBySchema(template, values);
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
    class: 'user',
    code: 'TemplatesFaulty',
    resource: name,
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
