/** The one refusal of a verb: what it was asked of, the verb, and all that speaks against it. */
import type { WireFault } from '#contracts/api-bodies.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { shown } from '#domain/manifest/schema/names.ts';

/** What follows the name of the subject in the sentence. */
const words = {
  retry: 'cannot be retried',
  cancel: 'cannot be cancelled',
  pause: 'cannot be paused',
  resume: 'cannot be resumed',
  check: 'cannot be checked for drift',
  rollBack: 'cannot be rolled back',
  rollOut: 'cannot be rolled out',
  undo: 'cannot be undone',
  scale: 'cannot be scaled',
  replace: 'cannot be changed',
  editState: 'cannot be edited in its Terraform state',
  readState: 'has no Terraform state',
  decide: 'cannot be approved or rejected',
  logIn: 'has nothing to log in to',
  sign: 'signs no certificates',
} as const;

export type RefusableVerb = keyof typeof words;

type ManifestOfVerb = Pick<ManifestRecord, 'namespace' | 'name' | 'generation' | 'attempt'>;

/** `plan`: its id, and that of the one to ask about instead. `inventory`: its namespace. The others: names or ids. */
export type VerbSubject =
  | { readonly manifest: ManifestOfVerb }
  | { readonly cluster: string }
  | { readonly pool: string }
  | { readonly rollOut: string }
  | { readonly inventory: string }
  | { readonly plan: string; readonly instead?: string | undefined };

/** Throws `VerbRefused`; of a manifest with its version, and with the faults if they have places. `because`: one reason, or all faults. */
export function refuseVerb(subject: VerbSubject, verb: RefusableVerb, because: string | readonly WireFault[]): never {
  const faults = typeof because === 'string' ? [] : because;
  const reasons = faults.map(({ reason, fix }) => (fix === undefined ? reason : `${reason}; ${fix}`));
  const why = typeof because === 'string' ? because : reasons.join('. ');
  const details = detailsOf(subject, faults);
  throw new PipelineError('VerbRefused', `${titleOf(subject)} ${words[verb]}: ${why}`, { ...(details && { details }) });
}

function titleOf(subject: VerbSubject): string {
  if ('manifest' in subject) return `manifest "${subject.manifest.namespace}/${subject.manifest.name}"`;
  if ('cluster' in subject) return `cluster "${subject.cluster}"`;
  if ('pool' in subject) return `the pool ${shown(subject.pool)}`;
  if ('rollOut' in subject) return `roll-out ${subject.rollOut}`;
  if ('inventory' in subject) return `the inventory of namespace "${subject.inventory}"`;
  return `plan ${subject.plan}`;
}

function detailsOf(subject: VerbSubject, faults: readonly WireFault[]): Readonly<Record<string, unknown>> | undefined {
  if ('plan' in subject) return { plan: subject.instead ?? subject.plan };
  if (!('manifest' in subject)) return undefined;
  const { generation, attempt } = subject.manifest;
  return faults.length > 0 ? { faults: [...faults], current: { generation, attempt } } : { generation, attempt };
}
