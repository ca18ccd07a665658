/** The newest value of each number that functions give under `measures`; in AWS metric filters read them from the log. */
import { z } from 'zod';

const Output = z.object({ measures: z.record(z.string(), z.number()) });

export function measuresOf(): { readonly measured: ReadonlyMap<string, number>; note(output: unknown): void } {
  const measured = new Map<string, number>();
  return {
    measured,
    note(output) {
      for (const [name, value] of Object.entries(Output.safeParse(output).data?.measures ?? {}))
        measured.set(name, value);
    },
  };
}
