/** Names inside Terraform: identifiers, escaped text, state keys. */
import { createHash } from 'node:crypto';

/** A Terraform identifier part; different texts never share one. */
export function identifierOf(text: string): string {
  const plain = (char: string, index: number) => (index === 0 ? /[A-Za-z]/ : /[A-Za-z0-9-]/).test(char);
  return [...text]
    .map((char, index) => (plain(char, index) ? char : `_x${char.codePointAt(0)?.toString(16)}`))
    .join('');
}

/** Escapes text where Terraform would read a template, at any depth of a value: keys of its objects are templates, too. */
export function literal<Value>(value: Value): Value {
  return escaped(value) as Value;
}

function escaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/[$%]\{/g, (mark) => mark.charAt(0) + mark);
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [escaped(key), escaped(inner)]));
}

/** Name of the workspace of a load balancer's names in one provider instance. */
export const dnsWorkspace = (loadBalancerId: string, provider: string): string => `${loadBalancerId}-${provider}`;

/**
 * Marks resources of templates from a git repository; '' for those that come with Kubeloom. While pools move from
 * one version to the next, both are in one workspace: each version has its modules and its networks.
 */
export function templatesMark(templates: string): string {
  if (templates.startsWith('builtin@')) return '';
  return createHash('sha256').update(templates).digest('hex').slice(0, 8);
}

/** Where the root module finds the modules of a version. */
export function modulesPath(base: string, templates: string): string {
  const mark = templatesMark(templates);
  return mark === '' ? base : `${base}-${mark}`;
}

/** Name of a provider instance as modules get it: networks of two versions in one region must not have one name. */
export function providerNameIn(provider: string, templates: string): string {
  const mark = templatesMark(templates);
  return mark === '' ? provider : `${provider}-${mark.slice(0, 4)}`;
}

export function networkModule(region: string, templates = 'builtin@'): string {
  const mark = templatesMark(templates);
  return `network_${identifierOf(region)}${mark === '' ? '' : `_${mark}`}`;
}
export const poolModule = (poolId: string): string => `pool_${identifierOf(poolId)}`;

/**
 * What a workspace is of; `name` is the provider instance, or the id of the load balancer and its DNS provider instance: names that move to
 * another provider have two workspaces for a while.
 */
interface WorkspaceSubject {
  readonly kind: 'machines' | 'dns';
  readonly name: string;
}
/** Its name: `machines-hetzner`. */
export const workspaceName = ({ kind, name }: WorkspaceSubject): string => `${kind}-${name}`;

/** Where a workspace keeps its state. */
export function stateKeyOf(
  workspace: WorkspaceSubject & { readonly namespace: string; readonly manifest: string; readonly clusterId: string },
): string {
  return workspaceStateKey({ ...workspace, workspace: workspaceName(workspace) });
}

/** The same by the name of a workspace. */
export function workspaceStateKey(place: {
  readonly namespace: string;
  readonly manifest: string;
  readonly clusterId: string;
  readonly workspace: string;
}): string {
  const { namespace, manifest, clusterId, workspace } = place;
  return `terraform/${namespace}/${manifest}/${clusterId}/${workspace}.tfstate`;
}
