/** A failure in the three lines that every client shows. */
import type { FailureReport } from '#contracts/failure-report.ts';

type Lines = NonNullable<FailureReport['lines']>;

/** The API words them; an older release did not, and its words are shown as they are. */
export function failureInLines({
  lines,
  code,
  class: kind,
  message,
  hint,
}: Pick<FailureReport, 'lines' | 'code' | 'class' | 'message' | 'hint'>): Lines {
  return lines ?? { what: `${code} (${kind})`, cause: message, todo: hint };
}
