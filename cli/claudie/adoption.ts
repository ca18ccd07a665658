/** Converts the documents and outputs of a Claudie installation into files for Kubeloom, with a report. Connects to nothing. */
import { stringify } from 'yaml';
import { kubeconfigText, readKubeconfig } from '#documents/kubeconfig.ts';
import { readObjects } from '#documents/read-objects.ts';
import { documentName, kindOf, validateDocuments } from '#domain/documents/validate-documents.ts';
import { isMap } from '#domain/json.ts';
import { unframed } from '#domain/manifest/faults/claudie-dialects.ts';
import { withoutServerFields } from '#domain/manifest/faults/kubernetes-document.ts';
import { referenceName, referencesIn } from '#domain/manifest/references-in.ts';
import { defaultTemplates } from '#domain/manifest/schema/input-manifest.ts';
import { type ClaudieCluster, claudieClusters, isOutput } from './claudie-outputs.ts';
import { type MovedManifest, movedManifest } from './moved-manifest.ts';

interface AdoptedFile {
  readonly path: string;
  readonly text: string;
}

export interface Adoption {
  readonly files: readonly AdoptedFile[];
  /** Sentences about changed manifests. */
  readonly changes: readonly string[];
  readonly missing: readonly string[];
  readonly faults: readonly string[];
  readonly clusters: readonly ClaudieCluster[];
}

interface NamedManifest extends MovedManifest {
  readonly name: string;
  readonly namespace: string;
}

export function adoption(documents: readonly unknown[]): Adoption {
  const clusters = claudieClusters(documents);
  const of = (kind: string) => documents.filter((document) => kindOf(document) === kind && !isOutput(document));
  const manifests = of('InputManifest').map((document): NamedManifest => {
    return { ...documentName(document), ...movedManifest(document) };
  });
  const wanted = new Set(
    manifests.flatMap(({ document, namespace }) => [...referencesIn(document, namespace)].map(keyOf)),
  );
  // The built-in templates need no document.
  for (const key of wanted) if (key.endsWith(`/${defaultTemplates}`)) wanted.delete(key);
  const templates = of('TemplateGitReference').filter((one) =>
    wanted.has(keyOf({ field: 'templatesRef', ...documentName(one) })),
  );
  for (const document of templates)
    for (const reference of referencesIn(document, documentName(document).namespace)) wanted.add(keyOf(reference));
  const secrets = of('Secret').filter((one) => wanted.has(keyOf({ field: 'secretRef', ...documentName(one) })));
  const converted = [...secrets.map(plainSecret), ...templates.map(withoutServerFields)];
  const documentsNow = [
    ...converted,
    ...manifests.flatMap(({ document }) => (document === undefined ? [] : [document])),
  ];
  const given = new Set([
    ...secrets.map((one) => keyOf({ field: 'secretRef', ...documentName(one) })),
    ...templates.map((one) => keyOf({ field: 'templatesRef', ...documentName(one) })),
  ]);
  return {
    files: [
      ...(converted.length > 0 ? [{ path: 'secrets-and-templates.yaml', text: yamlOf(converted) }] : []),
      ...manifests.flatMap(filesOfManifest),
      ...clusters.flatMap(filesOfCluster),
    ],
    changes: manifests.flatMap(({ name, changes }) => changes.map((change) => `${name}: ${change}`)),
    missing: [
      ...[...wanted]
        .filter((key) => !given.has(key))
        .map((key) => `${key}: is not among the files; store it before you apply`),
      ...clusters.flatMap(missingOf),
      ...manifests.flatMap(({ name, namespace }) =>
        clusters.some(({ project }) => project === `${namespace}-${name}`)
          ? []
          : [`manifest ${namespace}/${name}: no output of Claudie is among the files (label claudie.io/output)`],
      ),
    ],
    faults: validateDocuments([...documentsNow, ...documents.filter(isUnframed)], { readObjects }).flatMap(
      ({ kind, name, faults }) =>
        faults.map(({ path, reason, fix }) => `${kind ?? 'document'} ${name}: ${path} ${reason}; ${fix}`),
    ),
    clusters,
  };
}

/** A manifest of before the CRD: what has to be written is reported, nothing of it is moved. */
function isUnframed(document: unknown): boolean {
  return isMap(document) && document.kind === undefined && unframed(document) !== undefined;
}

function filesOfManifest({ name, namespace, document, staticPools }: NamedManifest): readonly AdoptedFile[] {
  const folder = `manifests/${fileName(namespace)}/${fileName(name)}`;
  return [
    ...(document === undefined ? [] : [{ path: `${folder}/manifest.yaml`, text: yamlOf([document]) }]),
    ...(staticPools.length === 0 ? [] : [{ path: `${folder}/static-pools.yaml`, text: stringify(staticPools) }]),
  ];
}

/** Access to what Claudie built, which is lost with its management cluster. */
function filesOfCluster({ id, name, kubeconfig, machines = [] }: ClaudieCluster): readonly AdoptedFile[] {
  const read = kubeconfig === undefined ? undefined : readKubeconfig(kubeconfig);
  const keys = new Map(
    machines.map(({ kind, pool, node, privateKey }) => [kind === 'dynamic' ? pool : node, privateKey]),
  );
  const folder = `clusters/${fileName(id)}`;
  return [
    ...(read && 'parts' in read ? [{ path: `${folder}/kubeconfig`, text: kubeconfigText(name, read.parts) }] : []),
    ...[...keys]
      .filter(([, key]) => key !== '')
      .map(([name, text]) => ({ path: `${folder}/${fileName(name)}.key`, text })),
  ];
}

function missingOf({ id, kubeconfig, machines }: ClaudieCluster): readonly string[] {
  const read = kubeconfig === undefined ? undefined : readKubeconfig(kubeconfig);
  return [
    ...(read && 'refusal' in read ? [`cluster ${id}: its kubeconfig is not written: it ${read.refusal}`] : []),
    ...(kubeconfig === undefined
      ? [`cluster ${id}: its kubeconfig (Secret ${id}-kubeconfig) is not among the files`]
      : []),
    ...(machines === undefined
      ? [`cluster ${id}: its machines (Secret ${id}-metadata) are not among the files, or cannot be read`]
      : []),
  ];
}

function keyOf({
  field,
  ...place
}: {
  readonly field: string;
  readonly namespace: string;
  readonly name: string;
}): string {
  return `${field === 'secretRef' ? 'Secret' : 'TemplateGitReference'} ${referenceName(place)}`;
}

/** Without labels, owners and annotations, which are Claudie's or repeat the values. */
function plainSecret(document: unknown): unknown {
  if (!isMap(document)) return document;
  const { data, stringData } = document;
  const values = { ...(data !== undefined && { data }), ...(stringData !== undefined && { stringData }) };
  return { apiVersion: 'v1', kind: 'Secret', metadata: documentName(document), ...values };
}

const yamlOf = (documents: readonly unknown[]): string => documents.map((one) => stringify(one)).join('---\n');

/** Names come from the Claudie installation; none of them may lead out of the folder. */
const fileName = (name: string): string => name.replaceAll(/[^\w.-]/g, '-').replace(/^\.+/, '-');
