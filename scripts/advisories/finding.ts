/** What a source of advisories answers, and what of it stops a check. */
import { z } from 'zod';

export const Severity = z.enum(['info', 'low', 'moderate', 'high', 'critical', 'unknown']);
export type Severity = z.infer<typeof Severity>;

/** A known hole in a package that we use. */
export interface Advisory {
  /** `GHSA-…`, `GO-…`, `PYSEC-…`: as in the list of accepted ones. */
  readonly id: string;
  readonly package: string;
  readonly severity: Severity;
  readonly title: string;
}

/** `packages`: how many were looked up; absent where the source does not say. */
export type Looked =
  | { readonly source: string; readonly advisories: readonly Advisory[]; readonly packages?: number }
  | { readonly source: string; readonly couldNotLook: string };

/** A hole that does not reach us, or that has no fix yet: until a day, so that someone looks again. */
export const Accepted = z.strictObject({
  id: z.string().min(1),
  package: z.string().min(1),
  reason: z.string().min(20),
  /** Last day on which it is accepted. */
  until: z.iso.date(),
});
export type Accepted = z.infer<typeof Accepted>;

export interface Judgement {
  readonly lines: readonly string[];
  readonly failed: boolean;
}

/** Holes that stop a check are high, critical or of unknown severity. `today`: `2026-11-27`. */
export function verdictOf(looked: readonly Looked[], accepted: readonly Accepted[], today: string): Judgement {
  const found = looked.flatMap((one) => ('advisories' in one ? one.advisories : []));
  const rowOf = ({ id, package: name }: Advisory): Accepted | undefined =>
    accepted.find((row) => row.id === id && row.package === name);
  const stops = (advisory: Advisory): boolean =>
    ['high', 'critical', 'unknown'].includes(advisory.severity) && (rowOf(advisory)?.until ?? '') < today;
  const lines = found.map((advisory) => {
    const { id, package: name, severity, title } = advisory;
    const row = rowOf(advisory);
    const words = `${name}: ${severity}: ${title} (${id})`;
    if (stops(advisory)) return `FAIL advisories: ${words}${row ? `; it was accepted until ${row.until}` : ''}`;
    return `advisories: ${words}${row ? `; accepted until ${row.until}: ${row.reason}` : ''}`;
  });
  const complete = looked.every((one) => 'advisories' in one);
  const unused = accepted.filter((row) => complete && !found.some((advisory) => rowOf(advisory) === row));
  return {
    lines: [
      ...looked.map(summary),
      ...lines,
      ...unused.map(
        ({ id, package: name }) => `advisories: ${id} of ${name} is accepted and no longer found: remove its row`,
      ),
    ],
    failed: found.some(stops),
  };
}

function summary(looked: Looked): string {
  if ('couldNotLook' in looked) return `advisories: ${looked.source}: could not look: ${looked.couldNotLook}`;
  const { source, advisories, packages } = looked;
  return `advisories: ${source}: ${advisories.length} known holes${packages === undefined ? '' : ` in ${packages} packages`}`;
}
