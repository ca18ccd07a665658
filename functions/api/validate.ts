/** POST /v1/validate: every fault of every document, validated together and with the stored ones. */
import type { WireFault } from '#contracts/api-bodies.ts';
import { operations } from '#contracts/operations/operations.ts';
import { storageFaults, wireFaults } from '#documents/wire-faults.ts';
import { cutLine, mostOfName } from '#domain/cut-text.ts';
import {
  type DocumentKind,
  documentName,
  isManifestKind,
  kindOf,
  validateDocuments,
} from '#domain/documents/validate-documents.ts';
import { type Fault, mostFaults } from '#domain/manifest/faults/fault.ts';
import { referenceName as storedName } from '#domain/manifest/references-in.ts';
import { storedSecretUses } from '../pipeline/submission/manifests-that-use.ts';
import { storedReferences } from '../pipeline/submission/validation-context.ts';
import { handle } from './http/handle.ts';
import { requestDocuments } from './http/request-document.ts';

/** Faults of all documents together: two hundred with a hundred each would be more than a function may answer. */
const mostOfReport = 1000;

export const validate = handle(operations.validate, async (request, deps) => {
  const bodies = requestDocuments(request, deps);
  // Whose machines are taken is asked when a manifest is applied.
  const placed = bodies.map((document) => ({ key: documentName(document), document }));
  // Only callers who may read its namespace learn what a Secret is used for.
  const secrets = placed.filter(
    ({ key, document }) => kindOf(document) === 'Secret' && request.caller.may('viewer', key.namespace),
  );
  const [known, uses] = await Promise.all([
    storedReferences(deps, placed, request.caller),
    storedSecretUses(deps, new Set(secrets.map(({ key }) => storedName(key)))),
  ]);
  const verdicts = validateDocuments(bodies, known, uses).map((verdict, index) => ({
    ...verdict,
    faults: [...(keptAsItIs(verdict.kind) ? storageFaults(bodies[index]) : []), ...verdict.faults],
  }));
  let room = mostOfReport;
  const reported = (faults: readonly Fault[], document: unknown): WireFault[] => {
    const some = wireFaults(faults, document, Math.min(room, mostFaults));
    room -= some.length;
    return some;
  };
  const documents = verdicts.map(({ kind, namespace, name, faults, warnings }, index) => ({
    index,
    kind: kind ?? null,
    namespace: kind === 'RoleBinding' ? null : cutLine(namespace, mostOfName),
    name: cutLine(name, mostOfName) || null,
    faults: reported(faults, bodies[index]),
    warnings: reported(warnings, bodies[index]),
  }));
  const valid = verdicts.every(({ faults }) => faults.length === 0);
  return { json: { valid, documents } };
});

function keptAsItIs(kind: DocumentKind | undefined): boolean {
  return kind !== undefined && !isManifestKind(kind) && kind !== 'Secret';
}
