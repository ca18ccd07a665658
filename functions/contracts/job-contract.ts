/** The form of all that a run and its runners give each other, as one short text: where two releases have the same, each reads what the other wrote. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ClusterFacts } from '#domain/cluster-state.ts';
import { DriftReport } from '#domain/drift.ts';
import { buildCredentialsPath } from './build-credentials.ts';
import { DriftCheck, jobOf } from './job.ts';
import { StageResult, StopRequest, WaypointDocument, waypointKeys } from './stage.ts';
import { StoredStateEdit } from './state-edits.ts';

/** Runners refuse fields that they do not know, so any other form counts as another contract, also one with more fields. */
export function jobContract(): string {
  return createHash('sha256').update(JSON.stringify(contractParts())).digest('hex').slice(0, 16);
}

/** The parts that are hashed: forms of documents, how a job is named, where documents are, and where a build gets its credentials. */
export function contractParts(): readonly unknown[] {
  const results = { StopRequest, StageResult, DriftReport };
  const documents = { WaypointDocument, DriftCheck, ClusterFacts, ...results, StoredStateEdit };
  const forms = Object.entries(documents).map(([name, schema]) => [name, formOf(schema)]);
  return [...forms, ...jobExamples.map(placesOf), buildCredentialsPath];
}

/** `KUBELOOM_JOB` of a stage and of a check, as run-stage.asl.json puts it together. */
export const jobExamples = ['runs/w/nodes/undo/2', 'runs/w/drift/do/1'];

/** What a runner reads out of it, and where it looks for and leaves documents. */
function placesOf(reference: string): unknown {
  const job = jobOf({ KUBELOOM_JOB: reference });
  const waypoint = job.kind === 'question' ? job.prefix : job.waypoint;
  const { attempt, document, drift, facts, log, result } = waypointKeys;
  const own = attempt(waypoint, 'nodes', 'undo', 2);
  return [job, document(waypoint), facts(waypoint), drift(waypoint), log(own), result(own)];
}

export function formOf(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'throw' });
}
