/** Whether what is to be simulated can be read: a fault of it would else be found by the first run, as one of Kubeloom. */
import type { z } from 'zod';
import { parseJson } from '#domain/json.ts';
import { runnerConfig } from '../runner-config.ts';
import { InjectedFaults } from './injected-faults.ts';
import { InjectedDrifts } from './simulated-drift.ts';

/** Throws `EnvironmentFaulty`, or an error that names each variable with what is wrong and what to do. */
export function checkSimulation(environment: Readonly<Record<string, string | undefined>>): void {
  const { simFaults, simDrift } = runnerConfig(environment);
  const faults = [
    ...listFaults('KUBELOOM_SIM_FAULTS', simFaults, InjectedFaults),
    ...listFaults('KUBELOOM_SIM_DRIFT', simDrift, InjectedDrifts),
  ];
  if (faults.length > 0) throw new Error(`${faults.join('; ')}. Correct it or leave it out (docs/providers/sim.md).`);
}

function listFaults(variable: string, text: string | undefined, schema: z.ZodType): readonly string[] {
  if (text === undefined || text === '') return [];
  const list = parseJson(text);
  if (list === undefined) return [`${variable} is not JSON`];
  const { error } = schema.safeParse(list);
  return (error?.issues ?? []).map(
    ({ path, message }) => `${variable}${path.map((part) => `[${String(part)}]`).join('')}: ${message}`,
  );
}
