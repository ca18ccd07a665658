/** The form of all that a run gives its runners, as one short text: where two releases have the same, each reads what the other wrote. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ClusterFacts } from '#domain/cluster-state.ts';
import { DriftCheck } from './job.ts';
import { StopRequest, WaypointDocument } from './stage.ts';

/** Runners refuse fields that they do not know, so any other form counts as another contract, also one with more fields. */
export function jobContract(): string {
  const documents = { WaypointDocument, DriftCheck, ClusterFacts, StopRequest };
  const forms = Object.entries(documents).map(([name, schema]) => [name, formOf(schema)]);
  return createHash('sha256').update(JSON.stringify(forms)).digest('hex').slice(0, 16);
}

export function formOf(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'throw' });
}
