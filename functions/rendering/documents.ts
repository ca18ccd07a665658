/** Documents in a cluster, from templates to the objects that are applied. Pure: the texts of the files are given. */
import { readObjects } from '#documents/read-objects.ts';
import { type DocumentState, valuesOf } from '#domain/cluster-documents.ts';
import { PipelineError } from '#domain/errors.ts';
import { isMap } from '#domain/json.ts';
import { type KubernetesObject, nameOfObject, objectText } from '#domain/kubernetes-objects.ts';
import { releaseOf } from '#domain/plane-documents.ts';
import { placedObjects } from './component-instance.ts';
import { fillVariables, misplacedMarks, withoutMarks } from './component-text.ts';

/** Field manager of all that Kubeloom applies. */
export const fieldManager = 'kubeloom';
/** Label of every object that is applied: the name of its documents. Only objects with it are ever removed. */
export const documentsLabel = 'kubeloom.dev/documents';

export interface DocumentFiles {
  /** Texts of templates by their path below the directory of the documents: `settings.yaml`, `each-zone/class.yaml`. */
  readonly templates: Readonly<Record<string, string>>;
  /** The upstream file, and objects of it that templates take the place of. */
  readonly upstream?: { readonly text: string; readonly without: readonly string[] };
  /** Values that only the runner has. @default none */
  readonly values?: Readonly<Record<string, string>>;
  /** Objects of a user's own, which are not filled with values. @default templates */
  readonly plain?: boolean;
}

/** Annotation of definitions of components: `infrastructure-vsphere@v1.14.0`. Releases after it are compared with it. */
export const releaseAnnotation = 'kubeloom.dev/release';

/** Files are larger than what users may write into a manifest. */
const upstreamLimits = { maxBytes: 20_000_000, maxDocuments: 2000, maxTokens: 5_000_000 } as const;

export interface RenderedComponent {
  /** With marks in the place of secrets: what may be hashed. */
  readonly marked: readonly KubernetesObject[];
  readonly objects: readonly KubernetesObject[];
}

/** The documents of a component: `text` is the file of its release, `secrets` the fields of its Secret. Throws `InvalidManifest`. */
export function renderComponent(
  document: DocumentState,
  { text, secrets }: { readonly text: string; readonly secrets: Readonly<Record<string, string>> },
): RenderedComponent {
  const { name, values, component } = document;
  const given = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const filled = fillVariables(text, { values: Object.fromEntries(given), secrets });
  if (filled.faults.length > 0) throw faulty(filled.faults.join('; '));
  const objects = objectsIn(filled.text, `the file of ${name}`, upstreamLimits);
  const misplaced = misplacedMarks(objects);
  if (misplaced.length > 0) throw faulty(misplaced.join('; '));
  const placed = placedObjects(withoutMarks(objects, filled.values), component ?? {});
  const marked = labelled(name, placed).map((object) => released(object, document));
  return { marked, objects: withoutMarks(marked, filled.secrets) };
}

/** The objects of a document, labelled as its own. Throws `InvalidManifest` for a text, or a template, that has faults. */
export function renderDocument(document: DocumentState, files: DocumentFiles): readonly KubernetesObject[] {
  const { name, text, values } = document;
  if (text !== undefined) return labelled(name, objectsIn(text, `documents ${name}`));
  const { templates, upstream, plain = false } = files;
  const all = { ...valuesOf(document), ...files.values };
  const upstreamObjects = upstream === undefined ? [] : objectsIn(upstream.text, `upstream ${name}`, upstreamLimits);
  const without = new Set(upstream?.without);
  const own = Object.keys(templates)
    .sort()
    .flatMap((path) => {
      const template = templates[path] ?? '';
      return plain ? objectsIn(template, path, upstreamLimits) : renderTemplate(path, template, all);
    });
  return labelled(name, [
    ...upstreamObjects
      .filter((object) => !without.has(objectText(nameOfObject(object))))
      .map((object) => tolerating(object, Array.isArray(values.tolerations) ? values.tolerations : [])),
    ...own,
  ]);
}

/** A DaemonSet of an upstream release also runs on nodes with these taints, as `key=value:NoSchedule`. */
function tolerating(object: KubernetesObject, taints: readonly string[]): KubernetesObject {
  const { spec } = object;
  if (object.kind !== 'DaemonSet' || taints.length === 0 || !isMap(spec)) return object;
  const template = isMap(spec.template) ? spec.template : {};
  const pod = isMap(template.spec) ? template.spec : {};
  const known = Array.isArray(pod.tolerations) ? pod.tolerations : [];
  const tolerations = [...known, ...taints.map(tolerationOf)];
  return { ...object, spec: { ...spec, template: { ...template, spec: { ...pod, tolerations } } } };
}

function tolerationOf(taint: string): Readonly<Record<string, string>> {
  const [, key = '', value, effect = ''] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(taint) ?? [];
  return value === undefined ? { key, operator: 'Exists', effect } : { key, operator: 'Equal', value, effect };
}

