/** Submits the documents of a commit: all are judged first, so that a fault in one can keep back the others. */
import type { WireFault } from '#contracts/api-bodies.ts';
import type { GitSourceRecord, SourceFault, SourceRow } from '#contracts/git-sources.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { storageFaults, wireFaults } from '#documents/wire-faults.ts';
import { isPipelineError } from '#domain/errors.ts';
import { validateTemplateReference } from '#domain/manifest/validate-template-reference.ts';
import { sameValue } from '#domain/same-value.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { assess } from '../assessment/assess.ts';
import { refuseInventoryOwned } from '../inventory/manifest-owner.ts';
import { replaceableManifest } from '../records/stored-manifest.ts';
import { gather } from '../submission/gather.ts';
import { submitDocument } from '../submission/submit-document.ts';
import { validationContextOf } from '../submission/validation-context.ts';
import { storeTemplateReference } from '../templates/store-template-reference.ts';
import { inFile, type ReadSource, type SourceDocument } from './source-documents.ts';
import { ownerAmong } from './source-owners.ts';

export interface SourceSubmission {
  readonly source: GitSourceRecord;
  /** The other GitSources of the namespace. */
  readonly others: readonly GitSourceRecord[];
  readonly caller: AdmittedCaller;
  readonly commit: string;
  readonly read: ReadSource;
}

export interface SubmittedSource {
  readonly faults: readonly SourceFault[];
  readonly rows: readonly SourceRow[];
  /** What was submitted, by name: with what is known of before, what the GitSource owns. */
  readonly submitted: GitSourceRecord['submitted'];
}

interface Judged extends SourceDocument {
  readonly faults: readonly WireFault[];
  readonly stored?: ManifestRecord | undefined;
  readonly same?: boolean;
  readonly checksum?: string;
}

/** Throws `TemplatesPending`: then it has to be called again. */
export async function submitSource(deps: SubmissionPorts, submission: SourceSubmission): Promise<SubmittedSource> {
  const { source, read } = submission;
  const references = await judgeReferences(deps, submission);
  const good = references.filter(({ faults }) => faults.length === 0);
  const accompanying = good.map(({ document }) => document);
  const manifests: Judged[] = [];
  for (const one of read.documents)
    if (one.kind !== 'TemplateGitReference') manifests.push(await judgeManifest(deps, one, submission, accompanying));
  const faults = [...read.faults, ...[...references, ...manifests].flatMap((one) => inFile(one.file, one.faults))];
  const faulty = new Set(faults.map(({ file }) => file));
  const nothing = faults.length > 0 && source.document.spec.onFault === 'nothing';
  const goes = ({ file }: SourceDocument): boolean => !nothing && !faulty.has(file);
  for (const one of good.filter(goes)) await storeReference(deps, one, submission);
  const rows: SourceRow[] = [];
  const submitted: GitSourceRecord['submitted'] = {};
  for (const one of manifests) {
    if (!goes(one)) {
      rows.push(rowOf(one, faulty.has(one.file) ? 'refused' : 'held'));
      continue;
    }
    const { row, fault } = await submit(deps, one, submission);
    rows.push(row);
    if (fault) {
      faults.push(...inFile(one.file, fault));
      continue;
    }
    const uid = one.stored?.uid ?? (await deps.manifests.get({ ...source, name: one.name }))?.uid;
    submitted[one.name] = { kind: row.kind, file: one.file, checksum: one.checksum ?? '', ...(uid && { uid }) };
  }
  return { faults, rows, submitted };
}

async function judgeReferences(
  deps: SubmissionPorts,
  { read, caller, source: { namespace } }: SourceSubmission,
): Promise<readonly Judged[]> {
  const references = read.documents.filter(({ kind }) => kind === 'TemplateGitReference');
  return Promise.all(
    references.map(async (one) => {
      const faults = await faultsIn(one, async () => {
        const context = await validationContextOf(deps, { namespace, name: one.name }, one.document, caller);
        const verdict = validateTemplateReference(one.document, context);
        return wireFaults([...storageFaults(one.document), ...verdict.faults], one.document);
      });
      return { ...one, faults };
    }),
  );
}

