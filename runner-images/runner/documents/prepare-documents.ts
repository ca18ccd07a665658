/** Documents before they are applied: their templates and upstream files are found, checked and rendered. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isBuiltin } from '#domain/builtin-documents.ts';
import type { ComponentState, DocumentState } from '#domain/cluster-documents.ts';
import { agentProgram, hasAgent, renderedFrom, upstreamOf } from '#domain/cluster-documents.ts';
import { isPipelineError } from '#domain/errors.ts';
import type { KubernetesObject } from '#domain/kubernetes-objects.ts';
import { parseTemplateVersion } from '#domain/template-version.ts';
import { type DocumentFiles, renderComponent, renderDocument } from '#rendering/documents.ts';
import { userSecret } from '../credentials.ts';
import type { SecretReader } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { componentFile } from './component-files.ts';
import { gitDocuments, yamlFiles } from './git-documents.ts';

export interface PreparedDocument {
  readonly document: DocumentState;
  readonly objects: readonly KubernetesObject[];
  /** SHA-256 of the objects, without the values of secrets. */
  readonly hash: string;
}

/** Releases of others, by document: where they are downloaded and what they must be. */
const Upstream = z.record(
  z.string(),
  z.object({
    file: z.string(),
    url: z.string(),
    sha256: z.string(),
    /** Objects that templates of Kubeloom take the place of. */
    without: z.array(z.string()).default([]),
  }),
);

type Places = Pick<SecretReader, 'mask' | 'ports' | 'run' | 'runner' | 'templatesDirectory' | 'workDirectory'>;

type UserFiles = Pick<Places, 'runner' | 'templatesDirectory'>;

/** All of them, or none: throws `UpstreamMissing`, `UpstreamWrong`, `AgentMissing`, `DocumentsFaulty`, and what `gitDocuments` throws. */
export function prepareDocuments(
  places: Places,
  documents: readonly DocumentState[],
): Promise<readonly PreparedDocument[]> {
  return Promise.all(documents.map((document) => prepare(places, document)));
}

async function prepare(places: Places, document: DocumentState): Promise<PreparedDocument> {
  if (document.component !== undefined) return prepareComponent(places, document, document.component);
  const files = document.text === undefined ? await filesOf(places, document) : { templates: {} };
  const hint = 'Correct them in the manifest or in their repository, or disable them in the manifest.';
  const objects = rendered(document, hint, () => renderDocument(document, files));
  return { document, objects, hash: sumOf(JSON.stringify(objects)) };
}

/** Its file and its Secret are read each time: what was rotated is applied by the next run, or found by the next check. */
async function prepareComponent(
  places: Places,
  document: DocumentState,
  { source, secret }: ComponentState,
): Promise<PreparedDocument> {
  const text = await componentFile(places, document.name, source);
  const secrets = secret === undefined ? {} : await userSecret(places, secret, `the component ${document.name}`);
  const hint = 'Correct the values of the component in its ManagementPlane.';
  const { marked, objects } = rendered(document, hint, () => renderComponent(document, { text, secrets }));
  return { document, objects, hash: sumOf(JSON.stringify(marked)) };
}

function rendered<Found>({ name }: DocumentState, hint: string, render: () => Found): Found {
  try {
    return render();
  } catch (error) {
    if (!isPipelineError(error, 'InvalidManifest')) throw error;
    const message = `The documents ${name} cannot be used: ${error.message}.`;
    throw new StageFailure({ class: 'user', code: 'DocumentsFaulty', message, resource: name, hint });
  }
}

async function filesOf(places: Places, document: DocumentState): Promise<DocumentFiles> {
  const version = parseTemplateVersion(document.version);
  const directories =
    version === undefined
      ? renderedFrom(document).map((name) => join(places.templatesDirectory, 'kubernetes', name))
      : [await gitDocuments(places, document, version)];
  const files = await Promise.all(directories.map(filesIn));
  const needsUpstream = upstreamOf([document]).length > 0;
  const templates = Object.fromEntries(files.flat());
  return {
    templates: version === undefined ? withAgentImage(templates, places.runner.agentImage) : templates,
    plain: version !== undefined && !isBuiltin(document.name),
    ...(needsUpstream ? { upstream: await upstreamFile(places, document) } : {}),
    ...(hasAgent(document) ? { values: await agentValues(places, document) } : {}),
  };
}

/** Our templates with another image of Node, where the site has its own. */
function withAgentImage(
  templates: Readonly<Record<string, string>>,
  image: string | undefined,
): Readonly<Record<string, string>> {
  if (image === undefined) return templates;
  const replaced = (text: string): string => text.replace(/docker\.io\/library\/node:\S+/g, () => image);
  return Object.fromEntries(Object.entries(templates).map(([path, text]) => [path, replaced(text)]));
}

/** Texts of templates by their path in the directory. */
async function filesIn(directory: string): Promise<readonly (readonly [string, string])[]> {
  const paths = await yamlFiles(directory);
  return Promise.all(
    paths.map(async (path) => [path.slice(directory.length + 1), await readFile(path, 'utf8')] as const),
  );
}

/** The agent's program, and what changes with it or with what it trusts: its pods have to start again. */
async function agentValues(
  places: UserFiles,
  { name, values: { ca = '' } }: DocumentState,
): Promise<NonNullable<DocumentFiles['values']>> {
  const agent = await fileOf(places, agentProgram);
  if (agent !== undefined) return { agent: agent.text, agentHash: sumOf(`${agent.text}${String(ca)}`).slice(0, 16) };
  throw new StageFailure({
    class: 'bug',
    code: 'AgentMissing',
    message: `The runner does not have ${agentProgram}, which the documents ${name} need.`,
    resource: name,
    hint: 'Build the images of the runners again.',
  });
}

/** A file that comes with the runner; directories of the user come first. */
async function fileOf(
  { runner, templatesDirectory }: UserFiles,
  file: string,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  for (const directory of [...runner.documents, join(templatesDirectory, 'kubernetes', 'upstream')]) {
    const path = join(directory, file);
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function upstreamFile(
  places: UserFiles,
  { name }: DocumentState,
): Promise<NonNullable<DocumentFiles['upstream']>> {
  const table = Upstream.parse(
    JSON.parse(await readFile(join(places.templatesDirectory, 'kubernetes', 'upstream.json'), 'utf8')),
  );
  const row = table[name];
  if (row === undefined) throw new Error(`upstream.json does not have ${name}`);
  const found = await fileOf(places, row.file);
  if (found !== undefined) {
    const { path, text } = found;
    const sum = sumOf(text);
    if (sum === row.sha256) return { text, without: row.without };
    throw new StageFailure({
      class: 'user',
      code: 'UpstreamWrong',
      message: `${path} has the SHA-256 ${sum}, not ${row.sha256}: it is not used.`,
      resource: name,
      hint: `Delete it and get it again from ${row.url}.`,
    });
  }
  throw new StageFailure({
    class: 'user',
    code: 'UpstreamMissing',
    message: `The runner does not have ${row.file}, which the documents ${name} need.`,
    resource: name,
    hint: `Run \`npm run documents:fetch\`, or put ${row.url} into a directory that KUBELOOM_DOCUMENTS of the runner names; or set storage of the cluster to "none".`,
  });
}
