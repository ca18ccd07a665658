/** A plane as documents of its cluster: one for each component, in the order in which they are applied. */
import type { ComponentState, DocumentState } from './cluster-documents.ts';
import { locatorOf } from './manifest/schema/secret-source.ts';
import {
  type Component,
  componentDocument,
  componentKinds,
  type ManagementPlane,
  providerLabel,
} from './planes/management-plane.ts';
import { compareReleases } from './planes/release.ts';

export function planeDocuments({ metadata, spec }: ManagementPlane): readonly DocumentState[] {
  const ordered = componentKinds.flatMap((kind) => spec.components.filter((component) => component.kind === kind));
  return ordered.map((component): DocumentState => {
    const { kind, instance, version, source, metadata: series, namespace, watchNamespace, secretRef } = component;
    const state: ComponentState = {
      kind,
      provider: providerLabel(component),
      source,
      ...(instance !== undefined && { instance }),
      ...(series && { metadata: series }),
      ...(namespace !== undefined && { namespace }),
      ...(watchNamespace !== undefined && { watchNamespace }),
      ...(secretRef && { secret: locatorOf(secretRef, metadata.namespace) }),
      ...(ownerOf(component, ordered) !== component && { shared: 'elsewhere' as const }),
    };
    const name = componentDocument(metadata.name, component);
    return { name, version: componentVersion(version), values: component.values, component: state };
  });
}

/** Definitions and webhooks are of the whole cluster: the newest instance of a provider has them, of equals the first. */
function ownerOf(component: Component, all: readonly Component[]): Component {
  return all
    .filter((other) => providerLabel(other) === providerLabel(component))
    .reduce((owner, other) => (compareReleases(other.version, owner.version) > 0 ? other : owner));
}

const prefix = 'component@';

/** The version of its documents. */
function componentVersion(release: string): string {
  return `${prefix}${release}`;
}

/** The release that documents are of; undefined when they are no component. */
export function releaseOf({ version }: Pick<DocumentState, 'version'>): string | undefined {
  return version.startsWith(prefix) ? version.slice(prefix.length) : undefined;
}
