/** A management plane that is stored or deleted is a change of the manifest of its cluster. */
import type { ManifestKey } from '#contracts/records.ts';
import type { Fault } from '#domain/manifest/faults/fault.ts';
import { error } from '#domain/manifest/faults/fault.ts';
import { referenceName, referencesIn } from '#domain/manifest/references-in.ts';
import { nearest } from '#domain/nearest.ts';
import type { ManagementPlane } from '#domain/planes/management-plane.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { movedFaults } from '../assessment/pinned-planes.ts';
import { storedPlanes } from '../inventory/stored-inventory.ts';
import type { PlanTerms } from '../proposals/bind-plan.ts';
import { readableManifest } from '../records/stored-document.ts';
import { replaceableManifest } from '../records/stored-manifest.ts';
import { type Submitted, submitDocument } from './submit-document.ts';
import { validationContextOf } from './validation-context.ts';

interface PlaneSubmission {
  readonly caller: AdmittedCaller;
  /** @default it is deleted */
  readonly terms?: PlanTerms;
  /** @default it is stored */
  readonly deleted?: boolean;
}

/** Starts what follows from it; undefined while there is no manifest of that name: the plane comes with it. */
export async function submitPlane(
  deps: ApiPorts,
  plane: ManagementPlane,
  { caller, terms, deleted = false }: PlaneSubmission,
): Promise<Submitted | undefined> {
  const key = manifestOf(plane);
  const stored = await replaceableManifest(deps, key);
  if (stored === undefined || stored.deleting) return undefined;
  return submitDocument(deps, key, {
    document: stored.document,
    stored,
    caller,
    ...(deleted ? { withoutPlanes: [plane.metadata.name] } : { accompanying: [plane] }),
    ...(terms && { terms }),
    reason: `ManagementPlane ${plane.metadata.name} ${deleted ? 'deleted' : 'stored'}`,
  });
}

/** Where it leaves its cluster, names one that its manifest does not have, or Secrets that do not exist. Throws `Forbidden` for those of others. */
export async function placeFaultsOfPlane(
  deps: ApiPorts,
  plane: ManagementPlane,
  caller: AdmittedCaller,
): Promise<readonly Fault[]> {
  const { namespace, name } = plane.metadata;
  const { secrets } = await validationContextOf(deps, { namespace, name }, plane, caller);
  const unknown = plane.spec.components.flatMap((component, index) =>
    [...referencesIn(component, namespace)]
      .filter((reference) => !secrets.has(referenceName(reference)))
      .map((reference) => {
        const path = ['spec', 'components', index, 'secretRef'];
        return error(path, `there is no Secret "${referenceName(reference)}"`, 'apply the Secret first');
      }),
  );
  const moved = movedFaults(await storedPlanes(deps, namespace), plane, ['spec', 'cluster']);
  return [...moved, ...unknown, ...(await clusterFaults(deps, plane))];
}

async function clusterFaults(deps: ApiPorts, plane: ManagementPlane): Promise<readonly Fault[]> {
  const stored = await deps.manifests.get(manifestOf(plane));
  const manifest = stored && !stored.deleting ? readableManifest(stored) : undefined;
  if (manifest === undefined) return [];
  const { cluster } = plane.spec;
  const { clusters } = manifest.spec.kubernetes;
  const found = clusters.find(({ name }) => name === cluster.name);
  if (found?.machinesOnly) {
    const reason = `manifest "${cluster.manifest}" has machines, but no Kubernetes cluster`;
    return [error(['spec', 'cluster', 'manifest'], reason, 'name a manifest with a cluster')];
  }
  if (found !== undefined) return [];
  const names = clusters.map(({ name }) => name);
  const near = nearest(cluster.name, names);
  const fix = near === undefined ? `its clusters are ${names.join(', ') || 'none'}` : `did you mean ${near}?`;
  const reason = `manifest "${cluster.manifest}" has no cluster "${cluster.name}"`;
  return [error(['spec', 'cluster', 'name'], reason, fix)];
}

function manifestOf({ metadata, spec }: ManagementPlane): ManifestKey {
  return { namespace: metadata.namespace, name: spec.cluster.manifest };
}
