/** The documents of a cluster on the way to a target: applied, and removed where they are no longer desired. */
import type { Kubectl } from '../kubernetes/kubectl.ts';
import type { StageContext, StageSummary } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { applyDocuments, type HeldComponent } from './apply-documents.ts';
import { type AvailabilityWait, shownObjects } from './availability.ts';
import type { PreparedDocument } from './prepare-documents.ts';
import { pruneDocuments } from './prune-documents.ts';

interface DocumentsWork {
  readonly prepared: readonly PreparedDocument[];
  /** Contracts of components, by the name of their documents. */
  readonly contracts: ReadonlyMap<string, string>;
  /** Names, in the order in which they were applied. */
  readonly removed: readonly string[];
}

/** Counts for people. Throws `ComponentsHeld` when everything is done that does not wait for a component: the waypoint continues later, unless it may end without them. */
export async function settleDocuments(
  context: StageContext,
  kubectl: Kubectl,
  { prepared, contracts, removed }: DocumentsWork,
  wait: AvailabilityWait = {},
): Promise<StageSummary> {
  const { applied, held } = await applyDocuments(context, kubectl, prepared, { ...wait, contracts });
  // What takes their place may be in a component that is held, also that of another plane or of none.
  const going = held.length > 0 ? [] : removed;
  const gone = await pruneDocuments(context, kubectl, going.toReversed());
  if (held.length > 0 && !mayEnd(context, removed)) throw componentsHeld(held);
  if (held.length > 0) context.emit({ kind: 'ComponentHeld', message: endedWithout(held) });
  return { ...(applied > 0 && { documentsApplied: applied }), ...(gone > 0 && { documentsRemoved: gone }) };
}

/** What leaves can only be removed by this waypoint: it then is not reached. */
function mayEnd({ document }: StageContext, removed: readonly string[]): boolean {
  return document.reachedWithHeld === true && removed.length === 0;
}

function endedWithout(held: readonly HeldComponent[]): string {
  return `${waitText(held)}, after all pauses; the change ends without it: a drift check reports what is missing, and a repair applies it`;
}

function waitText(held: readonly HeldComponent[]): string {
  const holders = [...new Set(held.map(({ holder }) => holder))].join(', ');
  const verb = held.length === 1 ? 'waits' : 'wait';
  return `${shownObjects(held.map(({ name }) => name))} ${verb} for ${holders}, which does not work yet`;
}

function componentsHeld(held: readonly HeldComponent[]): StageFailure {
  return new StageFailure({
    class: 'transient',
    code: 'ComponentsHeld',
    message: `${waitText(held)}. All others are applied.`,
    resource: held[0]?.holder,
    hint: 'Kubeloom continues automatically; `kubectl describe` of the objects of that component, and of its pods, says why it does not work.',
    // It has waited for minutes: the pauses of the waypoint are the right ones.
    retryable: false,
  });
}
