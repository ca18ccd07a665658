/** What releases compare before functions of one give work to runners of another. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jobOf } from '#contracts/job.ts';
import { contractParts, formOf, jobContract, jobExamples } from '#contracts/job-contract.ts';
import { WaypointDocument } from '#contracts/stage.ts';
import { machineOf } from '#test/pipeline/harness/asl-files.ts';

describe('the contract of functions and runners', () => {
  it('the contract is short, and the same each time it is computed', () => {
    expect(jobContract()).toMatch(/^[0-9a-f]{16}$/);
    expect(jobContract()).toBe(jobContract());
  });

  it('an added field changes the contract version, even an optional one: runners refuse fields that they do not know', () => {
    const now = JSON.stringify(formOf(WaypointDocument));
    expect(JSON.stringify(formOf(WaypointDocument.extend({ more: z.string().optional() })))).not.toBe(now);
  });

  it('what a runner answers, and how its job is named, are part of the contract', () => {
    const parts = JSON.stringify(contractParts());
    for (const part of ['failedPools', '"unchecked"', 'runs/w/nodes-undo/2/result.json']) expect(parts).toContain(part);
    const definition = machineOf('run-stage').States['Run Tool'] as { Parameters?: object };
    const format = /States\.Format\('\{\}\/\{\}\/\{\}\/\{\}', ([^)]*)\)/.exec(
      JSON.stringify(definition.Parameters),
    )?.[1];
    expect(format).toBe('$.slot.waypointPrefix, $.slot.stage, $.slot.mode, $.try.attempt');
    const jobs = jobExamples.map((KUBELOOM_JOB) => jobOf({ KUBELOOM_JOB }));
    expect(jobs).toEqual([
      { kind: 'stage', waypoint: 'runs/w', stage: 'nodes', mode: 'undo', attempt: 2 },
      { kind: 'drift', waypoint: 'runs/w', attempt: 1 },
    ]);
  });

  it('a field deep inside of a cluster state is part of the form', () => {
    expect(JSON.stringify(formOf(WaypointDocument))).toContain('privateAddress');
  });
});
