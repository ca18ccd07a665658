/** The test sequences: manifests that are applied one after another, with what they refer to. */
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { ManifestName } from '#cli/connection/api-client.ts';
import { filesOfSequence } from '#test/manifest/manifest-files.ts';
import { keyOf, type SimulatedWorld } from './simulated-world.ts';

interface Submission {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export interface E2eSet {
  /** The manifests in their order. */
  readonly steps: readonly Submission[];
  readonly templates: readonly unknown[];
}

/** Reads a set, its manifests with the name `name`. */
function readSet(set: string, name: string): E2eSet {
  const documents = filesOfSequence(set).flatMap((file) => documentsOf(readFileSync(file, 'utf8')));
  const ofKind = (kind: string) => documents.filter((document) => document.kind === kind);
  return {
    templates: ofKind('TemplateGitReference'),
    steps: ofKind('InputManifest').map((document) => ({ ...document, metadata: { ...document.metadata, name } })),
  };
}

/** Stores the templates of a set, and made-up Secrets for all that its manifests name. */
async function storeReferences({ api, secrets }: SimulatedWorld, { steps, templates }: E2eSet): Promise<void> {
  for (const template of templates) await api.putTemplate(keyOf(template), template);
  const named = steps.flatMap((step) => secretsNamedIn(step, step.metadata.namespace ?? 'default'));
  for (const path of new Set(named)) {
    if (secrets.has(path)) continue;
    secrets.add(path);
    const [namespace = '', name = ''] = path.split('/');
    const stringData = { simulated: 'made up' };
    await api.putSecret(
      { namespace, name },
      { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, stringData },
    );
  }
}

/** A set that is ready to be applied, in a world without failures. */
export async function storedSet(
  world: SimulatedWorld,
  set: string,
  name: string,
): Promise<{ readonly key: ManifestName; readonly steps: E2eSet['steps'] }> {
  world.faults();
  const desired = readSet(set, name);
  await storeReferences(world, desired);
  return { key: keyOf(desired.steps[0]), steps: desired.steps };
}

interface Read extends Submission {
  readonly kind: string;
}

function documentsOf(text: string): readonly Read[] {
  return parseAllDocuments(text).flatMap((document) => (document.contents ? [document.toJS() as Read] : []));
}

function secretsNamedIn(value: unknown, namespace: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => secretsNamedIn(item, namespace));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) => {
    if (key !== 'secretRef') return secretsNamedIn(item, namespace);
    const reference = item as { readonly name: string; readonly namespace?: string };
    return [`${reference.namespace ?? namespace}/${reference.name}`];
  });
}