async function judgeManifest(
  deps: SubmissionPorts,
  one: SourceDocument,
  { source, others, caller }: SourceSubmission,
  accompanying: readonly unknown[],
): Promise<Judged> {
  const key = { namespace: source.namespace, name: one.name };
  let known: Pick<Judged, 'stored' | 'same' | 'checksum'> = {};
  const faults = await faultsIn(one, async () => {
    const owner = ownerAmong(others, one.name);
    if (owner !== undefined) {
      const fix = `remove it there, then this GitSource takes it over; or remove it here`;
      return [{ path: 'metadata.name', reason: `"${one.name}" is submitted by the GitSource ${owner.name}`, fix }];
    }
    const stored = await replaceableManifest(deps, key);
    await refuseInventoryOwned(deps, key, [one.document, stored?.document]);
    const { next, faults, refusals } = assess(
      await gather(deps, key, { document: one.document, stored, caller, accompanying }),
    );
    known = { stored, same: next?.same ?? false, checksum: next?.record.checksum ?? '' };
    return [...faults, ...refusals];
  });
  return { ...one, faults, ...known };
}

async function storeReference(deps: SubmissionPorts, one: Judged, { source, caller }: SourceSubmission): Promise<void> {
  const { document: reference } = validateTemplateReference(one.document);
  const before = await deps.templateReferences.get(source.namespace, one.name);
  if (reference === undefined || sameValue(before, reference)) return;
  await storeTemplateReference(deps, { namespace: source.namespace, name: one.name }, reference, caller);
}

async function submit(
  deps: SubmissionPorts,
  one: Judged,
  { source, caller, commit }: SourceSubmission,
): Promise<{ readonly row: SourceRow; readonly fault?: readonly WireFault[] }> {
  // What is stored already has its own retries and checks: this starts no further attempt.
  if (one.same) return { row: rowOf(one, 'unchanged') };
  const { ref, onPlan } = source.document.spec;
  const key = { namespace: source.namespace, name: one.name };
  let row = rowOf(one, 'refused');
  const fault = await faultsIn(one, async () => {
    const { record } = await submitDocument(deps, key, {
      document: one.document,
      stored: one.stored,
      caller,
      sameIsFine: true,
      reason: `commit ${commit.slice(0, 12)} of ${ref}, file ${one.file}`.slice(0, 300),
      terms: { repeated: true, ...(onPlan === 'propose' && { proposeOnly: true }) },
    });
    row = { ...rowOf(one, 'applied'), runId: record.runId };
    return [];
  }).catch((thrown: unknown) => {
    if (!isPipelineError(thrown, 'ApprovalRequired')) throw thrown;
    row = { ...rowOf(one, 'proposed'), ...planOf(thrown.details) };
    return [];
  });
  return fault.length === 0 ? { row } : { row, fault };
}

export function planOf(details: unknown): { readonly plan?: string } {
  const plan = (details as { plan?: unknown } | undefined)?.plan;
  return typeof plan === 'string' ? { plan } : {};
}

/** What goes wrong with one document is a fault of it, and keeps no other from being judged. */
export async function faultsIn(
  { document }: Pick<SourceDocument, 'document'>,
  work: () => Promise<readonly WireFault[]>,
): Promise<readonly WireFault[]> {
  try {
    return await work();
  } catch (thrown) {
    if (!isPipelineError(thrown)) throw thrown;
    if (['TemplatesPending', 'ApprovalRequired', 'InternalFault'].includes(thrown.name)) throw thrown;
    if (thrown.name === 'InvalidManifest' && Array.isArray(thrown.details)) return thrown.details;
    const reason = thrown.message.slice(0, 1000);
    return wireFaults(
      [
        {
          path: 'metadata.name',
          reason,
          fix: 'the next commit, or `kubeloom sources sync`, retries it',
          severity: 'error',
        },
      ],
      document,
    );
  }
}

const rowOf = ({ name, kind, file }: SourceDocument, state: SourceRow['state']): SourceRow => ({
  name,
  file,
  state,
  kind: kind === 'MachineGroups' ? kind : 'InputManifest',
});
