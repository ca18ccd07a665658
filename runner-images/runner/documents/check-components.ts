/** What is compared with the cluster before components are applied: objects of two documents, contracts, releases, definitions. */

import { isMap } from '#domain/json.ts';
import { groupOf } from '#domain/kubernetes-objects.ts';
import { releaseOf } from '#domain/plane-documents.ts';
import { compareReleases } from '#domain/planes/release.ts';
import { isDefinition } from '#rendering/documents.ts';
import type { Kubectl } from '../kubernetes/kubectl.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { checkDefinitions, versionsOf } from './check-definitions.ts';
import { componentContracts, refuseOtherContracts } from './component-contracts.ts';
import { refuseObjectsTwice } from './objects-twice.ts';
import type { PreparedDocument } from './prepare-documents.ts';

/** Refuses before anything of the cluster is touched. Returns the contract of each component, by the name of its documents. */
export async function checkComponents(
  context: StageContext,
  kubectl: Kubectl,
  prepared: readonly PreparedDocument[],
): Promise<ReadonlyMap<string, string>> {
  refuseObjectsTwice(context, prepared);
  const components = prepared.filter(({ document }) => document.component !== undefined);
  if (components.length === 0) return new Map();
  const all = (context.target?.documents ?? []).filter(({ component }) => component !== undefined);
  const contracts = await componentContracts(context, all, new Set(components.map(({ document }) => document.name)));
  refuseOtherContracts(all, contracts);
  refuseDowngrades(context, components);
  await refuseMissingKinds(kubectl, components);
  const objects = components.flatMap((component) => component.objects);
  await checkDefinitions(context, kubectl, objects);
  return contracts;
}

function refuseDowngrades({ facts }: StageContext, components: readonly PreparedDocument[]): void {
  const older = components.flatMap(({ document }) => {
    const applied = facts.current.documents?.[document.name];
    const [wanted, installed] = [releaseOf(document), applied && releaseOf(applied)];
    if (wanted === undefined || installed === undefined || compareReleases(wanted, installed) >= 0) return [];
    return [`${document.name} ${wanted} is older than ${installed}, which is installed`];
  });
  if (older.length === 0) return;
  throw new StageFailure({
    class: 'user',
    code: 'ComponentDowngrade',
    message: `${older.join('; ')}: nothing was changed.`,
    hint: 'Components of Cluster API are never downgraded; name the release that is installed, or a newer one.',
  });
}

/** Kinds of others, as those of cert-manager are, must be there or come with the same components. */
async function refuseMissingKinds(kubectl: Kubectl, components: readonly PreparedDocument[]): Promise<void> {
  const objects = components.flatMap(({ objects }) => objects);
  const own = new Set(
    objects
      .filter(isDefinition)
      .flatMap(({ spec }) => (isMap(spec) ? versionsOf(spec).map(({ name }) => `${spec.group}/${name}`) : [])),
  );
  const foreign = new Set(
    objects
      .map(({ apiVersion }) => apiVersion)
      .filter((version) => groupOf(version).includes('.') && !own.has(version)),
  );
  if (foreign.size === 0) return;
  const { stdout } = await kubectl.run(['api-versions', '--request-timeout=30s']);
  const served = new Set(stdout.split('\n').map((line) => line.trim()));
  const missing = [...foreign].filter((version) => !served.has(version)).sort();
  if (missing.length === 0) return;
  throw new StageFailure({
    class: 'user',
    code: 'ComponentNeedsMore',
    message: `The components need ${missing.join(', ')}, which the cluster does not have: nothing was changed.`,
    hint: 'Add a component that has them to the ManagementPlane, of kind prerequisite, such as cert-manager.',
  });
}
