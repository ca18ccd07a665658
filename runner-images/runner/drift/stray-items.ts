/** Strays as findings of a check: each machine once, whatever number of instances listed it. */
import type { DriftItem } from '#domain/drift.ts';
import type { Strays } from '../terraform/strays/strays.ts';
import { type Findings, sentence } from './findings.ts';

export interface ListedStrays {
  /** Name of the instance. */
  readonly provider: string;
  readonly type: string;
  /** Absent: the type cannot list. */
  readonly strays: Strays | undefined;
}

/** One item for each, up to a number that a person reads. Two instances may have one account. */
export function strayItems(listed: readonly ListedStrays[]): readonly DriftItem[] {
  const found = listed.flatMap(({ provider, type, strays }) =>
    strays === undefined || 'failed' in strays
      ? []
      : strays.found.map(({ id, name, stopped }) => ({
          key: JSON.stringify([type, id, name]),
          item: {
            kind: 'stray' as const,
            where: { provider, name, id },
            repairable: strays.removable,
            ...(stopped ? { hold: 'held' as const } : strays.stoppable && { hold: 'possible' as const }),
            message: sentence(
              `${provider} has the machine ${name} (${id}) with the tags of the cluster, which neither Kubeloom nor Terraform knows${stopped ? quarantined : ''}`,
            ),
          },
        })),
  );
  const first = new Map(found.toReversed().map(({ key, item }) => [key, item]));
  return [...first.values()].toReversed().slice(0, mostStrays);
}

const mostStrays = 50;

const quarantined = '; it is in quarantine: stopped, and kept until a person deletes it';

/** If the credentials may not list machines, that stays so until a person grants it: the check reports it and counts as complete. */
export function unlisted(provider: string, strays: Strays): Required<Pick<Findings, 'unchecked' | 'notes'>> {
  if (!('failed' in strays)) return { unchecked: [], notes: [] };
  const note = sentence(`${provider}: unknown machines could not be listed: ${strays.failed}`);
  return strays.denied ? { unchecked: [], notes: [note] } : { unchecked: [note], notes: [] };
}