function renderTemplate(path: string, text: string, values: DocumentState['values']): readonly KubernetesObject[] {
  const objects = objectsIn(text, `template ${path}`, upstreamLimits);
  const single = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const [, each] = /^each-([\w-]+)\//.exec(path) ?? [];
  if (each === undefined) return objects.map((object) => filled(object, new Map(single), path));
  const items = values[each];
  if (!Array.isArray(items)) throw faulty(`template ${path}: the list "${each}" to repeat it for is missing`);
  return items.flatMap((item) => objects.map((object) => filled(object, new Map([...single, [each, item]]), path)));
}

/** Values replace `${name}` in texts that are parsed already: nothing of them can become YAML. */
function filled(object: KubernetesObject, values: ReadonlyMap<string, string>, path: string): KubernetesObject {
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return value.replaceAll(/\$\{([\w-]+)\}/g, (_, key: string) => {
        const known = values.get(key);
        if (known === undefined) throw faulty(`template ${path}: there is no value for \${${key}}`);
        return known;
      });
    }
    if (Array.isArray(value)) return value.map(fill);
    return isMap(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)])) : value;
  };
  return fill(object) as KubernetesObject;
}

function objectsIn(text: string, where: string, limits = {}): readonly KubernetesObject[] {
  const { objects, faults } = readObjects(text, limits);
  if (faults.length === 0) return objects;
  throw faulty(`${where}: ${faults.map(({ reason }) => reason).join('; ')}`);
}

function labelled(name: string, objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return objects.map((object) => {
    const labels = { ...object.metadata.labels, [documentsLabel]: name };
    return { ...object, metadata: { ...object.metadata, labels } };
  });
}

function released(object: KubernetesObject, document: DocumentState): KubernetesObject {
  const provider = document.component?.provider;
  if (provider === undefined || !isDefinition(object)) return object;
  const known = isMap(object.metadata.annotations) ? object.metadata.annotations : {};
  const annotations = { ...known, [releaseAnnotation]: `${provider}@${releaseOf(document)}` };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function faulty(message: string): PipelineError {
  return new PipelineError('InvalidManifest', message);
}

const definition = 'CustomResourceDefinition';

/** Steps in which objects are applied, each awaited: what others are in or of, then all others, then objects of kinds that came first. */
export function applySteps(objects: readonly KubernetesObject[]): readonly (readonly KubernetesObject[])[] {
  const groups = new Set(
    objects.filter(({ kind }) => kind === definition).flatMap(({ spec }) => (isMap(spec) ? [spec.group] : [])),
  );
  const stepOf = ({ apiVersion, kind }: KubernetesObject): number => {
    if (kind === definition || (kind === 'Namespace' && apiVersion === 'v1')) return 0;
    return groups.has(apiVersion.split('/')[0]) ? 2 : 1;
  };
  return [0, 1, 2]
    .map((step) => objects.filter((object) => stepOf(object) === step))
    .filter(({ length }) => length > 0);
}

/** Kinds that are never removed: with them goes what users have stored, or what others put into them. */
const keptKinds: readonly string[] = [definition, 'Namespace', 'PersistentVolumeClaim', 'PersistentVolume'];

export function isDefinition({ kind }: { readonly kind: string }): boolean {
  return kind === definition;
}

export function isKept({ kind }: { readonly kind: string }): boolean {
  return keptKinds.includes(kind);
}

/** Kinds that say in their status whether they work. */
export function hasStatus({ kind }: { readonly kind: string }): boolean {
  return kind in works;
}

/** True once Kubernetes reports that the object works; for kinds that report nothing, always. */
export function isAvailable(live: KubernetesObject): boolean {
  const status = isMap(live.status) ? live.status : {};
  const spec = isMap(live.spec) ? live.spec : {};
  const seen = Number(status.observedGeneration ?? 0) >= Number(live.metadata.generation ?? 0);
  return works[live.kind]?.({ spec, status, seen }) ?? true;
}

interface Live {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
  /** The status is that of the object as it was applied last. */
  readonly seen: boolean;
}

const works: Readonly<Record<string, (live: Live) => boolean>> = {
  [definition]: ({ status }) => isTrue(status, 'Established'),
  Deployment: ({ spec, status, seen }) => {
    const wanted = count(spec.replicas, 1);
    return seen && count(status.updatedReplicas) >= wanted && (wanted === 0 || isTrue(status, 'Available'));
  },
  StatefulSet: ({ spec, status, seen }) =>
    seen &&
    count(status.updatedReplicas) >= count(spec.replicas, 1) &&
    count(status.readyReplicas) >= count(spec.replicas, 1),
  DaemonSet: ({ status, seen }) => {
    const wanted = count(status.desiredNumberScheduled);
    return seen && count(status.updatedNumberScheduled) >= wanted && count(status.numberAvailable) >= wanted;
  },
};

function count(value: unknown, fallback = 0): number {
  return typeof value === 'number' ? value : fallback;
}

function isTrue({ conditions }: Readonly<Record<string, unknown>>, type: string): boolean {
  return (
    Array.isArray(conditions) &&
    conditions.some((condition) => isMap(condition) && condition.type === type && condition.status === 'True')
  );
}
