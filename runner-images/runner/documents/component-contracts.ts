/** Which contract each component of a plane has, and whether the core works with it. */
import { parseDocuments } from '#documents/parse-documents.ts';
import type { ComponentState, DocumentState } from '#domain/cluster-documents.ts';
import { releaseOf } from '#domain/plane-documents.ts';
import { contractOf, contractsOfCore, worksWith } from '#domain/planes/contracts.ts';
import { planeOfDocument } from '#domain/planes/management-plane.ts';
import type { ClusterContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { componentFile } from './component-files.ts';

type Places = Pick<ClusterContext, 'facts' | 'ports' | 'runner'>;

/** By the name of the documents; prerequisites have none. Those that stay as they are (not among `changing`) need no file. Throws `ContractUnknown` and what `componentFile` throws. */
export async function componentContracts(
  places: Places,
  documents: readonly DocumentState[],
  changing: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    documents.flatMap((document): Promise<[string, string]>[] => {
      const { name, version, component } = document;
      if (component?.metadata === undefined) return [];
      const applied = places.facts.current.documents?.[name];
      const known = changing.has(name) || applied?.version !== version ? undefined : applied.contract;
      return [
        known === undefined ? readContract(places, document, component.metadata) : Promise.resolve([name, known]),
      ];
    }),
  );
  return new Map(found);
}

async function readContract(
  places: Places,
  document: DocumentState,
  metadata: NonNullable<ComponentState['metadata']>,
): Promise<[string, string]> {
  const { name } = document;
  const release = releaseOf(document) ?? '';
  const [read] = parseDocuments(await componentFile(places, name, metadata)).documents;
  const answer = contractOf(release, read);
  if ('contract' in answer) return [name, answer.contract];
  throw new StageFailure({
    class: 'user',
    code: 'ContractUnknown',
    message: `The contract of ${name} ${release} is not known: ${answer.reason}.`,
    resource: name,
    hint: 'Name metadata.yaml of that release in the ManagementPlane.',
  });
}

/** Throws `ContractWrong` for the components of a plane that its core does not work with: nothing is applied then. */
export function refuseOtherContracts(
  documents: readonly DocumentState[],
  contracts: ReadonlyMap<string, string>,
): void {
  const wrong = documents.flatMap((document) => {
    const plane = planeOfDocument(document.name);
    const core = documents.find(({ name, component }) => component?.kind === 'core' && planeOfDocument(name) === plane);
    const contract = contracts.get(document.name);
    const ofCore = core && contracts.get(core.name);
    if (core === undefined || contract === undefined || ofCore === undefined || worksWith(ofCore, contract)) return [];
    const of = `${document.name} ${releaseOf(document)} has contract ${contract}`;
    return [`${of}, and ${core.name} ${releaseOf(core)} works with ${contractsOfCore(ofCore)}`];
  });
  if (wrong.length === 0) return;
  throw new StageFailure({
    class: 'user',
    code: 'ContractWrong',
    message: `${wrong.join('; ')}: nothing was changed.`,
    hint: 'Name releases of one contract in the ManagementPlane: upgrade the core first, or the providers with it.',
  });
}
