/** Submits a manifest with templates that moved, under all rules of a change: plans that are refused, budgets, approvals. */
import type { ManifestRecord } from '#contracts/records.ts';
import { isPipelineError } from '#domain/errors.ts';
import { isMap } from '#domain/json.ts';
import { type MovedTemplate, movedTemplatesText } from '#domain/take-templates.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { submitDocument } from '../submission/submit-document.ts';
import type { Pins } from './moved-templates.ts';
import { templatesCaller } from './templates-caller.ts';

export interface MovedSubmission {
  /** What is used with it. */
  readonly moved: readonly MovedTemplate[];
  /** All versions, those among them. */
  readonly pins: Pins;
  /** What the next record says of the others. */
  readonly behind: NonNullable<ManifestRecord['behind']>;
  readonly proposeOnly: boolean;
}

/** `unchanged`: they change nothing. `because`: nothing was started; `plan`: what waits for an approval. */
export type SubmittedMove =
  | { readonly outcome: 'started' }
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'kept'; readonly because: string; readonly plan?: string };

/** Throws `VersionConflict` when another request was faster. */
export async function submitMoved(
  deps: SubmissionPorts,
  record: ManifestRecord,
  { moved, pins, behind, proposeOnly }: MovedSubmission,
): Promise<SubmittedMove> {
  const { document, templates = {}, templateSecrets = {} } = record;
  // What failed before is not what to go back to.
  const taking = record.status === 'Done' && { taking: { templates, templateSecrets } };
  try {
    const { unchanged } = await submitDocument(deps, record, {
      document,
      stored: record,
      caller: templatesCaller(record),
      reason: `templates moved: ${movedTemplatesText(moved)}`.slice(0, 300),
      pinned: { ...pins, behind, ...taking },
      terms: { repeated: true, ...(proposeOnly && { proposeOnly: true }) },
    });
    return { outcome: unchanged ? 'unchanged' : 'started' };
  } catch (error) {
    if (!isPipelineError(error) || ['VersionConflict', 'InternalFault', 'ServiceUnavailable'].includes(error.name))
      throw error;
    const plan = isMap(error.details) ? error.details.plan : undefined;
    if (error.name === 'ApprovalRequired' && typeof plan === 'string')
      return { outcome: 'kept', because: `plan ${plan} waits for an approval`, plan };
    return { outcome: 'kept', because: reasonOf(error.message, error.details) };
  }
}

/** The first fault, where there are any. */
function reasonOf(message: string, details: unknown): string {
  const [first] = Array.isArray(details) ? details : [];
  const { path, reason, fix } = isMap(first) ? first : {};
  const fault = [path, reason].filter((part) => typeof part === 'string' && part !== '').join(': ');
  return (fault === '' ? message : typeof fix === 'string' && fix !== '' ? `${fault}; ${fix}` : fault).slice(0, 500);
}
